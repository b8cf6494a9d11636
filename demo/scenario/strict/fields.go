package strict

import (
	"reflect"
	"slices"
	"strings"
)

// fieldsOf are the fields of a struct by the names they are written with, those of embedded structs included.
func fieldsOf(t reflect.Type) map[string][]int {
	fields := map[string][]int{}
	collect(t, nil, fields)
	return fields
}

func collect(t reflect.Type, way []int, fields map[string][]int) {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(slices.Clone(way), i)
		name, options := tagOf(f)
		switch {
		case name == "-" || f.Type == reflect.TypeFor[Position]():
		case f.Anonymous && name == "" || strings.Contains(options, "inline"):
			if f.Type.Kind() == reflect.Struct {
				collect(f.Type, index, fields)
			}
		case name != "" && f.IsExported():
			fields[name] = index
		}
	}
}

func tagOf(f reflect.StructField) (name, options string) {
	tag, ok := f.Tag.Lookup("yaml")
	if !ok {
		tag = f.Tag.Get("json")
	}
	name, options, _ = strings.Cut(tag, ",")
	return name, options
}

func namesOf(fields map[string][]int) []string {
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
