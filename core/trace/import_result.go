package trace

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	v1 "k8s.io/api/core/v1"

	"orrery/core/safe/plural"
	"orrery/core/world"
)

// Result makes a cluster of the objects. At the creation time of the first pending pod it lists everything that is not
// a pending pod, pods with their nodes; pending pods are added at their creation times, in the order of the files where
// those are the same. Succeeded and failed pods are left out, and so is all but the last of an object that was read several times. Result
// keeps the objects, so that Read may go on.
func (o *ObjectImporter) Result() *ImportedTrace {
	lists := map[world.Kind][]world.Object{}
	var pending []*v1.Pod
	im := &ImportedTrace{}
	ended := 0
	objects := lastOfEach(o.objects)
	for _, object := range dated(objects, o.Undated) {
		if created := object.GetCreationTimestamp().Time; created.After(im.Start) {
			im.Start = created.UTC()
		}
		pod, isPod := object.(*v1.Pod)
		switch {
		case isPod && hasEnded(pod):
			ended++
		case isPod && isPendingPod(pod):
			pending = append(pending, pod)
		default:
			kind := world.KindOf(object)
			lists[kind] = append(lists[kind], object)
		}
	}
	im.Notes = o.notes(ended, len(o.objects)-len(objects))
	slices.SortStableFunc(pending, func(a, b *v1.Pod) int { return a.CreationTimestamp.Compare(b.CreationTimestamp.Time) })
	if len(pending) > 0 {
		im.Start = pending[0].CreationTimestamp.UTC()
	}
	for _, kind := range world.Kinds() {
		if len(lists[kind]) > 0 {
			im.Inputs = append(im.Inputs, world.Input{At: im.Start, Event: world.Listed{Kind: kind, Objects: lists[kind]}})
		}
	}
	for _, pod := range pending {
		im.Inputs = append(im.Inputs, world.Input{At: pod.CreationTimestamp.UTC(), Event: world.Changed{Op: world.Added, Object: pod}})
	}
	return im
}

// Objects returns the objects that were read, in the order of the files, each as it was read last.
func (o *ObjectImporter) Objects() []world.Object { return lastOfEach(o.objects) }

// lastOfEach returns the objects without those that come again later.
func lastOfEach(objects []world.Object) []world.Object {
	type identity struct {
		kind            reflect.Type
		namespace, name string
	}
	identify := func(o world.Object) identity { return identity{reflect.TypeOf(o), o.GetNamespace(), o.GetName()} }
	last := make(map[identity]int, len(objects))
	for i, o := range objects {
		last[identify(o)] = i
	}
	var kept []world.Object
	for i, o := range objects {
		if last[identify(o)] == i {
			kept = append(kept, o)
		}
	}
	return kept
}

// Skipped says how many objects of which kinds were skipped.
func (o *ObjectImporter) Skipped() []string {
	var notes []string
	for _, what := range slices.Sorted(maps.Keys(o.skipped)) {
		notes = append(notes, fmt.Sprintf("skipped %d of %s: scheduling does not read this kind", o.skipped[what], what))
	}
	return notes
}

func (o *ObjectImporter) notes(ended, repeated int) []string {
	notes := o.Skipped()
	if repeated > 0 {
		notes = append(notes, fmt.Sprintf("left out %s imported again later: the last of each counts", plural.Count(repeated, "object")))
	}
	if ended > 0 {
		notes = append(notes, fmt.Sprintf("left out %s already run to the end", plural.Count(ended, "pod")))
	}
	return notes
}
