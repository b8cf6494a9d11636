package footprint_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/safe/footprint"
	"orrery/core/testing/fuzz"
	"orrery/core/world"
)

// message is a type of the API.
type message interface {
	Unmarshal([]byte) error
}

// place is a list or a map in a type, and the fields on the way there from the object.
type place struct {
	name string
	way  []step
	of   reflect.Type
}

// step is a field: its number in a protocol buffer, its name in JSON, and whether it is a list.
type step struct {
	number int
	json   string
	list   bool
}

// placesIn returns the lists and maps of a type and of its parts, each type's once.
func placesIn(t reflect.Type, name string, way []step, seen map[reflect.Type]bool) []place {
	if seen[t] {
		return nil
	}
	seen[t] = true
	var all []place
	for i := range t.NumField() {
		f := t.Field(i)
		parts := strings.Split(f.Tag.Get("protobuf"), ",")
		if len(parts) < 2 {
			continue
		}
		number, _ := strconv.Atoi(parts[1])
		json, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		name, way := name+"."+f.Name, append(way[:len(way):len(way)], step{number, json, f.Type.Kind() == reflect.Slice})
		inner := f.Type
		if k := inner.Kind(); k == reflect.Map || k == reflect.Slice && inner.Elem().Kind() != reflect.Uint8 {
			all = append(all, place{name, way, inner})
		}
		for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct {
			all = append(all, placesIn(inner, name, way, seen)...)
		}
	}
	return all
}

// proto returns an object with n elements at the place, each as short as can be, as a protocol buffer.
func (p place) proto(n int) []byte {
	var data []byte
	last := p.way[len(p.way)-1].number
	for i := range n {
		switch elem := p.of.Elem().Kind(); {
		case p.of.Kind() == reflect.Map:
			key := fmt.Sprintf("k%d", i)
			data = wrapped(data, last, append([]byte{1<<3 | 2, byte(len(key))}, key...))
		case elem >= reflect.Bool && elem <= reflect.Float64:
			data = append(binary.AppendUvarint(data, uint64(last)<<3), 1)
		default:
			data = wrapped(data, last, nil)
		}
	}
	for i := len(p.way) - 2; i >= 0; i-- {
		data = wrapped(nil, p.way[i].number, data)
	}
	return data
}

// json returns the same object in JSON.
func (p place) json(n int) []byte {
	value := "null"
	if p.of.Elem().Kind() == reflect.Struct && !reflect.PointerTo(p.of.Elem()).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		value = "{}"
	}
	text := "[" + strings.Repeat(value+",", n-1) + value + "]"
	if p.of.Kind() == reflect.Map {
		text = ""
		for i := range n {
			text += fmt.Sprintf(`,"k%d":%s`, i, value)
		}
		text = "{" + text[1:] + "}"
	}
	for i := len(p.way) - 1; i >= 0; i-- {
		if i < len(p.way)-1 && p.way[i].list {
			text = "[" + text + "]"
		}
		if p.way[i].json != "" {
			text = fmt.Sprintf("{%q:%s}", p.way[i].json, text)
		}
	}
	return []byte(text)
}

func wrapped(to []byte, number int, data []byte) []byte {
	to = binary.AppendUvarint(to, uint64(number)<<3|2)
	return append(binary.AppendUvarint(to, uint64(len(data))), data...)
}

// Every list and every map of every kind is filled with the shortest elements there are.
func TestShape_TellsWhatDecodingTakes(t *testing.T) {
	objects := map[string]any{"PartialObjectMetadata": &metav1.PartialObjectMetadata{}}
	for _, kind := range world.Kinds() {
		o, err := world.New(kind)
		if err != nil {
			t.Fatal(err)
		}
		objects[string(kind)] = o
	}
	places, seen := 0, map[reflect.Type]bool{}
	for name, o := range objects {
		of, shape := reflect.TypeOf(o).Elem(), footprint.Of(o)
		for _, p := range placesIn(of, name, nil, seen) {
			data := p.proto(100)
			check(t, p.name, data, shape.Proto(data), func() error { return reflect.New(of).Interface().(message).Unmarshal(data) })
			text := p.json(100)
			check(t, p.name+" in JSON", text, shape.JSON(text), func() error { return json.Unmarshal(text, reflect.New(of).Interface()) })
			places++
		}
	}
	if places < 200 {
		t.Errorf("there are only %d lists and maps", places)
	}
}

// check compares what decoding takes with what it was told to take. A list that grows leaves its former places behind, which
// are in the first number only.
func check(t *testing.T, name string, data []byte, estimate int64, decode func() error) {
	t.Helper()
	if err := decode(); err != nil { // encoding/json keeps something for every type
		t.Fatalf("%s: %v", name, err)
	}
	took := allocated(t, decode)
	if took > 4*estimate || estimate > 3*took+4096 {
		t.Errorf("%s: %d bytes take %d of memory, and it says %d", name, len(data), took, estimate)
	}
	if estimate/int64(len(data)) > footprint.Costliest {
		t.Errorf("%s: %d bytes take %d of memory, each more than Costliest", name, len(data), estimate)
	}
}

func allocated(t *testing.T, do func() error) int64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := do()
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// Names in another case, spaces, escapes and values of other types are read as decoders do.
func TestShape_ReadsAnyJSON(t *testing.T) {
	shape := footprint.Of(&v1.Pod{})
	empty := shape.JSON([]byte(`{}`))
	many := strings.Repeat("{},", 99) + "{}"
	for text, more := range map[string]bool{
		`{"spec":{"containers":[` + many + `]}}`:                            true,
		` {"SPEC" : {"Containers" : [ ` + many + ` ] } } `:                  true,
		`{"spec":{"c\u006fntainers":[` + many + `]}}`:                       true,
		`{"spec":{"initContainers":null,"containers":[` + many + `]}}`:      true,
		`{"\"":"}","spec":{"x":[1,{"y":"]"}],"containers":[` + many + `]}}`: true,
		`{"other":{"containers":[` + many + `]}}`:                           false,
		`{"spec":{"containers":"` + many + `"}}`:                            false,
		`{"spec":[` + many + `]}`:                                           false,
		`{"spec":{"containers":[` + many + `]}`:                             false, // not valid
	} {
		if got := shape.JSON([]byte(text)) - empty; got > 50_000 != more {
			t.Errorf("%.60s takes %d bytes more than nothing", text, got)
		}
	}
	if got := footprint.Any.JSON([]byte(`{"items":[` + many + `]}`)); got < 20_000 {
		t.Errorf("a hundred maps take %d bytes", got)
	}
}

// A quantity of twelve bytes takes a minute to parse.
func TestShape_RefusesHugeExponents(t *testing.T) {
	shape := footprint.Of(&v1.Pod{})
	for text, huge := range map[string]bool{
		"1e-100000000": true, "1E2000000000": true, "-.5e+1001": true, " 1e-99999 ": true, "1e99999999999999999999": true,
		"1e1000": false, "1e3": false, "100m": false, "4Gi": false, "123456789": false, "e": false, "": false, "E1": false,
	} {
		if footprint.HugeExponent(text) != huge {
			t.Errorf("%q is huge: %v", text, !huge)
		}
		quantity := append(wrapped(nil, 1, []byte(text)), 2<<3|2, 1, 'm') // what is not known follows
		encoded := wrapped(nil, 2, wrapped(nil, 32, wrapped(wrapped(nil, 1, []byte("cpu")), 2, quantity)))
		for form, took := range map[string]int64{
			"in a protocol buffer": shape.Proto(encoded),
			"in JSON":              shape.JSON([]byte(fmt.Sprintf(`{"spec":{"overhead":{"cpu":%q}}}`, text))),
		} {
			if took >= footprint.HugeQuantity != huge {
				t.Errorf("%q %s takes %d bytes", text, form, took)
			}
		}
	}
}

// FuzzShape reads encoded objects, for how much memory they take.
//
//orrery:reads core/safe/footprint
func FuzzShape(f *testing.F) {
	f.Add([]byte(`{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"a"}]}}`))
	f.Add([]byte{0x12, 4, 0x12, 0, 0x12, 0})
	f.Add([]byte(`[{"a":"\\"},[[1e5],null]]`))
	shapes := []*footprint.Shape{footprint.Of(&v1.Pod{}), footprint.Of(&metav1.PartialObjectMetadata{}), footprint.Any}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, shape := range shapes {
			most := int64(2 * footprint.Costliest * (len(data) + 1))
			var encoded, text int64
			fuzz.Cost(t, len(data), func() { encoded, text = shape.Proto(data), shape.JSON(data) })
			if encoded > most && encoded < footprint.HugeQuantity {
				t.Errorf("%d bytes take %d of memory", len(data), encoded)
			}
			if text > most && text < footprint.HugeQuantity {
				t.Errorf("%d bytes take %d of memory in JSON", len(data), text)
			}
		}
	})
}
