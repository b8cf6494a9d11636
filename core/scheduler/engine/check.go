package engine

import (
	"errors"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/queue"
	"orrery/core/world"
)

// Check looks for contradictions within the cache, the queue and the states of volumes, devices and pod groups, and between them and the
// store. It visits every object, so it is for tests and debugging.
func (e *Engine) Check() error {
	errs := []error{e.cache.Check(), e.queue.Check(), e.volumes.Check(), e.devices.Check(), e.gangs.Check()}
	for object := range e.store.Objects(world.Pod) {
		if pod := object.(*v1.Pod); e.responsibleFor(pod) {
			errs = append(errs, e.checkPodState(pod))
		}
	}
	for uid, b := range e.bindings {
		waits := e.waiting.Has(uid)
		if waits != (b.stage == waitingForPermit) {
			errs = append(errs, fmt.Errorf("pod %q is %s, but it is %v that it waits for a permit", b.popped.Pod().Name, b.stage, waits))
		}
		_, waitsForObjects := e.objectWaits.waits[uid]
		pending := slices.ContainsFunc(b.parts(), func(part preBindPart) bool { return e.pending[part.effect] == uid })
		if b.stage != waitingForPermit && !waitsForObjects && !pending && e.pending[b.effect] != uid {
			errs = append(errs, fmt.Errorf("pod %q waits for effect %d, which is not pending", b.popped.Pod().Name, b.effect))
		}
	}
	return errors.Join(errs...)
}

// checkPodState checks that a pod is in exactly one state.
func (e *Engine) checkPodState(pod *v1.Pod) error {
	var places []string
	if assigned(pod) || e.unconfirmed(pod) {
		places = append(places, string(StateBound))
	} else if e.bindings[pod.UID] != nil {
		places = append(places, string(StateBinding))
	}
	if a := e.suspended; a != nil && a.pod.UID == pod.UID {
		places = append(places, string(StateScheduling))
	}
	if p, ok := e.queue.Get(pod.Namespace, pod.Name); ok && p.State() != queue.Gone && p.Pod().UID == pod.UID {
		places = append(places, p.State().String())
	}
	if len(places) == 1 {
		return nil
	}
	// A pod that was being deleted when it was popped is in no queue.
	if len(places) == 0 && pod.DeletionTimestamp != nil {
		return nil
	}
	// An update during the pod's own attempt may queue an assumed pod again; Pop drops it later.
	if len(places) == 2 && slices.Contains(places, string(StateBinding)) {
		return nil
	}
	// A pod is bound while extenders are asked about it, by a call that seemed to fail for example; the attempt ends with their answers.
	if slices.Equal(places, []string{string(StateBound), string(StateScheduling)}) {
		return nil
	}
	return fmt.Errorf("pod %q is in %d places: %q", pod.Namespace+"/"+pod.Name, len(places), places)
}
