package engine_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/trim"
)

// BenchmarkMemory_Devices is what 80,000 devices on 10,000 nodes add to the memory of an engine, as trimmed by the live world,
// after pods of three templates have looked at all nodes.
func BenchmarkMemory_Devices(b *testing.B) {
	held := func(devices int) uint64 {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		e := engineWithDevices(b, 10_000, devices)
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(e)
		return after.HeapAlloc - before.HeapAlloc
	}
	for b.Loop() {
		without := held(0)
		b.ReportMetric(float64(held(8)-without)/1e6, "MB-added")
	}
}

func engineWithDevices(b *testing.B, nodes, devices int) *engine.Engine {
	configuration := config.Default(config.DefaultFeatures())
	configuration.PercentageOfNodesToScore = 100
	e, err := engine.New(engine.Options{Config: configuration, Start: time.Unix(0, 0)})
	if err != nil {
		b.Fatal(err)
	}
	apply(b, e, world.Changed{Op: world.Added, Object: mk.DeviceClass("gpu", `device.driver == "gpu.example.com"`)})
	for i := range nodes {
		node := fmt.Sprintf("gpu-node-%05d.example.com", i)
		apply(b, e, world.Changed{Op: world.Added, Object: mk.Node(node).CPU("64").Memory("256Gi").Obj()})
	}
	pool := &trim.Pool{}
	for i := range min(nodes, nodes*devices) {
		apply(b, e, world.Changed{Op: world.Added, Object: gpuSlice(b, i, devices, pool)})
	}
	for i := range min(3, 3*devices) {
		claim := fmt.Sprint("c", i)
		apply(b, e, world.Changed{Op: world.Added, Object: mk.ResourceClaim(claim).Request("gpu", "gpu", int64(1+i)).Obj()})
		apply(b, e, world.Changed{Op: world.Added, Object: mk.Pod(fmt.Sprint("p", i)).ResourceClaim(claim).Obj()})
		if d, ok := e.Step(); !ok || d.Feasible != nodes {
			b.Fatalf("a pod with a claim: %+v", d)
		}
	}
	return e
}

// gpuSlice returns the slice of a node as it is read.
func gpuSlice(b *testing.B, i, devices int, pool *trim.Pool) world.Object {
	node := fmt.Sprintf("gpu-node-%05d.example.com", i)
	s := mk.ResourceSlice(node+"-gpu.example.com-x7k2p", "gpu.example.com", node).Node(node)
	for j := range devices {
		s.Devices(fmt.Sprint("gpu-", j)).Attribute("type", "gpu").Attribute("uuid", fmt.Sprintf("GPU-%08x-40fe-9ee0-7a9c-%012d", i, j)).
			Attribute("architecture", "Hopper").Attribute("brand", "Nvidia").Attribute("productName", "NVIDIA H100 80GB HBM3").
			Attribute("resource.kubernetes.io/pcieRoot", fmt.Sprintf("pci0000:%02x", j)).Attribute("driver", "550.127.8").
			Attribute("computeCapability", "9.0.0").Attribute("index", fmt.Sprint(j))
		s.Obj().Spec.Devices[j].Capacity = map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{"memory": {Value: resource.MustParse("81559Mi")}}
	}
	encoded, err := s.Obj().Marshal()
	if err != nil {
		b.Fatal(err)
	}
	decoded := &resourcev1.ResourceSlice{}
	if err := decoded.Unmarshal(encoded); err != nil {
		b.Fatal(err)
	}
	object := trim.LiveObject(decoded)
	pool.Share(object)
	return object
}
