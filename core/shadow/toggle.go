package shadow

import (
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/engine"
	"orrery/core/printable"
	"orrery/core/world"
)

// step is a change that the judge has taken in: an object before and after it, nil where there was none.
type step struct {
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
	case s.kind == world.Lease:
		return false
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
		(now.Spec.NodeName != "" && !sameLabels(was.Labels, now.Labels))
}

func sameLabels(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if w, ok := b[k]; !ok || v != w {
			return false
		}
	}
	return true
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

// mostToggles is how many events are looked at on either side of a decision.
const mostToggles = 128

// toggles are the events around the one at the head, the nearest in time first; of several about one object the nearest
// stands for all.
func (j *Judge) toggles(at time.Time, about types.NamespacedName) []toggle {
	type subject struct {
		kind world.Kind
		name types.NamespacedName
	}
	seen := map[subject]bool{{world.Pod, about}: true}
	var list []toggle
	keep := func(s step, foreseen bool) {
		if !s.matters() {
			return
		}
		kind, name := s.about()
		if seen[subject{kind, name}] {
			return
		}
		seen[subject{kind, name}] = true
		list = append(list, toggle{step: s, foreseen: foreseen, off: s.at.Sub(at).Abs()})
	}
	for i := len(j.past) - 1; i >= 0 && at.Sub(j.past[i].at) <= j.window && len(list) < mostToggles; i-- {
		keep(j.past[i], false)
	}
	most := len(list) + mostToggles
	for i := 1; i < len(j.ahead) && j.ahead[i].At.Sub(at) <= j.window && len(list) < most; i++ {
		changed, ok := j.ahead[i].Event.(world.Changed)
		if !ok {
			break // beyond a list nothing can be foreseen
		}
		keep(j.stepOf(j.ahead[i].At, changed), true)
	}
	slices.SortStableFunc(list, func(a, b toggle) int { return int(a.off - b.off) })
	return list
}

// stepOf is a change as a step from what the judge holds now.
func (j *Judge) stepOf(at time.Time, changed world.Changed) step {
	s := step{at: at, kind: world.KindOf(changed.Object), now: changed.Object}
	if changed.Op == world.Deleted {
		s.now = nil
	}
	s.was = j.engine.Store().Object(s.kind, changed.Object.GetNamespace(), changed.Object.GetName())
	if s.now == nil && s.was == nil {
		s.was = changed.Object
	}
	return s
}
