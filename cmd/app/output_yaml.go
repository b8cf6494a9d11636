package app

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"

	"orrery/core/safe/printable"
)

// yamlOf returns a JSON text as YAML. Texts with unprintable characters are quoted and have those escaped, so that a program
// gets them as they are.
func yamlOf(text []byte) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(printable.EscapeYAML(text), &doc); err != nil {
		return nil, err
	}
	styleAsBlocks(&doc)
	var page bytes.Buffer
	e := yaml.NewEncoder(&page)
	e.SetIndent(2)
	if err := e.Encode(&doc); err != nil {
		return nil, err
	}
	return printable.EscapeYAML(page.Bytes()), nil
}

func styleAsBlocks(n *yaml.Node) {
	n.Style = 0
	if strings.ContainsFunc(n.Value, printable.Unprintable) || n.Value == "<<" { // which without quotes merges mappings
		n.Style = yaml.DoubleQuotedStyle
	}
	for _, child := range n.Content {
		styleAsBlocks(child)
	}
}
