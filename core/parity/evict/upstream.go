// Package evict compares the controllers of core/evict with upstream's: kube-controller-manager's taint, device taint and node
// lifecycle controllers, the disruption controller, the API server's eviction subresource, and the kubelet's eviction manager.
//
//	            ┌──► upstream's controller, in the virtual time of testing/synctest ──┐
//	history ────┤                                                                     ├─► compare
//	            └──► Orrery's controller, given the same inputs at the same times ────┘
//
//	taint_*      random nodes and pods: events, status patches and deletions, with their times
//	device_*     random devices, claims, rules and pods, in the same way
//	lifecycle_*  random zones: conditions, NoSchedule taints by node, NoExecute taints by zone
//	pressure_*   random nodes: the kubelet's passes, its ranking, its thresholds, their flags; OOM scores, cgroups
//	budget_*     random eviction requests, and the status of budgets
//	actions_test.go  a controller's actions, with times
//
// upstream.go links to functions that upstream does not export: single passes of loops that otherwise sleep in real time.
package evict

import (
	"context"
	"reflect"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apiserver/pkg/registry/rest"
	policyclient "k8s.io/client-go/kubernetes/typed/policy/v1"
	statsapi "k8s.io/kubelet/pkg/apis/stats/v1alpha1"
	"k8s.io/kubernetes/pkg/controller/disruption"
	"k8s.io/kubernetes/pkg/controller/nodelifecycle"
	"k8s.io/kubernetes/pkg/kubelet/eviction"
	podstorage "k8s.io/kubernetes/pkg/registry/core/pod/storage"
)

//go:linkname newEvictionStorage k8s.io/kubernetes/pkg/registry/core/pod/storage.newEvictionStorage
func newEvictionStorage(store rest.StandardStorage, budgets policyclient.PodDisruptionBudgetsGetter) *podstorage.EvictionREST

//go:linkname syncBudget k8s.io/kubernetes/pkg/controller/disruption.(*DisruptionController).sync
func syncBudget(dc *disruption.DisruptionController, ctx context.Context, key string) error

//go:linkname monitorNodeHealth k8s.io/kubernetes/pkg/controller/nodelifecycle.(*Controller).monitorNodeHealth
func monitorNodeHealth(c *nodelifecycle.Controller, ctx context.Context) error

//go:linkname doNoExecuteTaintingPass k8s.io/kubernetes/pkg/controller/nodelifecycle.(*Controller).doNoExecuteTaintingPass
func doNoExecuteTaintingPass(c *nodelifecycle.Controller, ctx context.Context)

//go:linkname doNoScheduleTaintingPass k8s.io/kubernetes/pkg/controller/nodelifecycle.(*Controller).doNoScheduleTaintingPass
func doNoScheduleTaintingPass(c *nodelifecycle.Controller, ctx context.Context, node string) error

//go:linkname cpuWeight k8s.io/kubernetes/pkg/kubelet/cm.getCPUWeight
func cpuWeight(cpuShares *uint64) uint64

type statsFunc = func(pod *v1.Pod) (statsapi.PodStats, bool)

//go:linkname synchronize k8s.io/kubernetes/pkg/kubelet/eviction.(*managerImpl).synchronize
func synchronize(m unsafe.Pointer, ctx context.Context, disks eviction.DiskInfoProvider, pods eviction.ActivePodsFunc) ([]*v1.Pod, error)

//go:linkname rankMemoryPressure k8s.io/kubernetes/pkg/kubelet/eviction.rankMemoryPressure
func rankMemoryPressure(pods []*v1.Pod, stats statsFunc)

//go:linkname rankPIDPressure k8s.io/kubernetes/pkg/kubelet/eviction.rankPIDPressure
func rankPIDPressure(pods []*v1.Pod, stats statsFunc)

//go:linkname buildSignalToRankFunc k8s.io/kubernetes/pkg/kubelet/eviction.buildSignalToRankFunc
func buildSignalToRankFunc(withImageFs bool, imageContainerSplitFs bool) map[string]func(pods []*v1.Pod, stats statsFunc)

// synchronizeOnce runs one pass of the manager's loop.
func synchronizeOnce(m eviction.Manager, disks eviction.DiskInfoProvider, pods []*v1.Pod) ([]*v1.Pod, error) {
	return synchronize(reflect.ValueOf(m).UnsafePointer(), context.Background(), disks, func() []*v1.Pod { return pods })
}
