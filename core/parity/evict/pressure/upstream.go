package pressure

import (
	"context"
	"reflect"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	statsapi "k8s.io/kubelet/pkg/apis/stats/v1alpha1"
	"k8s.io/kubernetes/pkg/kubelet/eviction"
)

type statsFunc = func(pod *v1.Pod) (statsapi.PodStats, bool)

//go:linkname synchronize k8s.io/kubernetes/pkg/kubelet/eviction.(*managerImpl).synchronize
func synchronize(m unsafe.Pointer, ctx context.Context, disks eviction.DiskInfoProvider, pods eviction.ActivePodsFunc) ([]*v1.Pod, error)

//go:linkname rankMemoryPressure k8s.io/kubernetes/pkg/kubelet/eviction.rankMemoryPressure
func rankMemoryPressure(pods []*v1.Pod, stats statsFunc)

//go:linkname rankPIDPressure k8s.io/kubernetes/pkg/kubelet/eviction.rankPIDPressure
func rankPIDPressure(pods []*v1.Pod, stats statsFunc)

//go:linkname buildSignalToRankFunc k8s.io/kubernetes/pkg/kubelet/eviction.buildSignalToRankFunc
func buildSignalToRankFunc(withImageFs bool, imageContainerSplitFs bool) map[string]func(pods []*v1.Pod, stats statsFunc)

// look is one turn of the manager's loop.
func look(m eviction.Manager, disks eviction.DiskInfoProvider, pods []*v1.Pod) ([]*v1.Pod, error) {
	return synchronize(reflect.ValueOf(m).UnsafePointer(), context.Background(), disks, func() []*v1.Pod { return pods })
}
