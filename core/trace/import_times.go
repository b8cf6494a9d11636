package trace

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/world"
)

// An imported time is from 1970, where computers' time begins, to 2149: so an engine, which runs for 200 years at most,
// takes in all of them.
var (
	firstTime = time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)
	afterLast = time.Date(2150, 1, 1, 0, 0, 0, 0, time.UTC)
)

func canBeMeant(t time.Time) bool { return t.IsZero() || !t.Before(firstTime) && t.Before(afterLast) }

// checkTimes returns an error for the first time in an object that cannot be meant.
func (s source) checkTimes(o world.Object, n *yaml.Node) error {
	invalid := findTime(reflect.ValueOf(o), n, "")
	if invalid == nil {
		return nil
	}
	name := o.GetName()
	if o.GetNamespace() != "" {
		name = o.GetNamespace() + "/" + name
	}
	return s.fail(invalid.node, strings.TrimPrefix(invalid.field, "."), fmt.Errorf(
		"%s %q has the time %s, and times from %d to %d are taken: correct it, or leave it out",
		world.KindOf(o), name, invalid.time.UTC().Format(time.RFC3339Nano), firstTime.Year(), afterLast.Year()-1))
}

// fieldTime is a time in an object: its path, and its node in the file or, where it has none, that of what holds it.
type fieldTime struct {
	field string
	node  *yaml.Node
	time  time.Time
}

// findTime finds the first time in a value that cannot be meant.
func findTime(v reflect.Value, n *yaml.Node, field string) *fieldTime {
	switch t := v.Interface().(type) {
	case metav1.Time:
		return checkTime(t.Time, n, field)
	case metav1.MicroTime:
		return checkTime(t.Time, n, field)
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return findTime(v.Elem(), n, field)
		}
	case reflect.Slice:
		for i := range v.Len() {
			if found := findTime(v.Index(i), itemNode(n, i), fmt.Sprintf("%s[%d]", field, i)); found != nil {
				return found
			}
		}
	case reflect.Struct:
		return findTimeInFields(v, n, field)
	}
	return nil
}

func findTimeInFields(v reflect.Value, n *yaml.Node, field string) *fieldTime {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() || !mayHoldTime(f.Type) || v.Field(i).IsZero() {
			continue
		}
		in, path := n, field
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			path += "." + name
			if found := child(n, name); found != nil {
				in = found
			}
		}
		if found := findTime(v.Field(i), in, path); found != nil {
			return found
		}
	}
	return nil
}

func mayHoldTime(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct
}

func itemNode(n *yaml.Node, i int) *yaml.Node {
	if n.Kind == yaml.SequenceNode && i < len(n.Content) {
		return n.Content[i]
	}
	return n
}

func checkTime(t time.Time, n *yaml.Node, field string) *fieldTime {
	if canBeMeant(t) {
		return nil
	}
	return &fieldTime{field, n, t}
}

// dated returns the objects with a creation time each, in the same order. A pending pod without one has that of the pending
// pod before it, the first ones that of the first after them: they come with the others, in the order of the files. Anything
// else is as old as the cluster, which begins with the first pending pod; pods that all lack a time begin it when everything
// else is there.
func dated(objects []world.Object, without time.Time) []world.Object {
	all := make([]world.Object, len(objects))
	copy(all, objects)
	var first, previous, earliest, latest time.Time // first and previous in the order of the files
	for _, o := range objects {
		created := o.GetCreationTimestamp().Time
		if created.After(latest) {
			latest = created
		}
		if created.IsZero() || !isPendingPod(o) {
			continue
		}
		if first.IsZero() {
			first = created
		}
		if earliest.IsZero() || created.Before(earliest) {
			earliest = created
		}
	}
	if latest.IsZero() {
		latest = without
	}
	if first.IsZero() {
		first, earliest = latest, latest
	}
	previous = first
	for i, o := range all {
		created := o.GetCreationTimestamp().Time
		switch {
		case !created.IsZero() && isPendingPod(o):
			previous = created
		case created.IsZero() && isPendingPod(o):
			all[i] = createdAt(o, previous)
		case created.IsZero():
			all[i] = createdAt(o, earliest)
		}
	}
	return all
}

func createdAt(o world.Object, at time.Time) world.Object {
	own := o.DeepCopyObject().(world.Object)
	own.SetCreationTimestamp(metav1.Time{Time: at})
	return own
}

func isPendingPod(o world.Object) bool {
	pod, ok := o.(*v1.Pod)
	return ok && pod.Spec.NodeName == "" && !hasEnded(pod)
}

func hasEnded(pod *v1.Pod) bool {
	return pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
}
