package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"octavo/internal/playground"
)

const script = "console.log('editor')"

func archiveOf(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var archive bytes.Buffer
	compressed := gzip.NewWriter(&archive)
	writer := tar.NewWriter(compressed)
	for name, content := range files {
		require.NoError(t, writer.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content))}))
		_, err := writer.Write([]byte(content))
		require.NoError(t, err)
	}
	require.NoError(t, writer.Close())
	require.NoError(t, compressed.Close())
	return archive.Bytes()
}

func TestVerify(t *testing.T) {
	t.Parallel()
	archive := archiveOf(t, map[string]string{"package/dist/editor.js": script, "package/README.md": "not used"})
	archiveHash, fileHash := sha512Integrity(archive), sha384Integrity([]byte(script))
	rows := map[string]struct {
		archive   []byte
		integrity string
		file      playground.File
		message   string
	}{
		"right":         {archive, archiveHash, playground.File{Path: "dist/editor.js", Integrity: fileHash}, ""},
		"other archive": {archive, "sha512-other", playground.File{Path: "dist/editor.js", Integrity: fileHash}, "editor@1.0.0 has the hash " + archiveHash},
		"other file":    {archive, archiveHash, playground.File{Path: "dist/editor.js", Integrity: "sha384-other"}, "dist/editor.js of editor@1.0.0 has the hash " + fileHash},
		"missing file":  {archive, archiveHash, playground.File{Path: "dist/none.js", Integrity: fileHash}, "there is no file dist/none.js"},
		"no archive":    {[]byte("text"), sha512Integrity([]byte("text")), playground.File{Path: "dist/editor.js"}, "editor@1.0.0: "},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wanted := playground.Package{Name: "editor", Version: "1.0.0", Integrity: row.integrity, Files: []playground.File{row.file}}
			contents := make(map[string][]byte)
			err := verify(wanted, row.archive, contents)
			if row.message != "" {
				require.ErrorContains(t, err, row.message)
				assert.Empty(t, contents)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, map[string][]byte{filepath.Join("editor@1.0.0", "dist", "editor.js"): []byte(script)}, contents)
		})
	}
}

func TestReplaceAssets(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, placeholder), nil, 0o644))
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "editor@0.9.0"), 0o755))

	require.NoError(t, replaceAssets(folder, map[string][]byte{"editor@1.0.0/dist/editor.js": []byte(script)}))

	content, err := os.ReadFile(filepath.Join(folder, "editor@1.0.0", "dist", "editor.js"))
	require.NoError(t, err)
	assert.Equal(t, script, string(content))
	assert.FileExists(t, filepath.Join(folder, placeholder))
	assert.NoDirExists(t, filepath.Join(folder, "editor@0.9.0"))
}
