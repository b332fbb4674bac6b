package edit

import (
	"octavo/internal/content"
	"octavo/internal/revision"
)

// OutcomeKind tells what an edit did to a page.
type OutcomeKind string

// The kinds.
const (
	PageCreated OutcomeKind = "created"
	PageUpdated OutcomeKind = "updated"
	PageDeleted OutcomeKind = "deleted"
)

// Values lists the kinds.
func (OutcomeKind) Values() []string { return []string{"created", "updated", "deleted"} }

// PageOutcome is what an edit did to a page.
type PageOutcome struct {
	Kind   OutcomeKind
	PageID string
	// Page is the page as it is afterwards, nil when it was deleted.
	Page *revision.Page
	// Ref is the name that the edit gave a new page.
	Ref *string
}

// Result is what an edit made.
type Result struct {
	Revision *revision.Revision
	// Pages are those that were touched, each once, in the order in which it
	// first was.
	Pages []*PageOutcome
	// Files are those that were inserted.
	Files []*revision.File
}

// NewResult tells what the operations that made the revision from before did.
func NewResult(before, after *content.Tree, made *revision.Revision, applied []content.AppliedOperation) *Result {
	result := &Result{Revision: made, Pages: []*PageOutcome{}, Files: []*revision.File{}}
	seen := map[string]*PageOutcome{}
	for _, operation := range applied {
		for _, ids := range [][]string{operation.Inserted, operation.Updated, operation.Deleted} {
			for _, id := range ids {
				if seen[id] == nil {
					seen[id] = outcome(before, after, made, id)
					result.add(seen[id])
				}
			}
		}
		if operation.Ref != "" && len(operation.Inserted) == 1 {
			seen[operation.Inserted[0]].Ref = &operation.Ref
		}
		for _, id := range operation.Files {
			result.Files = append(result.Files, &revision.File{File: after.File(id), Revision: made, Tree: after})
		}
	}
	return result
}

// add leaves out a page that the edit both made and deleted.
func (r *Result) add(page *PageOutcome) {
	if page.Kind != "" {
		r.Pages = append(r.Pages, page)
	}
}

func outcome(before, after *content.Tree, made *revision.Revision, id string) *PageOutcome {
	was, is := before.Index().Page(id), after.Index().Page(id)
	found := &PageOutcome{PageID: id}
	switch {
	case was == nil && is == nil:
		return found
	case is == nil:
		found.Kind = PageDeleted
		return found
	case was == nil:
		found.Kind = PageCreated
	default:
		found.Kind = PageUpdated
	}
	found.Page = &revision.Page{Page: is, Revision: made, Tree: after}
	return found
}
