package framework

import (
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	fwk "k8s.io/kube-scheduler/framework"
)

// CSINodes serves the CSINodes of informers to plugins. The informer is requested when a plugin asks for them, so that no
// world watches CSINodes that none reads.
func CSINodes(objects informers.SharedInformerFactory) fwk.CSIManager { return csiNodes{objects} }

type csiNodes struct {
	objects informers.SharedInformerFactory
}

func (c csiNodes) CSINodes() fwk.CSINodeLister {
	return csiNodeLister{c.objects.Storage().V1().CSINodes().Informer().GetIndexer()}
}

// csiNodeLister lists without a selector, as the API for plugins has it.
type csiNodeLister struct{ held cache.Indexer }

func (l csiNodeLister) List() ([]*storagev1.CSINode, error) {
	var all []*storagev1.CSINode
	for _, held := range l.held.List() {
		if csiNode, ok := held.(*storagev1.CSINode); ok {
			all = append(all, csiNode)
		}
	}
	return all, nil
}

func (l csiNodeLister) Get(name string) (*storagev1.CSINode, error) {
	held, _, err := l.held.GetByKey(name)
	if err != nil {
		return nil, err
	}
	if csiNode, ok := held.(*storagev1.CSINode); ok {
		return csiNode, nil
	}
	return nil, noCSINode(name)
}

// noCSINode is the API's error for a CSINode that does not exist. It is written when it is read: in a cluster without CSI
// drivers a plugin may ask for the CSINode of every node, for every pod.
type noCSINode string

func (n noCSINode) Error() string { return n.notFound().Error() }

// Status makes it an error of the API.
func (n noCSINode) Status() metav1.Status { return n.notFound().Status() }

func (n noCSINode) notFound() *apierrors.StatusError {
	return apierrors.NewNotFound(storagev1.Resource("csinode"), string(n))
}
