package memory_test

import (
	"fmt"
	"runtime"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// populateDevices publishes eight devices on each node, and creates pods that each get a claim of a template with a selector.
func populateDevices(tb testing.TB, c *memory.Cluster, nodes, pods int) {
	tb.Helper()
	template := gpuTemplate("one")
	template.Spec.Spec.Devices.Requests[0].Exactly.Selectors = []resourcev1.DeviceSelector{{
		CEL: &resourcev1.CELDeviceSelector{Expression: `device.driver == "gpu.example.com"`},
	}}
	if _, err := c.Create(template); err != nil {
		tb.Fatal(err)
	}
	var all []resourcev1.Device
	for i := range 8 {
		all = append(all, resourcev1.Device{Name: fmt.Sprint("gpu-", i), Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{
			"model": {StringValue: ptr("a100")}, "numa": {IntValue: ptr(int64(i / 4))},
		}})
	}
	for i := range nodes {
		name := fmt.Sprintf("node-%05d", i)
		if err := c.PublishDevices(memory.DevicePool{Driver: gpus, Node: name, Name: name, Devices: all}); err != nil {
			tb.Fatal(err)
		}
	}
	for i := range pods {
		if _, err := c.Create(usingTemplate(mk.Pod(fmt.Sprintf("pod-%06d", i)).Obj(), "one")); err != nil {
			tb.Fatal(err)
		}
	}
}

// placeDevices gives each pod the next device and binds it.
func placeDevices(tb testing.TB, c *memory.Cluster) {
	tb.Helper()
	effect := world.EffectID(0)
	for i, o := range c.List(world.Pod) {
		pod, node := o.(*v1.Pod), fmt.Sprintf("node-%05d", i/8)
		if err := allocate(c, *pod.Status.ResourceClaimStatuses[0].ResourceClaimName, node, []string{fmt.Sprint("gpu-", i%8)}, pod); err != nil {
			tb.Fatal(err)
		}
		effect++
		c.Do(world.Effect{ID: effect, At: c.Now(), Action: world.Bind{Pod: world.PodRefOf(pod), Node: node}})
	}
}

func TestCluster_ManyDevices(t *testing.T) {
	const nodes, pods = 50, 400
	c := memory.New(memory.Options{Start: dawn, Latency: memory.TypicalLatency()})
	populate(t, c, nodes, 0)
	populateDevices(t, c, nodes, pods)
	rest(c, func(world.Input) {})
	placeDevices(t, c)
	rest(c, func(world.Input) {})
	if problems := append(deviceErrors(c), startErrors(c, nil)...); len(problems) > 0 {
		t.Errorf("at rest: %v", problems)
	}
	if len(holders(c)) != pods || len(c.List(world.ResourceSlice)) != nodes {
		t.Errorf("%d devices of %d slices are allocated, want %d of %d", len(holders(c)), len(c.List(world.ResourceSlice)), pods, nodes)
	}
	for _, o := range c.List(world.Pod) {
		if pod := o.(*v1.Pod); pod.Status.Phase != v1.PodRunning {
			t.Fatalf("pod %s is %s", pod.Name, pod.Status.Phase)
		}
		_ = c.Delete(world.Pod, "default", o.GetName(), graceOf(1))
	}
	rest(c, func(world.Input) {})
	if left := c.List(world.ResourceClaim); len(left) > 0 {
		t.Errorf("%d claims are left of pods that are gone", len(left))
	}
}

// 10,000 nodes with 80,000 devices, and 20,000 pods that each get a claim, a device and a node.
func BenchmarkCluster_Devices(b *testing.B) {
	const nodes, pods = 10_000, 20_000
	for range b.N {
		b.StopTimer()
		var before, after runtime.MemStats
		c := memory.New(memory.Options{Start: dawn, Latency: memory.TypicalLatency()})
		populate(b, c, nodes, 0)
		rest(c, func(world.Input) {})
		runtime.GC()
		runtime.ReadMemStats(&before)
		b.StartTimer()
		populateDevices(b, c, nodes, pods)
		rest(c, func(world.Input) {})
		b.StopTimer()
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "MiB")
		b.StartTimer()
		placeDevices(b, c)
		rest(c, func(world.Input) {})
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*pods), "ns/pod")
}
