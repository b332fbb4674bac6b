package revision

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"octavo/internal/content"
	"octavo/internal/document"
	"octavo/internal/enum"
	"octavo/internal/repository"
)

// textKey names a derived text. What it is derived from (the body, the tree
// that links lead into, the variables) hangs from the root and never changes.
type textKey struct {
	root       string
	id         string // of the page or reusable content
	form       string
	evaluation enum.Evaluation
}

const (
	formMarkdown = "markdown"
	formDocument = "document"
)

// linksWeight is about how many bytes a page or file takes in the resolver of
// a tree's links.
const linksWeight = 512

// Markdown returns the Markdown of a document page, without front matter and
// without the heading that states the title; nil for pages of other types.
// Unless expressions are evaluated, every other byte is that of the source.
func (s *Store) Markdown(ctx context.Context, page *Page, evaluation enum.Evaluation) (*string, error) {
	if page.Type != content.PageDocument {
		return nil, nil
	}
	evaluator := evaluatorFor(ctx, evaluation)
	key := textKey{page.Revision.Root, page.ID, formMarkdown, evaluator.name}
	markdown, err := s.derived(key, func() ([]byte, error) {
		body, err := s.pageText(ctx, page)
		if err != nil || !evaluator.writes {
			return body, err
		}
		return evaluator.markdown(body, page.variables())
	})
	if err != nil {
		return nil, err
	}
	return new(string(markdown)), nil
}

// Document returns the text of a document page in rich-text form, its title
// aside; nil for pages of other types. Links to pages, files and reusable
// contents, however they are written, are references by id.
func (s *Store) Document(ctx context.Context, page *Page, evaluation enum.Evaluation) (json.RawMessage, error) {
	if page.Type != content.PageDocument {
		return nil, nil
	}
	evaluator := evaluatorFor(ctx, evaluation)
	return s.derived(textKey{page.Revision.Root, page.ID, formDocument, evaluator.name}, func() ([]byte, error) {
		parsed, err := s.Read(ctx, page)
		if err != nil {
			return nil, err
		}
		return encodeDocument(evaluator.evaluate(parsed, page.variables()))
	})
}

// ReusableMarkdown is Markdown for a reusable content.
func (s *Store) ReusableMarkdown(ctx context.Context, item *ReusableContent) (string, error) {
	body, err := s.reusableText(ctx, item)
	if err != nil {
		return "", err
	}
	if evaluator := evaluatorFor(ctx, enum.EvaluateNone); evaluator.writes {
		body, err = evaluator.markdown(body, variablesOf(item.Tree, nil))
	}
	return string(body), err
}

func (s *Store) reusableText(ctx context.Context, item *ReusableContent) ([]byte, error) {
	body, err := s.Body(ctx, item.Body)
	if err != nil {
		return nil, err
	}
	return bodyOf(body, item.Title), nil
}

// ReusableDocument is Document for a reusable content.
func (s *Store) ReusableDocument(ctx context.Context, item *ReusableContent, evaluation enum.Evaluation) (json.RawMessage, error) {
	evaluator := evaluatorFor(ctx, evaluation)
	return s.derived(textKey{item.Revision.Root, item.ID, formDocument, evaluator.name}, func() ([]byte, error) {
		parsed, err := s.ReadReusable(ctx, item)
		if err != nil {
			return nil, err
		}
		return encodeDocument(evaluator.evaluate(parsed, variablesOf(item.Tree, nil)))
	})
}

// Read returns the text of a document page in rich-text form with all its
// expressions and conditions, its title aside; an empty document for pages of
// other types. It is made at each call.
func (s *Store) Read(ctx context.Context, page *Page) (*document.Document, error) {
	if page.Type != content.PageDocument {
		return &document.Document{}, nil
	}
	body, err := s.pageText(ctx, page)
	if err != nil {
		return nil, err
	}
	links, err := s.Links(ctx, page.Revision)
	if err != nil {
		return nil, err
	}
	return document.Parse(body, referencesBy(func(destination string) repository.Target { return links.Resolve(page.Page, destination) })), nil
}

// ReadReusable is Read for a reusable content.
func (s *Store) ReadReusable(ctx context.Context, item *ReusableContent) (*document.Document, error) {
	text, err := s.reusableText(ctx, item)
	if err != nil {
		return nil, err
	}
	links, err := s.Links(ctx, item.Revision)
	if err != nil {
		return nil, err
	}
	return document.Parse(text, referencesBy(func(destination string) repository.Target {
		return links.ResolveReusable(item.ReusableContent, destination)
	})), nil
}

// ReadMarkdown returns the text of a document page for one reader: as it is in
// the source, byte for byte, unless it has expressions or conditions; those are
// evaluated with the variables, and left out where they cannot be. It is empty
// for pages of other types.
func (s *Store) ReadMarkdown(ctx context.Context, page *Page, variables map[string]any) ([]byte, error) {
	if page.Type != content.PageDocument {
		return nil, nil
	}
	body, err := s.pageText(ctx, page)
	if err != nil {
		return nil, err
	}
	return rewritten(body, func(parsed *document.Document) *document.Document {
		return document.Evaluate(parsed, variables, document.EvaluateStrictly)
	})
}

// Links returns the resolver of the links of a revision. Every anchor counts
// as present to it.
func (s *Store) Links(ctx context.Context, revision *Revision) (*repository.Links, error) {
	if links, found := s.links.Get(revision.Root); found {
		return links, nil
	}
	// The whole tree, whoever asks: what is kept is for all.
	tree, err := s.treeOf(ctx, revision.Root, "")
	if err != nil {
		return nil, err
	}
	links := repository.NewLinks(tree, repository.LinkOptions{ApplicationURL: s.applicationURL})
	s.links.Add(revision.Root, links, int64(len(tree.Pages)+len(tree.Files)+1)*linksWeight)
	return links, nil
}

// derived returns the text that is kept under the key, or makes and keeps it.
func (s *Store) derived(key textKey, derive func() ([]byte, error)) ([]byte, error) {
	if kept, found := s.texts.Get(key); found {
		return kept, nil
	}
	made, err := derive()
	if err != nil {
		return nil, err
	}
	s.texts.Add(key, made, int64(len(made)))
	return made, nil
}

func (s *Store) pageText(ctx context.Context, page *Page) ([]byte, error) {
	source, err := s.Body(ctx, page.Body)
	if err != nil {
		return nil, err
	}
	return bodyOf(source, page.Title), nil
}

// bodyOf returns what a source says beside its metadata.
func bodyOf(source []byte, title string) []byte {
	_, body := document.SplitFrontMatter(source)
	return document.WithoutTitle(bytes.TrimLeft(body, "\r\n"), title)
}

// variables that expressions in the page can read.
func (p *Page) variables() map[string]any { return variablesOf(p.Tree, p.Variables) }

func variablesOf(tree *content.Tree, page map[string]any) map[string]any {
	return map[string]any{
		"space": map[string]any{"vars": tree.Variables},
		"page":  map[string]any{"vars": page},
	}
}

// referencesBy turns destinations into content references. A destination that
// no id stands for stays an address.
func referencesBy(resolve func(destination string) repository.Target) document.References {
	return document.References{FromDestination: func(destination string, _ bool) map[string]any {
		target := resolve(destination)
		if target.Kind == "url" || target.Kind == "user" {
			return nil
		}
		return TargetReference(target)
	}}
}

func encodeDocument(parsed *document.Document) ([]byte, error) {
	encoded, err := json.Marshal(parsed)
	if err != nil {
		return nil, fmt.Errorf("encode the document: %w", err)
	}
	return encoded, nil
}

// markdown writes the text anew only when it has expressions to evaluate:
// otherwise it stays byte for byte what it is.
func (e evaluator) markdown(body []byte, variables map[string]any) ([]byte, error) {
	return rewritten(body, func(parsed *document.Document) *document.Document { return e.evaluate(parsed, variables) })
}

// rewritten is a text with a change to its document; it stays byte for byte
// what it is when nothing changes.
func rewritten(body []byte, change func(*document.Document) *document.Document) ([]byte, error) {
	parsed := document.Parse(body, document.References{})
	before, err := document.Render(parsed, document.References{})
	if err != nil {
		return nil, err
	}
	after, err := document.Render(change(parsed), document.References{})
	if err != nil || bytes.Equal(before, after) {
		return body, err
	}
	return after, nil
}

func evaluate(parsed *document.Document, variables map[string]any, evaluation enum.Evaluation) *document.Document {
	switch evaluation {
	case enum.EvaluateDeterministic:
		return document.Evaluate(parsed, variables, document.EvaluateDeterministic)
	case enum.EvaluateAll:
		return document.Evaluate(parsed, variables, document.EvaluateAll)
	default:
		return parsed
	}
}
