package engine_test

import (
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	schedulingv1alpha1 "k8s.io/api/scheduling/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/gangs"
)

func newWorkload(name string) *schedulingv1alpha1.Workload {
	return &schedulingv1alpha1.Workload{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
}

// addPodGroup adds a group: of how many pods a gang is at least, or basic.
func addPodGroup(w *schedulingv1alpha1.Workload, group, policy string) {
	g := schedulingv1alpha1.PodGroup{Name: group, Policy: schedulingv1alpha1.PodGroupPolicy{Basic: &schedulingv1alpha1.BasicSchedulingPolicy{}}}
	if n, err := strconv.Atoi(policy); err == nil {
		g.Policy = schedulingv1alpha1.PodGroupPolicy{Gang: &schedulingv1alpha1.GangSchedulingPolicy{MinCount: int32(n)}}
	}
	w.Spec.PodGroups = append(w.Spec.PodGroups, g)
}

// groupReference reads workload/group[/replica].
func groupReference(text string) *v1.WorkloadReference {
	parts := append(strings.Split(text, "/"), "")
	return &v1.WorkloadReference{Name: parts[0], PodGroup: parts[1], PodGroupReplicaKey: parts[2]}
}

// gangState logs how far each pod group is.
func (p *player) gangState() {
	for _, key := range p.Gangs().Keys() {
		g := p.Gangs().Group(key)
		name := strings.TrimSuffix(strings.Join([]string{key.Workload, key.Group, key.Replica}, "/"), "/")
		p.logf("%s: %d without a place, %d have one, %d are bound", name,
			g.Count(gangs.Unscheduled), g.Count(gangs.Assumed), g.Count(gangs.Assigned))
	}
}
