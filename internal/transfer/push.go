package transfer

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"time"

	"octavo/ent"
	entrevision "octavo/ent/revision"
	"octavo/internal/access"
	"octavo/internal/repository"
	"octavo/internal/revision"
)

// committer stands in for the author of a commit who is not known.
var committer = repository.Author{Name: "Octavo", Email: "octavo@localhost"}

// exportTo commits the main content to a branch.
func (s *Service) exportTo(ctx context.Context, address string, run Run) error {
	found, err := s.spaces.Require(ctx, run.SpaceID, access.ScopeWrite, access.Create)
	if err != nil {
		return err
	}
	state, err := stateOf(found.Space)
	if err != nil {
		return err
	}
	head, err := s.content(ctx, found.RevisionID)
	if err != nil {
		return err
	}
	known, err := s.knownFiles(ctx, state.Revision)
	if err != nil {
		return err
	}
	author, err := s.author(ctx, run.UserID)
	if err != nil {
		return err
	}
	push := repository.Push{
		Reference: run.Ref, Subdirectory: run.Directory, Message: run.Message, Author: author,
		Export: func(write repository.WriteFunc) error { return s.export(ctx, head, write) },
		Remove: func(name string) bool { return known[name] },
	}
	if !run.Force {
		push.Expected = state.Commit
	}
	pushed, err := repository.CommitAndPush(ctx, address, push, s.gitOptions())
	if err != nil {
		return err
	}
	return s.exported(ctx, run, head, pushed, address)
}

// knownFiles returns the paths of everything that the last import or export
// knew: what of it is not written any more was deleted in the space.
func (s *Service) knownFiles(ctx context.Context, revisionID string) (map[string]bool, error) {
	known := map[string]bool{}
	if revisionID == "" {
		return known, nil
	}
	agreed, err := s.content(ctx, revisionID)
	if err != nil {
		return nil, err
	}
	paths, err := repository.Paths(agreed.tree, agreed.bodies)
	if err != nil {
		return nil, err
	}
	root := ""
	if origin := agreed.tree.Repository; origin != nil {
		root = origin.Root
		for _, file := range origin.Unplaced {
			known[file.Path] = true
		}
	}
	for _, name := range paths {
		known[path.Join(root, name)] = true
	}
	return known, nil
}

// author is the person who asked for the export.
func (s *Service) author(ctx context.Context, userID string) (repository.Author, error) {
	author := committer
	author.Time = time.Now()
	if userID == "" {
		return author, nil
	}
	person, err := s.database.Client(ctx).User.Get(ctx, userID)
	if ent.IsNotFound(err) {
		return author, nil
	}
	if err != nil {
		return repository.Author{}, fmt.Errorf("read the author of an export: %w", err)
	}
	author.Name = person.DisplayName
	if person.Email != "" {
		author.Email = person.Email
	}
	return author, nil
}

// exported notes that the branch and the space agree.
func (s *Service) exported(ctx context.Context, run Run, head *synchronized, pushed *repository.Pushed, address string) error {
	git, err := json.Marshal(revision.Git{
		OID: pushed.Commit, Message: run.Message, CreatedByGitBook: true,
		URL: commitURL(run.CommitURL, pushed.Commit, address), Ref: pushed.Reference,
	})
	if err != nil {
		return err
	}
	return s.database.Write(ctx, func(ctx context.Context) error {
		err := s.updateState(ctx, run.SpaceID, func(state *State) {
			state.Commit, state.Revision = pushed.Commit, head.revision.ID
		})
		if err != nil || !pushed.Changed {
			return err
		}
		return s.database.Client(ctx).Revision.Update().
			Where(entrevision.ID(head.revision.ID), entrevision.GitIsNil()).SetGit(git).Exec(ctx)
	})
}
