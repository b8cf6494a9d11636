package assist

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"

	"orrery/core/safe/printable"
)

// The bounds of arguments.
const (
	//orrery:limit assistants; the arguments of a call, in bytes; an error
	maxArguments = 64 << 10
	//orrery:limit assistants; a text in the arguments, in characters; an error
	maxText = 1000
	//orrery:limit assistants; the manifests in the arguments, in characters; an error
	maxManifests = 48 << 10
	//orrery:limit assistants; a number in the arguments; an error
	maxNumber = 1_000_000
	//orrery:limit assistants; the items of a list in the arguments; an error
	maxItems = 50
)

// arguments are those of a call, checked against the schema of the tool.
type arguments struct {
	values  map[string]any
	source  *Source
	options *Options
}

// prepare makes the schema of the tool's arguments.
func (t *tool) prepare(o *Options) {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
	add := func(p parameter) {
		text := &jsonschema.Schema{Type: "string", MaxLength: jsonschema.Ptr(maxText), MinLength: jsonschema.Ptr(1)}
		for _, c := range p.choices {
			text.Enum = append(text.Enum, c)
		}
		made := text
		switch p.kind {
		case "manifests":
			text.MaxLength = jsonschema.Ptr(maxManifests)
		case "number":
			made = &jsonschema.Schema{Type: "integer", Minimum: jsonschema.Ptr(1.0), Maximum: jsonschema.Ptr(float64(maxNumber))}
		case "boolean":
			made = &jsonschema.Schema{Type: "boolean"}
		case "integer":
			made = &jsonschema.Schema{Type: "integer", Minimum: jsonschema.Ptr(float64(minBudget)), Maximum: jsonschema.Ptr(float64(maxBudget))}
		case "array":
			made = &jsonschema.Schema{Type: "array", Items: text, MinItems: jsonschema.Ptr(1), MaxItems: jsonschema.Ptr(maxItems)}
		}
		made.Description = p.description
		s.Properties[p.name] = made
		s.PropertyOrder = append(s.PropertyOrder, p.name)
		if p.required {
			s.Required = append(s.Required, p.name)
		}
	}
	for _, p := range t.parameters {
		add(p)
	}
	var sources []string
	for i := range o.Sources {
		if o.Sources[i].Recording || !t.recordings {
			sources = append(sources, o.Sources[i].Name)
		}
	}
	add(parameter{name: "source", kind: "string", choices: sources, description: "what is asked; without it " + strconv.Quote(sources[0])})
	if !t.recordings {
		add(parameter{name: "at", kind: "string", description: "of a recording: the time to ask at, as 2026-03-02T09:00:12Z, 09:00:12 on its first day, or +1m30s after its beginning; without it the end"})
		add(parameter{name: "kubernetes", kind: "string", choices: o.Releases, description: "decide as this release of Kubernetes; without it the recorded one, or the cluster's"})
	}
	add(parameter{name: "budget", kind: "integer", description: fmt.Sprintf("about how many tokens the answer may take; without it %d", defaultBudget)})
	var err error
	if t.input, err = s.Resolve(nil); err != nil {
		panic(err) // it is made above
	}
	t.asked = s
}

// read returns the arguments of a call.
func (t *tool) read(o *Options, given json.RawMessage) (arguments, error) {
	a := arguments{values: map[string]any{}, options: o}
	if len(given) > maxArguments {
		return a, fmt.Errorf("the arguments take %d bytes, and may take %d", len(given), maxArguments)
	}
	if len(given) > 0 {
		if err := json.Unmarshal(given, &a.values); err != nil {
			return a, fmt.Errorf("reading the arguments: %w", err)
		}
	}
	if a.values == nil { // JSON's null
		a.values = map[string]any{}
	}
	if err := t.input.Validate(a.values); err != nil {
		return a, errors.New("the arguments of " + t.name + " are wrong: " + printable.Line(err.Error(), maxText))
	}
	name := a.text("source")
	i := slices.IndexFunc(o.Sources, func(s Source) bool { return s.Name == name || name == "" && (s.Recording || !t.recordings) })
	a.source = &o.Sources[i]
	if a.text("at") != "" && !a.source.Recording {
		return a, fmt.Errorf("at: %s is asked as it is now; another time can be asked of a recording", a.source.Name)
	}
	return a, nil
}

func (a arguments) text(name string) string {
	text, _ := a.values[name].(string)
	return text
}

func (a arguments) truth(name string) bool {
	is, _ := a.values[name].(bool)
	return is
}

// number returns a number as a flag has it; empty if it is not given.
func (a arguments) number(name string) string {
	n, given := a.values[name].(float64)
	if !given {
		return ""
	}
	return strconv.Itoa(int(n))
}

func (a arguments) list(name string) []string {
	var all []string
	items, _ := a.values[name].([]any)
	for _, item := range items {
		if text, is := item.(string); is {
			all = append(all, text)
		}
	}
	return all
}

// optional is an argument as a list: empty without it.
func (a arguments) optional(name string) []string {
	if text := a.text(name); text != "" {
		return []string{text}
	}
	return nil
}

func (a arguments) budget() int {
	if n, is := a.values["budget"].(float64); is {
		return int(n)
	}
	return defaultBudget
}

// in is a command with its arguments, in the namespace if there is one. What follows -- is no flag, whatever it begins with.
func (a arguments) in(command string, args ...string) []string {
	words := []string{command}
	if n := a.text("namespace"); n != "" {
		words = append(words, "--namespace="+n)
	}
	return append(append(words, "--"), args...)
}

// flags adds the flags of these names that are given.
func (a arguments) flags(words []string, names ...string) []string {
	for _, name := range names {
		if value := a.text(name); value != "" {
			words = flag(words, name, value)
		}
	}
	return words
}

// flag adds a flag before the arguments of a command.
func flag(words []string, name, value string) []string { return insert(words, "--"+name+"="+value) }

func insert(words []string, more ...string) []string {
	at := slices.Index(words, "--")
	if at < 0 {
		at = len(words)
	}
	return slices.Insert(slices.Clone(words), at, more...)
}

// command returns the words to run, and those to show.
func (t *tool) command(a arguments) (words, shown []string) {
	build := func(source []string) []string {
		all := insert(t.words(a), source...)
		for _, name := range []string{"at", "kubernetes"} {
			if text := a.text(name); text != "" && !t.recordings {
				all = flag(all, name, text)
			}
		}
		all = insert(all, "--output=json")
		if t.recordings {
			all = append(all, "--", a.source.File)
		}
		return all
	}
	if t.recordings {
		return build(nil), build(nil)
	}
	return build(a.source.Words), build(a.source.Shown)
}

func sorted[V any](m map[string]V) iter.Seq[string] {
	return slices.Values(slices.Sorted(maps.Keys(m)))
}
