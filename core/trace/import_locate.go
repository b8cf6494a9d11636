package trace

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"orrery/core/world"
)

// locate returns the error with the field that makes an object unreadable: the innermost one that fails to decode by itself.
func (s source) locate(n *yaml.Node, kind world.Kind, cause error) error {
	path, at := "", n
	alone := func(inner *yaml.Node) *yaml.Node { return inner }
	for {
		i, step := childThatFails(at, func(part *yaml.Node) bool { return decodes(alone(part), kind) })
		if i < 0 {
			return s.fail(at, strings.TrimPrefix(path, "."), cause)
		}
		if step == 2 {
			path += "." + at.Content[i].Value
		} else {
			path += fmt.Sprintf("[%d]", i)
		}
		outer, around := at, alone
		at = at.Content[i+step-1]
		alone = func(inner *yaml.Node) *yaml.Node {
			return around(withContent(outer, append(slices.Clone(outer.Content[i:i+step-1]), inner)))
		}
	}
}

// childThatFails finds a child of a node that fails to decode without the others; of a mapping, a child is a name and a value.
// It returns where the child begins and its length, or -1 if the error is in the node itself, or in two children together.
func childThatFails(n *yaml.Node, decodes func(*yaml.Node) bool) (begin, length int) {
	length = 1
	if n.Kind == yaml.MappingNode {
		length = 2
	}
	children := n.Content
	if len(children) < length || !decodes(withContent(n, nil)) {
		return -1, length
	}
	for len(children) > length {
		half := len(children) / length / 2 * length
		switch first, second := children[:half], children[half:]; {
		case !decodes(withContent(n, first)):
			children = first
		case !decodes(withContent(n, second)):
			children, begin = second, begin+half
		default:
			return -1, length
		}
	}
	return begin, length
}

func withContent(n *yaml.Node, content []*yaml.Node) *yaml.Node {
	part := *n
	part.Content = content
	return &part
}

func decodes(n *yaml.Node, kind world.Kind) bool {
	object, err := world.New(kind)
	if err != nil {
		return false
	}
	text, err := nodeToJSON(n)
	return err == nil && json.Unmarshal(text, object) == nil
}
