package storage

import (
	"context"
	"crypto/sha256"
	"fmt"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	storagelisters "k8s.io/client-go/listers/storage/v1"
	"k8s.io/client-go/tools/cache"

	"orrery/core/parity/apiserver"
	"orrery/core/world"
)

// kubelet acts as the kubelet of all nodes: a bound pod runs once its volumes are attached, a terminating one is removed.
type kubelet struct {
	client  kubernetes.Interface
	pods    corelisters.PodLister
	mounts  *Mounts
	changed names
}

func newKubelet(client kubernetes.Interface, from informers.SharedInformerFactory) (*kubelet, error) {
	pods := from.Core().V1().Pods()
	k := &kubelet{client: client, pods: pods.Lister(), mounts: NewMounts(from), changed: newNames()}
	return k, k.changed.fill(pods.Informer(), 0)
}

// sync runs or removes a pod. That a volume is not attached yet is an error: the pod is retried.
func (k *kubelet) sync(ctx context.Context, key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	pod, err := k.pods.Pods(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		return nil
	} else if err != nil || pod.Spec.NodeName == "" {
		return err
	}
	if pod.DeletionTimestamp == nil && pod.Status.Phase == v1.PodPending {
		if err := k.mounts.Ready(pod); err != nil {
			return err
		}
	}
	if err := apiserver.SyncPod(ctx, k.client, pod); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	return nil
}

// Mounts tells a kubelet which volumes are attached.
type Mounts struct {
	claims      corelisters.PersistentVolumeClaimLister
	volumes     corelisters.PersistentVolumeLister
	drivers     storagelisters.CSIDriverLister
	attachments storagelisters.VolumeAttachmentLister
}

// NewMounts reads from informers that are started later.
func NewMounts(from informers.SharedInformerFactory) *Mounts {
	core, storage := from.Core().V1(), from.Storage().V1()
	return &Mounts{
		core.PersistentVolumeClaims().Lister(), core.PersistentVolumes().Lister(), storage.CSIDrivers().Lister(), storage.VolumeAttachments().Lister(),
	}
}

// Ready checks that all volumes of a bound pod can be mounted.
func (m *Mounts) Ready(pod *v1.Pod) error {
	for i := range pod.Spec.Volumes {
		if err := m.attached(pod, &pod.Spec.Volumes[i]); err != nil {
			return err
		}
	}
	return nil
}

// attached checks that a pod's volume, if it is a claim, is attached to the pod's node or needs no attachment.
func (m *Mounts) attached(pod *v1.Pod, volume *v1.Volume) error {
	name, _ := world.ClaimOf(pod, volume)
	if name == "" {
		return nil
	}
	claim, err := m.claims.PersistentVolumeClaims(pod.Namespace).Get(name)
	if err != nil {
		return err
	}
	pv, err := m.volumes.Get(claim.Spec.VolumeName)
	if err != nil || pv.Spec.CSI == nil {
		return err
	}
	if driver, err := m.drivers.Get(pv.Spec.CSI.Driver); err == nil && driver.Spec.AttachRequired != nil && !*driver.Spec.AttachRequired {
		return nil
	}
	attachment, err := m.attachments.Get(AttachmentName(pv, pod.Spec.NodeName))
	if err == nil && !attachment.Status.Attached {
		err = fmt.Errorf("%s is not attached to %s yet", pv.Name, pod.Spec.NodeName)
	}
	return err
}

// AttachmentName is the name of the attachment of a CSI volume to a node.
func AttachmentName(pv *v1.PersistentVolume, node string) string {
	return fmt.Sprintf("csi-%x", sha256.Sum256([]byte(pv.Spec.CSI.VolumeHandle+pv.Spec.CSI.Driver+node)))
}
