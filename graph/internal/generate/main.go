// Command generate runs gqlgen with Octavo's changes to its templates: a plain
// field, which is answered from the object in memory, is written without a
// context, closures and goroutines of its own. ADR 0010 says why.
//
// The changes are replacements in the templates of the version that go.mod
// names. Each must fit exactly once: a version whose templates have changed
// stops the generation instead of making something else of it.
package main

import (
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing/fstest"

	"github.com/99designs/gqlgen/api"
	"github.com/99designs/gqlgen/codegen"
	"github.com/99designs/gqlgen/codegen/config"
	"github.com/99designs/gqlgen/codegen/templates"
)

func main() {
	if err := generate(); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func generate() error {
	settings, err := config.LoadConfigFromDefaultLocations()
	if err != nil {
		return err
	}
	settings.SkipValidation = true
	log.SetOutput(io.Discard) // gqlgen tells which fields have resolvers
	kept := &keeper{}
	if err := api.Generate(settings, api.AddPlugin(kept)); err != nil {
		return err
	}
	return render(kept.data)
}

// keeper keeps what gqlgen knows of the schema for the second rendering.
type keeper struct{ data *codegen.Data }

// Name of the plugin.
func (*keeper) Name() string { return "keeper" }

// GenerateCode is called before gqlgen renders its templates.
func (k *keeper) GenerateCode(data *codegen.Data) error {
	k.data = data
	return nil
}

func render(data *codegen.Data) error {
	if len(data.AllDirectives.LocationDirectives("FIELD")) > 0 {
		return fmt.Errorf("a directive on fields of queries would not see plain fields")
	}
	changed, err := changedTemplates()
	if err != nil {
		return err
	}
	return templates.Render(templates.Options{
		PackageName: data.Config.Exec.Package, Filename: data.Config.Exec.Filename, Data: data,
		RegionTags: true, GeneratedHeader: true, Packages: data.Config.Packages, TemplateFS: changed,
		Funcs: map[string]any{"kind": kindOf},
	})
}

// changedTemplates are gqlgen's, with the changes.
func changedTemplates() (fs.FS, error) {
	listed, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/99designs/gqlgen/codegen").Output()
	if err != nil {
		return nil, fmt.Errorf("find the templates of gqlgen: %w", err)
	}
	paths, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(listed)), "*.gotpl"))
	if err != nil {
		return nil, err
	}
	changed := fstest.MapFS{}
	for _, path := range paths {
		name := filepath.Base(path)
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if text, err = change(name, text); err != nil {
			return nil, err
		}
		changed[name] = &fstest.MapFile{Data: text}
	}
	return changed, nil
}

func change(name string, text []byte) ([]byte, error) {
	changed := string(text)
	for _, replacement := range replacements[name] {
		if found := strings.Count(changed, replacement.old); found != 1 {
			return nil, fmt.Errorf("%s holds %d times, not once: %s", name, found, replacement.old)
		}
		changed = strings.Replace(changed, replacement.old, replacement.new, 1)
	}
	return []byte(changed), nil
}
