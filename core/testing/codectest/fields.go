// Package codectest checks that a package's state is coded whole.
package codectest

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// The words of a list of fields. Given fields are those of the options; a new engine has them. Derived ones follow from coded
// ones. Passing ones are over between inputs, or are memory that is used again. History is for readers only, and begins anew.
var words = []string{"coded", "given", "derived", "passing", "history"}

// CheckFields checks that a list has all fields of some types, and of the types of this module that their coded fields are made of.
// It names each type in a line of its own, followed by indented lines with a word and the fields that it is true of:
//
//	queue.nominator
//	  coded    byNode version
//	  derived  nodeOf
//
// So a field that is added to a state has to be thought about before the tests pass.
func CheckFields(t *testing.T, list string, roots ...reflect.Type) {
	t.Helper()
	listed := parse(t, list)
	seen := map[reflect.Type]bool{}
	for len(roots) > 0 {
		of := roots[0]
		roots = roots[1:]
		if seen[of] {
			continue
		}
		seen[of] = true
		fields, ok := listed[nameOf(of)]
		if !ok {
			t.Errorf("%s is part of the state, and its fields are not listed", nameOf(of))
			continue
		}
		missing := maps.Clone(fields)
		for i := range of.NumField() {
			field := of.Field(i)
			word, ok := fields[field.Name]
			delete(missing, field.Name)
			switch {
			case !ok:
				t.Errorf("the field %s of %s is not listed: code it in the package's codec.go, or say why it need not be", field.Name, nameOf(of))
			case word == "coded":
				roots = append(roots, structsIn(field.Type)...)
			}
		}
		for name := range missing {
			t.Errorf("%s has no field %s, which is listed", nameOf(of), name)
		}
	}
	for of := range seen {
		delete(listed, nameOf(of))
	}
	for name := range listed {
		t.Errorf("%s is listed, and is no part of the state", name)
	}
}

// parse returns the word of each field by type.
func parse(t *testing.T, list string) map[string]map[string]string {
	t.Helper()
	listed := map[string]map[string]string{}
	var fields map[string]string
	for line := range strings.Lines(list) {
		parts := strings.Fields(line)
		switch {
		case len(parts) == 0 || parts[0] == "#":
		case !strings.HasPrefix(line, " "):
			fields = map[string]string{}
			listed[parts[0]] = fields
		case !slices.Contains(words, parts[0]):
			t.Fatalf("%q is none of the words %q", parts[0], words)
		default:
			for _, name := range parts[1:] {
				fields[name] = parts[0]
			}
		}
	}
	return listed
}

// structsIn returns the structs of this module that a type is made of.
func structsIn(of reflect.Type) []reflect.Type {
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return structsIn(of.Elem())
	case reflect.Map:
		return append(structsIn(of.Key()), structsIn(of.Elem())...)
	case reflect.Struct:
		if strings.HasPrefix(of.PkgPath(), "orrery/") {
			return []reflect.Type{of}
		}
	}
	return nil
}

// nameOf is a type's name with its package, without what a generic type is of.
func nameOf(of reflect.Type) string {
	pkg := of.PkgPath()[strings.LastIndex(of.PkgPath(), "/")+1:]
	name, _, _ := strings.Cut(of.Name(), "[")
	return pkg + "." + name
}
