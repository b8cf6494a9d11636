package noderesources

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

// gpuClass has the resource example.com/gpu.
type gpuClass struct{ fwk.SharedDRAManager }

func (c gpuClass) DeviceClassResolver() fwk.DeviceClassResolver { return c }

func (gpuClass) GetDeviceClass(name v1.ResourceName) *resourcev1.DeviceClass {
	if name == "example.com/gpu" {
		return mk.DeviceClass("gpu")
	}
	return nil
}

// A node without a resource that devices are counted as is left to DynamicResources; one that has too little is not.
func TestFilter_LeavesResourcesToDevices(t *testing.T) {
	f := fitWith(t, nil, "DRAExtendedResource")
	f.devices = &deviceCounter{manager: gpuClass{}}
	pod := mk.Pod("p").Request("example.com/gpu", "2").Obj()
	for name, tt := range map[string]struct {
		pod  *v1.Pod
		node *v1.Node
		want string
	}{
		"no devices of the node's own": {pod, mk.Node("n").Obj(), "Success"},
		"too few of the node's own":    {pod, mk.Node("n").Resource("example.com/gpu", "1").Obj(), "UnschedulableAndUnresolvable: Insufficient example.com/gpu"},
		"a resource without a class":   {mk.Pod("p").Request("example.com/nic", "1").Obj(), mk.Node("n").Obj(), "UnschedulableAndUnresolvable: Insufficient example.com/nic"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plugintest.Filter(f, tt.pod, onNode(tt.node)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestHints_ClassOfExtendedResource(t *testing.T) {
	f := fitWith(t, nil, "DRAExtendedResource")
	f.devices = &deviceCounter{manager: gpuClass{}}
	named := func(resource string) *resourcev1.DeviceClass {
		c := mk.DeviceClass("gpu")
		c.Spec.ExtendedResourceName = &resource
		return c
	}
	pod := mk.Pod("p").Request("example.com/gpu", "1").Obj()
	for name, tt := range map[string]struct {
		pod           *v1.Pod
		action        fwk.ActionType
		before, after any
		want          string
	}{
		"a class with the resource":     {pod, fwk.Add, nil, named("example.com/gpu"), "Queue"},
		"a class without":               {pod, fwk.Add, nil, mk.DeviceClass("gpu"), "QueueSkip"},
		"a class requested by its name": {mk.Pod("p").Request("deviceclass.resource.kubernetes.io/gpu", "1").Obj(), fwk.Add, nil, mk.DeviceClass("gpu"), "Queue"},
		"a class gets the resource":     {pod, fwk.Update, mk.DeviceClass("gpu"), named("example.com/gpu"), "Queue"},
		"a class keeps the resource":    {pod, fwk.Update, named("example.com/gpu"), named("example.com/gpu"), "QueueSkip"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plugintest.Hint(t, f, fwk.DeviceClass, tt.action, tt.pod, tt.before, tt.after); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	if got := plugintest.Hint(t, f, fwk.Node, fwk.Add, pod, nil, mk.Node("n").Obj()); got != "Queue" {
		t.Errorf("a node that may have devices: got %q", got)
	}
	if got := plugintest.Hint(t, fitWith(t, nil), fwk.DeviceClass, fwk.Add, pod, nil, named("example.com/gpu")); got != "not registered" {
		t.Errorf("with the gate off: got %q", got)
	}
}
