package trace

import (
	"cmp"
	"fmt"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/safe/footprint"
	"orrery/core/world"
)

// The records of a file may take memoryAnyway, and memoryPerByte for each of its bytes. Recordings of clusters take 60 to
// 110 bytes for each, as they are packed; the writer packs less where they would take more than is allowed.
const (
	memoryAnyway = 32 << 20
	//orrery:limit recordings; memory of records for each byte of a recording, which is packed, beyond 32 MiB, in bytes; the recording counts as damaged from there on; a writer packs less
	memoryPerByte = 128
)

// maxObjectMemory bounds an object: while it is decoded, its lists take a multiple of that.
//
//orrery:limit recordings; memory of an object in a recording, in bytes; the recording counts as damaged from there on
const maxObjectMemory = 32 << 20

// What a record and a name in a request take beside their text.
const (
	recordMemory = 256
	nameMemory   = 64
)

// Objects that are imported may take so much for each byte of their files, which are not packed. Those of clusters take one or two, and
// the rows of tables thirty.
//
//orrery:limit files; memory of imported objects for each byte of their files, beyond 32 MiB, in bytes; refused
const importPerByte = 32

// memory is what the records of a file take once they are decoded, and what they may take. It is spent before decoding.
type memory struct {
	used, fileBytes int64
	perByte         int64 // zero is memoryPerByte
}

func (m *memory) most() int64 { return memoryAnyway + cmp.Or(m.perByte, memoryPerByte)*m.fileBytes }

func (m *memory) spend(bytes int64) error {
	if m.used += bytes; m.used > m.most() {
		return fmt.Errorf("what is in it up to here takes more than %d MiB of memory, which is the most for the first %d bytes of a file", m.most()>>20, m.fileBytes)
	}
	return nil
}

// spendObject spends the memory of one object.
func (m *memory) spendObject(kind world.Kind, bytes int64) error {
	if bytes > maxObjectMemory {
		return objectTakesTooMuch(kind, bytes)
	}
	return m.spend(bytes)
}

func objectTakesTooMuch(kind world.Kind, bytes int64) error {
	if bytes >= footprint.HugeQuantity {
		return fmt.Errorf("a %s has a quantity with an exponent that is that of no amount, such as 1e-100000", kind)
	}
	return fmt.Errorf("a %s takes %d MiB of memory, and at most %d are allowed", kind, bytes>>20, maxObjectMemory>>20)
}

// kindShape is a kind with the shape of its encoding.
type kindShape struct {
	kind  world.Kind
	shape *footprint.Shape
}

var (
	builtInShapes = sync.OnceValue(func() map[string]kindShape {
		all := map[string]kindShape{}
		for _, kind := range world.Kinds() {
			if o, err := world.New(kind); err == nil {
				all[string(kind)] = kindShape{kind, footprint.Of(o)}
			}
		}
		return all
	})
	// Of custom resources, the metadata are recorded.
	customShape = sync.OnceValue(func() *footprint.Shape { return footprint.Of(&metav1.PartialObjectMetadata{}) })
)

// knownKind returns the kind of a name and the shape of its encoding. It copies the name of a custom kind only.
func knownKind(name []byte) (world.Kind, *footprint.Shape) {
	if known, ok := builtInShapes()[string(name)]; ok {
		return known.kind, known.shape
	}
	return world.Kind(name), customShape()
}
