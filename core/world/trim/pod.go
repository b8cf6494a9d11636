package trim

import (
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
)

func trimPod(pod *v1.Pod) *v1.Pod {
	trimmed := &v1.Pod{}
	PodInto(trimmed, pod)
	return trimmed
}

// PodInto is [Object] for a pod, into a pod that is used again.
func PodInto(to, pod *v1.Pod) {
	to.TypeMeta = pod.TypeMeta
	to.ObjectMeta = trimMeta(&pod.ObjectMeta)
	trimPodSpec(&to.Spec, &pod.Spec)
	to.Status = trimPodStatus(&pod.Status)
}

func trimPodSpec(to, s *v1.PodSpec) {
	*to = v1.PodSpec{
		Volumes:                       trimVolumes(s.Volumes),
		InitContainers:                mapInto(to.InitContainers, s.InitContainers, trimContainer),
		Containers:                    mapInto(to.Containers, s.Containers, trimContainer),
		RestartPolicy:                 s.RestartPolicy,
		TerminationGracePeriodSeconds: s.TerminationGracePeriodSeconds,
		ActiveDeadlineSeconds:         s.ActiveDeadlineSeconds,
		NodeSelector:                  s.NodeSelector,
		NodeName:                      s.NodeName,
		HostNetwork:                   s.HostNetwork,
		Affinity:                      s.Affinity,
		SchedulerName:                 s.SchedulerName,
		Tolerations:                   s.Tolerations,
		PriorityClassName:             s.PriorityClassName,
		Priority:                      s.Priority,
		RuntimeClassName:              s.RuntimeClassName,
		PreemptionPolicy:              s.PreemptionPolicy,
		Overhead:                      s.Overhead,
		TopologySpreadConstraints:     s.TopologySpreadConstraints,
		OS:                            s.OS,
		SchedulingGates:               s.SchedulingGates,
		ResourceClaims:                s.ResourceClaims,
		Resources:                     s.Resources,
		SchedulingGroup:               s.SchedulingGroup,
	}
}

func trimPodStatus(s *v1.PodStatus) v1.PodStatus {
	return v1.PodStatus{
		ObservedGeneration:          s.ObservedGeneration,
		Phase:                       s.Phase,
		Conditions:                  trimPodConditions(s.Conditions),
		Message:                     trimPodMessage(s),
		Reason:                      s.Reason,
		NominatedNodeName:           s.NominatedNodeName,
		StartTime:                   s.StartTime,
		InitContainerStatuses:       trimContainerStatuses(s.InitContainerStatuses),
		ContainerStatuses:           trimContainerStatuses(s.ContainerStatuses),
		QOSClass:                    s.QOSClass,
		Resize:                      s.Resize,
		ResourceClaimStatuses:       s.ResourceClaimStatuses,
		ExtendedResourceClaimStatus: s.ExtendedResourceClaimStatus,
		AllocatedResources:          s.AllocatedResources,
		Resources:                   s.Resources,
	}
}

// maxMessage bounds a message, in bytes. A kubelet's are a sentence or two.
//
//orrery:limit API server; a condition's message that is kept, in bytes; the rest is cut off
const maxMessage = 1 << 10

// trimPodMessage keeps a kubelet's reason for an eviction that no condition has: of a pod that exceeded its own limits, or
// that was not admitted. Any other message is free text.
func trimPodMessage(s *v1.PodStatus) string {
	const evicted = "Evicted"
	marked := slices.ContainsFunc(s.Conditions, func(c v1.PodCondition) bool { return c.Type == v1.DisruptionTarget })
	if s.Phase != v1.PodFailed || s.Reason != evicted || marked {
		return ""
	}
	if len(s.Message) <= maxMessage {
		return s.Message
	}
	return strings.ToValidUTF8(s.Message[:maxMessage], "")
}

// trimPodConditions keeps the messages of conditions that schedulers and evictors write, since they compare them before a
// write. Those of kubelets and others are free text.
func trimPodConditions(conditions []v1.PodCondition) []v1.PodCondition {
	said := func(c v1.PodCondition) bool {
		return c.Message != "" && c.Type != v1.PodScheduled && c.Type != v1.DisruptionTarget
	}
	if !slices.ContainsFunc(conditions, said) {
		return conditions
	}
	kept := slices.Clone(conditions)
	for i := range kept {
		if said(kept[i]) {
			kept[i].Message = ""
		}
	}
	return kept
}

func trimContainer(c *v1.Container) v1.Container {
	return v1.Container{
		Name:               c.Name,
		Image:              c.Image,
		Ports:              trimPorts(c.Ports),
		Resources:          c.Resources,
		ResizePolicy:       c.ResizePolicy,
		RestartPolicy:      c.RestartPolicy,
		RestartPolicyRules: c.RestartPolicyRules,
	}
}

// trimPorts keeps the host ports.
func trimPorts(ports []v1.ContainerPort) []v1.ContainerPort {
	var kept []v1.ContainerPort
	for _, p := range ports {
		if p.HostPort != 0 {
			kept = append(kept, p)
		}
	}
	return kept
}

// trimContainerStatuses keeps a container's allocated resources, which count instead of its requests during a resize, and when
// it was last killed as memory ran out.
func trimContainerStatuses(statuses []v1.ContainerStatus) []v1.ContainerStatus {
	var kept []v1.ContainerStatus
	for i := range statuses {
		s := &statuses[i]
		now, before := trimOOMKill(s.State.Terminated), trimOOMKill(s.LastTerminationState.Terminated)
		if s.Resources == nil && s.AllocatedResources == nil && now == nil && before == nil {
			continue
		}
		one := v1.ContainerStatus{Name: s.Name, AllocatedResources: s.AllocatedResources, Resources: s.Resources}
		if now != nil || before != nil {
			one.State.Terminated, one.LastTerminationState.Terminated, one.RestartCount = now, before, s.RestartCount
			if s.State.Waiting != nil {
				one.State.Waiting = &v1.ContainerStateWaiting{Reason: s.State.Waiting.Reason}
			}
		}
		kept = append(kept, one)
	}
	return kept
}

// trimOOMKill keeps the end of a container that the kernel killed as memory ran out.
func trimOOMKill(s *v1.ContainerStateTerminated) *v1.ContainerStateTerminated {
	const killed = "OOMKilled"
	if s == nil || s.Reason != killed {
		return nil
	}
	return &v1.ContainerStateTerminated{ExitCode: s.ExitCode, Reason: s.Reason, FinishedAt: s.FinishedAt}
}

// trimVolumes keeps the volumes that can make a node infeasible, with the fields that identify the disk.
func trimVolumes(volumes []v1.Volume) []v1.Volume {
	var kept []v1.Volume
	for i := range volumes {
		if source := trimVolumeSource(&volumes[i].VolumeSource); source != (v1.VolumeSource{}) {
			kept = append(kept, v1.Volume{Name: volumes[i].Name, VolumeSource: source})
		}
	}
	return kept
}

func trimVolumeSource(s *v1.VolumeSource) v1.VolumeSource {
	kept := v1.VolumeSource{
		GCEPersistentDisk:     s.GCEPersistentDisk,
		AWSElasticBlockStore:  s.AWSElasticBlockStore,
		PersistentVolumeClaim: s.PersistentVolumeClaim,
		VsphereVolume:         s.VsphereVolume,
		AzureDisk:             s.AzureDisk,
		PortworxVolume:        s.PortworxVolume,
	}
	if d := s.AzureFile; d != nil {
		kept.AzureFile = &v1.AzureFileVolumeSource{ShareName: d.ShareName, ReadOnly: d.ReadOnly}
	}
	if d := s.Cinder; d != nil {
		kept.Cinder = &v1.CinderVolumeSource{VolumeID: d.VolumeID, FSType: d.FSType, ReadOnly: d.ReadOnly}
	}
	if d := s.ISCSI; d != nil {
		kept.ISCSI = &v1.ISCSIVolumeSource{IQN: d.IQN, Lun: d.Lun, ReadOnly: d.ReadOnly}
	}
	if d := s.RBD; d != nil {
		kept.RBD = &v1.RBDVolumeSource{CephMonitors: d.CephMonitors, RBDImage: d.RBDImage, RBDPool: d.RBDPool, ReadOnly: d.ReadOnly}
	}
	if d := s.CSI; d != nil {
		kept.CSI = &v1.CSIVolumeSource{Driver: d.Driver, ReadOnly: d.ReadOnly, FSType: d.FSType}
	}
	if e := s.Ephemeral; e != nil {
		kept.Ephemeral = &v1.EphemeralVolumeSource{}
		if t := e.VolumeClaimTemplate; t != nil {
			kept.Ephemeral.VolumeClaimTemplate = &v1.PersistentVolumeClaimTemplate{
				ObjectMeta: trimMeta(&t.ObjectMeta), Spec: trimClaimSpec(&t.Spec),
			}
		}
	}
	return kept
}
