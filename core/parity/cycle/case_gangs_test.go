package cycle

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	schedulingv1alpha1 "k8s.io/api/scheduling/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"orrery/core/testing/mk"
)

// groupNames are those of workloads' groups. Pods may name one that a workload does not have.
var groupNames = []string{"workers", "drivers"}

// gangGates draws the gates of gangs.
func (g *generator) gangGates(on map[string]bool) {
	if g.often(podGroups, 25) {
		on["GenericWorkload"], on["GangScheduling"] = true, !g.oneIn(10)
	}
}

// addGangs adds workloads, some of them later than their pods, and pods of their groups.
func (g *generator) addGangs() {
	if !g.c.Gates["GenericWorkload"] {
		return
	}
	for i := range 1 + g.IntN(2) {
		workload := g.workload(fmt.Sprint("workload-", i))
		if g.oneIn(6) {
			g.c.Changes = append(g.c.Changes, clusterChange{AddWorkload: workload})
		} else {
			g.c.Workloads = append(g.c.Workloads, workload)
		}
		for j := range workload.Spec.PodGroups {
			g.addMembers(workload, &workload.Spec.PodGroups[j])
		}
	}
	if g.oneIn(2) {
		g.Shuffle(len(g.c.Waiting), func(i, j int) { g.c.Waiting[i], g.c.Waiting[j] = g.c.Waiting[j], g.c.Waiting[i] })
	}
	if g.oneIn(3) {
		g.c.Refused = append(g.c.Refused, pick(g, g.c.Waiting...).Name)
	}
	for _, pod := range g.c.Bound {
		if g.oneIn(8) {
			pod.Spec.WorkloadRef = g.reference(fmt.Sprint("workload-", g.IntN(2)))
		}
	}
}

// workload draws a workload with one group or two, most of them gangs.
func (g *generator) workload(name string) *schedulingv1alpha1.Workload {
	var groups []schedulingv1alpha1.PodGroup
	for _, group := range groupNames[:1+g.IntN(2)] {
		if g.oneIn(6) {
			groups = append(groups, mk.BasicGroup(group))
		} else {
			groups = append(groups, mk.Gang(group, pick[int32](g, 1, 2, 2, 3, 3, 4, 8)))
		}
	}
	workload := mk.Workload(name, groups...)
	workload.ObjectMeta = objectMeta(pick(g, namespaces[0], namespaces[0], namespaces[1]), name)
	return workload
}

func (g *generator) reference(workload string) *v1.WorkloadReference {
	return &v1.WorkloadReference{Name: workload, PodGroup: pick(g, groupNames...), PodGroupReplicaKey: pick(g, "", "", "east")}
}

// addMembers adds pods of a group: about as many as its minimum, of one template, as controllers create them.
func (g *generator) addMembers(workload *schedulingv1alpha1.Workload, group *schedulingv1alpha1.PodGroup) {
	count := 2
	if gang := group.Policy.Gang; gang != nil {
		count = max(int(gang.MinCount)+pick(g, -1, 0, 0, 0, 1, 2), 1)
	}
	template := g.member(workload.Namespace, &v1.WorkloadReference{Name: workload.Name, PodGroup: group.Name, PodGroupReplicaKey: pick(g, "", "", "", "east")})
	stuck := g.IntN(3 * count) // the one that fits no node, if it is of the gang
	for i := range count {
		pod := template
		if i > 0 {
			pod = g.twin(template)
		}
		if i == stuck {
			pod = pod.DeepCopy()
			g.fill(pod, "999")
		}
		if g.oneIn(15) {
			pod.Spec.WorkloadRef = g.reference(workload.Name)
		}
		if g.oneIn(12) && len(g.c.Changes) < 10 {
			g.c.Changes = append(g.c.Changes, clusterChange{AddPod: pod, Wait: pick(g, 0, 1100, 90_000)})
			continue
		}
		g.c.Waiting = append(g.c.Waiting, pod)
	}
}

// member draws a pod of a group. It has no claims, since the volumes of several pods would be bound together, and no scheduling gates:
// kube-scheduler asks the plugins that may gate a pod in random order.
func (g *generator) member(namespace string, ref *v1.WorkloadReference) *v1.Pod {
	pod := g.waiting()
	pod.ObjectMeta.Namespace, pod.UID = namespace, objectMeta(namespace, pod.Name).UID
	pod.Spec.WorkloadRef, pod.Spec.SchedulingGates, pod.Spec.ResourceClaims = ref, nil, nil
	pod.Spec.Volumes = slices.DeleteFunc(pod.Spec.Volumes, func(v v1.Volume) bool { return v.PersistentVolumeClaim != nil || v.Ephemeral != nil })
	if !g.oneIn(4) { // else it is as hard to place as other pods
		g.fill(pod, "100m", "500m", "1")
		pod.Spec.Affinity, pod.Spec.NodeSelector, pod.Spec.TopologySpreadConstraints = nil, nil, nil
	}
	if g.about[preemption] && g.oneIn(2) {
		pod.Spec.Priority = ptr.To[int32](0)
	}
	return pod
}

// twin returns another pod of the same template.
func (g *generator) twin(of *v1.Pod) *v1.Pod {
	pod := of.DeepCopy()
	pod.Name = fmt.Sprint("pod-", g.made)
	pod.UID = objectMeta(pod.Namespace, pod.Name).UID
	pod.CreationTimestamp = metav1.Time{Time: of.CreationTimestamp.Add(1e9)}
	g.made++
	return pod
}

// gangChange draws a change of a gang: its workload goes, a pod comes or goes.
func (g *generator) gangChange() clusterChange {
	name := fmt.Sprint("workload-", g.IntN(2))
	if g.oneIn(5) {
		return clusterChange{DeleteWorkload: &podName{namespaces[0], name}}
	}
	if g.oneIn(2) && len(g.c.Waiting) > 0 {
		pod := pick(g, g.c.Waiting...)
		return clusterChange{DeletePod: &podName{pod.Namespace, pod.Name}}
	}
	return clusterChange{AddPod: g.member(namespaces[0], g.reference(name))}
}
