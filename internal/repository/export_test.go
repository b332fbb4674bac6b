package repository

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/content"
	"octavo/internal/identifier"
)

func TestExportOfUploads(t *testing.T) {
	t.Parallel()
	result := importFS(t, files(guide))
	bodies := texts(result.Bodies)
	tree := result.Tree.Clone()
	upload := func(id, name string) string {
		tree.Files = append(tree.Files, &content.File{ID: id, Name: name, Content: result.Tree.Files[0].Content})
		return id
	}
	names := map[string]string{
		upload("fil_z1", "LOGO.svg"):       ".gitbook/assets/LOGO-1.svg", // not even in case like the one that is there
		upload("fil_z2", "a b (1).png"):    ".gitbook/assets/a b (1).png",
		upload("fil_z3", "../../evil\x00"): ".gitbook/assets/-..-evil-",
		upload("fil_z4", ""):               ".gitbook/assets/file",
		upload("fil_z5", "..."):            ".gitbook/assets/file-1",
		upload("fil_z6", "a b (1).png"):    ".gitbook/assets/a b (1)-1.png",
	}
	note := identifier.New(identifier.ReusableContent)
	tree.ReusableContents = []*content.ReusableContent{{ID: note, Title: "A Note", Body: bodies.add("[home](/pages/" + pageAt(t, tree, "README.md").ID + ")")}}
	names[note] = ".gitbook/includes/a-note.md"
	home := pageAt(t, tree, "README.md").ID
	names[home] = "README.md"
	tree = edit(tree, home, func(page *content.Page) {
		page.Body = bodies.add("{% include \"/reusable-contents/" + note + "\" %}\n\n![](/files/" + result.Tree.Files[0].ID + ")\n")
	})
	paths, err := Paths(tree, bodies)
	require.NoError(t, err)
	for id, name := range names {
		assert.Equal(t, name, paths[id])
	}
	written := exportResult(t, tree, result)
	for _, name := range names {
		assert.Contains(t, written, name)
	}
	assert.Equal(t, "[home](../../README.md)", written[".gitbook/includes/a-note.md"])
	assert.Equal(t, "{% include \".gitbook/includes/a-note.md\" %}\n\n![](.gitbook/assets/logo.svg)\n", written["README.md"])
}

func TestExportFails(t *testing.T) {
	t.Parallel()
	result := importFS(t, sampleRepository())
	failure := errors.New("broken")
	discard := func(_ string, _ fs.FileMode, source io.Reader) error {
		_, err := io.Copy(io.Discard, source)
		return err
	}
	t.Run("write", func(t *testing.T) {
		t.Parallel()
		for name := range contentsOf(t, sampleRepository()) {
			err := Export(context.Background(), result.Tree, texts(result.Bodies), result.openFile, func(at string, mode fs.FileMode, source io.Reader) error {
				if at == name {
					return failure
				}
				return discard(at, mode, source)
			})
			assert.ErrorIs(t, err, failure, name)
			assert.ErrorContains(t, err, name)
		}
	})
	t.Run("open", func(t *testing.T) {
		t.Parallel()
		err := Export(context.Background(), result.Tree, texts(result.Bodies), func(content.Hash) (io.ReadCloser, error) { return nil, failure }, discard)
		assert.ErrorIs(t, err, failure)
	})
	t.Run("bodies", func(t *testing.T) {
		t.Parallel()
		for hash := range result.Bodies {
			bodies := texts{}
			for other, data := range result.Bodies {
				if other != hash {
					bodies[other] = data
				}
			}
			assert.ErrorContains(t, Export(context.Background(), result.Tree, bodies, result.openFile, discard), "no body "+string(hash))
		}
	})
	t.Run("context", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		assert.ErrorIs(t, Export(ctx, result.Tree, texts(result.Bodies), result.openFile, discard), context.Canceled)
	})
}

func TestExportOfClashingPaths(t *testing.T) {
	t.Parallel()
	bodies := texts{}
	page := func(id, path string) *content.Page {
		return &content.Page{ID: id, Type: content.PageDocument, Title: strings.ToUpper(id), Slug: "x", GitPath: path, Body: bodies.add(id)}
	}
	// Two branches may have added a page at the same path.
	tree := &content.Tree{Pages: []*content.Page{page("a", "x.md"), page("b", "x.md"), page("c", "")}, Repository: &content.Repository{}}
	tree.Pages[1].Slug, tree.Pages[2].Slug = "x-1", "x-2"
	written, err := exportTree(tree, bodies, nil)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{
		"SUMMARY.md": "# Table of contents\n\n* [A](x.md)\n* [B](x-1.md)\n* [C](x-2.md)\n", "x.md": "a", "x-1.md": "b", "x-2.md": "c",
	}, written)
}

func TestExportOfTargets(t *testing.T) {
	t.Parallel()
	space, user, page := identifier.New(identifier.Space), identifier.New(identifier.User), identifier.New(identifier.Page)
	for want, target := range map[string]map[string]any{
		"/spaces/" + space:                              {"kind": "space", "space": space},
		"/users/" + user:                                {"kind": "user", "user": user},
		"/spaces/" + space + "/pages/" + page:           {"kind": "page", "space": space, "page": page},
		"/spaces/" + space + "/pages/" + page + "#a%20": {"kind": "anchor", "space": space, "page": page, "anchor": "a "},
		"/pages/" + page:                                {"kind": "page", "page": page},
		"install/linux.md#x":                            {"kind": "anchor", "page": "LINUX", "anchor": "x"},
		"install/macos.md":                              {"kind": "page", "page": "MACOS"},
		".gitbook/assets/logo.svg":                      {"kind": "file", "file": "LOGO"},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			result := importFS(t, files(guide))
			switch target["page"] {
			case "LINUX":
				target["page"] = pageAt(t, result.Tree, "install/linux.md").ID
			case "MACOS":
				target["page"] = pageAt(t, result.Tree, "install/macos.md").ID
			}
			if target["file"] != nil {
				target["file"] = result.Tree.Files[0].ID
			}
			tree := edit(result.Tree, pageTitled(t, result.Tree, "Project").ID, func(page *content.Page) { page.Target = target })
			written := exportResult(t, tree, result)
			assert.Contains(t, written["SUMMARY.md"], "* [Project]("+want+")\n")
			again, err := Import(context.Background(), Source{FS: files(written), Previous: tree, PreviousBodies: texts(result.Bodies)}, Options{Now: testTime})
			require.NoError(t, err)
			assert.Equal(t, target, pageTitled(t, again.Tree, "Project").Target)
			fresh := importFS(t, files(written))
			assert.Equal(t, target["kind"], pageTitled(t, fresh.Tree, "Project").Target["kind"], "without the tree before")
		})
	}
}
