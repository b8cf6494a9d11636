package drive_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// journal is what fakes write down, in order.
type journal struct{ lines []string }

func (j *journal) add(format string, args ...any) {
	j.lines = append(j.lines, fmt.Sprintf(format, args...))
}

// actor is an engine, a controller and an observer of itself: it decides once about every change, emits two effects for
// each decision, and has timers.
type actor struct {
	*journal
	name    string
	ready   []string // to decide about
	effects []world.Effect
	emitted world.EffectID
	timers  []time.Time
}

func (a *actor) Apply(in world.Input) error {
	text := eventText(in.Event)
	a.add("%v %s applies %s", in.At.Sub(start), a.name, text)
	for len(a.timers) > 0 && !a.timers[0].After(in.At) {
		a.timers = a.timers[1:]
		a.ready = append(a.ready, "timer")
	}
	if _, ok := in.Event.(world.Changed); ok {
		a.ready = append(a.ready, text)
	}
	return nil
}

func (a *actor) Step() (*engine.Decision, bool) {
	if len(a.ready) == 0 {
		return nil, false
	}
	pod := a.ready[0]
	a.ready = a.ready[1:]
	a.emit(pod)
	a.emit(pod)
	return &engine.Decision{Pod: world.PodRef{Name: pod}}, true
}

func (a *actor) emit(about string) {
	a.emitted++
	a.effects = append(a.effects, world.Effect{ID: a.emitted, Action: world.Bind{Pod: world.PodRef{Name: about}}})
}

func (a *actor) Effects() []world.Effect {
	effects := a.effects
	a.effects = nil
	return effects
}

func (a *actor) NextWake() (time.Time, bool) {
	if len(a.timers) == 0 {
		return time.Time{}, false
	}
	return a.timers[0], true
}

func (a *actor) Applied(in world.Input, _ error) {
	a.add("  %s observed %s", a.name, eventText(in.Event))
}
func (a *actor) Emitted(e world.Effect) { a.add("  %s emitted %d", a.name, e.ID) }
func (a *actor) Stepped(d *engine.Decision) {
	if d != nil {
		a.add("  %s decided about %s", a.name, d.Pod.Name)
	}
}

// controller is an actor that is no engine.
type controller struct{ *actor }

func (c controller) Apply(in world.Input) { _ = c.actor.Apply(in) }

func (c controller) Effects() []world.Effect {
	for range c.ready {
		c.emit("")
	}
	c.ready = nil
	return c.actor.Effects()
}

func eventText(e world.Event) string {
	switch e := e.(type) {
	case world.Changed:
		return e.Object.GetName()
	case world.EffectDone:
		return fmt.Sprintf("outcome of %d", e.Effect)
	case world.Tick:
		return "tick"
	}
	return fmt.Sprintf("%T", e)
}

// script is a world whose inputs are known, and in which every effect succeeds after ten seconds.
type script struct {
	*journal
	now    time.Time
	inputs []world.Input
}

func (s *script) Next(until time.Time) (world.Input, bool) {
	if len(s.inputs) == 0 || s.inputs[0].At.After(until) {
		s.now = until
		return world.Input{}, false
	}
	in := s.inputs[0]
	s.inputs, s.now = s.inputs[1:], in.At
	return in, true
}

func (s *script) Do(e world.Effect) {
	s.add("%v world does %#x", s.now.Sub(start), uint64(e.ID))
	s.inputs = append(s.inputs, world.Input{At: s.now.Add(10 * time.Second), Event: world.EffectDone{Effect: e.ID}})
	slices.SortStableFunc(s.inputs, func(a, b world.Input) int { return a.At.Compare(b.At) })
}

func at(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }

func added(seconds int, name string) world.Input {
	return world.Input{At: at(seconds), Event: world.Changed{Object: mk.Pod(name).Obj()}}
}

// Inputs of one instant are decided about one by one, before a timer of that instant goes off; of two timers the engine's
// is first; outcomes go to the controller whose effect it was.
func TestRun_OrderAtOneInstant(t *testing.T) {
	j := &journal{}
	w := &script{journal: j, inputs: []world.Input{added(1, "a"), added(1, "b"), added(2, "c")}}
	e := &actor{journal: j, name: "engine", timers: []time.Time{at(3)}}
	c := controller{&actor{journal: j, name: "taints", timers: []time.Time{at(2), at(3)}}}
	drive.Run(w, at(11), drive.NewScheduler(e, e), c)
	want := `
1s engine applies a
  engine observed a
1s taints applies a
  engine decided about a
  engine emitted 1
  engine emitted 2
1s world does 0x1
1s world does 0x2
1s world does 0x1000000000001
1s engine applies b
  engine observed b
1s taints applies b
  engine decided about b
  engine emitted 3
  engine emitted 4
1s world does 0x3
1s world does 0x4
1s world does 0x1000000000002
2s engine applies c
  engine observed c
2s taints applies c
  engine decided about c
  engine emitted 5
  engine emitted 6
2s world does 0x5
2s world does 0x6
2s world does 0x1000000000003
2s world does 0x1000000000004
3s engine applies tick
  engine observed tick
3s taints applies tick
  engine decided about timer
  engine emitted 7
  engine emitted 8
3s world does 0x7
3s world does 0x8
3s world does 0x1000000000005
11s engine applies outcome of 1
  engine observed outcome of 1
11s engine applies outcome of 2
  engine observed outcome of 2
11s taints applies outcome of 1
11s engine applies outcome of 3
  engine observed outcome of 3
11s engine applies outcome of 4
  engine observed outcome of 4
11s taints applies outcome of 2`
	if diff := cmp.Diff(strings.Split(strings.TrimSpace(want), "\n"), w.lines); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestVirtual_StopEndsBeforeNextInput(t *testing.T) {
	j := &journal{}
	w := &script{journal: j, inputs: []world.Input{added(1, "a"), added(1, "b")}}
	e := &actor{journal: j, name: "engine"}
	v := drive.Virtual{
		World: w, Controllers: []drive.Controller{drive.NewScheduler(e)},
		Stop: func() bool { return slices.Contains(j.lines, "1s engine applies a") },
	}
	v.Run(at(9))
	want := []string{"1s engine applies a", "1s world does 0x1", "1s world does 0x2"}
	if diff := cmp.Diff(want, j.lines); diff != "" {
		t.Errorf("journal (-want +got):\n%s", diff)
	}
}

func TestEarliest(t *testing.T) {
	never := func() (time.Time, bool) { return time.Time{}, false }
	timer := func(seconds int) func() (time.Time, bool) {
		return func() (time.Time, bool) { return at(seconds), true }
	}
	if _, due := drive.Earliest(never, never); due {
		t.Error("a timer is due that was not set")
	}
	if first, due := drive.Earliest(never, timer(3), timer(2), timer(4)); !due || !first.Equal(at(2)) {
		t.Errorf("the earliest timer is %v, %v", first, due)
	}
}
