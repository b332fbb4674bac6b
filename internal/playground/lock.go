package playground

import (
	_ "embed"
	"encoding/json"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// publicAddress serves the content of npm packages by name, version and path.
const publicAddress = "https://cdn.jsdelivr.net/npm/"

// Package is an npm package at an exact version, with the files used of it.
type Package struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	// Integrity is the hash of the package's archive: "sha512-" and base64.
	Integrity string `json:"integrity"`
	Files     []File `json:"files"`
}

// File is one file of a package.
type File struct {
	// Path is relative to the root of the package.
	Path string `json:"path"`
	// Integrity is the hash of the file: "sha384-" and base64.
	Integrity string `json:"integrity"`
}

// Directory names the package and its version, as in "graphiql@4.1.2".
func (p Package) Directory() string {
	return p.Name + "@" + p.Version
}

//go:embed lock.json
var lockFile []byte

var lock = readLock(lockFile)

// Packages returns what the pages use, as lock.json names it.
func Packages() []Package {
	return slices.Clone(lock)
}

func readLock(content []byte) []Package {
	var document struct {
		Packages []Package `json:"packages"`
	}
	if err := json.Unmarshal(content, &document); err != nil {
		panic("playground: lock.json: " + err.Error())
	}
	return document.Packages
}

// The files that each page loads, in this order, by package name and path.
var (
	editorFiles = []string{
		"graphiql/graphiql.min.css",
		"react/umd/react.production.min.js",
		"react-dom/umd/react-dom.production.min.js",
		"graphiql/graphiql.min.js",
	}
	referenceFiles = []string{
		"swagger-ui-dist/swagger-ui.css",
		"swagger-ui-dist/swagger-ui-bundle.js",
	}
)

// source is the address that a page loads a file from.
type source struct {
	Address   string
	Integrity string
	// directory is the package's public address; empty for an embedded file.
	directory string
}

type sources []source

func (s sources) ending(suffix string) sources {
	var matching sources
	for _, source := range s {
		if strings.HasSuffix(source.Address, suffix) {
			matching = append(matching, source)
		}
	}
	return matching
}

func (s sources) directories() []string {
	var directories []string
	for _, source := range s {
		if source.directory != "" && !slices.Contains(directories, source.directory) {
			directories = append(directories, source.directory)
		}
	}
	return directories
}

// locate finds each file in the assets, and at its public address otherwise.
func locate(names []string, assets fs.FS) sources {
	located := make(sources, len(names))
	for i, name := range names {
		located[i] = locateFile(name, assets)
	}
	return located
}

func locateFile(name string, assets fs.FS) source {
	owner, file := lookUp(name)
	stored := path.Join(owner.Directory(), file.Path)
	if _, err := fs.Stat(assets, stored); err == nil {
		return source{Address: "playground/assets/" + stored, Integrity: file.Integrity}
	}
	return source{
		Address:   publicAddress + stored,
		Integrity: file.Integrity,
		directory: publicAddress + owner.Directory() + "/",
	}
}

func lookUp(name string) (Package, File) {
	for _, owner := range lock {
		for _, file := range owner.Files {
			if owner.Name+"/"+file.Path == name {
				return owner, file
			}
		}
	}
	panic("playground: lock.json lacks " + name)
}

// locked reports whether name, a path below the assets, is in lock.json.
func locked(name string) bool {
	return slices.ContainsFunc(lock, func(owner Package) bool {
		return slices.ContainsFunc(owner.Files, func(file File) bool {
			return path.Join(owner.Directory(), file.Path) == name
		})
	})
}
