package collect_test

import (
	"slices"
	"testing"

	"orrery/core/testing/mk"
	"orrery/views/collect"
)

func TestNames_Completion(t *testing.T) {
	e, _ := busyCluster(t)
	for _, tt := range []struct {
		name string
		got  []string
		want []string
	}{
		{"nodes", collect.NodeNames(e, "worker-0", 3), []string{"worker-00", "worker-01", "worker-02"}},
		{"a node", collect.NodeNames(e, "worker-07", 9), []string{"worker-07"}},
		{"namespaces", collect.Namespaces(e, "b", 9), []string{"batch"}},
		{"pods of a namespace", collect.PodNames(e, "ml/", 2), []string{"ml/trainer-0", "ml/trainer-1"}},
		{"pods by name", collect.PodNames(e, "night", 9), []string{"batch/nightly"}},
		{"pods by a namespace prefix", collect.PodNames(e, "ba", 9), []string{"batch/nightly"}},
		{"plugins, ignoring case", collect.PluginNames(e, "noderesourcesf", 9), []string{"NodeResourcesFit"}},
		{"profiles", collect.ProfileNames(e, "default-", 9), []string{"default-scheduler"}},
		{"at most no profiles", collect.ProfileNames(e, "", 0), []string{}},
		{"priority classes", collect.PriorityClassNames(e, "zzz", 9), nil},
		{"none", collect.PodNames(e, "zzz", 9), nil},
		{"at most none", collect.PluginNames(e, "", 0), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !slices.Equal(tt.got, tt.want) {
				t.Errorf("got %v, want %v", tt.got, tt.want)
			}
		})
	}
}

func TestNames_OfDevices(t *testing.T) {
	e := storageCluster(t, mk.DeviceClass("large"), mk.DeviceClass("small"), mk.ResourceClaim("one").Obj(),
		mk.ResourceSlice("s", "gpu.example.com", "n1").Node("n1").Devices("gpu-0", "gpu-1").Obj())
	for _, tt := range []struct {
		name      string
		got, want []string
	}{
		{"claims", collect.ResourceClaimNames(e, "default/o", 9), []string{"default/one"}},
		{"classes", collect.DeviceClassNames(e, "l", 9), []string{"large"}},
		{"devices of a pool", collect.DeviceNames(e, "n1/", 9), []string{"n1/gpu-0", "n1/gpu-1"}},
		{"at most one device", collect.DeviceNames(e, "", 1), []string{"n1/gpu-0"}},
	} {
		if !slices.Equal(tt.got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, tt.got, tt.want)
		}
	}
}
