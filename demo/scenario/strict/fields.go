package strict

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// structFields are the fields of a struct by the names they are written with, those of embedded structs included.
type structFields struct {
	index map[string][]int
	names []string // sorted
}

var knownFields sync.Map // of structFields, by type

func fieldsOf(t reflect.Type) structFields {
	if known, ok := knownFields.Load(t); ok {
		return known.(structFields)
	}
	fields := structFields{index: map[string][]int{}}
	collect(t, nil, fields.index)
	fields.names = slices.Sorted(maps.Keys(fields.index))
	knownFields.Store(t, fields)
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
