package engine

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/framework"
	"orrery/core/world"
)

// do numbers an act and hands it to whoever drives the engine.
func (e *Engine) do(act world.Act) world.EffectID {
	e.lastEffect++
	effect := world.Effect{ID: e.lastEffect, At: e.now, Act: act}
	e.effects = append(e.effects, effect)
	e.digest.effect(effect)
	return effect.ID
}

// Effects hands over what is to be done since the last call, in order. The slice is the caller's.
func (e *Engine) Effects() []world.Effect {
	effects := e.effects
	e.effects = nil
	return effects
}

// ask is an effect that a plugin wanted: its outcome goes back to that plugin of that profile.
type ask struct {
	profile, plugin string
	act             world.Act
}

// actor lets the plugins of one profile want effects; it implements framework.Actor.
type actor struct {
	engine  *Engine
	profile string
}

func (a actor) Act(act world.Act, plugin string) world.EffectID {
	id := a.engine.do(act)
	if world.Answered(act) {
		a.engine.asked[id] = ask{a.profile, plugin, act}
	}
	return id
}

// activator moves pods to the active queue at a plugin's wish; it implements fwk.PodActivator.
type activator struct{ engine *Engine }

func (a activator) Activate(_ klog.Logger, pods map[string]*v1.Pod) {
	if len(pods) == 0 {
		return
	}
	list := make([]*v1.Pod, 0, len(pods))
	for _, pod := range pods {
		list = append(list, pod)
	}
	slices.SortFunc(list, func(a, b *v1.Pod) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	a.engine.queue.Activate(list, a.engine.now)
}

// activateWished tries the pods again that plugins wished for in a cycle, and forgets the wishes.
func (e *Engine) activateWished(state *framework.CycleState) {
	data, err := state.Read(framework.PodsToActivateKey)
	if err != nil {
		return // a plugin took it out
	}
	if wished, ok := data.(*framework.PodsToActivate); ok && len(wished.Map) > 0 {
		activator{e}.Activate(klog.Logger{}, wished.Map)
		wished.Map = map[string]*v1.Pod{}
	}
}

// activate moves the pods of these names to the active queue, for a person who asked.
func (e *Engine) activate(names []types.NamespacedName) {
	var pods []*v1.Pod
	for _, name := range names {
		if pod := e.store.Pod(name.Namespace, name.Name); pod != nil && !assigned(pod) && e.ours(pod) {
			pods = append(pods, pod)
		}
	}
	e.queue.Activate(pods, e.now)
}

// announcer turns the events that plugins record into effects; it implements events.EventRecorder.
type announcer struct {
	engine     *Engine
	controller string
}

func (a announcer) Eventf(regarding, related runtime.Object, eventtype, reason, action, note string, args ...any) {
	pod, ok := regarding.(*v1.Pod)
	if !ok {
		return
	}
	if len(args) > 0 {
		note = fmt.Sprintf(note, args...)
	}
	act := world.Announce{
		Regarding: world.RefOf(pod), Type: eventtype, Reason: reason, Action: action,
		Note: shortNote(note), Controller: a.controller,
	}
	if other, ok := related.(*v1.Pod); ok && other != nil {
		ref := world.RefOf(other)
		act.Related = &ref
	}
	a.engine.do(act)
}

func (a announcer) WithLogger(klog.Logger) events.EventRecorderLogger { return a }

const (
	noteBytesMost = 1024
	noteEllipsis  = " ..."
)

// shortNote cuts a note to what the API server takes, between two characters. The pod's condition carries the whole
// message.
func shortNote(note string) string {
	if len(note) <= noteBytesMost {
		return note
	}
	end := noteBytesMost - len(noteEllipsis)
	for end > 0 && !utf8.RuneStart(note[end]) {
		end--
	}
	return note[:end] + noteEllipsis
}

var (
	_ fwk.PodActivator           = activator{}
	_ fwk.PodNominator           = nominator{}
	_ events.EventRecorderLogger = announcer{}
)

// nominator is the queue's, for profiles: they are made before the queue is.
type nominator struct{ engine *Engine }

func (n nominator) AddNominatedPod(l klog.Logger, pod fwk.PodInfo, info *fwk.NominatingInfo) {
	n.engine.queue.AddNominatedPod(l, pod, info)
}

func (n nominator) DeleteNominatedPodIfExists(pod *v1.Pod) {
	n.engine.queue.DeleteNominatedPodIfExists(pod)
}

func (n nominator) UpdateNominatedPod(l klog.Logger, was *v1.Pod, is fwk.PodInfo) {
	n.engine.queue.UpdateNominatedPod(l, was, is)
}

func (n nominator) NominatedPodsForNode(node string) []fwk.PodInfo {
	return n.engine.queue.NominatedPodsForNode(node)
}
