package codec

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/safe/footprint"
	"orrery/core/world"
)

// Object codes an object of a type. There has to be one.
func Object[T world.Object](c *Coder, object *T) {
	if OptionalObject(c, object); isNone(*object) {
		c.Fail(errors.New("an object is missing"))
	}
}

func isNone[T world.Object](object T) bool {
	var none T
	return any(object) == any(none)
}

// OptionalObject codes an object of a type, or none.
func OptionalObject[T world.Object](c *Coder, object *T) {
	if !c.reading {
		number := 0
		if !isNone(*object) {
			number = c.numberOf(*object)
		}
		Int(c, &number)
		return
	}
	var number int
	Int(c, &number)
	if number < 0 || number > len(c.objects) {
		c.Fail(fmt.Errorf("there is no object %d, only %d", number, len(c.objects)))
		return
	}
	if number == 0 {
		return
	}
	held, ok := c.objects[number-1].(T)
	if !ok {
		c.Fail(fmt.Errorf("object %d is of type %T, not %v", number, c.objects[number-1], reflect.TypeFor[T]()))
		return
	}
	*object = held
}

// numberOf returns the number of an object, from 1 on.
func (c *Coder) numberOf(object world.Object) int {
	number, known := c.numbers[object]
	if !known {
		c.objects = append(c.objects, object)
		number = len(c.objects)
		c.numbers[object] = number
	}
	return number
}

// timesWithinSeconds codes what the encoding of objects has no room for: it has whole seconds only. The one time that an engine
// itself puts into an object is that of an allocation.
func (c *Coder) timesWithinSeconds() {
	within := map[int]uint32{}
	if !c.reading {
		for i, object := range c.objects {
			if at := allocationTime(object); at != nil && at.Nanosecond() != 0 {
				within[i] = uint32(at.Nanosecond())
			}
		}
	}
	Map(c, &within, func(i *int, nanos *uint32) { Int(c, i); Uint(c, nanos) })
	if !c.reading || !c.OK() {
		return
	}
	for i, nanos := range within {
		if i < 0 || i >= len(c.objects) || allocationTime(c.objects[i]) == nil || nanos >= 1e9 {
			c.Fail(errors.New("a time within a second is of no allocation"))
			return
		}
		at := allocationTime(c.objects[i])
		if more := int(nanos) - at.Nanosecond(); more != 0 { // an object that was not encoded has it
			at.Time = at.Add(time.Duration(more))
		}
	}
}

// allocationTime returns when a claim got its devices; nil for other objects.
func allocationTime(object world.Object) *metav1.Time {
	if claim, ok := object.(*resourcev1.ResourceClaim); ok && claim.Status.Allocation != nil {
		return claim.Status.Allocation.AllocationTimestamp
	}
	return nil
}

// message is a part of an object that is encoded as a protocol buffer.
type message interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

// maxPartMemory bounds a part of an object, once it is decoded.
//
//orrery:limit recordings; a part of an object in a state, in bytes; the state is refused
const maxPartMemory = 32 << 20

// Message codes a part of an object, or none.
func Message[T any, M interface {
	*T
	message
}](c *Coder, part *M,
) {
	there := *part != nil
	if c.Bool(&there); !there {
		return
	}
	if c.reading {
		*part = new(T)
	}
	Part[T, M](c, *part)
}

// Part codes a part of an object.
func Part[T any, M interface {
	*T
	message
}](c *Coder, part M,
) {
	if !c.reading {
		encoded, err := part.Marshal()
		if err != nil {
			c.Fail(err)
			return
		}
		text := string(encoded)
		Text(c, &text)
		return
	}
	encoded := c.in.Bytes()
	if memory := footprint.Of(part).Proto(encoded); memory > maxPartMemory {
		c.Fail(fmt.Errorf("a %T takes too much memory", *part))
		return
	}
	if err := part.Unmarshal(encoded); err != nil {
		c.Fail(fmt.Errorf("reading a %T: %w", *part, err))
	}
}

// Name codes the name of an object in a namespace.
func (c *Coder) Name(name *types.NamespacedName) {
	Text(c, &name.Namespace)
	Text(c, &name.Name)
}

// PodRef codes a reference to a pod.
func (c *Coder) PodRef(ref *world.PodRef) {
	Text(c, &ref.Namespace)
	Text(c, &ref.Name)
	Text(c, &ref.UID)
}

// ObjectRef codes a reference to an object.
func (c *Coder) ObjectRef(ref *world.ObjectRef) {
	Text(c, &ref.Namespace)
	Text(c, &ref.Name)
	Text(c, &ref.UID)
	Text(c, &ref.ResourceVersion)
}
