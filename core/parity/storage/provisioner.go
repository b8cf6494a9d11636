package storage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	storagelisters "k8s.io/client-go/listers/storage/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/component-helpers/storage/volume"
)

// Provisioner creates and deletes the volumes of all CSI drivers that are registered.
type Provisioner struct {
	client  kubernetes.Interface
	claims  corelisters.PersistentVolumeClaimLister
	volumes corelisters.PersistentVolumeLister
	classes storagelisters.StorageClassLister
	nodes   corelisters.NodeLister
	drivers storagelisters.CSIDriverLister
	onNodes storagelisters.CSINodeLister

	wanted, released names

	mu    sync.Mutex
	room  map[string]int64     // bytes left by zone; a zone that is missing has no limit
	taken map[types.UID]string // zone by claim
}

func newProvisioner(client kubernetes.Interface, from informers.SharedInformerFactory, latency time.Duration) (*Provisioner, error) {
	core, storage := from.Core().V1(), from.Storage().V1()
	p := &Provisioner{
		client: client, claims: core.PersistentVolumeClaims().Lister(), volumes: core.PersistentVolumes().Lister(),
		classes: storage.StorageClasses().Lister(), nodes: core.Nodes().Lister(),
		drivers: storage.CSIDrivers().Lister(), onNodes: storage.CSINodes().Lister(),
		wanted: newNames(), released: newNames(), room: map[string]int64{}, taken: map[types.UID]string{},
	}
	return p, errors.Join(
		p.wanted.fill(core.PersistentVolumeClaims().Informer(), latency),
		p.released.fill(core.PersistentVolumes().Informer(), 0),
	)
}

// SetRoom sets how many bytes are left in a zone. Claims that were refused are retried when the scheduler selects a node again.
func (p *Provisioner) SetRoom(zone string, bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.room[zone] = bytes
}

// take reserves a claim's bytes in a zone, once for each claim.
func (p *Provisioner) take(claim *v1.PersistentVolumeClaim, zone string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	left, limited := p.room[zone]
	if p.taken[claim.UID] != "" || !limited {
		return nil
	}
	size := claim.Spec.Resources.Requests.Storage().Value()
	if size > left {
		return fmt.Errorf("rpc error: code = ResourceExhausted desc = %s has no room for %d bytes", zone, size)
	}
	p.room[zone], p.taken[claim.UID] = left-size, zone
	return nil
}

// provision creates the volume of a claim that waits for one.
func (p *Provisioner) provision(ctx context.Context, key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	claim, err := p.claims.PersistentVolumeClaims(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		return nil
	} else if err != nil {
		return err
	}
	driver := claim.Annotations[volume.AnnStorageProvisioner]
	if !p.registered(driver) || claim.Spec.VolumeName != "" || claim.DeletionTimestamp != nil {
		return nil
	}
	class, err := p.classes.Get(volume.GetPersistentVolumeClaimClass(claim))
	if err != nil {
		return err
	}
	selected := claim.Annotations[volume.AnnSelectedNode]
	delayed := class.VolumeBindingMode != nil && *class.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer
	if delayed && selected == "" {
		return nil
	}
	at, err := p.segmentFor(class, selected)
	if err != nil {
		return err
	}
	if full := p.take(claim, at.value); full != nil {
		return p.refuse(ctx, claim, full)
	}
	_, err = p.client.CoreV1().PersistentVolumes().Create(ctx, provisioned(claim, class, at), metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

func (p *Provisioner) registered(driver string) bool {
	_, err := p.drivers.Get(driver)
	return err == nil
}

// segment is where a volume can be used: on the nodes with this label, or on all nodes if the key is empty.
type segment struct{ key, value string }

// segmentFor returns the selected node's segment by the driver's topology, or else the first one that the class allows.
func (p *Provisioner) segmentFor(class *storagev1.StorageClass, selected string) (segment, error) {
	if selected == "" {
		for _, term := range class.AllowedTopologies {
			for _, e := range term.MatchLabelExpressions {
				return segment{e.Key, e.Values[0]}, nil
			}
		}
		return segment{}, nil
	}
	node, nodeErr := p.nodes.Get(selected)
	drivers, driversErr := p.onNodes.Get(selected)
	if err := errors.Join(nodeErr, driversErr); err != nil {
		return segment{}, err
	}
	for _, d := range drivers.Spec.Drivers {
		if d.Name == class.Provisioner && len(d.TopologyKeys) > 0 {
			return segment{d.TopologyKeys[0], node.Labels[d.TopologyKeys[0]]}, nil
		}
	}
	return segment{}, nil
}

// refuse gives a claim back to the scheduler, which selects a node again. An immediate claim is retried.
func (p *Provisioner) refuse(ctx context.Context, claim *v1.PersistentVolumeClaim, reason error) error {
	now := metav1.Now()
	_, err := p.client.CoreV1().Events(claim.Namespace).Create(ctx, &v1.Event{
		ObjectMeta: metav1.ObjectMeta{GenerateName: claim.Name + ".", Namespace: claim.Namespace},
		InvolvedObject: v1.ObjectReference{
			APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID,
		},
		Type: v1.EventTypeWarning, Reason: "ProvisioningFailed", Source: v1.EventSource{Component: claim.Annotations[volume.AnnStorageProvisioner]},
		Message:        fmt.Sprintf("failed to provision volume with StorageClass %q: %v", volume.GetPersistentVolumeClaimClass(claim), reason),
		FirstTimestamp: now, LastTimestamp: now, Count: 1,
	}, metav1.CreateOptions{})
	if err != nil || claim.Annotations[volume.AnnSelectedNode] == "" {
		return errors.Join(err, reason)
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"uid": claim.UID, "resourceVersion": claim.ResourceVersion, "annotations": map[string]any{volume.AnnSelectedNode: nil},
	}})
	if err != nil {
		return err
	}
	_, err = p.client.CoreV1().PersistentVolumeClaims(claim.Namespace).Patch(ctx, claim.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}

// provisioned returns a volume for a claim, which can be used in one segment.
func provisioned(claim *v1.PersistentVolumeClaim, class *storagev1.StorageClass, at segment) *v1.PersistentVolume {
	policy, name := v1.PersistentVolumeReclaimDelete, "pvc-"+string(claim.UID)
	if class.ReclaimPolicy != nil {
		policy = *class.ReclaimPolicy
	}
	pv := &v1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{volume.AnnDynamicallyProvisioned: class.Provisioner}},
		Spec: v1.PersistentVolumeSpec{
			Capacity: v1.ResourceList{v1.ResourceStorage: *claim.Spec.Resources.Requests.Storage()}, AccessModes: claim.Spec.AccessModes,
			ClaimRef: &v1.ObjectReference{
				APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID,
				ResourceVersion: claim.ResourceVersion,
			},
			PersistentVolumeReclaimPolicy: policy, StorageClassName: class.Name,
			PersistentVolumeSource: v1.PersistentVolumeSource{CSI: &v1.CSIPersistentVolumeSource{Driver: class.Provisioner, VolumeHandle: name}},
		},
	}
	if at.key != "" {
		pv.Spec.NodeAffinity = In(at.key, at.value)
	}
	return pv
}

// In is the node affinity of a volume that only the nodes with this label can use.
func In(key, value string) *v1.VolumeNodeAffinity {
	return &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
		MatchExpressions: []v1.NodeSelectorRequirement{{Key: key, Operator: v1.NodeSelectorOpIn, Values: []string{value}}},
	}}}}
}

// remove deletes a volume whose claim is gone, and gives its room back.
func (p *Provisioner) remove(ctx context.Context, name string) error {
	pv, err := p.volumes.Get(name)
	if apierrors.IsNotFound(err) {
		return nil
	} else if err != nil {
		return err
	}
	ours := p.registered(pv.Annotations[volume.AnnDynamicallyProvisioned]) && pv.Spec.PersistentVolumeReclaimPolicy == v1.PersistentVolumeReclaimDelete
	if !ours || pv.Status.Phase != v1.VolumeReleased || pv.DeletionTimestamp != nil {
		return nil
	}
	if err := p.client.CoreV1().PersistentVolumes().Delete(ctx, name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if zone := p.taken[pv.Spec.ClaimRef.UID]; zone != "" {
		delete(p.taken, pv.Spec.ClaimRef.UID)
		p.room[zone] += pv.Spec.Capacity.Storage().Value()
	}
	return nil
}
