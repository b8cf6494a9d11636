package footprint_test

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/footprint"
	"orrery/core/world"
)

// message is a type of the API.
type message interface {
	Unmarshal([]byte) error
}

// place is a list or a map in a type: its way there from the object, as numbers of fields.
type place struct {
	name string
	way  []int
	of   reflect.Type
}

// placesIn returns the lists and maps of a type and of its parts, each type's once.
func placesIn(t reflect.Type, name string, way []int, seen map[reflect.Type]bool) []place {
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
		name, way := name+"."+f.Name, append(way[:len(way):len(way)], number)
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

// encoded returns an object with n elements at the place, each as short as can be.
func (p place) encoded(n int) []byte {
	var data []byte
	last := p.way[len(p.way)-1]
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
		data = wrapped(nil, p.way[i], data)
	}
	return data
}

func wrapped(to []byte, number int, data []byte) []byte {
	to = binary.AppendUvarint(to, uint64(number)<<3|2)
	return append(binary.AppendUvarint(to, uint64(len(data))), data...)
}

// Every list and every map of every kind is filled with the shortest elements there are.
func TestProto_IsWhatDecodingTakes(t *testing.T) {
	objects := map[string]any{"PartialObjectMetadata": &metav1.PartialObjectMetadata{}}
	for _, kind := range world.Kinds() {
		o, err := world.New(kind)
		if err != nil {
			t.Fatal(err)
		}
		objects[string(kind)] = o
	}
	places := 0
	for name, o := range objects {
		of := reflect.TypeOf(o).Elem()
		shape := footprint.Of(o)
		for _, p := range placesIn(of, name, nil, map[reflect.Type]bool{}) {
			data := p.encoded(300)
			got := shape.Proto(data)
			took := allocated(t, func() error { return reflect.New(of).Interface().(message).Unmarshal(data) })
			// A list that grows leaves its former places behind: they are counted in took and not in got.
			if took > 4*got || got > 3*took+2048 {
				t.Errorf("%s: 300 elements in %d bytes take %d bytes of memory, and it says %d", p.name, len(data), took, got)
			}
			if worst := got / int64(len(data)); worst > footprint.Costliest {
				t.Errorf("%s takes %d bytes for each of its own, more than Costliest", p.name, worst)
			}
			places++
		}
	}
	if places < 500 {
		t.Errorf("there are only %d lists and maps", places)
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
