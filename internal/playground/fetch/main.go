// Command fetch brings the npm packages of the playground's lock.json into the
// folder that the playground embeds. It runs at the root of the repository:
//
//	go run ./internal/playground/fetch
//
// It is a command of its own and no go:generate directive, since it needs npm
// and the network, and generating code must need neither.
//
// With -record it writes the hashes of what npm delivers into lock.json
// instead: the step after changing a version there.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"

	"octavo/internal/playground"
)

const (
	assetsFolder = "internal/playground/assets"
	lockFile     = "internal/playground/lock.json"
	placeholder  = ".gitkeep"

	// The largest file of a package that is read into memory.
	maximumFileSize = 32 << 20
)

func main() {
	record := flag.Bool("record", false, "write the hashes of the packages into lock.json")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *record); err != nil {
		fmt.Fprintln(os.Stderr, "fetch:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, record bool) error {
	if _, err := os.Stat(lockFile); err != nil {
		return fmt.Errorf("run this at the root of the repository: %w", err)
	}
	if record {
		return recordHashes(ctx)
	}
	return fetchAll(ctx)
}

// fetchAll fills the folder only after every package has proved right.
func fetchAll(ctx context.Context) error {
	contents := make(map[string][]byte)
	for _, wanted := range playground.Packages() {
		archive, err := pack(ctx, wanted)
		if err != nil {
			return err
		}
		if err := verify(wanted, archive, contents); err != nil {
			return err
		}
	}
	return replaceAssets(assetsFolder, contents)
}

// pack downloads a package as npm is configured to, and returns its archive.
func pack(ctx context.Context, wanted playground.Package) (archive []byte, err error) {
	folder, err := os.MkdirTemp("", "octavo-playground-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()

	command := exec.CommandContext(ctx, "npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", folder, wanted.Directory())
	command.Stderr = os.Stderr
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("npm pack %s: %w", wanted.Directory(), err)
	}
	archives, err := filepath.Glob(filepath.Join(folder, "*.tgz"))
	if err != nil {
		return nil, err
	}
	if len(archives) != 1 {
		return nil, fmt.Errorf("npm pack %s made %d archives", wanted.Directory(), len(archives))
	}
	return os.ReadFile(archives[0])
}

// verify holds a package against the lock and adds its files to contents, by
// their path below the assets folder.
func verify(wanted playground.Package, archive []byte, contents map[string][]byte) error {
	if integrity := sha512Integrity(archive); integrity != wanted.Integrity {
		return fmt.Errorf("%s has the hash %s, lock.json names %s", wanted.Directory(), integrity, wanted.Integrity)
	}
	files, err := extract(archive, wanted.Files)
	if err != nil {
		return fmt.Errorf("%s: %w", wanted.Directory(), err)
	}
	for _, file := range wanted.Files {
		content := files[file.Path]
		if integrity := sha384Integrity(content); integrity != file.Integrity {
			return fmt.Errorf("%s of %s has the hash %s, lock.json names %s", file.Path, wanted.Directory(), integrity, file.Integrity)
		}
		contents[filepath.Join(wanted.Directory(), filepath.FromSlash(file.Path))] = content
	}
	return nil
}

// extract returns the wanted files of an archive; each must be there.
func extract(archive []byte, wanted []playground.File) (map[string][]byte, error) {
	all, err := readArchive(archive)
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte, len(wanted))
	for _, file := range wanted {
		content, found := all[file.Path]
		if !found {
			return nil, fmt.Errorf("there is no file %s in the package", file.Path)
		}
		files[file.Path] = content
	}
	return files, nil
}

func readArchive(archive []byte) (map[string][]byte, error) {
	uncompressed, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte)
	reader := tar.NewReader(uncompressed)
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		if header.Typeflag != tar.TypeReg || header.Size > maximumFileSize {
			continue
		}
		content, err := io.ReadAll(reader)
		if err != nil {
			return nil, err
		}
		// An npm archive keeps everything below one folder.
		_, name, _ := strings.Cut(header.Name, "/")
		files[name] = content
	}
}

// replaceAssets leaves the folder with these files and the placeholder alone.
func replaceAssets(folder string, contents map[string][]byte) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.Name() == placeholder {
			continue
		}
		if err := os.RemoveAll(filepath.Join(folder, entry.Name())); err != nil {
			return err
		}
	}
	for name, content := range contents {
		target := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(target, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func recordHashes(ctx context.Context) error {
	packages := playground.Packages()
	for i := range packages {
		if err := recordPackage(ctx, &packages[i]); err != nil {
			return err
		}
	}
	content, err := json.MarshalIndent(map[string]any{"packages": packages}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(lockFile, append(content, '\n'), 0o644)
}

func recordPackage(ctx context.Context, recorded *playground.Package) error {
	archive, err := pack(ctx, *recorded)
	if err != nil {
		return err
	}
	files, err := extract(archive, recorded.Files)
	if err != nil {
		return fmt.Errorf("%s: %w", recorded.Directory(), err)
	}
	recorded.Integrity = sha512Integrity(archive)
	for i, file := range recorded.Files {
		recorded.Files[i].Integrity = sha384Integrity(files[file.Path])
	}
	return nil
}

func sha512Integrity(content []byte) string {
	hash := sha512.Sum512(content)
	return "sha512-" + base64.StdEncoding.EncodeToString(hash[:])
}

func sha384Integrity(content []byte) string {
	hash := sha512.Sum384(content)
	return "sha384-" + base64.StdEncoding.EncodeToString(hash[:])
}
