package storage

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// Driver is the name of the CSI driver that Install registers.
const Driver = "disks.example.com"

// Install registers the driver with the API server and on nodes. A node can have limit volumes; zero means any number.
func Install(ctx context.Context, client kubernetes.Interface, nodes []*v1.Node, limit int32) error {
	driver := &storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: Driver}}
	if _, err := client.StorageV1().CSIDrivers().Create(ctx, driver, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("registering the CSI driver: %w", err)
	}
	for _, node := range nodes {
		entry := storagev1.CSINodeDriver{Name: Driver, NodeID: node.Name, TopologyKeys: []string{v1.LabelTopologyZone}}
		if limit > 0 {
			entry.Allocatable = &storagev1.VolumeNodeResources{Count: &limit}
		}
		info := &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: node.Name}, Spec: storagev1.CSINodeSpec{Drivers: []storagev1.CSINodeDriver{entry}}}
		if _, err := client.StorageV1().CSINodes().Create(ctx, info, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("registering the CSI driver on node %s: %w", node.Name, err)
		}
	}
	return nil
}

// Managed marks a node as one whose volumes the attach controller attaches, as a kubelet does.
func Managed(node *v1.Node) *v1.Node {
	metav1.SetMetaDataAnnotation(&node.ObjectMeta, "volumes.kubernetes.io/controller-managed-attach-detach", "true")
	return node
}

// Class returns a storage class of a provisioner.
func Class(name, provisioner string, mode storagev1.VolumeBindingMode) *storagev1.StorageClass {
	return &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: provisioner, VolumeBindingMode: &mode}
}
