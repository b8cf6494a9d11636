package app

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"orrery/core/answers/diagnose"
	"orrery/core/scheduler/framework"
	modelled "orrery/core/scheduler/release"
)

// heldIn has what the interfaces in documents hold, by type and field.
var heldIn = map[string]reflect.Type{
	"Answer.Storage": reflect.TypeFor[diagnose.Storage](), "Answer.Devices": reflect.TypeFor[diagnose.Devices](),
	"Answer.Gang": reflect.TypeFor[diagnose.ToldGang](), "Answer.Gangs": reflect.TypeFor[[]diagnose.ToldGang](), "Answer.PodGroups": reflect.TypeFor[[]diagnose.ToldPodGroup](),
	"NodeVerdict.Devices": reflect.TypeFor[[]diagnose.DeviceOn](), "Reason.Evidence": reflect.TypeFor[[]framework.Evidence](),
}

// schemaWriter makes the schema of a document from its Go type: a definition for each struct in it, and descriptions from the comments
// of the fields, or from docs/scripts.md where a field has none.
type schemaWriter struct {
	t        *testing.T
	page     map[string]string // what docs/scripts.md says of a path
	defs     map[string]*jsonschema.Schema
	names    map[reflect.Type]string
	comments map[string]map[string]map[string]string // by package, type and field
}

func newSchemaWriter(t *testing.T, page map[string]string) *schemaWriter {
	return &schemaWriter{t, page, map[string]*jsonschema.Schema{}, map[reflect.Type]string{}, map[string]map[string]map[string]string{}}
}

// document returns the schema of a document.
func (w *schemaWriter) document(name string, kinds []string, of reflect.Type) *jsonschema.Schema {
	s := &jsonschema.Schema{Schema: "https://json-schema.org/draft/2020-12/schema", Title: name, Type: "object", Properties: map[string]*jsonschema.Schema{}}
	w.fields(s, of, "")
	var values []any
	for _, k := range kinds {
		values = append(values, k)
	}
	s.Properties["apiVersion"] = &jsonschema.Schema{Type: "string", Const: jsonschema.Ptr[any](apiVersion), Description: "the version of the document"}
	s.Properties["kind"] = &jsonschema.Schema{Type: "string", Enum: values, Description: "the kind of the document"}
	s.Defs = w.defs
	return s
}

func (w *schemaWriter) of(t reflect.Type, at string) *jsonschema.Schema {
	switch {
	case t == reflect.TypeFor[time.Time]() || t == reflect.TypeFor[moment]():
		return &jsonschema.Schema{Type: "string", Format: "date-time"}
	case t == reflect.TypeFor[modelled.Release]() || t.Implements(reflect.TypeFor[interface{ MarshalText() ([]byte, error) }]()):
		return &jsonschema.Schema{Type: "string"}
	}
	switch t.Kind() {
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return &jsonschema.Schema{Type: "integer"}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return &jsonschema.Schema{Type: "integer", Minimum: jsonschema.Ptr(0.0)}
	case reflect.Float32, reflect.Float64:
		return &jsonschema.Schema{Type: "number"}
	case reflect.String:
		return &jsonschema.Schema{Type: "string"}
	case reflect.Slice:
		return &jsonschema.Schema{Type: "array", Items: w.of(t.Elem(), at+"[]")}
	case reflect.Map:
		return &jsonschema.Schema{Type: "object", AdditionalProperties: w.of(t.Elem(), at)}
	case reflect.Pointer:
		return w.of(t.Elem(), at)
	case reflect.Struct:
		return &jsonschema.Schema{Ref: "#/$defs/" + w.define(t, at)}
	}
	w.t.Errorf("%s has the type %s, of which no schema can be made", at, t)
	return &jsonschema.Schema{}
}

// define returns the name of the definition of a struct.
func (w *schemaWriter) define(t reflect.Type, at string) string {
	if name, known := w.names[t]; known {
		return name
	}
	name := strings.TrimSuffix(strings.ToUpper(t.Name()[:1])+t.Name()[1:], "Document")
	if w.defs[name] != nil { // of another package
		name = strings.ToUpper(filepath.Base(t.PkgPath())[:1]) + filepath.Base(t.PkgPath())[1:] + name
	}
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, Description: w.commentsOf(t)[""]}
	w.names[t], w.defs[name] = name, s
	w.fields(s, t, at)
	return name
}

// fields adds the fields of a struct.
func (w *schemaWriter) fields(s *jsonschema.Schema, t reflect.Type, at string) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	comments := w.commentsOf(t)
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			w.fields(s, f.Type, at)
			continue
		}
		if !f.IsExported() || name == "" || name == "-" {
			continue
		}
		path := strings.TrimPrefix(at+"."+name, ".")
		held := f.Type
		if part, is := heldIn[t.Name()+"."+f.Name]; is {
			held = part
		}
		p := w.of(held, path)
		if p.Description = comments[f.Name]; p.Description == "" {
			p.Description = w.page[path]
		}
		optional := strings.Contains(options, "omit")
		if !optional {
			s.Required = append(s.Required, name)
		}
		if f.Type.Kind() == reflect.Pointer && !optional {
			p = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{p, {Type: "null"}}, Description: p.Description}
		}
		s.Properties[name] = p
		s.PropertyOrder = append(s.PropertyOrder, name)
	}
}

// commentsOf returns the comments of a struct's fields, and of itself under no name. A comment that begins with the names of several fields holds for all of them. Fields
// have the names there that they have in documents.
func (w *schemaWriter) commentsOf(t reflect.Type) map[string]string {
	if w.comments[t.PkgPath()] == nil {
		w.comments[t.PkgPath()] = w.parse(t.PkgPath())
	}
	published := map[string]string{}
	for i := range t.NumField() {
		f := t.Field(i)
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			published[f.Name] = name
		}
	}
	inDocuments := func(comment string) string {
		return words.ReplaceAllStringFunc(comment, func(word string) string { return cmp.Or(published[word], word) })
	}
	said := map[string]string{"": inDocuments(w.comments[t.PkgPath()][t.Name()][""])}
	last := ""
	for i := range t.NumField() {
		f := t.Field(i)
		comment := w.comments[t.PkgPath()][t.Name()][f.Name]
		if comment == "" && regexp.MustCompile(`\b`+f.Name+`\b`).MatchString(last) {
			comment = last
		}
		if last = comment; comment != "" {
			said[f.Name] = inDocuments(comment)
		}
	}
	return said
}

var words = regexp.MustCompile(`\b[A-Z]\w*\b`)

// parse returns the comments of a package's structs.
func (w *schemaWriter) parse(pkg string) map[string]map[string]string {
	all := map[string]map[string]string{}
	files, err := filepath.Glob(filepath.Join("../..", strings.TrimPrefix(pkg, "orrery/"), "*.go"))
	if err != nil || len(files) == 0 || !strings.HasPrefix(pkg, "orrery/") {
		w.t.Fatalf("reading the comments of %s: no such package, %v", pkg, err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			decl, is := d.(*ast.GenDecl)
			if !is {
				continue
			}
			for _, s := range decl.Specs {
				if spec, is := s.(*ast.TypeSpec); is {
					if of, is := spec.Type.(*ast.StructType); is {
						all[spec.Name.Name] = fieldComments(decl, spec, of)
					}
				}
			}
		}
	}
	return all
}

func fieldComments(decl *ast.GenDecl, spec *ast.TypeSpec, of *ast.StructType) map[string]string {
	text := func(groups ...*ast.CommentGroup) string {
		all := ""
		for _, g := range groups {
			all += " " + g.Text()
		}
		return strings.TrimSuffix(strings.Join(strings.Fields(all), " "), ".")
	}
	all := map[string]string{"": text(spec.Doc)}
	if all[""] == "" {
		all[""] = text(decl.Doc)
	}
	for _, f := range of.Fields.List {
		for _, name := range f.Names {
			all[name.Name] = text(f.Doc, f.Comment)
		}
	}
	return all
}

// pageOf returns what a section of docs/scripts.md says of each path; of a row with several, which fields it describes.
func pageOf(section string) map[string]string {
	said := map[string]string{}
	for _, line := range strings.Split(section, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			continue
		}
		fields := fieldsIn(line)
		for _, f := range fields {
			text := strings.TrimSpace(strings.Join(cells[2:len(cells)-1], "|"))
			if len(fields) > 1 {
				text = fmt.Sprintf("of %s: %s", strings.Join(fields, ", "), text)
			}
			said[f] = strings.TrimSuffix(strings.TrimSuffix(text, "; °"), " °")
		}
	}
	return said
}
