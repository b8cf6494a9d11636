package mk

import (
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// PodBuilder builds a pod; Obj hands it over.
type PodBuilder struct{ pod *v1.Pod }

// Pod starts a pod with one container that requests nothing.
func Pod(name string) *PodBuilder {
	return &PodBuilder{&v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID("pod/default/" + name)},
		Spec: v1.PodSpec{
			SchedulerName: v1.DefaultSchedulerName,
			Containers:    []v1.Container{{Name: "main", Image: "app"}},
		},
		Status: v1.PodStatus{Phase: v1.PodPending},
	}}
}

// Obj is the pod as built so far; go on building and it changes, so copy it first if both are needed.
func (b *PodBuilder) Obj() *v1.Pod { return b.pod }

// Namespace moves the pod to another namespace, and its UID with it.
func (b *PodBuilder) Namespace(ns string) *PodBuilder {
	b.pod.Namespace = ns
	b.pod.UID = types.UID("pod/" + ns + "/" + b.pod.Name)
	return b
}

// UID sets the UID, for two pods of one name.
func (b *PodBuilder) UID(uid string) *PodBuilder {
	b.pod.UID = types.UID(uid)
	return b
}

// Scheduler names the profile that is to place the pod.
func (b *PodBuilder) Scheduler(name string) *PodBuilder {
	b.pod.Spec.SchedulerName = name
	return b
}

// Created sets the creation time.
func (b *PodBuilder) Created(at time.Time) *PodBuilder {
	b.pod.CreationTimestamp = metav1.NewTime(at)
	return b
}

// Started sets status.startTime.
func (b *PodBuilder) Started(at time.Time) *PodBuilder {
	b.pod.Status.StartTime = &metav1.Time{Time: at}
	return b
}

// Deleting marks the pod as being deleted since then.
func (b *PodBuilder) Deleting(at time.Time) *PodBuilder {
	b.pod.DeletionTimestamp = &metav1.Time{Time: at}
	return b
}

// Phase sets the phase.
func (b *PodBuilder) Phase(p v1.PodPhase) *PodBuilder {
	b.pod.Status.Phase = p
	return b
}

// Request requests a quantity of any resource in the first container.
func (b *PodBuilder) Request(name v1.ResourceName, quantity string) *PodBuilder {
	b.pod.Spec.Containers[0].Resources.Requests = with(b.pod.Spec.Containers[0].Resources.Requests, name, quantity)
	return b
}

// CPU requests cpu in the first container.
func (b *PodBuilder) CPU(quantity string) *PodBuilder { return b.Request(v1.ResourceCPU, quantity) }

// Memory requests memory in the first container.
func (b *PodBuilder) Memory(quantity string) *PodBuilder {
	return b.Request(v1.ResourceMemory, quantity)
}

// Container adds a container with the given image and requests.
func (b *PodBuilder) Container(name, image string, requests v1.ResourceList) *PodBuilder {
	b.pod.Spec.Containers = append(b.pod.Spec.Containers,
		v1.Container{Name: name, Image: image, Resources: v1.ResourceRequirements{Requests: requests}})
	return b
}

// Init adds an init container with the given requests.
func (b *PodBuilder) Init(name string, requests v1.ResourceList) *PodBuilder {
	b.pod.Spec.InitContainers = append(b.pod.Spec.InitContainers,
		v1.Container{Name: name, Image: "init", Resources: v1.ResourceRequirements{Requests: requests}})
	return b
}

// Sidecar adds an init container that keeps running.
func (b *PodBuilder) Sidecar(name string, requests v1.ResourceList) *PodBuilder {
	b.Init(name, requests)
	always := v1.ContainerRestartPolicyAlways
	b.pod.Spec.InitContainers[len(b.pod.Spec.InitContainers)-1].RestartPolicy = &always
	return b
}

// Overhead adds pod overhead.
func (b *PodBuilder) Overhead(name v1.ResourceName, quantity string) *PodBuilder {
	b.pod.Spec.Overhead = with(b.pod.Spec.Overhead, name, quantity)
	return b
}

// Image sets the image of the first container.
func (b *PodBuilder) Image(image string) *PodBuilder {
	b.pod.Spec.Containers[0].Image = image
	return b
}

// HostPort claims a port of the node.
func (b *PodBuilder) HostPort(port int32) *PodBuilder {
	c := &b.pod.Spec.Containers[0]
	c.Ports = append(c.Ports, v1.ContainerPort{ContainerPort: port, HostPort: port})
	return b
}

// Priority sets spec.priority.
func (b *PodBuilder) Priority(p int32) *PodBuilder {
	b.pod.Spec.Priority = &p
	return b
}

// NeverPreempt sets preemptionPolicy Never.
func (b *PodBuilder) NeverPreempt() *PodBuilder {
	never := v1.PreemptNever
	b.pod.Spec.PreemptionPolicy = &never
	return b
}

// Node sets spec.nodeName.
func (b *PodBuilder) Node(name string) *PodBuilder {
	b.pod.Spec.NodeName = name
	return b
}

// Nominated sets status.nominatedNodeName.
func (b *PodBuilder) Nominated(node string) *PodBuilder {
	b.pod.Status.NominatedNodeName = node
	return b
}

// Label sets one label.
func (b *PodBuilder) Label(key, value string) *PodBuilder {
	set(&b.pod.Labels, key, value)
	return b
}

// NodeSelector demands one node label.
func (b *PodBuilder) NodeSelector(key, value string) *PodBuilder {
	set(&b.pod.Spec.NodeSelector, key, value)
	return b
}

// Toleration adds a toleration.
func (b *PodBuilder) Toleration(t v1.Toleration) *PodBuilder {
	b.pod.Spec.Tolerations = append(b.pod.Spec.Tolerations, t)
	return b
}

// Gate adds a scheduling gate.
func (b *PodBuilder) Gate(name string) *PodBuilder {
	b.pod.Spec.SchedulingGates = append(b.pod.Spec.SchedulingGates, v1.PodSchedulingGate{Name: name})
	return b
}

// PVC mounts a claim of the pod's namespace.
func (b *PodBuilder) PVC(claim string) *PodBuilder {
	b.pod.Spec.Volumes = append(b.pod.Spec.Volumes, v1.Volume{Name: claim, VolumeSource: v1.VolumeSource{
		PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: claim},
	}})
	return b
}

// ResourceClaim uses a claim for devices of the pod's namespace.
func (b *PodBuilder) ResourceClaim(claim string) *PodBuilder {
	b.pod.Spec.ResourceClaims = append(b.pod.Spec.ResourceClaims, v1.PodResourceClaim{Name: claim, ResourceClaimName: &claim})
	return b
}

// Volume adds a volume that stands in the pod.
func (b *PodBuilder) Volume(name string, source v1.VolumeSource) *PodBuilder {
	b.pod.Spec.Volumes = append(b.pod.Spec.Volumes, v1.Volume{Name: name, VolumeSource: source})
	return b
}

// Affinity replaces the whole affinity.
func (b *PodBuilder) Affinity(a *v1.Affinity) *PodBuilder {
	b.pod.Spec.Affinity = a
	return b
}

// Owner makes the pod controlled by another object.
func (b *PodBuilder) Owner(apiVersion, kind, name string) *PodBuilder {
	yes := true
	b.pod.OwnerReferences = append(b.pod.OwnerReferences, metav1.OwnerReference{
		APIVersion: apiVersion, Kind: kind, Name: name, Controller: &yes,
		UID: types.UID(kind + "/" + b.pod.Namespace + "/" + name),
	})
	return b
}

// Condition adds a pod condition.
func (b *PodBuilder) Condition(kind v1.PodConditionType, status v1.ConditionStatus, reason string) *PodBuilder {
	b.pod.Status.Conditions = append(b.pod.Status.Conditions,
		v1.PodCondition{Type: kind, Status: status, Reason: reason})
	return b
}

// Resources is a resource list from name and quantity in turn: Resources("cpu", "1", "memory", "2Gi").
func Resources(namesAndQuantities ...string) v1.ResourceList {
	list := v1.ResourceList{}
	for i := 0; i+1 < len(namesAndQuantities); i += 2 {
		list[v1.ResourceName(namesAndQuantities[i])] = resource.MustParse(namesAndQuantities[i+1])
	}
	return list
}

func with(list v1.ResourceList, name v1.ResourceName, quantity string) v1.ResourceList {
	if list == nil {
		list = v1.ResourceList{}
	}
	list[name] = resource.MustParse(quantity)
	return list
}

func set(m *map[string]string, key, value string) {
	if *m == nil {
		*m = map[string]string{}
	}
	(*m)[key] = value
}
