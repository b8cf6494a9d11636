package strict

import (
	"encoding/json"
	"fmt"
	"reflect"

	"go.yaml.in/yaml/v3"

	"orrery/core/safe/yamlnode"
)

// Raw is a part of a document that another decoder reads.
type Raw struct {
	// Word is its value if it is a single word.
	Word string

	file, path string
	node       *yaml.Node
}

// IsSet reports whether the part was written.
func (r *Raw) IsSet() bool { return r.node != nil }

// Fail returns an error about a field of the part, by its path, on the line of its innermost existing parent.
func (r *Raw) Fail(field, problem string) error {
	n := r.node
	for _, step := range yamlnode.Steps(field) {
		inner := childOf(n, step)
		if inner == nil {
			break
		}
		n = inner
	}
	return &Error{File: r.file, Line: n.Line, Field: join(r.path, field), Problem: problem}
}

func childOf(n *yaml.Node, step string) *yaml.Node {
	child, _ := yamlnode.Child(n, step, yamlnode.Exactly)
	return child
}

func (d *decoder) raw(n *yaml.Node, into *Raw, path string) error {
	if err := d.rejectAliases(n, path); err != nil {
		return err
	}
	*into = Raw{file: d.file, path: path, node: n}
	if n.Kind == yaml.ScalarNode {
		into.Word = n.Value
	}
	return nil
}

// rejectAliases rejects aliases in a Raw part, whose decoder would not bound them.
func (d *decoder) rejectAliases(n *yaml.Node, path string) error {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		return d.fail(n, path, "anchors and aliases cannot be used in this part: write it out")
	}
	d.nodes++
	if d.nodes > maxValues {
		return d.fail(n, path, "the document is too big: it has more than %d values", maxValues)
	}
	for _, inner := range n.Content {
		if err := d.rejectAliases(inner, path); err != nil {
			return err
		}
	}
	return nil
}

// Decode reads the part into a struct.
func (r *Raw) Decode(into any) error {
	d := &decoder{file: r.file}
	return d.value(r.node, reflect.ValueOf(into).Elem(), r.path, nil)
}

// Scalar returns a field of the part that is a single word; empty if there is none.
func (r *Raw) Scalar(field string) string {
	if n := childOf(r.node, field); n != nil && n.Kind == yaml.ScalarNode {
		return n.Value
	}
	return ""
}

// JSON returns the part as JSON.
func (r *Raw) JSON() ([]byte, error) {
	var plain any
	if err := r.node.Decode(&plain); err != nil {
		return nil, r.Fail("", "this cannot be read: "+err.Error())
	}
	text, err := json.Marshal(plain)
	if err != nil {
		return nil, r.Fail("", "this cannot be written as JSON: "+err.Error())
	}
	return text, nil
}

// maxConfigurationValues bounds a configuration, which takes other decoders several times its size to read.
//
//orrery:limit files; names and values of a configuration in a scenario; refused
const maxConfigurationValues = 20_000

// WithTypeMeta returns a configuration alone, as YAML of its own, with apiVersion and kind added, which may have been left
// out.
func (r *Raw) WithTypeMeta(apiVersion, kind string) ([]byte, error) {
	if left := (yamlnode.Budget{Values: maxConfigurationValues, Text: MaxBytes}); !left.TakeTree(r.node) {
		return nil, r.Fail("", fmt.Sprintf("it has more than %d names and values, which is the most a configuration may have", maxConfigurationValues))
	}
	whole := *r.node
	if r.node.Kind == yaml.MappingNode {
		whole.Content = nil
		for _, field := range [][2]string{{"apiVersion", apiVersion}, {"kind", kind}} {
			if childOf(r.node, field[0]) == nil {
				whole.Content = append(whole.Content,
					&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: field[0]}, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: field[1]})
			}
		}
		whole.Content = append(whole.Content, r.node.Content...)
	}
	text, err := yaml.Marshal(&whole)
	if err != nil {
		return nil, r.Fail("", "this cannot be read: "+err.Error())
	}
	return text, nil
}
