package cycle

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/engine"
	"orrery/core/world"
)

// us is Orrery's engine. Every effect succeeds at once, like the calls of kube-scheduler.
type us struct {
	e     *engine.Engine
	calls []effect
	notes []string

	refused map[string]bool
}

// effect is one change asked for, in Orrery's words.
type effect struct {
	pod types.NamespacedName
	act world.Act
}

func newUs(s *settings, refused []string) *us {
	e, err := engine.New(engine.Options{Config: s.ours, TieBreak: engine.ByHeap, Start: time.Now()})
	must(err)
	return &us{e: e, refused: set(refused)}
}

func (u *us) apply(event world.Event) {
	must(u.e.Apply(world.Input{At: time.Now(), Event: event}))
}

// step takes the next decision, if there is one to take, and has its effects succeed.
func (u *us) step() *decision {
	before := u.e.StartIndex()
	d, more := u.e.Step()
	if !more {
		return nil
	}
	told := &decision{
		Pod: d.Pod.Name, Node: d.Node, Message: d.Message, Nominated: asItIs, Rejections: map[string]int{},
		Start: before, Examined: d.Examined, Feasible: d.Feasible, Next: u.e.StartIndex(),
	}
	for _, r := range d.Rejections {
		told.Rejections[fmt.Sprint(r.Plugin, ": ", r.Reason)] += r.Nodes
	}
	u.settle()
	return told
}

// settle answers effects until there are no more.
func (u *us) settle() {
	for effects := u.e.Effects(); len(effects) > 0; effects = u.e.Effects() {
		for _, f := range effects {
			switch act := f.Act.(type) {
			case world.Announce:
				u.notes = append(u.notes, fmt.Sprint(act.Regarding.Name, " ", act.Type, " ", act.Reason, " ", act.Action, ": ", act.Note))
			case world.Bind:
				if u.refused[act.Pod.Name] {
					delete(u.refused, act.Pod.Name)
					u.apply(world.Ended{Effect: f.ID, Outcome: world.Outcome{Code: fwk.Error, Message: errTooBusy.Error()}})
					continue
				}
				u.write(act.Pod, act)
			case world.PatchStatus:
				u.write(act.Pod, act)
			case world.Delete:
				u.write(act.Pod, act)
			default:
				panic(fmt.Sprintf("nobody should ask for a %T", act))
			}
			if world.Answered(f.Act) {
				u.apply(world.Ended{Effect: f.ID})
			}
		}
	}
}

func set(names []string) map[string]bool {
	all := map[string]bool{}
	for _, name := range names {
		all[name] = true
	}
	return all
}

func (u *us) write(pod world.Ref, act world.Act) {
	u.calls = append(u.calls, effect{types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}, act})
}

func (u *us) place(pod *v1.Pod) string {
	switch place := u.e.Where(pod.Namespace, pod.Name); place {
	case engine.PlaceActive, engine.PlaceBackoff, engine.PlaceUnschedulable, engine.PlaceGated:
		return string(place)
	}
	return "elsewhere"
}
