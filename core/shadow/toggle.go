package shadow

import (
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/engine"
	"orrery/core/printable"
	"orrery/core/world"
)

// step is a change that the judge has taken in: an object before and after it, nil where there was none.
type step struct {
	seq      uint64
	at       time.Time
	kind     world.Kind
	was, now world.Object
}

// toggle is an event that the other scheduler may have seen at another time: one that was taken in can be undone, one that
// is still to come can be foreseen.
type toggle struct {
	step
	foreseen bool
	off      time.Duration
	stream   stream
	turn     uint64 // where it stands in its stream
}

// to is the object once the toggle is flipped, from the object before.
func (t *toggle) to() (target, from world.Object) {
	if t.foreseen {
		return t.now, t.was
	}
	return t.was, t.now
}

// flip makes an engine see the event at the other time.
func (t *toggle) flip(e *engine.Engine) {
	target, from := t.to()
	put(e, target, from)
}

// back undoes flip.
func (t *toggle) back(e *engine.Engine) {
	target, from := t.to()
	put(e, from, target)
}

// put makes an engine hold an object in a state that may be older than the one it holds.
func put(e *engine.Engine, target, from world.Object) {
	event := world.Changed{Op: world.Modified, Object: target}
	if target == nil {
		event = world.Changed{Op: world.Deleted, Object: from}
	} else {
		event.Object = ageless(target)
	}
	_ = e.Apply(world.Input{At: e.Now(), Event: event}) // what the engine refuses it leaves out, as it did before
	e.Effects()
}

// ageless is an object of which nobody can tell that it is older than another state of it.
func ageless(o world.Object) world.Object {
	switch o := o.(type) {
	case *v1.Pod:
		c := *o
		c.ResourceVersion = ""
		return &c
	case *v1.Node:
		c := *o
		c.ResourceVersion = ""
		return &c
	}
	c := o.DeepCopyObject().(world.Object)
	c.SetResourceVersion("")
	return c
}

// binding is the pod that got a node by the event, if it is one.
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

// matters tells whether a decision could turn on the event.
func (s *step) matters() bool {
	was, _ := s.was.(*v1.Pod)
	now, _ := s.now.(*v1.Pod)
	switch {
	case s.kind == world.Lease, s.kind == world.LeaseCandidate:
		return false
	case s.kind == world.Node && s.was != nil && s.now != nil:
		return !sameNode(s.was.(*v1.Node), s.now.(*v1.Node))
	case s.kind != world.Pod:
		return true
	case was == nil && now == nil:
		return false
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

// sameNode tells whether a change of a node leaves what pods could mind as it was.
func sameNode(a, b *v1.Node) bool {
	return a.Spec.Unschedulable == b.Spec.Unschedulable && maps.Equal(a.Labels, b.Labels) &&
		slices.EqualFunc(a.Spec.Taints, b.Spec.Taints, func(x, y v1.Taint) bool { return x.MatchTaint(&y) && x.Value == y.Value }) &&
		apiequality.Semantic.DeepEqual(a.Status.Allocatable, b.Status.Allocatable) &&
		apiequality.Semantic.DeepEqual(a.Status.Images, b.Status.Images) &&
		slices.Equal(a.Status.DeclaredFeatures, b.Status.DeclaredFeatures)
}

// about tells which object an event is about.
func (s *step) about() (world.Kind, types.NamespacedName) {
	o := s.now
	if o == nil {
		o = s.was
	}
	return s.kind, types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
}

// words say what happened.
func (s *step) words() string {
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
		text += " left " + was.Spec.NodeName
	case kind == world.Pod && now != nil && now.Spec.NodeName != "" && (was == nil || was.Spec.NodeName == ""):
		text += " → " + now.Spec.NodeName
	case s.now == nil:
		text += " was deleted"
	case s.was == nil:
		text += " came"
	default:
		text += " changed"
	}
	return printable.Line(text, 200)
}

func (t *toggle) cause() Cause { return Cause{Foreseen: t.foreseen, What: t.words(), Off: t.off} }

// stepOf is a change as a step from what the judge holds now.
func (j *Judge) stepOf(h *heard, changed world.Changed) step {
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
