package trace

import (
	"encoding/json"
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"orrery/core/safe/printable"
)

// Bounds of one object with its aliases followed. An API server accepts objects of up to 3 MiB.
const (
	//orrery:limit files; text of an object to import, aliases followed, in bytes; refused
	maxObjectText = 8 << 20
	//orrery:limit files; values of an object to import, aliases followed; refused
	maxObjectValues = 250_000
	//orrery:limit files; values of an object to import within each other; refused
	maxObjectDepth = 1000
)

// Parsing takes some 260 bytes of memory for each value of a document, so that many short ones take a hundred times their size. A
// document may have so many values anyway, and one more for so many bytes.
const (
	//orrery:limit files; values of a document to import, and one more for every ten bytes; refused, with the advice to split it
	valuesAnyway  = 100_000
	bytesPerValue = 10
)

var errObjectTooLarge = errors.New("the object is too large")

// nodeToJSON returns an object of a document in JSON.
func nodeToJSON(n *yaml.Node) ([]byte, error) {
	text, _, err := follow(n)
	return text, err
}

// follow is nodeToJSON with what was made of aliases.
func follow(n *yaml.Node) ([]byte, follower, error) {
	var f follower
	fields, err := f.value(n)
	if err != nil {
		return nil, f, err
	}
	text, err := json.Marshal(fields)
	return text, f, err
}

// follower makes maps, lists and values of a document. It follows aliases, by which a few lines can stand for any amount, and
// counts what it makes of them. yaml's own decoder compares each field of a map with all others.
type follower struct{ text, values, depth int }

func (f *follower) value(n *yaml.Node) (any, error) {
	f.values, f.text, f.depth = f.values+1, f.text+len(n.Value), f.depth+1
	defer func() { f.depth-- }()
	switch {
	case f.values > maxObjectValues:
		return nil, fmt.Errorf("%w: with its aliases followed, it has more than %d values", errObjectTooLarge, maxObjectValues)
	case f.text > maxObjectText:
		return nil, fmt.Errorf("%w: with its aliases followed, it has more than %d MiB", errObjectTooLarge, maxObjectText>>20)
	case f.depth > maxObjectDepth:
		return nil, fmt.Errorf("%w: more than %d values are within each other, or an anchor is within itself", errObjectTooLarge, maxObjectDepth)
	}
	switch n.Kind {
	case yaml.AliasNode:
		return f.value(n.Alias)
	case yaml.MappingNode:
		return f.mapping(n)
	case yaml.SequenceNode:
		all := make([]any, 0, len(n.Content))
		for _, item := range n.Content {
			v, err := f.value(item)
			if err != nil {
				return nil, err
			}
			all = append(all, v)
		}
		return all, nil
	}
	if n.Tag == "!!str" {
		return n.Value, nil
	}
	var v any
	err := n.Decode(&v)
	return v, err
}

func (f *follower) mapping(n *yaml.Node) (map[string]any, error) {
	fields := make(map[string]any, len(n.Content)/2)
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		name := printable.Line(key.Value, 80)
		switch _, twice := fields[key.Value]; {
		case key.Tag == "!!merge":
			merged = append(merged, value)
			continue
		case key.Kind != yaml.ScalarNode || key.Tag != "!!str":
			return nil, fmt.Errorf("a field has the name %q, which is no text: put it in quotes", name)
		case twice:
			return nil, fmt.Errorf("the field %q is written twice", name)
		}
		f.text += len(key.Value)
		v, err := f.value(value)
		if err != nil {
			return nil, err
		}
		fields[key.Value] = v
	}
	for _, from := range merged {
		if err := f.merge(fields, from); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

// merge adds the fields of a mapping, or of several in a list, that are not written.
func (f *follower) merge(into map[string]any, from *yaml.Node) error {
	v, err := f.value(from)
	if err != nil {
		return err
	}
	all, several := v.([]any)
	if !several {
		all = []any{v}
	}
	for _, one := range all {
		fields, ok := one.(map[string]any)
		if !ok {
			return errors.New("<< takes fields, or a list of such")
		}
		for name, value := range fields {
			if _, written := into[name]; !written {
				into[name] = value
			}
		}
	}
	return nil
}
