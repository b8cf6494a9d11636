package shadow

import (
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// step is an applied change: an object before and after it, nil if absent.
type step struct {
	seq      uint64
	at       time.Time
	kind     world.Kind
	was, now world.Object
	relevant bool // what matters said when it was applied, which is asked again for every later difference
}

// reorderableEvent is an event that the other scheduler may have seen at another time: an applied one can be undone, a
// later one applied early.
type reorderableEvent struct {
	step
	seenEarly bool
	offset    time.Duration
	stream    eventStream
	position  uint64 // its position in the stream
	object    int    // its object, of those in the search
}

// forceState sets an object to a state that may be older than the current one.
func forceState(e *engine.Engine, target, from world.Object) {
	if target == from {
		return
	}
	event := world.Changed{Op: world.Modified, Object: target}
	if target == nil {
		event = world.Changed{Op: world.Deleted, Object: from}
	} else {
		event.Object = world.Unversioned(target) // so that the engine cannot see that the state is older
	}
	_ = e.Apply(world.Input{At: e.Now(), Event: event}) // the engine skips what it refuses, as before
	e.Effects()
}

// binding returns the pod that the event bound, if it is a binding.
func (s *step) binding() *v1.Pod {
	pod, ok := s.now.(*v1.Pod)
	if !ok || pod.Spec.NodeName == "" {
		return nil
	}
	if was, ok := s.was.(*v1.Pod); ok && was.UID == pod.UID && was.Spec.NodeName != "" {
		return nil
	}
	return pod
}

// releases reports whether the event ends a binding that was prepared. A claim shows it, so it has no place among the changes
// of pods.
func (s *step) releases() bool {
	was, _ := s.was.(*v1.Pod)
	now, ok := s.now.(*v1.Pod)
	return ok && was != nil && was.Spec.NodeName != "" && now.Spec.NodeName == ""
}

// matters reports whether a decision can depend on the event.
func (s *step) matters() bool {
	was, _ := s.was.(*v1.Pod)
	now, _ := s.now.(*v1.Pod)
	switch {
	case s.kind == world.Lease, s.kind == world.LeaseCandidate, s.was == nil && s.now == nil:
		return false
	case s.kind == world.Node && s.was != nil && s.now != nil:
		return !sameNode(s.was.(*v1.Node), s.now.(*v1.Node))
	case s.kind != world.Pod:
		return true
	case was == nil:
		return now.Spec.NodeName != ""
	case now == nil:
		return was.Spec.NodeName != "" || was.Status.NominatedNodeName != ""
	}
	return was.Spec.NodeName != now.Spec.NodeName || was.UID != now.UID ||
		was.Status.NominatedNodeName != now.Status.NominatedNodeName ||
		(now.Spec.NodeName != "" && (was.DeletionTimestamp == nil) != (now.DeletionTimestamp == nil)) ||
		(now.Spec.NodeName != "" && !maps.Equal(was.Labels, now.Labels))
}

// sameNode reports whether a change of a node is irrelevant to pods.
func sameNode(a, b *v1.Node) bool {
	return a.Spec.Unschedulable == b.Spec.Unschedulable && maps.Equal(a.Labels, b.Labels) &&
		slices.EqualFunc(a.Spec.Taints, b.Spec.Taints, func(x, y v1.Taint) bool { return x.MatchTaint(&y) && x.Value == y.Value }) &&
		apiequality.Semantic.DeepEqual(a.Status.Allocatable, b.Status.Allocatable) &&
		apiequality.Semantic.DeepEqual(a.Status.Images, b.Status.Images) &&
		slices.Equal(a.Status.DeclaredFeatures, b.Status.DeclaredFeatures)
}

// about returns the object of an event.
func (s *step) about() (world.Kind, types.NamespacedName) {
	o := s.now
	if o == nil {
		o = s.was
	}
	return s.kind, types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
}

// text describes the event.
func (s *step) text() string {
	kind, name := s.about()
	was, _ := s.was.(*v1.Pod)
	now, _ := s.now.(*v1.Pod)
	text := name.Name
	if name.Namespace != "" {
		text = name.Namespace + "/" + text
	}
	if kind != world.Pod {
		text = string(kind) + " " + text
	}
	switch {
	case kind == world.Pod && now == nil && was != nil && was.Spec.NodeName != "":
		text += " was deleted from " + was.Spec.NodeName
	case kind == world.Pod && now != nil && now.Spec.NodeName != "" && (was == nil || was.Spec.NodeName == ""):
		text += " → " + now.Spec.NodeName
	case s.now == nil:
		text += " was deleted"
	case s.was == nil:
		text += " was added"
	default:
		text += " changed"
	}
	return printable.Line(text, 200)
}

func (t *reorderableEvent) cause() Cause {
	return Cause{SeenEarly: t.seenEarly, What: t.text(), Offset: t.offset}
}

// stepOf makes a step of a change, relative to the current state.
func (j *Comparator) stepOf(h *numberedInput, changed world.Changed) step {
	s := step{seq: h.seq, at: h.At, kind: world.KindOf(changed.Object), now: changed.Object}
	if changed.Op == world.Deleted {
		s.now = nil
	}
	s.was = j.engine.Store().Object(s.kind, changed.Object.GetNamespace(), changed.Object.GetName())
	if s.now == nil && s.was == nil {
		s.was = changed.Object
	}
	return s
}
