package main

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/scale"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/kubernetes/pkg/controller/daemon"
	"k8s.io/kubernetes/pkg/controller/deployment"
	"k8s.io/kubernetes/pkg/controller/disruption"
	"k8s.io/kubernetes/pkg/controller/job"
	"k8s.io/kubernetes/pkg/controller/nodelifecycle"
	"k8s.io/kubernetes/pkg/controller/replicaset"
	"k8s.io/kubernetes/pkg/controller/statefulset"
	"k8s.io/kubernetes/pkg/controller/tainteviction"

	"orrery/core/parity/storage"
)

// Settings of kube-controller-manager, most of them its defaults. The kubelets here send no heartbeats, so the node monitor
// grace period is longer than any recording.
const (
	burst          = 500
	workers        = 5
	monitorEvery   = 5 * time.Second
	evictionRate   = 0.1
	secondaryRate  = 0.01
	largeCluster   = 50
	unhealthyZone  = 0.55
	silentForever  = 24 * time.Hour
	crashBackoff   = time.Second
	crashBackoffTo = 15 * time.Minute
	provisioning   = 2 * time.Second // of the fake CSI drivers
)

// controllers returns upstream's controllers that a scenario needs, and the fake parts of its CSI drivers: each is created on the informers, and run once these have
// been started.
func controllers(ctx context.Context, config *rest.Config, client kubernetes.Interface, mapper meta.RESTMapper, from informers.SharedInformerFactory) ([]func(context.Context), error) {
	core, apps := from.Core().V1(), from.Apps().V1()
	deployments, err := deployment.NewDeploymentController(ctx, apps.Deployments(), apps.ReplicaSets(), core.Pods(), client)
	if err != nil {
		return nil, fmt.Errorf("creating the deployment controller: %w", err)
	}
	replicaSets := replicaset.NewReplicaSetController(ctx, apps.ReplicaSets(), core.Pods(), client, burst)
	statefulSets := statefulset.NewStatefulSetController(ctx, core.Pods(), apps.StatefulSets(), core.PersistentVolumeClaims(), apps.ControllerRevisions(), client)
	daemonSets, err := daemon.NewDaemonSetsController(ctx, apps.DaemonSets(), apps.ControllerRevisions(), core.Pods(), core.Nodes(), client,
		flowcontrol.NewBackOff(crashBackoff, crashBackoffTo))
	if err != nil {
		return nil, fmt.Errorf("creating the daemon set controller: %w", err)
	}
	jobs, err := job.NewController(ctx, client, core.Pods(), from.Batch().V1().Jobs(), nil, nil) // no groups: their gate is off
	if err != nil {
		return nil, fmt.Errorf("creating the job controller: %w", err)
	}
	scales, err := scale.NewForConfig(config, mapper, dynamic.LegacyAPIPathResolverFunc, scale.NewDiscoveryScaleKindResolver(client.Discovery()))
	if err != nil {
		return nil, fmt.Errorf("creating the disruption controller: %w", err)
	}
	budgets := disruption.NewDisruptionController(ctx, core.Pods(), from.Policy().V1().PodDisruptionBudgets(), core.ReplicationControllers(),
		apps.ReplicaSets(), apps.Deployments(), apps.StatefulSets(), client, mapper, scales, client.Discovery())
	nodes, err := nodelifecycle.NewNodeLifecycleController(ctx, from.Coordination().V1().Leases(), core.Pods(), core.Nodes(), apps.DaemonSets(), client,
		monitorEvery, silentForever, silentForever, evictionRate, secondaryRate, largeCluster, unhealthyZone)
	if err != nil {
		return nil, fmt.Errorf("creating the node lifecycle controller: %w", err)
	}
	taints, err := tainteviction.New(ctx, client, core.Pods(), core.Nodes(), "taint-eviction-controller")
	if err != nil {
		return nil, fmt.Errorf("creating the taint eviction controller: %w", err)
	}
	_, volumes, err := storage.Parts(ctx, client, from, provisioning)
	if err != nil {
		return nil, err
	}
	return append(volumes,
		func(ctx context.Context) { deployments.Run(ctx, workers) },
		func(ctx context.Context) { replicaSets.Run(ctx, workers) },
		func(ctx context.Context) { statefulSets.Run(ctx, workers) },
		func(ctx context.Context) { daemonSets.Run(ctx, workers) },
		func(ctx context.Context) { jobs.Run(ctx, workers) },
		func(ctx context.Context) { budgets.Run(ctx, workers) },
		nodes.Run, taints.Run,
	), nil
}
