package strict

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"orrery/core/safe/footprint"
	"orrery/core/safe/yamlnode"
)

// MaxBytes bounds a document, maxValues its size with all aliases expanded, and maxMemory what it is decoded to.
const (
	//orrery:limit files; a scenario, in bytes; refused
	MaxBytes = 1 << 20
	//orrery:limit files; values of a scenario, aliases followed; refused
	maxValues = 200_000
	//orrery:limit files; values of a scenario within each other; refused
	maxDepth = 64
	//orrery:limit files; what a scenario is decoded to, in bytes; refused
	maxMemory = 32 << 20
)

// Decode reads a document into a struct. The error is an *[Error].
func Decode(file string, data []byte, into any) error {
	if len(data) > MaxBytes {
		return &Error{File: file, Problem: fmt.Sprintf("it has %d bytes, and at most %d are read", len(data), MaxBytes)}
	}
	var root yaml.Node
	if err := yaml.Unmarshal(data, &root); err != nil {
		return notYAML(file, data, err)
	}
	if len(root.Content) == 0 {
		return &Error{File: file, Problem: "it is empty"}
	}
	d := &decoder{file: file}
	return d.value(root.Content[0], reflect.ValueOf(into).Elem(), "", nil)
}

func notYAML(file string, data []byte, err error) error {
	line, problem := yamlnode.Stopped(data, err)
	return &Error{File: file, Line: line, Problem: "this is not YAML: " + problem}
}

type decoder struct {
	file   string
	nodes  int
	depth  int
	memory int
}

// lineIndex collects the lines below a Position.
type lineIndex struct {
	path  string
	lines map[string]int
	outer *lineIndex
}

// lineMemory is what a line takes beside the path.
const lineMemory = 64

// add returns the memory that it takes.
func (l *lineIndex) add(path string, line int) int {
	memory := len(path)
	for ; l != nil; l = l.outer {
		if below, ok := strings.CutPrefix(path, l.path); ok {
			l.lines[strings.TrimPrefix(below, ".")] = line
			memory += lineMemory
		}
	}
	return memory
}

func (d *decoder) fail(n *yaml.Node, path, format string, args ...any) error {
	return &Error{File: d.file, Line: n.Line, Field: path, Problem: fmt.Sprintf(format, args...)}
}

// oneOrMore is a slice that may be written as its only element.
type oneOrMore interface{ OneOrMore() }

func (d *decoder) value(n *yaml.Node, into reflect.Value, path string, l *lineIndex) error {
	d.nodes++
	d.depth++
	defer func() { d.depth-- }()
	if d.nodes > maxValues || d.depth > maxDepth {
		return d.fail(n, path, "the document is too big: with its aliases followed it has more than %d values, or more than %d within each other", maxValues, maxDepth)
	}
	if n.Kind == yaml.AliasNode {
		return d.value(n.Alias, into, path, l)
	}
	// A list that grows has room for up to as many elements again; the path is kept for each struct around the value.
	if d.memory += 2*int(into.Type().Size()) + l.add(path, n.Line); d.memory > maxMemory {
		return d.fail(n, path, "the document is too big: what it says up to here takes more than %d MiB of memory", maxMemory>>20)
	}
	if into.Kind() == reflect.Pointer {
		if isNull(n) {
			return d.fail(n, path, "a value is missing here")
		}
		into.Set(reflect.New(into.Type().Elem()))
		return d.value(n, into.Elem(), path, l)
	}
	if raw, ok := into.Addr().Interface().(*Raw); ok {
		return d.raw(n, raw, path)
	}
	if n.Kind == yaml.ScalarNode {
		if done, err := d.unmarshalScalar(n, into, path); done {
			return err
		}
	}
	switch into.Kind() {
	case reflect.Struct:
		return d.structValue(n, into, path, l)
	case reflect.Map:
		return d.mapping(n, into, path, l)
	case reflect.Slice:
		return d.list(n, into, path, l)
	}
	return d.scalar(n, into, path)
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// unmarshalScalar uses a type's own method to read a scalar, if it has one.
func (d *decoder) unmarshalScalar(n *yaml.Node, into reflect.Value, path string) (bool, error) {
	var err error
	switch own := into.Addr().Interface().(type) {
	case encoding.TextUnmarshaler:
		if isNull(n) {
			return true, d.fail(n, path, "a value is missing here")
		}
		err = own.UnmarshalText([]byte(n.Value))
	case json.Unmarshaler:
		if footprint.HugeExponent(n.Value) { // if this is a quantity, it must not be parsed
			return true, d.fail(n, path, "%s: its exponent is that of no amount", quote(n))
		}
		text := []byte(n.Value)
		if n.Tag != "!!int" && n.Tag != "!!float" {
			text, _ = json.Marshal(n.Value) // a string can always be written
		}
		err = own.UnmarshalJSON(text)
	default:
		return false, nil
	}
	if err != nil {
		return true, d.fail(n, path, "%s: %s", quote(n), err)
	}
	if p, ok := into.Addr().Interface().(positioned); ok {
		p.setPosition(Position{file: d.file, path: path, line: n.Line})
	}
	return true, nil
}

func quote(n *yaml.Node) string {
	if len(n.Value) > 60 {
		return strconv.Quote(n.Value[:60]) + "…"
	}
	return strconv.Quote(n.Value)
}

func (d *decoder) structValue(n *yaml.Node, into reflect.Value, path string, l *lineIndex) error {
	fields := fieldsOf(into.Type())
	if n.Kind != yaml.MappingNode {
		return d.fail(n, path, "fields are expected here, such as %s", strings.Join(first(fields.names, 4), ", "))
	}
	if p, ok := into.Addr().Interface().(positioned); ok {
		l = &lineIndex{path: path, lines: map[string]int{}, outer: l}
		p.setPosition(Position{file: d.file, path: path, line: n.Line, lines: l.lines})
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		index, ok := fields.index[key.Value]
		if !ok {
			return d.fail(key, path, "unknown field %s: %s", quote(key), Suggest(key.Value, fields.names))
		}
		if line, twice := seen[key.Value]; twice {
			return d.fail(key, path, "%s is written twice; the first time on line %d", key.Value, line)
		}
		seen[key.Value] = key.Line
		inner := join(path, key.Value)
		if err := d.value(value, into.FieldByIndex(index), inner, l); err != nil {
			return err
		}
		l.add(inner, key.Line)
	}
	for _, name := range fields.names {
		if _, written := seen[name]; !written {
			d.setAbsentPositions(n, into.FieldByIndex(fields.index[name]), join(path, name))
		}
	}
	return nil
}

// setAbsentPositions sets the position of a struct that was not written to where it would be.
func (d *decoder) setAbsentPositions(n *yaml.Node, field reflect.Value, path string) {
	if field.Kind() != reflect.Struct {
		return
	}
	p, ok := field.Addr().Interface().(positioned)
	if !ok {
		return
	}
	d.memory += len(path)
	p.setPosition(Position{file: d.file, path: path, line: n.Line})
	fields := fieldsOf(field.Type())
	for _, name := range fields.names {
		d.setAbsentPositions(n, field.FieldByIndex(fields.index[name]), join(path, name))
	}
}

func first(names []string, most int) []string { return names[:min(most, len(names))] }

func (d *decoder) mapping(n *yaml.Node, into reflect.Value, path string, l *lineIndex) error {
	if n.Kind != yaml.MappingNode {
		return d.fail(n, path, "names and values are expected here, as in {name: value}")
	}
	t := into.Type()
	into.Set(reflect.MakeMapWithSize(t, len(n.Content)/2))
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			return d.fail(key, path, "a name is expected here, not something with parts of its own")
		}
		k := reflect.ValueOf(key.Value).Convert(t.Key())
		if into.MapIndex(k).IsValid() {
			return d.fail(key, path, "%s is written twice", quote(key))
		}
		v := reflect.New(t.Elem()).Elem()
		if err := d.value(value, v, join(path, key.Value), l); err != nil {
			return err
		}
		into.SetMapIndex(k, v)
	}
	return nil
}

func (d *decoder) list(n *yaml.Node, into reflect.Value, path string, l *lineIndex) error {
	items := n.Content
	if n.Kind != yaml.SequenceNode {
		if _, ok := into.Addr().Interface().(oneOrMore); !ok || isNull(n) {
			return d.fail(n, path, "a list is expected here, as in [one, two]")
		}
		items = []*yaml.Node{n}
	}
	for i, item := range items {
		v := reflect.New(into.Type().Elem()).Elem()
		inner := path
		if n.Kind == yaml.SequenceNode {
			inner = fmt.Sprintf("%s[%d]", path, i)
		}
		if err := d.value(item, v, inner, l); err != nil {
			return err
		}
		into.Set(reflect.Append(into, v))
	}
	return nil
}

func (d *decoder) scalar(n *yaml.Node, into reflect.Value, path string) error {
	if n.Kind != yaml.ScalarNode {
		return d.fail(n, path, "%s is expected here, not something with parts of its own", expected(into))
	}
	if isNull(n) {
		return d.fail(n, path, "%s is missing here", expected(into))
	}
	switch into.Kind() {
	case reflect.String:
		into.SetString(n.Value)
		return nil
	case reflect.Bool:
		if v, err := strconv.ParseBool(n.Value); err == nil && n.Tag == "!!bool" {
			into.SetBool(v)
			return nil
		}
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint64, reflect.Uint32:
		if v, err := strconv.ParseUint(n.Value, 0, 64); err == nil && into.CanUint() && !into.OverflowUint(v) {
			into.SetUint(v)
			return nil
		}
		if v, err := strconv.ParseInt(n.Value, 0, 64); err == nil && into.CanInt() && !into.OverflowInt(v) {
			into.SetInt(v)
			return nil
		}
	case reflect.Float64:
		if v, err := strconv.ParseFloat(n.Value, 64); err == nil && !math.IsNaN(v) && !math.IsInf(v, 0) {
			into.SetFloat(v)
			return nil
		}
	}
	return d.fail(n, path, "%s is expected here, not %s", expected(into), quote(n))
}

// expected describes the scalar that a type needs.
func expected(v reflect.Value) string {
	switch v.Kind() {
	case reflect.String:
		return "a word"
	case reflect.Bool:
		return "true or false"
	case reflect.Uint64, reflect.Uint32:
		return "a whole number, not below zero,"
	case reflect.Float64:
		return "a number"
	case reflect.Int, reflect.Int32, reflect.Int64:
		return "a whole number"
	}
	return fmt.Sprintf("something that cannot be written in a file (%s)", v.Type())
}
