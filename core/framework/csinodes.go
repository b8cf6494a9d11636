package framework

import (
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	storagelisters "k8s.io/client-go/listers/storage/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// CSINodes serves the CSINodes of informers to plugins. The informer is requested when a plugin asks for them, so that no
// world watches CSINodes that none reads.
func CSINodes(objects informers.SharedInformerFactory) fwk.CSIManager { return csiNodes{objects} }

type csiNodes struct {
	objects informers.SharedInformerFactory
}

func (c csiNodes) CSINodes() fwk.CSINodeLister {
	return csiNodeLister{c.objects.Storage().V1().CSINodes().Lister()}
}

// csiNodeLister lists without a selector, as the API for plugins has it.
type csiNodeLister struct{ storagelisters.CSINodeLister }

func (l csiNodeLister) List() ([]*storagev1.CSINode, error) {
	return l.CSINodeLister.List(labels.Everything())
}
