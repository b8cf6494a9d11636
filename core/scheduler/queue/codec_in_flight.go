package queue

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/codec"
	"orrery/core/world"
)

// The kinds of entries.
const (
	gapEntry uint8 = iota
	podEntry
	eventEntry
)

// codeInFlight codes the pods in flight and the events since, without those that were released.
func (q *Queue) codeInFlight(c *codec.Coder) {
	f := &q.inFlightEvents
	first, list := f.first+f.head, f.list[f.head:]
	codec.Int(c, &first)
	if c.Reading() {
		f.first = max(first, 0)
	}
	codec.Slice(c, &list, func(entry *inFlightEntry) {
		kind := gapEntry
		switch {
		case entry.pod != nil:
			kind = podEntry
		case entry.match != nil:
			kind = eventEntry
		}
		codec.Enum(c, &kind, eventEntry)
		switch kind {
		case podEntry:
			q.codeMarker(c, &entry.pod)
		case eventEntry:
			q.codeEvent(c, entry)
		}
		if c.Reading() && c.OK() {
			f.list = append(f.list, *entry)
		}
	})
	c.Check(len(f.list) == 0 || f.list[0].pod != nil, "no pod is in flight, and events are kept for one")
}

// codeMarker codes a pod in flight. Its number is that of the next entry.
func (q *Queue) codeMarker(c *codec.Coder, to **Pod) {
	f := &q.inFlightEvents
	q.codePod(c, to)
	p := *to
	codec.Text(c, &p.inFlightUID)
	if !c.Reading() {
		return
	}
	_, twice := f.markers[p.inFlightUID]
	if c.Check(p.inFlightUID != "" && !twice, "a pod is in flight twice, or without an identity"); c.OK() {
		f.markers[p.inFlightUID] = f.first + len(f.list)
	}
}

// codedActions are the kinds of change in the order of their bits in the format, which the plugin API has changed.
var codedActions = [...]fwk.ActionType{
	fwk.Add, fwk.Delete, fwk.UpdateNodeAllocatable, fwk.UpdateNodeLabel, fwk.UpdateNodeTaint, fwk.UpdateNodeCondition, fwk.UpdateNodeAnnotation,
	fwk.UpdateNodeDeclaredFeature, fwk.UpdatePodLabel, fwk.UpdatePodScaleDown, fwk.UpdatePodToleration, fwk.UpdatePodSchedulingGatesEliminated,
	fwk.UpdatePodGeneratedResourceClaim, fwk.UpdateNodePreemptionPolicy, fwk.UpdatePodScaleUp,
}

func codeAction(c *codec.Coder, to *fwk.ActionType) {
	coded := 0
	for bit, action := range codedActions {
		if *to&action != 0 {
			coded |= 1 << bit
		}
	}
	codec.Int(c, &coded)
	if !c.Reading() {
		return
	}
	c.Check(coded >= 0 && coded < 1<<len(codedActions), "an event is of no known change")
	*to = 0
	for bit, action := range codedActions {
		if coded&(1<<bit) != 0 {
			*to |= action
		}
	}
}

func (q *Queue) codeEvent(c *codec.Coder, entry *inFlightEntry) {
	var event fwk.ClusterEvent
	if !c.Reading() {
		event = entry.match.event
	}
	codec.Text(c, &event.Resource)
	codeAction(c, &event.ActionType)
	codec.Text(c, &event.CustomLabel)
	codeHintObject(c, event, &entry.old)
	codeHintObject(c, event, &entry.updated)
	if c.Reading() && c.OK() {
		entry.match = q.matchFor(event)
	}
}

// codeHintObject codes an object as hints receive it. Those of custom resources are unstructured; the event names their kind.
func codeHintObject(c *codec.Coder, event fwk.ClusterEvent, to *any) {
	var object world.Object
	if !c.Reading() {
		switch held := (*to).(type) {
		case nil:
		case world.Object:
			object = held
		default:
			c.Fail(fmt.Errorf("an event about a %T cannot be written", held))
			return
		}
		if whole, custom := object.(*unstructured.Unstructured); custom {
			object = world.CustomOf(world.Kind(event.Resource), whole)
		}
	}
	if codec.OptionalObject(c, &object); !c.Reading() || object == nil {
		return
	}
	if *to = object; world.KindOf(object) == world.Kind(event.Resource) {
		if custom, is := object.(*world.Custom); is {
			*to = custom.Unstructured()
		}
	}
}
