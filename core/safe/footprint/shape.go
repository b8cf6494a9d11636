package footprint

import (
	"maps"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// Shape says what the parts of a type's encoding take in memory.
type Shape struct {
	size   int64            // of the type itself
	fields []field          // by their number in a protocol buffer
	names  map[string]field // by their names in JSON, in lower case
	// small is what all parts take together; zero if that depends on the encoding, or is not little.
	small int32
}

// field is a part of an encoding: a field, an element of a list, or an entry of a map.
type field struct {
	// first is the memory of the first occurrence, next that of every other one, both without the contents of inner;
	// perByte is that of each byte, of a packed list.
	first, next, perByte int32
	form                 form
	inner                *Shape // nil if its parts need not be looked at
}

// form is how a field is written.
type form uint8

const (
	single   form = iota
	list          // an array in JSON
	mapping       // an object in JSON, whose entries have the shape inner
	anything      // in JSON, a value of any type, with maps and lists
)

const (
	stringBytes = 8   // what an allocation of a few bytes takes more than them
	mapBytes    = 56  // of an empty map
	mapGroup    = 8   // entries that a map makes room for at first
	maxSmall    = 128 // parts that take no more are not looked at, but all counted
)

var shapes struct {
	sync.Mutex
	byType map[reflect.Type]*Shape
}

// Of returns the shape of an object's type, which is a struct or a pointer to one.
func Of(o any) *Shape {
	shapes.Lock()
	defer shapes.Unlock()
	if shapes.byType == nil {
		shapes.byType = map[reflect.Type]*Shape{}
	}
	t := reflect.TypeOf(o)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return shapeOf(t)
}

// shapeOf returns the shape of a struct. A type may contain itself, so that its shape is kept before it is complete.
func shapeOf(t reflect.Type) *Shape {
	if s := shapes.byType[t]; s != nil {
		return s
	}
	s := &Shape{size: int64(t.Size())}
	shapes.byType[t] = s
	if t == quantityType {
		s.fields = []field{{}, {inner: quantityText}}
		return s
	}
	for i := range t.NumField() {
		s.add(t.Field(i))
	}
	s.small = smallOf(s.fields)
	return s
}

// add adds a field of the struct.
func (s *Shape) add(of reflect.StructField) {
	number := protoNumber(of)
	if number == 0 {
		return
	}
	f := fieldOf(of.Type)
	for len(s.fields) <= number {
		s.fields = append(s.fields, field{})
	}
	s.fields[number] = f
	if s.names == nil {
		s.names = map[string]field{}
	}
	if name, _, _ := strings.Cut(of.Tag.Get("json"), ","); name != "" {
		s.names[strings.ToLower(name)] = f
	} else if of.Type.Kind() == reflect.Struct { // its fields are written among those of this struct
		maps.Copy(s.names, shapeOf(of.Type).names)
	}
}

// smallOf returns what fields take together if that is little however they are encoded: a repeated one is not.
func smallOf(fields []field) int32 {
	total := int32(1)
	for _, f := range fields {
		if f.form != single || f.inner != nil {
			return 0
		}
		total += f.first
	}
	if total > maxSmall {
		return 0
	}
	return total
}

// protoNumber returns the number of a field in the protocol buffer, zero if it has none.
func protoNumber(f reflect.StructField) int {
	parts := strings.SplitN(f.Tag.Get("protobuf"), ",", 3)
	if len(parts) < 2 {
		return 0
	}
	number, err := strconv.Atoi(parts[1])
	if err != nil {
		return 0
	}
	return number
}

// fieldOf returns what a field of a type takes beside its place in the struct.
func fieldOf(t reflect.Type) field {
	switch t.Kind() {
	case reflect.String:
		return field{first: stringBytes, next: stringBytes}
	case reflect.Pointer:
		size := int32(t.Elem().Size()) + stringBytes
		return withParts(field{first: size, next: size}, t.Elem())
	case reflect.Struct:
		return withParts(field{}, t)
	case reflect.Map:
		entry := int32(t.Key().Size() + t.Elem().Size())
		return withInner(field{first: mapBytes + mapGroup*entry, next: 2*entry + stringBytes, form: mapping}, entryShape(t))
	case reflect.Slice:
		return listOf(t.Elem())
	}
	return field{}
}

// listOf returns what the elements of a list take. A list that grows has room for up to as many again.
func listOf(elem reflect.Type) field {
	size := int32(elem.Size())
	f := field{first: size, next: 2 * size, form: list}
	switch elem.Kind() {
	case reflect.Uint8: // one text
		return field{first: stringBytes, next: stringBytes}
	case reflect.String, reflect.Slice:
		f.first, f.next = f.first+stringBytes, f.next+stringBytes
	case reflect.Struct:
		return withParts(f, elem)
	case reflect.Pointer:
		to := fieldOf(elem)
		f.first, f.next, f.inner = f.first+to.first, f.next+to.next, to.inner
	default:
		f.perByte = size
	}
	return f
}

// entryShape is the shape of a map's entries: the key is their field 1 and the value their field 2. In JSON the value is the
// only part and has no name.
func entryShape(t reflect.Type) *Shape {
	value := fieldOf(t.Elem())
	if elem := t.Elem(); elem.Kind() == reflect.Slice && elem.Elem().Kind() != reflect.Uint8 {
		value = field{inner: &Shape{fields: []field{{}, value}}} // a list as a value is a message with the list in it
	}
	s := &Shape{fields: []field{{}, fieldOf(t.Key()), value}, names: map[string]field{"": fieldOf(t.Elem())}}
	s.small = smallOf(s.fields)
	return s
}

// withParts adds the parts of a type to a field; only those of a struct can be more than they are encoded.
func withParts(f field, t reflect.Type) field {
	if t.Kind() != reflect.Struct {
		return f
	}
	return withInner(f, shapeOf(t))
}

func withInner(f field, inner *Shape) field {
	if inner.small > 0 {
		f.first, f.next = f.first+inner.small, f.next+inner.small
	} else {
		f.inner = inner
	}
	return f
}
