//go:build !processes

package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/statefulset"
	"k8s.io/kubernetes/pkg/controller/volume/attachdetach"
	"k8s.io/kubernetes/pkg/controller/volume/ephemeral"
	"k8s.io/kubernetes/pkg/controller/volume/persistentvolume"
	"k8s.io/kubernetes/pkg/controller/volume/pvcprotection"
	"k8s.io/kubernetes/pkg/controller/volume/pvprotection"
	"k8s.io/kubernetes/pkg/volume/csi"
)

// Settings of kube-controller-manager, its defaults.
const (
	controllerWorkers = 5
	volumeSync        = 15 * time.Second
	attachSync        = time.Minute
)

// controllers returns upstream's controllers of volumes.
func controllers(ctx context.Context, client kubernetes.Interface, from informers.SharedInformerFactory) ([]func(context.Context), error) {
	core, storage := from.Core().V1(), from.Storage().V1()
	volumes, volumesErr := persistentvolume.NewController(ctx, persistentvolume.ControllerParameters{
		KubeClient: client, SyncPeriod: volumeSync, EnableDynamicProvisioning: true,
		VolumeInformer: core.PersistentVolumes(), ClaimInformer: core.PersistentVolumeClaims(), ClassInformer: storage.StorageClasses(),
		PodInformer: core.Pods(), NodeInformer: core.Nodes(),
	})
	attachments, attachmentsErr := attachdetach.NewAttachDetachController(ctx, client, core.Pods(), core.Nodes(), core.PersistentVolumeClaims(),
		core.PersistentVolumes(), storage.CSINodes(), storage.CSIDrivers(), storage.VolumeAttachments(), csi.ProbeVolumePlugins(), nil,
		false, attachSync, false, attachdetach.DefaultTimerConfig)
	claims, claimsErr := ephemeral.NewController(ctx, client, core.Pods(), core.PersistentVolumeClaims())
	claimsInUse, claimsInUseErr := pvcprotection.NewPVCProtectionController(klog.FromContext(ctx), core.PersistentVolumeClaims(), core.Pods(), client)
	volumesInUse, volumesInUseErr := pvprotection.NewPVProtectionController(klog.FromContext(ctx), core.PersistentVolumes(), client)
	if err := errors.Join(volumesErr, attachmentsErr, claimsErr, claimsInUseErr, volumesInUseErr); err != nil {
		return nil, fmt.Errorf("creating the controllers of volumes: %w", err)
	}
	return []func(context.Context){
		volumes.Run, attachments.Run,
		func(ctx context.Context) { claims.Run(ctx, controllerWorkers) },
		func(ctx context.Context) { claimsInUse.Run(ctx, controllerWorkers) },
		func(ctx context.Context) { volumesInUse.Run(ctx, controllerWorkers) },
	}, nil
}

// statefulSets returns upstream's controller of StatefulSets.
func statefulSets(ctx context.Context, client kubernetes.Interface, from informers.SharedInformerFactory) func(context.Context) {
	core, apps := from.Core().V1(), from.Apps().V1()
	sets := statefulset.NewStatefulSetController(ctx, core.Pods(), apps.StatefulSets(), core.PersistentVolumeClaims(), apps.ControllerRevisions(), client)
	return func(ctx context.Context) { sets.Run(ctx, controllerWorkers) }
}
