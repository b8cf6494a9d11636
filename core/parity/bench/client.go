package main

import (
	"context"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/component-helpers/storage/volume"

	"orrery/core/world"
)

// client returns at once from the calls that kube-scheduler makes and queues them for the watch, which applies them; those
// about storage it carries out, since kube-scheduler reads their answers. Any other call panics on the nil interface inside.
type client struct {
	kubernetes.Interface
	storage *storageServer
	writes  chan<- write
}

// write is one call about a pod: a binding if it has a node, a patch if it has a body, else a deletion. A call about storage
// was carried out when it was made; its changes are left to be told.
type write struct {
	pod     string
	node    string
	body    []byte
	changes []change
}

func (w write) to(s *apiserver) ([]change, error) {
	switch {
	case w.changes != nil:
		return w.changes, nil
	case w.node != "":
		return s.bind(w.pod, w.node)
	case w.body != nil:
		return s.patchJSON(w.pod, w.body)
	}
	return s.remove(w.pod), nil
}

func (c client) CoreV1() corev1.CoreV1Interface { return core{client: c} }

type core struct {
	corev1.CoreV1Interface
	client client
}

// Events are those of the tracker of device taints, which reports expressions that fail: none does.
func (core) Events(string) corev1.EventInterface { return nil }

func (c core) Pods(string) corev1.PodInterface { return pods{writes: c.client.writes} }

func (c core) PersistentVolumes() corev1.PersistentVolumeInterface {
	return persistentVolumes{client: c.client}
}

func (c core) PersistentVolumeClaims(string) corev1.PersistentVolumeClaimInterface {
	return claims{client: c.client}
}

type pods struct {
	corev1.PodInterface
	writes chan<- write
}

func (p pods) Bind(_ context.Context, binding *v1.Binding, _ metav1.CreateOptions) error {
	p.writes <- write{pod: binding.Name, node: binding.Target.Name}
	return nil
}

func (p pods) Patch(_ context.Context, name string, _ types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string) (*v1.Pod, error) {
	p.writes <- write{pod: name, body: data}
	return nil, nil
}

func (p pods) Delete(_ context.Context, name string, _ metav1.DeleteOptions) error {
	p.writes <- write{pod: name}
	return nil
}

type persistentVolumes struct {
	corev1.PersistentVolumeInterface
	client client
}

// Update claims the volume.
func (p persistentVolumes) Update(_ context.Context, pv *v1.PersistentVolume, _ metav1.UpdateOptions) (*v1.PersistentVolume, error) {
	ref := pv.Spec.ClaimRef
	updated, err := p.client.carryOut(world.ClaimVolume{
		Volume: world.ObjectRefOf(pv), Claim: world.ObjectRef{Namespace: ref.Namespace, Name: ref.Name, UID: ref.UID},
		ByController: metav1.HasAnnotation(pv.ObjectMeta, volume.AnnBoundByController),
	})
	if err != nil {
		return nil, err
	}
	return updated.(*v1.PersistentVolume), nil
}

type claims struct {
	corev1.PersistentVolumeClaimInterface
	client client
}

// Update selects the claim's node.
func (c claims) Update(_ context.Context, claim *v1.PersistentVolumeClaim, _ metav1.UpdateOptions) (*v1.PersistentVolumeClaim, error) {
	updated, err := c.client.carryOut(world.SelectNode{Claim: world.ObjectRefOf(claim), Node: claim.Annotations[volume.AnnSelectedNode]})
	if err != nil {
		return nil, err
	}
	return updated.(*v1.PersistentVolumeClaim), nil
}

// carryOut carries out a write of storage, and returns the written object.
func (c client) carryOut(action world.Action) (world.Object, error) {
	var updated world.Object
	err := c.storage.carryOut(action, func(changes []change) {
		updated = changes[0].new
		c.writes <- write{changes: changes}
	})
	return updated, err
}
