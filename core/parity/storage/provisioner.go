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

// Provisioner creates and deletes the driver's volumes.
type Provisioner struct {
	client  kubernetes.Interface
	claims  corelisters.PersistentVolumeClaimLister
	volumes corelisters.PersistentVolumeLister
	classes storagelisters.StorageClassLister
	nodes   corelisters.NodeLister

	wanted, released names

	mu    sync.Mutex
	room  map[string]int64 // bytes left by zone; a zone that is missing has no limit
	taken map[types.UID]bool
}

func newProvisioner(client kubernetes.Interface, from informers.SharedInformerFactory, latency time.Duration) (*Provisioner, error) {
	core := from.Core().V1()
	p := &Provisioner{
		client: client, claims: core.PersistentVolumeClaims().Lister(), volumes: core.PersistentVolumes().Lister(),
		classes: from.Storage().V1().StorageClasses().Lister(), nodes: core.Nodes().Lister(),
		wanted: newNames(), released: newNames(), room: map[string]int64{}, taken: map[types.UID]bool{},
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
	if p.taken[claim.UID] || !limited {
		return nil
	}
	size := claim.Spec.Resources.Requests.Storage().Value()
	if size > left {
		return fmt.Errorf("rpc error: code = ResourceExhausted desc = %s has no room for %d bytes", zone, size)
	}
	p.room[zone], p.taken[claim.UID] = left-size, true
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
	if claim.Annotations[volume.AnnStorageProvisioner] != Driver || claim.Spec.VolumeName != "" || claim.DeletionTimestamp != nil {
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
	zone, err := p.zoneFor(class, selected)
	if err != nil {
		return err
	}
	if full := p.take(claim, zone); full != nil {
		return p.refuse(ctx, claim, full)
	}
	_, err = p.client.CoreV1().PersistentVolumes().Create(ctx, provisioned(claim, class, zone), metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// zoneFor returns the zone of the selected node, or else the first zone that the class allows.
func (p *Provisioner) zoneFor(class *storagev1.StorageClass, selected string) (string, error) {
	if selected != "" {
		node, err := p.nodes.Get(selected)
		if err != nil {
			return "", err
		}
		return node.Labels[v1.LabelTopologyZone], nil
	}
	for _, term := range class.AllowedTopologies {
		for _, e := range term.MatchLabelExpressions {
			if e.Key == v1.LabelTopologyZone && len(e.Values) > 0 {
				return e.Values[0], nil
			}
		}
	}
	return "", fmt.Errorf("class %s names no zone for claims that are bound at once", class.Name)
}

// refuse gives a claim back to the scheduler, which selects a node again. An immediate claim is retried.
func (p *Provisioner) refuse(ctx context.Context, claim *v1.PersistentVolumeClaim, reason error) error {
	now := metav1.Now()
	_, err := p.client.CoreV1().Events(claim.Namespace).Create(ctx, &v1.Event{
		ObjectMeta: metav1.ObjectMeta{GenerateName: claim.Name + ".", Namespace: claim.Namespace},
		InvolvedObject: v1.ObjectReference{
			APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID,
		},
		Type: v1.EventTypeWarning, Reason: "ProvisioningFailed", Source: v1.EventSource{Component: Driver},
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

// provisioned returns a volume for a claim, which can be used in one zone.
func provisioned(claim *v1.PersistentVolumeClaim, class *storagev1.StorageClass, zone string) *v1.PersistentVolume {
	policy, name := v1.PersistentVolumeReclaimDelete, "pvc-"+string(claim.UID)
	if class.ReclaimPolicy != nil {
		policy = *class.ReclaimPolicy
	}
	return &v1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{volume.AnnDynamicallyProvisioned: Driver}},
		Spec: v1.PersistentVolumeSpec{
			Capacity: v1.ResourceList{v1.ResourceStorage: *claim.Spec.Resources.Requests.Storage()}, AccessModes: claim.Spec.AccessModes,
			ClaimRef: &v1.ObjectReference{
				APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID,
				ResourceVersion: claim.ResourceVersion,
			},
			PersistentVolumeReclaimPolicy: policy, StorageClassName: class.Name,
			NodeAffinity:           In(v1.LabelTopologyZone, zone),
			PersistentVolumeSource: v1.PersistentVolumeSource{CSI: &v1.CSIPersistentVolumeSource{Driver: Driver, VolumeHandle: name}},
		},
	}
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
	ours := pv.Annotations[volume.AnnDynamicallyProvisioned] == Driver && pv.Spec.PersistentVolumeReclaimPolicy == v1.PersistentVolumeReclaimDelete
	if !ours || pv.Status.Phase != v1.VolumeReleased || pv.DeletionTimestamp != nil {
		return nil
	}
	if err := p.client.CoreV1().PersistentVolumes().Delete(ctx, name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	zone := pv.Spec.NodeAffinity.Required.NodeSelectorTerms[0].MatchExpressions[0].Values[0]
	if p.taken[pv.Spec.ClaimRef.UID] {
		delete(p.taken, pv.Spec.ClaimRef.UID)
		p.room[zone] += pv.Spec.Capacity.Storage().Value()
	}
	return nil
}
