package app

import (
	"bytes"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// yamlOf returns a JSON text as YAML. Texts with unprintable characters are quoted and have those escaped, so that a program
// gets them as they are.
func yamlOf(text []byte) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(escapeForYAML(text), &doc); err != nil {
		return nil, err
	}
	styleAsBlocks(&doc)
	var page bytes.Buffer
	e := yaml.NewEncoder(&page)
	e.SetIndent(2)
	if err := e.Encode(&doc); err != nil {
		return nil, err
	}
	return escapeForYAML(page.Bytes()), nil
}

func styleAsBlocks(n *yaml.Node) {
	n.Style = 0
	if strings.ContainsFunc(n.Value, unprintable) || n.Value == "<<" { // which without quotes merges mappings
		n.Style = yaml.DoubleQuotedStyle
	}
	for _, child := range n.Content {
		styleAsBlocks(child)
	}
}

// escapeForYAML escapes unprintable characters, which occur only in quoted texts. Unlike JSON, YAML knows no pairs of
// surrogates.
func escapeForYAML(text []byte) []byte {
	if !bytes.ContainsFunc(text, unprintable) {
		return text
	}
	out := make([]byte, 0, len(text)+64)
	for _, r := range string(text) {
		if unprintable(r) {
			out = fmt.Appendf(out, `\U%08x`, r)
		} else {
			out = append(out, string(r)...)
		}
	}
	return out
}
