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
	"k8s.io/component-helpers/storage/ephemeral"

	"orrery/core/parity/apiserver"
)

// kubelet acts as the kubelet of all nodes: a bound pod runs once its volumes are attached, a terminating one is removed.
type kubelet struct {
	client      kubernetes.Interface
	pods        corelisters.PodLister
	claims      corelisters.PersistentVolumeClaimLister
	volumes     corelisters.PersistentVolumeLister
	attachments storagelisters.VolumeAttachmentLister
	changed     names
}

func newKubelet(client kubernetes.Interface, from informers.SharedInformerFactory) (*kubelet, error) {
	core := from.Core().V1()
	k := &kubelet{
		client: client, pods: core.Pods().Lister(), claims: core.PersistentVolumeClaims().Lister(), volumes: core.PersistentVolumes().Lister(),
		attachments: from.Storage().V1().VolumeAttachments().Lister(), changed: newNames(),
	}
	return k, k.changed.fill(core.Pods().Informer(), 0)
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
		for i := range pod.Spec.Volumes {
			if err := k.attached(pod, &pod.Spec.Volumes[i]); err != nil {
				return err
			}
		}
	}
	if err := apiserver.SyncPod(ctx, k.client, pod); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	return nil
}

// attached checks that a pod's volume, if it is a claim, is attached to the pod's node or needs no attachment.
func (k *kubelet) attached(pod *v1.Pod, volume *v1.Volume) error {
	name := ClaimName(pod, volume)
	if name == "" {
		return nil
	}
	claim, err := k.claims.PersistentVolumeClaims(pod.Namespace).Get(name)
	if err != nil {
		return err
	}
	pv, err := k.volumes.Get(claim.Spec.VolumeName)
	if err != nil || pv.Spec.CSI == nil {
		return err
	}
	attachment, err := k.attachments.Get(AttachmentName(pv, pod.Spec.NodeName))
	if err == nil && !attachment.Status.Attached {
		err = fmt.Errorf("%s is not attached to %s yet", pv.Name, pod.Spec.NodeName)
	}
	return err
}

// ClaimName is the name of the claim of a pod's volume; empty if it has none.
func ClaimName(pod *v1.Pod, volume *v1.Volume) string {
	switch {
	case volume.PersistentVolumeClaim != nil:
		return volume.PersistentVolumeClaim.ClaimName
	case volume.Ephemeral != nil:
		return ephemeral.VolumeClaimName(pod, volume)
	}
	return ""
}

// AttachmentName is the name of the attachment of a CSI volume to a node.
func AttachmentName(pv *v1.PersistentVolume, node string) string {
	return fmt.Sprintf("csi-%x", sha256.Sum256([]byte(pv.Spec.CSI.VolumeHandle+pv.Spec.CSI.Driver+node)))
}
