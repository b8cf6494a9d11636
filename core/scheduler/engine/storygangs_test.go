package engine_test

import (
	"strconv"
	"strings"

	"orrery/core/objects/workloads"
	"orrery/core/scheduler/gangs"
	"orrery/core/testing/mk"
)

// addPodGroup adds a group: of how many pods a gang is at least, or basic.
func addPodGroup(w *workloads.Workload, group, policy string) {
	g := mk.BasicGroup(group)
	if n, err := strconv.Atoi(policy); err == nil {
		g = mk.Gang(group, int32(n))
	}
	w.Spec.PodGroups = append(w.Spec.PodGroups, g)
}

// groupReference reads workload/group[/replica].
func groupReference(text string) workloads.Reference {
	parts := append(strings.Split(text, "/"), "")
	return workloads.Reference{Name: parts[0], PodGroup: parts[1], PodGroupReplicaKey: parts[2]}
}

// gangState logs how far each pod group is.
func (p *player) gangState() {
	for _, key := range p.Gangs().Keys() {
		g := p.Gangs().Group(key)
		p.logf("%s: %d without a place, %d have one, %d are bound", key,
			g.Count(gangs.Unscheduled), g.Count(gangs.Assumed), g.Count(gangs.Assigned))
	}
}
