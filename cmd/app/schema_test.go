package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
)

// kindsWithSchema returns the kinds of documents that have a schema.
func kindsWithSchema(name string) []string {
	kinds := []string{name}
	for kind, of := range sameSchema {
		if of == name {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	return kinds
}

// TestSchemas_AreOfTypes compares the schemas with the Go types; -update writes them.
func TestSchemas_AreOfTypes(t *testing.T) {
	page, err := os.ReadFile("../../docs/scripts.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, doc := range documents {
		_, section, _ := strings.Cut(string(page), "\n### "+name+"\n")
		section, _, _ = strings.Cut(section, "\n### ")
		said := pageOf(section)
		for field, text := range maps.All(map[string]string{"damage": "from where on the trace cannot be read"}) {
			if said[field] == "" {
				said[field] = text
			}
		}
		schema := newSchemaWriter(t, said).document(name, kindsWithSchema(name), reflect.TypeOf(doc))
		eachProperty(schema, name, func(path string, of, p *jsonschema.Schema) {
			if isPart := p.Ref != "" || p.Items != nil && p.Items.Ref != ""; p.Description == "" && of.Description == "" && !isPart {
				t.Errorf("%s has no description: give the field of the Go type a comment, or its type", path)
			}
		})
		text, err := json.MarshalIndent(schema, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("schemas", name+".json")
		if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
			if err := os.WriteFile(file, append(text, '\n'), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
		} else if diff := cmp.Diff(string(want), string(text)+"\n"); diff != "" {
			t.Errorf("%s is not what the type is; -update writes it (-file +type):\n%s", file, diff)
		}
	}
	for _, name := range schemaNames() {
		if documents[name] == nil {
			t.Errorf("schemas/%s.json is of no document", name)
		}
	}
}

// eachProperty visits the properties of a schema and of its definitions.
func eachProperty(s *jsonschema.Schema, at string, visit func(path string, of, p *jsonschema.Schema)) {
	for name, p := range s.Properties {
		visit(at+"."+name, s, p)
	}
	for name, def := range s.Defs {
		eachProperty(def, at+"#"+name, visit)
	}
}

// TestSchemas_RefuseOtherDocuments shows that a document with another field, a wrong type or without a field fails.
func TestSchemas_RefuseOtherDocuments(t *testing.T) {
	for _, row := range []struct{ name, document, refusal string }{
		{"right", `{"apiVersion":"orrery.dev/v3","kind":"TraceList","traces":[]}`, ""},
		{"another field", `{"apiVersion":"orrery.dev/v3","kind":"TraceList","traces":[],"more":1}`, "more"},
		{"a missing field", `{"apiVersion":"orrery.dev/v3","kind":"TraceList"}`, "traces"},
		{"null for a list", `{"apiVersion":"orrery.dev/v3","kind":"TraceList","traces":null}`, "traces"},
		{"another version", `{"apiVersion":"orrery.dev/v2","kind":"TraceList","traces":[]}`, "apiVersion"},
		{"another kind", `{"apiVersion":"orrery.dev/v3","kind":"Secret"}`, "no schema"},
	} {
		_, err := checkDocuments([]byte(row.document))
		if row.refusal == "" && err != nil || row.refusal != "" && (err == nil || !strings.Contains(err.Error(), row.refusal)) {
			t.Errorf("%s: %v, want one with %q", row.name, err, row.refusal)
		}
	}
}

// checkDocuments compares documents with their schemas, and returns their kinds. A field that the schema does not name is an error here,
// whereas programs ignore it.
func checkDocuments(text []byte) (kinds []string, err error) {
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var doc map[string]any
		if err := d.Decode(&doc); errors.Is(err, io.EOF) {
			return kinds, nil
		} else if err != nil {
			return kinds, err
		}
		kind, _ := doc["kind"].(string)
		text, err := schemaOf(kind)
		if err != nil {
			return kinds, err
		}
		var schema jsonschema.Schema
		if err := json.Unmarshal([]byte(text), &schema); err != nil {
			return kinds, err
		}
		closed(&schema)
		for _, def := range schema.Defs {
			closed(def)
		}
		resolved, err := schema.Resolve(nil)
		if err != nil {
			return kinds, err
		}
		if err := resolved.Validate(doc); err != nil {
			return kinds, fmt.Errorf("a document of kind %s is not as its schema has it: %w", kind, err)
		}
		kinds = append(kinds, kind)
	}
}

func closed(s *jsonschema.Schema) {
	if s.Properties != nil {
		s.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	}
}

// kindsSeen names the directory in which a command of the scripts leaves a file for each kind of document that it printed.
const kindsSeen = "ORRERY_KINDS"

// CheckingMain is Main, and compares the documents that are printed with their schemas.
func CheckingMain(args []string, options ...Option) int {
	if !slices.ContainsFunc(args, func(a string) bool { return strings.HasSuffix(a, asJSON) }) {
		return Main(args, options...)
	}
	var printed bytes.Buffer
	code := mainTo(io.MultiWriter(os.Stdout, &printed), args, options)
	if !bytes.HasPrefix(printed.Bytes(), []byte("{")) {
		return code
	}
	kinds, err := checkDocuments(printed.Bytes())
	if err != nil {
		fmt.Fprintln(os.Stderr, "checking the schema:", err)
		return 99
	}
	if dir := os.Getenv(kindsSeen); dir != "" {
		for _, kind := range kinds {
			if err := os.WriteFile(filepath.Join(dir, kind), nil, 0o644); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 99
			}
		}
	}
	return code
}

// Documents are the names of the documents, and KindsSeen the variable with the directory of those that were printed.
func Documents() []string { return slices.Sorted(maps.Keys(documents)) }

const KindsSeen = kindsSeen
