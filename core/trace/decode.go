package trace

import (
	"errors"
	"fmt"
	"math"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/safe/printable"
	"orrery/core/world"
)

// maxListObjects bounds the objects of one list. The largest clusters have 150,000 pods.
//
//orrery:limit recordings; objects of a list; the recording counts as damaged from there on
const maxListObjects = 2 << 20

// decodeEntry decodes any entry except lists and their items, after its first byte.
func decodeEntry(c *entryReader, kind byte, previous *time.Time) (Record, error) {
	r := Record{At: c.time(previous)}
	switch kind {
	case objectChangedEntry:
		r.Body = c.objectChanged()
	case effectDoneEntry:
		r.Body = c.effectDone()
	case activateRequestEntry:
		r.Body = c.activateRequest()
	case tickEntry:
		r.Body = Input{Event: world.Tick{}, BeforeRest: c.beforeRest()}
	case decisionEntry:
		r.Body = c.decision()
	case checkpointEntry:
		r.Body = Checkpoint{Digest: c.fixed64(), Inputs: c.Uvarint(), Decisions: c.Uvarint()}
	case markEntry:
		r.Body = c.mark()
	case usageEntry:
		r.Body = c.usage()
	default:
		return Record{}, fmt.Errorf("an entry is of no known kind (%d)", kind)
	}
	return r, c.end()
}

func (c *entryReader) beforeRest() bool { return c.flags(beforeRestFlag)&beforeRestFlag != 0 }

// flags reads the flags of an input, of which some are known.
func (c *entryReader) flags(known byte) byte {
	flags := c.byte()
	if flags&^known != 0 {
		c.Fail(fmt.Errorf("an input has flags that are not known (%#02x)", flags))
	}
	return flags
}

func (c *entryReader) objectChanged() Input {
	in := Input{BeforeRest: c.beforeRest()}
	op := world.Op(c.byte())
	if op > world.Deleted {
		c.Fail(fmt.Errorf("an object changed in no known way (%d)", op))
	}
	in.Event = world.Changed{Op: op, Object: c.object()}
	return in
}

// object reads an object to the end of the entry.
func (c *entryReader) object() world.Object {
	kind, shape := knownKind(c.Bytes())
	if c.Err != nil {
		return nil
	}
	o, ok := newObject(kind)
	if !ok {
		c.Fail(fmt.Errorf("reading an object: there is no kind %q", printable.Line(string(kind), 40)))
		return nil
	}
	if err := c.memory.spendObject(kind, shape.Proto(c.Rest)); err != nil {
		c.Fail(err)
		return nil
	}
	if err := c.pods.unmarshal(o, c.Rest); err != nil {
		c.Fail(fmt.Errorf("reading a %s: %s", kind, printable.Line(err.Error(), 200)))
		return nil
	}
	c.Rest = nil
	return o
}

// newObject returns an empty object to decode into; false if the kind is unknown.
func newObject(kind world.Kind) (protoObject, bool) {
	o, err := world.New(kind)
	if err != nil {
		return world.NewCustom(kind)
	}
	known, ok := o.(protoObject)
	return known, ok
}

// objectListHead reads the head of a list, whose objects follow as items.
func (c *entryReader) objectListHead(previous *time.Time) (r Record, kind world.Kind, objects uint64, err error) {
	r.At = c.time(previous)
	r.Body = Input{BeforeRest: c.beforeRest()}
	kind, objects = world.Kind(c.text()), c.Uvarint()
	if objects > maxListObjects {
		c.Fail(fmt.Errorf("a list claims %d objects, and at most %d are allowed", objects, maxListObjects))
	}
	return r, kind, objects, c.end()
}

func (c *entryReader) effectDone() Input {
	flags := c.flags(beforeRestFlag | versionFlag)
	in := Input{BeforeRest: flags&beforeRestFlag != 0}
	ev := world.EffectDone{Effect: world.EffectID(c.Uvarint())}
	code := c.Varint()
	if code < 0 || code > math.MaxInt32 {
		c.Fail(errors.New("an outcome's code is out of range"))
	}
	ev.Outcome = world.Outcome{Code: fwk.Code(code), Reason: metav1.StatusReason(c.text()), Message: c.text()}
	if in.Effect.Verb = Verb(c.byte()); in.Effect.Verb > CallExtender {
		c.Fail(fmt.Errorf("an outcome is of an effect that is not known (%d)", in.Effect.Verb))
	}
	if in.Effect.Verb != Unknown {
		in.Effect.Pod, in.Effect.Detail = c.ref(), c.text()
	}
	if flags&versionFlag != 0 && in.Effect.Verb != UnreserveResourceClaim {
		c.Fail(fmt.Errorf("an outcome of an effect of kind %d has a version", in.Effect.Verb))
	}
	if in.Effect.Verb == ReserveResourceClaim || flags&versionFlag != 0 {
		ev.Outcome.Version = c.text()
	}
	if in.Effect.Verb == CallExtender {
		ev.Outcome.Answer = c.answer()
	}
	in.Event = ev
	return in
}

func (c *entryReader) activateRequest() Input {
	in := Input{BeforeRest: c.beforeRest()}
	n := c.Uvarint()
	var ev world.ActivateRequest
	for range n {
		if err := c.memory.spend(nameMemory); err != nil {
			c.Fail(err)
		}
		if c.Err != nil {
			break
		}
		ev.Activate = append(ev.Activate, types.NamespacedName{Namespace: c.text(), Name: c.text()})
	}
	in.Event = ev
	return in
}

func (c *entryReader) ref() world.PodRef {
	return world.PodRef{Namespace: c.text(), Name: c.text(), UID: types.UID(c.text())}
}

func (c *entryReader) count() int {
	n := c.Uvarint()
	if n > math.MaxInt32 {
		c.Fail(errors.New("a count is out of range"))
		return 0
	}
	return int(n)
}

func (c *entryReader) decision() Decision {
	d := Decision{Seq: c.Uvarint(), Pod: c.ref(), Attempt: c.count(), Verdict: Verdict(c.byte())}
	if d.Verdict > Skipped {
		c.Fail(fmt.Errorf("a decision's verdict is not known (%d)", d.Verdict))
	}
	d.Node, d.Nominated, d.Victims, d.Digest = c.text(), c.text(), c.count(), c.fixed64()
	return d
}

func (c *entryReader) mark() Mark {
	m := Mark{Kind: MarkKind(c.byte())}
	if m.Kind > CaughtUp {
		m.Kind = Note
	}
	m.Pod, m.Text = c.ref(), c.text()
	return m
}
