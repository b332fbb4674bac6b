package repository

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"octavo/internal/content"
	"octavo/internal/document"
)

// WriteFunc takes one file of an export. path is relative to the top of the
// repository, clean, and never leaves it. The function reads the source to its
// end and does not keep it.
type WriteFunc func(path string, mode fs.FileMode, source io.Reader) error

const fileMode fs.FileMode = 0o644

// Export writes the repository of a tree: see the package comment for what is
// written where. open gives the contents of files. Every file is written once,
// in an order that depends on the tree alone.
func Export(ctx context.Context, tree *content.Tree, bodies content.Bodies, open func(content.Hash) (io.ReadCloser, error), write WriteFunc) error {
	l, err := newLayout(tree, bodies)
	if err != nil {
		return err
	}
	e := &exporter{ctx: ctx, layout: l, bodies: bodies, open: open, write: write, rewriter: newRewriter(l)}
	steps := []func() error{e.configuration, e.summary, e.pages, e.reusableContents, e.unplaced, e.files}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// Paths returns, by the ids of pages, files and reusable contents, where Export
// writes them, relative to the content root.
func Paths(tree *content.Tree, bodies content.Bodies) (map[string]string, error) {
	l, err := newLayout(tree, bodies)
	if err != nil {
		return nil, err
	}
	paths := make(map[string]string, len(l.written)+len(l.files)+len(l.reusable))
	for _, group := range []map[string]string{l.written, l.files, l.reusable} {
		for id, name := range group {
			paths[id] = name
		}
	}
	return paths, nil
}

type exporter struct {
	ctx      context.Context
	layout   *layout
	bodies   content.Bodies
	open     func(content.Hash) (io.ReadCloser, error)
	write    WriteFunc
	rewriter *rewriter
}

// top returns the path in the repository of a path below the content root.
func (e *exporter) top(name string) string {
	if e.layout.tree.Repository == nil {
		return name
	}
	return path.Join(e.layout.tree.Repository.Root, name)
}

// put writes bytes to a path below the top of the repository.
func (e *exporter) put(name string, data []byte) error {
	if err := e.ctx.Err(); err != nil {
		return err
	}
	if err := e.write(name, fileMode, bytes.NewReader(data)); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

func (e *exporter) body(name string, hash content.Hash) ([]byte, error) {
	data, err := e.bodies.Body(hash)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return data, nil
}

func (e *exporter) configuration() error {
	origin := e.layout.tree.Repository
	if origin == nil || origin.Configuration == "" {
		return nil
	}
	data, err := e.body(origin.ConfigurationPath, origin.Configuration)
	if err != nil {
		return err
	}
	return e.put(origin.ConfigurationPath, e.layout.redirected(data))
}

func (e *exporter) summary() error {
	data := e.layout.contents()
	if data == nil {
		return nil
	}
	return e.put(e.top(e.layout.summaryPath), data)
}

func (e *exporter) pages() error {
	for _, page := range e.layout.tree.Pages {
		if page.Type != content.PageDocument || page.Body == "" {
			continue
		}
		written := e.layout.written[page.ID]
		if err := e.text(page.Body, e.layout.current[page.ID], written); err != nil {
			return err
		}
	}
	return nil
}

func (e *exporter) reusableContents() error {
	for _, reusable := range e.layout.tree.ReusableContents {
		name := e.layout.reusable[reusable.ID]
		if err := e.text(reusable.Body, name, name); err != nil {
			return err
		}
	}
	return nil
}

func (e *exporter) unplaced() error {
	if e.layout.tree.Repository == nil {
		return nil
	}
	for index, name := range e.layout.unplaced() {
		if err := e.text(e.layout.tree.Repository.Unplaced[index].Body, name, name); err != nil {
			return err
		}
	}
	return nil
}

// text writes a Markdown file whose links start from the path current.
func (e *exporter) text(hash content.Hash, current, written string) error {
	data, err := e.body(written, hash)
	if err != nil {
		return err
	}
	return e.put(e.top(written), e.rewriter.rewrite(data, current, written))
}

func (e *exporter) files() error {
	for _, file := range e.layout.tree.Files {
		if err := e.ctx.Err(); err != nil {
			return err
		}
		if err := e.file(e.top(e.layout.files[file.ID]), file.Content); err != nil {
			return err
		}
	}
	return nil
}

func (e *exporter) file(name string, hash content.Hash) (err error) {
	source, err := e.open(hash)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	if err := e.write(name, fileMode, source); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// rewriter makes links follow pages that are written to another path, and
// turns paths of the application into relative ones.
type rewriter struct {
	layout *layout
	moved  bool
	// targets gives, for the path of a page now, the path that it is written
	// to.
	targets map[string]string
}

func newRewriter(l *layout) *rewriter {
	r := &rewriter{layout: l, targets: make(map[string]string, len(l.current))}
	for id, current := range l.current {
		r.targets[current] = l.written[id]
		r.moved = r.moved || current != l.written[id]
	}
	return r
}

// rewrite returns the text as it is to stand at the path written. Where no link
// has to change these are the same bytes.
func (r *rewriter) rewrite(source []byte, current, written string) []byte {
	if !r.moved && !mentionsApplication(source) {
		return source
	}
	revised := document.RewriteLinks(source, func(link document.Link) (string, bool) {
		return r.destination(link.Destination, current, written)
	})
	return r.rewriteCover(revised, current, written)
}

// mentionsApplication tells quickly whether a text may hold paths that
// applicationPath makes.
func mentionsApplication(source []byte) bool {
	for _, known := range applicationPaths {
		if bytes.Contains(source, []byte(known.prefix+string(known.id)+"_")) {
			return true
		}
	}
	return false
}

// destination returns the new destination of a link, and whether there is one.
func (r *rewriter) destination(destination, current, written string) (string, bool) {
	if kind, _, id, rest, ok := application(destination); ok {
		return r.fromApplication(kind, id, rest, written)
	}
	name, suffix := splitDestination(destination)
	if name == "" || hasScheme(destination) {
		return "", false
	}
	for _, spelling := range []string{unescapePercent(name), name} {
		asked, ok := joinRelative(directoryOf(current), spelling)
		if !ok {
			continue
		}
		form, target := r.follow(asked)
		if target == "" {
			continue
		}
		revised := form.write(name, directoryOf(written), target)
		return revised + suffix, target != form.path && revised != name || directoryOf(current) != directoryOf(written) && revised != name
	}
	return r.rebase(name, suffix, current, written)
}

// fromApplication turns a path such as /pages/<id> into a relative one. A link
// to something that has no file stays.
func (r *rewriter) fromApplication(kind, id, rest, written string) (string, bool) {
	var target string
	switch kind {
	case "page":
		target = r.layout.written[id]
	case "file":
		target = r.layout.files[id]
	case "reusable-content":
		target = r.layout.reusable[id]
	}
	if target == "" {
		return "", false
	}
	_, suffix := splitDestination(rest)
	if target == written && strings.HasPrefix(suffix, "#") {
		return suffix, true
	}
	return linkTo(directoryOf(written), target) + suffix, true
}

// rebase keeps a relative link of a moved page leading to the same path, be it
// a file, a directory, or nothing.
func (r *rewriter) rebase(name, suffix, current, written string) (string, bool) {
	if directoryOf(current) == directoryOf(written) || strings.HasPrefix(name, "/") {
		return "", false
	}
	asked, ok := joinRelative(directoryOf(current), unescapePercent(name))
	if !ok || asked == "" {
		return "", false
	}
	revised := linkForm{path: asked}.write(name, directoryOf(written), asked)
	if strings.HasSuffix(name, "/") {
		revised += "/"
	}
	return revised + suffix, revised != name
}

// linkForm is how a link names a page: by its file, by its directory, or
// without the extension.
type linkForm struct {
	path      string // of the page now
	directory bool
	bare      bool
}

// follow finds the page that a path means, and where it is written.
func (r *rewriter) follow(asked string) (linkForm, string) {
	for _, form := range []linkForm{
		{path: asked},
		{path: path.Join(asked, readmeName), directory: true},
		{path: path.Join(asked, strings.ToLower(readmeName)), directory: true},
		{path: asked + ".md", bare: true},
	} {
		if target := r.targets[form.path]; target != "" {
			return form, target
		}
	}
	return linkForm{}, ""
}

// write names the target the way the old link named it.
func (f linkForm) write(old, directory, target string) string {
	link := pathEscaper.Replace(target)
	if !strings.HasPrefix(old, "/") {
		link = linkTo(directory, target)
		if strings.HasPrefix(old, "./") && !strings.HasPrefix(link, ".") {
			link = "./" + link
		}
	} else {
		link = "/" + link
	}
	switch {
	case f.directory && isReadme(target):
		link = f.writeDirectory(old, link)
	case f.bare && !isReadme(target):
		link = strings.TrimSuffix(link, path.Ext(link))
	}
	if strings.Contains(old, "%") {
		link = strings.NewReplacer(" ", "%20", "(", "%28", ")", "%29").Replace(link)
	}
	return link
}

func (f linkForm) writeDirectory(old, link string) string {
	link = link[:len(link)-len(readmeName)]
	switch {
	case link == "":
		return "./"
	case strings.HasSuffix(old, "/") || strings.HasSuffix(link, "../") || link == "./" || link == "/":
		return link
	default:
		return strings.TrimSuffix(link, "/")
	}
}
