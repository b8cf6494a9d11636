package storage

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	storagelisters "k8s.io/client-go/listers/storage/v1"
)

// attacher attaches volumes. Detaching needs nothing of it: the attach controller deletes the VolumeAttachment.
type attacher struct {
	client      kubernetes.Interface
	attachments storagelisters.VolumeAttachmentLister
	changed     names
}

func newAttacher(client kubernetes.Interface, from informers.SharedInformerFactory) (*attacher, error) {
	a := &attacher{client: client, attachments: from.Storage().V1().VolumeAttachments().Lister(), changed: newNames()}
	return a, a.changed.fill(from.Storage().V1().VolumeAttachments().Informer(), 0)
}

func (a *attacher) attach(ctx context.Context, name string) error {
	attachment, err := a.attachments.Get(name)
	if apierrors.IsNotFound(err) {
		return nil
	} else if err != nil {
		return err
	}
	if attachment.Status.Attached || attachment.DeletionTimestamp != nil {
		return nil
	}
	_, err = a.client.StorageV1().VolumeAttachments().Patch(ctx, name, types.MergePatchType, []byte(`{"status":{"attached":true}}`), metav1.PatchOptions{}, "status")
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
