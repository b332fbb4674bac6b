package revision

import (
	"context"

	"octavo/internal/access"
	"octavo/internal/content"
	"octavo/internal/document"
	"octavo/internal/enum"
)

// Visitors of a site read its content by the same operations as members of its
// organization. What is not theirs is left out here, where all of them read.

// shown is a revision as the caller may read it, or nil. Visitors are not told
// how the content came about.
func shown(ctx context.Context, found *Revision) *Revision {
	visitor := access.VisitorFrom(ctx)
	if visitor == nil || found == nil {
		return found
	}
	if !visitor.Reads(found.SpaceID, found.ID) {
		return nil
	}
	row := *found.Revision
	row.Type, row.Parents, row.MergedFromID, row.AuthorID = enum.RevisionEdits, []string{}, nil, nil
	if !visitor.Git {
		row.Git = nil
	}
	return &Revision{Revision: &row, ReadIn: found.ReadIn}
}

// visited is the tree without the pages that a visitor may not read. The same
// tree is returned when they may read all of it.
func (s *Store) visited(tree *content.Tree, root string, visitor *access.Visitor) *content.Tree {
	hidden := hiddenPages(tree, visitor)
	if len(hidden) == 0 {
		return tree
	}
	key := root + "\n" + visitor.Key
	if kept, found := s.trees.Get(key); found {
		return kept.tree
	}
	limited := *tree
	limited.Pages, limited.Redirects = nil, nil
	for _, page := range tree.Pages {
		if !hidden[page.ID] {
			limited.Pages = append(limited.Pages, page)
		}
	}
	for _, redirect := range tree.Redirects {
		if !hidden[redirect.Page] {
			limited.Redirects = append(limited.Redirects, redirect)
		}
	}
	s.trees.Add(key, decoded{tree: &limited}, int64(len(limited.Pages)+1)*linksWeight)
	return &limited
}

// hiddenPages are the ids of the pages whose condition, or that of a page above,
// does not hold for the visitor.
func hiddenPages(tree *content.Tree, visitor *access.Visitor) map[string]bool {
	var hidden map[string]bool
	// Every page comes behind the one above it.
	for _, page := range tree.Pages {
		if hidden[page.Parent] || page.Condition != "" && !visitor.Holds(page.Condition, variablesOf(tree, page.Variables)) {
			if hidden == nil {
				hidden = map[string]bool{}
			}
			hidden[page.ID] = true
		}
	}
	return hidden
}

// evaluator evaluates the expressions and conditions of a text.
type evaluator struct {
	// name is the same for evaluators that make the same of a text.
	name enum.Evaluation
	// writes tells whether it may change anything.
	writes   bool
	evaluate func(parsed *document.Document, variables map[string]any) *document.Document
}

// evaluatorFor is the one that the caller asked for; for visitors it always is
// that which leaves out what is not theirs.
func evaluatorFor(ctx context.Context, asked enum.Evaluation) evaluator {
	visitor := access.VisitorFrom(ctx)
	if visitor == nil {
		return evaluator{asked, asked != enum.EvaluateNone, func(parsed *document.Document, variables map[string]any) *document.Document {
			return evaluate(parsed, variables, asked)
		}}
	}
	return evaluator{enum.Evaluation("visitor\n" + visitor.Key), true, func(parsed *document.Document, variables map[string]any) *document.Document {
		return document.Evaluate(parsed, visitor.Variables(variables), document.EvaluateStrictly)
	}}
}
