// Openapijson turns the contract from YAML, in which it is written, into JSON,
// in which it is served. The order of members stays, since readers see it.
//
// Usage: openapijson openapi.yaml openapi.json
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"go.yaml.in/yaml/v3"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: openapijson openapi.yaml openapi.json")
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(source, target string) error {
	data, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	converted, err := convert(data)
	if err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	return os.WriteFile(target, converted, 0o644)
}

func convert(document []byte) ([]byte, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(document, &root); err != nil {
		return nil, err
	}
	if root.Kind != yaml.DocumentNode {
		return nil, fmt.Errorf("no document")
	}
	var compact, indented bytes.Buffer
	if err := write(&compact, root.Content[0]); err != nil {
		return nil, err
	}
	if err := json.Indent(&indented, compact.Bytes(), "", " "); err != nil {
		return nil, err
	}
	indented.WriteByte('\n')
	return indented.Bytes(), nil
}

func write(out *bytes.Buffer, node *yaml.Node) error {
	switch node.Kind {
	case yaml.MappingNode:
		return writeMapping(out, node)
	case yaml.SequenceNode:
		return writeSequence(out, node)
	case yaml.ScalarNode:
		return writeScalar(out, node)
	default:
		return fmt.Errorf("line %d: anchors and aliases are not supported", node.Line)
	}
}

func writeMapping(out *bytes.Buffer, node *yaml.Node) error {
	out.WriteByte('{')
	for i := 0; i < len(node.Content); i += 2 {
		if i > 0 {
			out.WriteByte(',')
		}
		if err := writeValue(out, node.Content[i].Value); err != nil {
			return err
		}
		out.WriteByte(':')
		if err := write(out, node.Content[i+1]); err != nil {
			return err
		}
	}
	out.WriteByte('}')
	return nil
}

func writeSequence(out *bytes.Buffer, node *yaml.Node) error {
	out.WriteByte('[')
	for i, item := range node.Content {
		if i > 0 {
			out.WriteByte(',')
		}
		if err := write(out, item); err != nil {
			return err
		}
	}
	out.WriteByte(']')
	return nil
}

func writeScalar(out *bytes.Buffer, node *yaml.Node) error {
	var value any
	if err := node.Decode(&value); err != nil {
		return err
	}
	return writeValue(out, value)
}

func writeValue(out *bytes.Buffer, value any) error {
	encoded, err := json.Marshal(value)
	if err != nil {
		return err
	}
	out.Write(encoded)
	return nil
}
