package themes

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"orrery/core/safe/printable"
)

// maxBytes bounds a theme; the built-in ones would have less than 2,000.
//
//orrery:limit files; a theme, in bytes; refused
const maxBytes = 64 << 10

// Parse parses a theme file:
//
//	name: midnight
//	base: dark              # the theme that fills in what is missing here
//	colors:
//	  accent: "#7aa2f7"
//	  border: 240           # a number is a colour of the terminal's palette
//	  heat: ["#24407a", "#e0af68", "#f7768e"]
//
// Every error names the line and the field.
func Parse(data []byte) (*Theme, error) {
	if len(data) > maxBytes {
		return nil, fmt.Errorf("reading a theme: it has %d bytes, and at most %d are read", len(data), maxBytes)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, fmt.Errorf("reading a theme: %w", err)
	}
	if len(document.Content) == 0 {
		return nil, errors.New("reading a theme: the file is empty")
	}
	fields, err := mapping(document.Content[0], "the theme")
	if err != nil {
		return nil, fmt.Errorf("reading a theme: %w", err)
	}
	t, err := fromFields(fields)
	if err != nil {
		return nil, fmt.Errorf("reading a theme: %w", err)
	}
	return t, nil
}

// field is one key of a mapping and its value.
type field struct{ key, value *yaml.Node }

func mapping(n *yaml.Node, what string) ([]field, error) {
	if n.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d: %s must be a mapping of names to values", n.Line, what)
	}
	seen := map[string]bool{}
	var fields []field
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if seen[key.Value] {
			return nil, fmt.Errorf("line %d: %q is given twice", key.Line, key.Value)
		}
		seen[key.Value] = true
		fields = append(fields, field{key, n.Content[i+1]})
	}
	return fields, nil
}

func fromFields(fields []field) (*Theme, error) {
	name, base := "", dark()
	var colors *yaml.Node
	for _, f := range fields {
		switch f.key.Value {
		case "name":
			name = f.value.Value
		case "base":
			shipped, ok := Named(f.value.Value)
			if !ok {
				return nil, fmt.Errorf("line %d: base: there is no theme %q; there are %s", f.value.Line, f.value.Value, shippedNames())
			}
			base = shipped
		case "colors":
			colors = f.value
		default:
			return nil, fmt.Errorf("line %d: %q is no field of a theme; the fields are name, base and colors", f.key.Line, printable.Line(f.key.Value, 60))
		}
	}
	if name == "" {
		return nil, errors.New("name: a theme needs one")
	}
	base.Name = name
	if colors == nil {
		return base, nil
	}
	return base, base.readColors(colors)
}

func (t *Theme) readColors(n *yaml.Node) error {
	fields, err := mapping(n, "colors")
	if err != nil {
		return err
	}
	for _, f := range fields {
		if err := t.readColor(f); err != nil {
			return fmt.Errorf("line %d: colors.%s: %w", f.key.Line, f.key.Value, err)
		}
	}
	return nil
}

func (t *Theme) readColor(f field) error {
	if f.key.Value == "heat" {
		return t.readHeat(f.value)
	}
	for token := Text; token < Heat0; token++ {
		if token.String() != f.key.Value {
			continue
		}
		if f.value.Kind != yaml.ScalarNode {
			return errors.New("one colour is wanted")
		}
		c, err := parseColor(f.value.Value)
		t.colors[token] = c
		return err
	}
	return fmt.Errorf("there is no such token; there are %s and heat", strings.Join(tokenNames[:], ", "))
}

func (t *Theme) readHeat(n *yaml.Node) error {
	const least = 2
	if n.Kind != yaml.SequenceNode || len(n.Content) < least || len(n.Content) > HeatSteps {
		return fmt.Errorf("a list of %d to %d colours is wanted, from cold to hot", least, HeatSteps)
	}
	values := make([]string, len(n.Content))
	for i, item := range n.Content {
		c, err := parseColor(item.Value)
		if err != nil {
			return err
		}
		if _, ok := c.RGB(); !ok {
			return fmt.Errorf(`%q cannot be blended: write "#rrggbb"`, item.Value)
		}
		values[i] = item.Value
	}
	t.setHeat(values)
	return nil
}

func shippedNames() string {
	var names []string
	for _, t := range Shipped() {
		names = append(names, t.Name)
	}
	return strings.Join(names, ", ")
}
