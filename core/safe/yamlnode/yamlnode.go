// Package yamlnode reads trees of YAML that may be careless or hostile: how much they come to with aliases followed, where a field is,
// and where a parser stopped.
package yamlnode

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"orrery/core/safe/printable"
)

// Budget is what a tree may still have: names and values, and bytes of their text. A few lines of aliases can stand for any amount.
type Budget struct{ Values, Text int }

// Take takes a value with its text, and reports whether there was enough. What there was not enough of is negative.
func (b *Budget) Take(text int) bool {
	b.Values--
	b.Text -= text
	return b.Values >= 0 && b.Text >= 0
}

// TakeTree takes a tree with its aliases followed. One that holds itself is never within a budget.
func (b *Budget) TakeTree(n *yaml.Node) bool {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if !b.Take(len(n.Value)) {
		return false
	}
	return !slices.ContainsFunc(n.Content, func(inner *yaml.Node) bool { return !b.TakeTree(inner) })
}

// FewSeparators estimates by its separators whether a text has at most the given number of values. Parsing takes some 260 bytes of
// memory for each, so a text with more is not parsed.
func FewSeparators(text []byte, most int) bool {
	for _, c := range text {
		if c == '\n' || c == ',' || c == '{' || c == '[' {
			most--
		}
	}
	return most >= 0
}

var yamlLine = regexp.MustCompile(`^yaml: line (\d+): `)

// Stopped returns the line of a text, from 1 on, at which it cannot be parsed, 0 if that is not known, and the parser's error without
// its line.
func Stopped(text []byte, err error) (line int, problem string) {
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		line, _ = strconv.Atoi(m[1]) // digits
		return line, err.Error()[len(m[0]):]
	}
	if at := printable.Control(text); at >= 0 {
		line = 1 + bytes.Count(text[:at], []byte("\n"))
	}
	return line, strings.TrimPrefix(err.Error(), "yaml: ")
}

// Steps splits a path as in profiles[0].plugins into its names and indices.
func Steps(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' })
}

// Child returns the value of a field, by a comparison of names, or an item of a list, and the line where it begins; nil if there is
// none.
func Child(n *yaml.Node, step string, same func(a, b string) bool) (*yaml.Node, int) {
	n = Target(n)
	if i, err := strconv.Atoi(step); err == nil {
		if list := Items(n); i >= 0 && i < len(list) {
			return list[i], list[i].Line
		}
	}
	if n == nil || n.Kind != yaml.MappingNode {
		return nil, 0
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if key := n.Content[i]; same(key.Value, step) {
			return n.Content[i+1], key.Line
		}
	}
	return nil, 0
}

// Exactly is a comparison of names for Child.
func Exactly(a, b string) bool { return a == b }

// Items returns the items of a list; none of anything else.
func Items(n *yaml.Node) []*yaml.Node {
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	return n.Content
}

// Target follows an alias.
func Target(n *yaml.Node) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}
