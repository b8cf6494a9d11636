package diagnose

import (
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"orrery/core/objects/workloads"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/plugins/podvolumes"
	"orrery/core/scheduler/plugins/unreadable"
	"orrery/core/world"
)

// unreadKinds returns the kinds that a pod refers to and that may not be read. What it names of them is not known, whether it exists
// included, so that nothing true can be said about such a pod.
func unreadKinds(e *engine.Engine, pod *v1.Pod) []world.Kind {
	var refers []world.Kind
	if podvolumes.UsesClaims(pod) {
		refers = unreadable.StorageKinds()
	}
	if len(pod.Spec.ResourceClaims) > 0 {
		refers = append(refers, world.DeviceClass, world.ResourceSlice, world.ResourceClaim)
	}
	if workloads.IsMember(pod) {
		refers = append(refers, world.Workload)
	}
	return slices.DeleteFunc(refers, func(kind world.Kind) bool { return !e.Unread(kind) })
}

// setUnread says why a pod is not evaluated, if it refers to kinds that may not be read.
func (d *Diagnosis) setUnread(e *engine.Engine, pod *v1.Pod) {
	var names []string
	for _, kind := range unreadKinds(e, pod) {
		d.NotEvaluated = append(d.NotEvaluated, string(kind))
		names = append(names, kind.Resource().GroupResource().String())
	}
	if len(names) > 0 {
		d.unevaluated = "there is no right to list " + strings.Join(names, ", ") + ", to which it refers: it cannot be evaluated"
		return
	}
	for i := range d.Statuses {
		if s := &d.Statuses[i]; s.Plugin == unreadable.Name && s.Rejects() { // a recording tells no kinds
			d.unevaluated = "there was no right to read volumes and their claims, to which it refers: it cannot be evaluated"
		}
	}
}
