package repository

import (
	"fmt"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"octavo/internal/content"
)

// variablesPath is the file with the variables of the space, below the content
// root. It is a file of the space, too.
const variablesPath = ".gitbook/vars.yaml"

// readVariables sets the variables of the space to those of their file. Without
// one they stay, unless the file is gone.
func (i *importer) readVariables() error {
	if i.found.byPath[variablesPath] == nil {
		if i.previousFiles()[variablesPath] != nil {
			i.result.Tree.Variables = nil
		}
		return nil
	}
	name := i.top(variablesPath)
	source, err := i.scanner.read(name)
	if err != nil {
		return err
	}
	i.result.Tree.Variables = parseVariables(source, func(message string) {
		i.result.Report.add(name, 1, SeverityError, message)
	})
	return nil
}

// parseVariables reads the mapping of names to values. Those that cannot be
// variables are reported and left out.
func parseVariables(source []byte, report func(message string)) map[string]any {
	var found map[string]any
	if err := yaml.Unmarshal(source, &found); err != nil {
		report("is not a YAML mapping and is ignored")
		return nil
	}
	values := make(map[string]any, len(found))
	for _, name := range slices.Sorted(maps.Keys(found)) {
		value, err := jsonValues(map[string]any{name: found[name]})
		problem := content.CheckVariables(value)
		if err != nil {
			problem = err.Error()
		}
		if problem != "" {
			report(fmt.Sprintf("%.100q is ignored: %s", name, problem))
			continue
		}
		maps.Copy(values, value)
	}
	if problem := content.CheckVariables(values); problem != "" {
		report("is ignored: " + problem)
		return nil
	}
	if len(values) == 0 {
		return nil
	}
	return values
}
