package transfer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"octavo/internal/access"
	"octavo/internal/content"
	"octavo/internal/enum"
	"octavo/internal/fault"
	"octavo/internal/repository"
	"octavo/internal/revision"
	"octavo/internal/space"
)

const (
	// maximumNamed is how many conflicts an error names.
	maximumNamed = 20
	// resolutionRounds bounds how often settled conflicts may show new ones.
	resolutionRounds = 10
)

// takeOver writes what was read into a locked space, in the transaction of the
// context.
func (s *Service) takeOver(ctx context.Context, locked *space.Space, from *synchronized, read *repository.Result, source Source, options Options) (*Imported, error) {
	source.progress(StepWrite, 0, 1)
	draft := revision.Draft{
		Space: locked.Space, Type: enum.RevisionEdits, Parents: []string{from.revision.ID},
		AuthorID: access.From(ctx).UserID, Tree: read.Tree, Bodies: read.Bodies, Git: source.Git,
	}
	imported := &Imported{SpaceID: locked.ID, Report: read.Report, Changed: true}
	var err error
	if options.Standalone {
		imported.RevisionID, err = s.writeAside(ctx, draft)
	} else {
		err = s.mergeInto(ctx, locked, from, draft, options, imported)
	}
	if err != nil {
		return nil, err
	}
	source.progress(StepWrite, 1, 1)
	return imported, nil
}

// writeAside makes a revision that is not the main content.
func (s *Service) writeAside(ctx context.Context, draft revision.Draft) (id string, err error) {
	draft.Aside = true
	made, err := s.revisions.Write(ctx, draft)
	if err != nil {
		return "", err
	}
	return made.ID, nil
}

// mergeInto makes the main content of the space what it and the repository say
// together.
func (s *Service) mergeInto(ctx context.Context, locked *space.Space, from *synchronized, draft revision.Draft, options Options, imported *Imported) error {
	if err := checkCurrent(locked, from); err != nil {
		return err
	}
	head, err := s.content(ctx, locked.RevisionID)
	if err != nil {
		return err
	}
	merged, err := merge(from, head, draft, options)
	if err != nil {
		return err
	}
	theirRoot, _, err := draft.Tree.Encode()
	if err != nil {
		return err
	}
	root, _, err := merged.Tree.Encode()
	if err != nil {
		return err
	}
	agreed := from.revision.ID
	if imported.Changed = string(root.Hash) != head.revision.Root; imported.Changed || options.Force {
		if agreed, err = s.advance(ctx, locked, draft, merged, theirRoot.Hash == root.Hash); err != nil {
			return err
		}
	} else if string(theirRoot.Hash) == head.revision.Root {
		agreed = head.revision.ID
	}
	current, err := s.spaces.Get(ctx, locked.ID)
	if err != nil {
		return err
	}
	imported.RevisionID = current.RevisionID
	return s.updateState(ctx, locked.ID, func(state *State) { state.Revision = agreed })
}

// checkCurrent makes sure that no other import or export ended meanwhile.
func checkCurrent(locked *space.Space, from *synchronized) error {
	state, err := stateOf(locked.Space)
	if err != nil {
		return err
	}
	if state.Revision != "" && state.Revision != from.revision.ID {
		return fault.New(fault.Conflict, "another import or export of the space ended meanwhile: try again")
	}
	if state.Revision == "" && locked.RevisionID != from.revision.ID {
		return space.Moved(locked.RevisionID)
	}
	return nil
}

// advance writes the merged content. Where it is not what the repository says,
// that is kept as a revision of its own, for the next merge to start from. It
// returns the revision that holds what the repository says.
func (s *Service) advance(ctx context.Context, locked *space.Space, draft, merged revision.Draft, same bool) (agreed string, err error) {
	merged.Parents = []string{locked.RevisionID}
	if !same {
		if agreed, err = s.writeAside(ctx, draft); err != nil {
			return "", err
		}
		merged.Parents = append(merged.Parents, agreed)
	}
	made, err := s.spaces.Advance(ctx, locked.Space, merged)
	if err != nil {
		return "", err
	}
	if same {
		return made.ID, nil
	}
	return agreed, nil
}

// merge brings together what the space and the repository changed since they
// agreed.
func merge(from, head *synchronized, draft revision.Draft, options Options) (revision.Draft, error) {
	bodies := texts{known: draft.Bodies, rest: head.bodies}
	var resolutions []content.Resolution
	for range resolutionRounds {
		result, err := content.Merge(from.tree, head.tree, draft.Tree, bodies, content.MergeOptions{Resolutions: resolutions})
		if err != nil {
			return revision.Draft{}, err
		}
		if len(result.Conflicts) == 0 {
			merged := draft
			merged.Tree = result.Tree
			merged.Bodies = maps.Clone(draft.Bodies)
			maps.Copy(merged.Bodies, result.Bodies.Added())
			return merged, nil
		}
		if !options.Force {
			return revision.Draft{}, conflicting(result.Conflicts, head.tree, draft.Tree)
		}
		for _, conflict := range result.Conflicts {
			resolutions = append(resolutions, content.Resolution{Conflict: conflict.ID, Choice: theirs(conflict)})
		}
	}
	return revision.Draft{}, fault.New(fault.Conflict, "the conflicts between the space and the repository cannot be settled by taking what the repository says")
}

// theirs is the choice that is closest to what the repository says.
func theirs(conflict content.Conflict) content.Choice {
	if slices.Contains(conflict.Choices, content.ChooseTheirs) {
		return content.ChooseTheirs
	}
	return conflict.Choices[0]
}

// conflicting is the error that names conflicts.
func conflicting(conflicts []content.Conflict, trees ...*content.Tree) error {
	names := make([]string, 0, maximumNamed)
	for _, conflict := range conflicts[:min(len(conflicts), maximumNamed)] {
		names = append(names, nameOf(conflict, trees))
	}
	if rest := len(conflicts) - len(names); rest > 0 {
		names = append(names, fmt.Sprintf("%d more", rest))
	}
	return fault.New(fault.Conflict, "the space and the repository changed the same: %s", strings.Join(names, "; ")).With("conflicts", names)
}

// nameOf says what a conflict is about: "guides/install.md: body_block".
func nameOf(conflict content.Conflict, trees []*content.Tree) string {
	name := "the space"
	for _, tree := range trees {
		page, file := tree.Page(conflict.Page), tree.File(conflict.File)
		switch {
		case page != nil && page.GitPath != "":
			name = page.GitPath
		case page != nil:
			name = page.Title
		case file != nil && file.GitPath != "":
			name = file.GitPath
		case file != nil:
			name = file.Name
		default:
			continue
		}
		break
	}
	what := string(conflict.Kind)
	if conflict.Field != "" {
		what += " " + conflict.Field
	}
	return name + ": " + what
}
