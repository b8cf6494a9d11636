package app

import (
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/trace"
	"orrery/core/world"
)

// findPod returns the pod NAMESPACE/NAME, or NAME in the default namespace or, if absent there, in the only namespace
// that has it.
func findPod(s *openedAt, asked string) (*v1.Pod, error) {
	e := s.Engine()
	namespace, name, full := strings.Cut(asked, "/")
	if !full {
		namespace, name = v1.NamespaceDefault, asked
	}
	if pod := e.Store().Pod(namespace, name); pod != nil {
		return pod, nil
	}
	var same []*v1.Pod
	var known []string
	for o := range e.Store().Objects(world.Pod) {
		if !full && o.GetName() == name {
			same = append(same, o.(*v1.Pod))
		}
		if full {
			known = append(known, o.GetNamespace()+"/"+o.GetName())
		} else {
			known = append(known, o.GetName())
		}
	}
	switch len(same) {
	case 0:
		if !full {
			namespace = ""
		}
		return nil, s.notFound(asked, namespace, name, known)
	case 1:
		return same[0], nil
	}
	var where []string
	for _, pod := range same {
		where = append(where, pod.Namespace)
	}
	slices.Sort(where)
	return nil, fmt.Errorf("there are %d pods called %q: say NAMESPACE/NAME, with one of the namespaces %q", len(same), name, where[:min(len(where), 5)])
}

// notFound returns an error with the pod's lifetime in the trace, or with similar names. An empty namespace means any.
func (s *openedAt) notFound(asked, namespace, name string, known []string) error {
	here := fmt.Sprintf("at %s of %s there is no pod %q", timeText(s.at), s.trace, asked)
	came, left := s.lifetime(namespace, name)
	start := s.Start().Time
	switch {
	case came.After(s.at):
		return fmt.Errorf("%s: it comes at --at %s", here, offsetText(came.Sub(start)))
	case !left.IsZero() && !came.IsZero():
		return fmt.Errorf("%s: it came at --at %s and left at %s", here, offsetText(came.Sub(start)), offsetText(left.Sub(start)))
	}
	return fmt.Errorf("%s%s", here, suggestion(asked, known))
}

// lifetime returns when the trace first has a pod, and the last deletion before the position; zero if absent.
func (s *openedAt) lifetime(namespace, name string) (came, left time.Time) {
	for i := range s.Records() {
		r := &s.Records()[i]
		if state, is := r.Body.(trace.State); is && came.IsZero() && slices.ContainsFunc(state.Objects, isPod(namespace, name)) {
			came = r.At
		}
		in, ok := r.Body.(trace.Input)
		if !ok {
			continue
		}
		op, found := podOp(in.Event, namespace, name)
		switch {
		case !found:
		case op == world.Deleted && i < s.At().Record:
			left = r.At
		case op != world.Deleted && came.IsZero():
			came = r.At
		}
	}
	return came, left
}

// isPod returns whether an object is the pod of a name, in any namespace if that is empty.
func isPod(namespace, name string) func(world.Object) bool {
	return func(o world.Object) bool {
		pod, ok := o.(*v1.Pod)
		return ok && pod.Name == name && (pod.Namespace == namespace || namespace == "")
	}
}

// podOp returns the operation of an event on a pod, and whether there is one.
func podOp(event world.Event, namespace, name string) (world.Op, bool) {
	named := isPod(namespace, name)
	switch ev := event.(type) {
	case world.Changed:
		return ev.Op, named(ev.Object)
	case world.Listed:
		return world.Added, ev.Kind == world.Pod && slices.ContainsFunc(ev.Objects, named)
	}
	return world.Added, false
}
