package config

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"orrery/core/safe/yamlnode"
)

// Lines knows on which line of a file a field is written.
type Lines struct{ document *yaml.Node }

// LinesOf reads a file, YAML or JSON. It knows no line of one that cannot be read, or that [Load] refuses for its size.
func LinesOf(data []byte) Lines {
	var document yaml.Node
	if len(data) > MaxBytes || yaml.NewDecoder(bytes.NewReader(data)).Decode(&document) != nil || len(document.Content) == 0 {
		return Lines{}
	}
	if left := budget(); !left.TakeTree(&document) {
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
	for _, step := range yamlnode.Steps(path) {
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

// value returns the text of a field; empty without one.
func (l Lines) value(path string) string {
	at := l.document
	for _, step := range yamlnode.Steps(path) {
		at, _ = child(at, step)
	}
	if at = yamlnode.Target(at); at == nil {
		return ""
	}
	return at.Value
}

// Plugin finds the first entry of a plugin in the lists of a field: those of a profile, or of one of its extension points.
func (l Lines) Plugin(lists, name string) (path string, line int) {
	at := l.document
	for _, step := range yamlnode.Steps(lists) {
		if at, _ = child(at, step); at == nil {
			return "", 0
		}
	}
	return entry(at, lists, name)
}

// Index finds the item of a list of structures that has a value in a field, or -1.
func (l Lines) Index(list, field, value string) int {
	at, _ := child(l.document, list)
	return slices.IndexFunc(yamlnode.Items(yamlnode.Target(at)), func(item *yaml.Node) bool {
		found, _ := child(item, field)
		return found != nil && yamlnode.Target(found).Value == value
	})
}

// entry searches a node and all below it for an item of a list that has the name.
func entry(node *yaml.Node, path, name string) (string, int) {
	node = yamlnode.Target(node)
	for i, item := range yamlnode.Items(node) {
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

// child is yamlnode.Child for configurations: some of kube-scheduler's paths are in capitals.
func child(node *yaml.Node, step string) (*yaml.Node, int) {
	return yamlnode.Child(node, step, strings.EqualFold)
}
