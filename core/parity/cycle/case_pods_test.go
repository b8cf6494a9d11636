package cycle

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

var (
	// epoch is before all virtual times of tests.
	epoch   = time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC)
	hostIPs = []string{"", "0.0.0.0", "10.0.0.1", "10.0.0.2"}
)

// pod draws the fields that bound and pending pods have in common.
func (g *generator) pod() *v1.Pod {
	name := fmt.Sprint("pod-", g.made)
	g.made++
	namespace := namespaces[0]
	if g.oneIn(4) {
		namespace = namespaces[1]
	}
	pod := &v1.Pod{ObjectMeta: objectMeta(namespace, name)}
	pod.CreationTimestamp = metav1.NewTime(epoch.Add(time.Duration(g.made) * time.Second))
	pod.Spec.SchedulerName = schedulerName
	if len(g.c.Config.Profiles) > 1 && g.oneIn(3) || g.oneIn(100) {
		pod.Spec.SchedulerName = otherSchedulerName
	}
	for _, key := range some(g, 2, podKeys...) {
		if pod.Labels == nil {
			pod.Labels = map[string]string{}
		}
		pod.Labels[key] = pick(g, podValues...)
	}
	for i := range pick(g, 1, 1, 1, 2) {
		pod.Spec.Containers = append(pod.Spec.Containers, v1.Container{Name: fmt.Sprint("c", i), Image: pick(g, imageNames...)})
	}
	g.addRequests(pod)
	if g.often(ports, 12) {
		g.claimPorts(pod)
	}
	if g.often(disks, 15) {
		pod.Spec.Volumes = []v1.Volume{{Name: "disk", VolumeSource: g.disk()}}
	}
	if g.stored() {
		g.claimVolumes(pod)
	}
	if g.often(podAffinity, 8) {
		pod.Spec.Affinity = g.podAffinity()
	}
	if g.often(preemption, 4) {
		pod.Spec.Priority = ptr.To(pick[int32](g, -1, 0, 1, 2, 10))
	}
	if g.often(features, 15) && g.oneIn(2) {
		pod.Spec.Containers[0].RestartPolicyRules = []v1.ContainerRestartRule{{Action: v1.ContainerRestartRuleActionRestartAllContainers}}
	}
	return pod
}

// disk draws an inline disk that pods of a node share or not. Nothing has to be bound for it.
func (g *generator) disk() v1.VolumeSource {
	name, readOnly := pick(g, "a", "b", "c"), g.oneIn(2)
	switch g.IntN(4) {
	case 0:
		return v1.VolumeSource{GCEPersistentDisk: &v1.GCEPersistentDiskVolumeSource{PDName: name, ReadOnly: readOnly}}
	case 1:
		return v1.VolumeSource{AWSElasticBlockStore: &v1.AWSElasticBlockStoreVolumeSource{VolumeID: name, ReadOnly: readOnly}}
	case 2:
		return v1.VolumeSource{ISCSI: &v1.ISCSIVolumeSource{IQN: name, ReadOnly: readOnly}}
	}
	return v1.VolumeSource{RBD: &v1.RBDVolumeSource{RBDImage: name, RBDPool: "p", ReadOnly: readOnly, CephMonitors: some(g, 2, "x", "y", "z")}}
}

func (g *generator) claimPorts(pod *v1.Pod) {
	for i := range pod.Spec.Containers {
		for range g.IntN(3) {
			pod.Spec.Containers[i].Ports = append(pod.Spec.Containers[i].Ports, v1.ContainerPort{
				HostIP: pick(g, hostIPs...), Protocol: pick(g, "", v1.ProtocolTCP, v1.ProtocolUDP), HostPort: pick[int32](g, 0, 80, 80, 81),
			})
		}
	}
}

// addBound adds bound pods and nominated pods.
func (g *generator) addBound() {
	if len(g.c.Nodes) == 0 {
		return
	}
	count := g.IntN(3 * min(len(g.c.Nodes), 10))
	if g.about[preemption] {
		count += len(g.c.Nodes)
	}
	for range count {
		g.c.Bound = append(g.c.Bound, g.bound())
	}
	if !g.often(nominatedPods, 10) {
		return
	}
	for range 1 + g.IntN(2) {
		pod := g.waiting()
		pod.Status.NominatedNodeName = pick(g, g.c.Nodes...).Name
		pod.Spec.SchedulingGates = nil
		g.c.Nominated = append(g.c.Nominated, pod)
	}
}

func (g *generator) bound() *v1.Pod {
	pod := g.pod()
	pod.Spec.NodeName = pick(g, g.c.Nodes...).Name
	pod.Status.Phase = v1.PodRunning
	g.holdDevice(pod)
	if !g.oneIn(8) {
		pod.Status.StartTime = &metav1.Time{Time: epoch.Add(time.Duration(g.IntN(3)) * time.Hour)}
	}
	if g.oneIn(12) {
		pod.DeletionTimestamp = &metav1.Time{Time: epoch.Add(24 * time.Hour)}
		if g.oneIn(2) {
			pod.Status.Conditions = append(pod.Status.Conditions, v1.PodCondition{
				Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: v1.PodReasonPreemptionByScheduler,
			})
		}
	}
	if g.often(resources, 20) && g.oneIn(3) {
		g.resize(pod)
	}
	if g.about[preemption] && !g.oneIn(3) {
		g.fill(pod, "500m", "1", "2")
		pod.Spec.Priority = pick(g, nil, ptr.To[int32](-1), ptr.To[int32](0), ptr.To[int32](1), ptr.To[int32](5))
	}
	return pod
}

// fill makes a pod request a large part of a node's cpu and nothing else.
func (g *generator) fill(pod *v1.Pod, cpu ...string) {
	pod.Spec.InitContainers, pod.Spec.Overhead, pod.Spec.Resources, pod.Status.ContainerStatuses = nil, nil, nil, nil
	for i := range pod.Spec.Containers {
		pod.Spec.Containers[i].Resources.Requests = nil
	}
	pod.Spec.Containers[0].Resources.Requests = v1.ResourceList{"cpu": quantity(pick(g, cpu...))}
}

func (g *generator) addWaiting() {
	count := 1 + g.IntN(4)
	if len(g.c.Nodes) >= samplingSize {
		count += 6
	}
	for range count {
		g.c.Waiting = append(g.c.Waiting, g.waiting())
	}
	if g.oneIn(5) {
		g.c.Refused = []string{g.c.Waiting[g.IntN(count)].Name}
	}
	// Pods of one template, as controllers create them.
	if g.oneIn(3) {
		for range 1 + g.IntN(3) {
			twin := g.c.Waiting[0].DeepCopy()
			twin.Name = fmt.Sprint("pod-", g.made)
			twin.UID = objectMeta(twin.Namespace, twin.Name).UID
			g.addOwnClaim(twin)
			g.made++
			g.c.Waiting = append(g.c.Waiting, twin)
		}
	}
}

func (g *generator) waiting() *v1.Pod {
	pod := g.pod()
	g.claimDevices(pod)
	if g.often(selectors, 10) {
		g.chooseNodes(pod)
	}
	if g.often(taints, 6) {
		for range g.IntN(3) {
			pod.Spec.Tolerations = append(pod.Spec.Tolerations, g.toleration())
		}
	}
	if g.often(spread, 8) {
		for range g.IntN(3) {
			pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints, g.constraint())
		}
		if g.oneIn(2) {
			g.own(pod)
		}
	}
	if g.about[preemption] && !g.oneIn(4) {
		g.fill(pod, "1", "2", "3")
		pod.Spec.Priority = ptr.To(pick[int32](g, 2, 10, 100))
		if g.oneIn(8) {
			pod.Spec.PreemptionPolicy = ptr.To(v1.PreemptNever)
		}
	}
	if g.often(nominatedPods, 30) && g.oneIn(2) {
		pod.Status.NominatedNodeName = fmt.Sprint("node-", g.IntN(8))
	}
	if g.about[schedulingGates] && g.oneIn(2) {
		pod.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "example.com/wait"}}
	}
	return pod
}

func (g *generator) own(pod *v1.Pod) {
	kind := pick(g, "ReplicaSet", "StatefulSet", "ReplicationController", "Job")
	version := map[string]string{"ReplicaSet": "apps/v1", "StatefulSet": "apps/v1", "ReplicationController": "v1", "Job": "batch/v1"}[kind]
	pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: version, Kind: kind, Name: "o", Controller: ptr.To(true), UID: "o"}}
}
