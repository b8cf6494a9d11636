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

	"orrery/core/scheduler/framework"
	"orrery/core/world"
)

// emit numbers an action and appends it to the effects for the driver.
func (e *Engine) emit(act world.Action) world.EffectID {
	e.lastEffect++
	effect := world.Effect{ID: e.lastEffect, At: e.now, Action: act}
	e.effects = append(e.effects, effect)
	e.digest.effect(effect)
	return effect.ID
}

// Effects returns the effects emitted since the last call, in order. The slice is the caller's.
func (e *Engine) Effects() []world.Effect {
	effects := e.effects
	e.effects = nil
	return effects
}

// pluginEffect is an effect that a plugin emitted: its outcome goes back to that plugin of that profile.
type pluginEffect struct {
	profile, plugin string
	act             world.Action
}

// emitter emits the effects of one profile's plugins; it implements framework.Emitter.
type emitter struct {
	engine  *Engine
	profile string
}

func (a emitter) Emit(act world.Action, plugin string) world.EffectID {
	id := a.engine.emit(act)
	if world.HasOutcome(act) {
		a.engine.pluginEffects[id] = pluginEffect{a.profile, plugin, act}
	}
	return id
}

// podActivator moves pods to activeQ for plugins; it implements fwk.PodActivator.
type podActivator struct{ engine *Engine }

func (a podActivator) Activate(_ klog.Logger, pods map[string]*v1.Pod) {
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

// activateRequested activates the pods that plugins requested in a cycle, and clears the requests.
func (e *Engine) activateRequested(state *framework.CycleState) {
	data, err := state.Read(framework.PodsToActivateKey)
	if err != nil {
		return // a plugin deleted the key
	}
	if toActivate, ok := data.(*framework.PodsToActivate); ok && len(toActivate.Map) > 0 {
		podActivator{e}.Activate(klog.Logger{}, toActivate.Map)
		toActivate.Map = map[string]*v1.Pod{}
	}
}

// activatePods moves the named pending pods to activeQ, for a world.ActivateRequest.
func (e *Engine) activatePods(names []types.NamespacedName) {
	var pods []*v1.Pod
	for _, name := range names {
		if pod := e.store.Pod(name.Namespace, name.Name); pod != nil && !assigned(pod) && e.responsibleFor(pod) {
			pods = append(pods, pod)
		}
	}
	e.queue.Activate(pods, e.now)
}

// eventRecorder turns the events that plugins record into effects; it implements events.EventRecorder.
type eventRecorder struct {
	engine     *Engine
	controller string
}

func (a eventRecorder) Eventf(regarding, related runtime.Object, eventtype, reason, action, note string, args ...any) {
	pod, ok := regarding.(*v1.Pod)
	if !ok {
		return
	}
	if len(args) > 0 {
		note = fmt.Sprintf(note, args...)
	}
	act := world.EmitEvent{
		Regarding: world.PodRefOf(pod), Type: eventtype, Reason: reason, Action: action,
		Note: truncateNote(note), Controller: a.controller,
	}
	if other, ok := related.(*v1.Pod); ok && other != nil {
		ref := world.PodRefOf(other)
		act.Related = &ref
	}
	if a.engine.shared {
		a.engine.posted.post(func() { a.engine.emit(act) })
		return
	}
	a.engine.emit(act)
}

func (a eventRecorder) WithLogger(klog.Logger) events.EventRecorderLogger { return a }

const (
	//orrery:limit scheduler; the note of an event, in bytes; cut off
	maxNoteBytes = 1024
	noteEllipsis = " ..."
)

// truncateNote cuts a note to the API server's limit, between two characters. The pod's condition has the whole
// message.
func truncateNote(note string) string {
	if len(note) <= maxNoteBytes {
		return note
	}
	end := maxNoteBytes - len(noteEllipsis)
	for end > 0 && !utf8.RuneStart(note[end]) {
		end--
	}
	return note[:end] + noteEllipsis
}

var (
	_ fwk.PodActivator           = podActivator{}
	_ fwk.PodNominator           = nominator{}
	_ events.EventRecorderLogger = eventRecorder{}
)

// nominator forwards to the queue's nominator: profiles are made before the queue.
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
