package pressure_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/evict/pressure"
	"orrery/core/testing/mk"
)

const mi = 1 << 20

// sandboxed is the documentation's example of overhead: containers limited to 500m and 1500m, 100Mi each, in a sandbox that needs
// 250m and 120Mi.
func sandboxed() *v1.Pod {
	pod := mk.Pod("p").CPU("500m").Memory("100Mi").Container("b", "b", mk.Resources("cpu", "1500m", "memory", "100Mi")).
		Overhead("cpu", "250m").Overhead("memory", "120Mi").Obj()
	for i := range pod.Spec.Containers {
		r := &pod.Spec.Containers[i].Resources
		r.Limits = r.Requests.DeepCopy()
	}
	return pod
}

// Shows OVH-08 and OVH-09.
func TestPodCgroup(t *testing.T) {
	partly := sandboxed()
	delete(partly.Spec.Containers[1].Resources.Limits, v1.ResourceMemory)
	whole := mk.Pod("whole").CPU("1").Obj()
	whole.Spec.Resources = &v1.ResourceRequirements{Limits: mk.Resources("memory", "1Gi")}
	for _, tt := range []struct {
		name   string
		pod    *v1.Pod
		want   pressure.Cgroup
		weight int64
	}{
		// 2.25 cpus are 2304 shares and 225 ms of each 100 ms; 320Mi are 335544320 bytes.
		{"limits and overhead", sandboxed(), pressure.Cgroup{CPUShares: 2304, CPUQuota: 225000, MemoryMax: 335544320}, 88},
		{"a container without a limit of memory", partly, pressure.Cgroup{CPUShares: 2304, CPUQuota: 225000}, 88},
		{"best effort, whatever its overhead", mk.Pod("p").Overhead("cpu", "1").Obj(), pressure.Cgroup{CPUShares: 2}, 1},
		{"a request alone", mk.Pod("p").CPU("100m").Overhead("cpu", "100m").Obj(), pressure.Cgroup{CPUShares: 204}, 8},
		{"a limit of the whole pod", whole, pressure.Cgroup{CPUShares: 1024, MemoryMax: 1 << 30}, 39},
		{"a thousandth of a cpu", withLimits(mk.Pod("p").CPU("1m"), "cpu", "1m"), pressure.Cgroup{CPUShares: 2, CPUQuota: 1000}, 1},
		{"more cpus than the kernel can weigh", mk.Pod("p").CPU("9223372036854775807").Obj(), pressure.Cgroup{CPUShares: 262144}, 10000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := pressure.PodCgroup(tt.pod); got != tt.want || got.CPUWeight() != tt.weight {
				t.Errorf("%+v with the weight %d, want %+v with %d", got, got.CPUWeight(), tt.want, tt.weight)
			}
		})
	}
}

func TestContainerCgroup(t *testing.T) {
	whole := mk.Pod("whole").CPU("1").Obj()
	whole.Spec.Resources = &v1.ResourceRequirements{Limits: mk.Resources("memory", "1Gi", "cpu", "2")}
	for _, tt := range []struct {
		name string
		pod  *v1.Pod
		want pressure.Cgroup
	}{
		{"its own limits, without overhead", sandboxed(), pressure.Cgroup{CPUShares: 512, CPUQuota: 50000, MemoryMax: 100 * mi}},
		{"a limit of cpu is its request", withLimits(mk.Pod("p"), "cpu", "2"), pressure.Cgroup{CPUShares: 2048, CPUQuota: 200000}},
		{"the pod's limits", whole, pressure.Cgroup{CPUShares: 1024, CPUQuota: 200000, MemoryMax: 1 << 30}},
		{"nothing", mk.Pod("p").Obj(), pressure.Cgroup{CPUShares: 2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := pressure.ContainerCgroup(tt.pod, &tt.pod.Spec.Containers[0]); got != tt.want {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestMemoryHigh(t *testing.T) {
	for _, tt := range []struct {
		name string
		pod  *v1.Pod
		want int64
	}{
		{"100Mi and nine tenths of the 100Mi up to its limit", withLimits(mk.Pod("p").Memory("100Mi"), "memory", "200Mi"), 190 * mi},
		{"nine tenths of the 900Mi that the node gives besides", mk.Pod("p").Memory("100Mi").Obj(), 910 * mi},
		{"in whole pages", withLimits(mk.Pod("p").Memory("4Ki"), "memory", "9Ki"), 8 << 10},
		{"the limit is requested", withLimits(mk.Pod("p").Memory("100Mi"), "memory", "100Mi"), 0},
		{"neither a request nor a limit", mk.Pod("p").Obj(), 0},
		{"no more than is requested", mk.Pod("p").Memory("1000Mi").Obj(), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := pressure.MemoryHigh(&tt.pod.Spec.Containers[0], 1000*mi, 0.9); got != tt.want {
				t.Errorf("%d, want %d", got, tt.want)
			}
		})
	}
}
