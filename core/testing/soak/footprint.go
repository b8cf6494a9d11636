package soak

import (
	"reflect"
	"slices"
	"unsafe"
)

// footprintOf is about how many bytes of memory are reachable from a value, but for values of some types. What is behind functions, channels
// and unsafe pointers does not count.
func footprintOf(v any, without ...string) int64 {
	w := walker{seen: map[unsafe.Pointer]bool{}, plain: map[reflect.Type]bool{}, without: without}
	w.visit(reflect.ValueOf(v))
	return w.bytes
}

// walker adds up the memory behind pointers, each once.
type walker struct {
	seen    map[unsafe.Pointer]bool
	plain   map[reflect.Type]bool // whether values of a type lead nowhere
	without []string              // types that count as plain
	bytes   int64
}

// once reports whether a place is visited for the first time, and counts its bytes.
func (w *walker) once(at unsafe.Pointer, bytes uintptr) bool {
	if at == nil || w.seen[at] {
		return false
	}
	w.seen[at] = true
	w.bytes += int64(bytes)
	return true
}

// mapEntry is what an entry of a map takes beside its key and its value.
const mapEntry = 8

func (w *walker) visit(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !w.isPlain(v.Type()) && w.once(v.UnsafePointer(), v.Type().Elem().Size()) {
			w.visit(v.Elem())
		}
	case reflect.Interface:
		w.visit(v.Elem())
	case reflect.String:
		w.once(unsafe.Pointer(unsafe.StringData(v.String())), uintptr(v.Len()))
	case reflect.Slice:
		if w.once(v.UnsafePointer(), uintptr(v.Cap())*v.Type().Elem().Size()) {
			w.visitEach(v)
		}
	case reflect.Array:
		w.visitEach(v)
	case reflect.Struct:
		for i := range v.NumField() {
			if !w.isPlain(v.Type().Field(i).Type) {
				w.visit(v.Field(i))
			}
		}
	case reflect.Map:
		if !w.once(v.UnsafePointer(), uintptr(v.Len())*(v.Type().Key().Size()+v.Type().Elem().Size()+mapEntry)) {
			return
		}
		for all := v.MapRange(); all.Next(); {
			w.visit(all.Key())
			w.visit(all.Value())
		}
	}
}

func (w *walker) visitEach(v reflect.Value) {
	if w.isPlain(v.Type().Elem()) {
		return
	}
	for i := range v.Len() {
		w.visit(v.Index(i))
	}
}

// isPlain reports whether nothing is reachable from values of a type.
func (w *walker) isPlain(t reflect.Type) bool {
	plain, known := w.plain[t]
	if known {
		return plain
	}
	switch t.Kind() {
	case reflect.Pointer:
		plain = w.isLeftOut(t.Elem())
	case reflect.Interface, reflect.String, reflect.Slice, reflect.Map:
	case reflect.Array:
		plain = w.isPlain(t.Elem())
	case reflect.Struct:
		plain = true
		for i := range t.NumField() {
			plain = plain && w.isPlain(t.Field(i).Type)
		}
		plain = plain || w.isLeftOut(t)
	default:
		plain = true
	}
	w.plain[t] = plain
	return plain
}

func (w *walker) isLeftOut(t reflect.Type) bool { return slices.Contains(w.without, t.String()) }
