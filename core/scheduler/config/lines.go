package config

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Lines knows on which line of a file a field is written.
type Lines struct{ document *yaml.Node }

// LinesOf reads a file, YAML or JSON. It knows no line of one that cannot be read, or that [Load] refuses for its size.
func LinesOf(data []byte) Lines {
	var document yaml.Node
	if len(data) > MaxBytes || yaml.NewDecoder(bytes.NewReader(data)).Decode(&document) != nil || len(document.Content) == 0 {
		return Lines{}
	}
	if new(size).checkNode(&document) != nil {
		return Lines{}
	}
	return Lines{document.Content[0]}
}

// Of returns the line of a field, or of what there is of its path; 0 if it is not known.
func (l Lines) Of(path string) int {
	if l.document == nil || path == "" {
		return 0
	}
	at, line := l.document, 0
	for _, step := range steps(path) {
		next, where := child(at, step)
		if next == nil {
			break
		}
		at, line = next, where
	}
	return line
}

// OfError returns the line of an error. An entry of a list of plugins that has another place than in the file is found by its
// name: validation sees the lists merged with the default ones.
func (l Lines) OfError(err *field.Error) int {
	list, _, listed := strings.Cut(err.Field, ".enabled[")
	if name, named := err.BadValue.(string); named && listed && l.value(err.Field+".name") != name {
		if _, line := l.Plugin(list, name); line > 0 {
			return line
		}
	}
	return l.Of(err.Field)
}

// value returns the text of a field; empty if there is none.
func (l Lines) value(path string) string {
	at := l.document
	for _, step := range steps(path) {
		at, _ = child(at, step)
	}
	if at = target(at); at == nil {
		return ""
	}
	return at.Value
}

// Plugin finds the first entry of a plugin in the lists of a field: those of a profile, or of one of its extension points.
func (l Lines) Plugin(lists, name string) (path string, line int) {
	at := l.document
	for _, step := range steps(lists) {
		if at, _ = child(at, step); at == nil {
			return "", 0
		}
	}
	return entry(at, lists, name)
}

// Index finds the item of a list of structures that has a value in a field; it is -1 if there is none.
func (l Lines) Index(list, field, value string) int {
	at, _ := child(l.document, list)
	return slices.IndexFunc(items(target(at)), func(item *yaml.Node) bool {
		found, _ := child(item, field)
		return found != nil && target(found).Value == value
	})
}

// entry searches a node and all below it for an item of a list that has the name.
func entry(node *yaml.Node, path, name string) (string, int) {
	node = target(node)
	for i, item := range items(node) {
		at := path + "[" + strconv.Itoa(i) + "]"
		if value, _ := child(item, "name"); value != nil && value.Value == name {
			return at, item.Line
		}
		if found, line := entry(item, at, name); line > 0 {
			return found, line
		}
	}
	if node != nil && node.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(node.Content); i += 2 {
			if found, line := entry(node.Content[i+1], path+"."+node.Content[i].Value, name); line > 0 {
				return found, line
			}
		}
	}
	return "", 0
}

// steps splits a path as in profiles[0].plugins into its names and indices.
func steps(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' })
}

// child returns the value of a field or an item of a list, and the line where it begins.
func child(node *yaml.Node, step string) (*yaml.Node, int) {
	node = target(node)
	if i, err := strconv.Atoi(step); err == nil {
		if list := items(node); i >= 0 && i < len(list) {
			return list[i], list[i].Line
		}
	}
	if node == nil || node.Kind != yaml.MappingNode {
		return nil, 0
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		// Some of kube-scheduler's paths are in capitals.
		if key := node.Content[i]; strings.EqualFold(key.Value, step) {
			return node.Content[i+1], key.Line
		}
	}
	return nil, 0
}

func items(node *yaml.Node) []*yaml.Node {
	if node == nil || node.Kind != yaml.SequenceNode {
		return nil
	}
	return node.Content
}

// target follows an alias.
func target(node *yaml.Node) *yaml.Node {
	for node != nil && node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	return node
}
