package diagnose_test

import (
	"fmt"
	"testing"

	"orrery/core/answers/diagnose"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

const gpuDriver = "gpu.example.com"

// takenCluster has so many nodes with eight devices each, of two models; all of the wanted model are taken but one of each
// node.
func takenCluster(b *testing.B, nodes int) *engine.Engine {
	objects := []world.Object{mk.DeviceClass("gpu", `device.driver == "gpu.example.com"`)}
	for i := range nodes {
		n := fmt.Sprintf("gpu-%04d", i)
		objects = append(objects, node(n, "64").Label("kubernetes.io/hostname", n).Obj())
		slice := mk.ResourceSlice(n, gpuDriver, n).Node(n)
		for j := range 8 {
			slice.Devices(fmt.Sprintf("gpu-%d", j)).Attribute("model", []string{"A100", "H100"}[j/4]).Attribute("uuid", fmt.Sprintf("%s-%d", n, j))
		}
		objects = append(objects, slice.Obj())
		for j := 4; j < 7; j++ {
			pod := fmt.Sprintf("train-%04d-%d", i, j)
			objects = append(objects, mk.ResourceClaim(pod).Request("gpu", "gpu", 1).Allocated(n, "gpu", gpuDriver, n, fmt.Sprintf("gpu-%d", j)).ReservedFor(pod).Obj(),
				mk.Pod(pod).Node(n).CPU("1").ResourceClaim(pod).Obj())
		}
	}
	return engineWith(b, append(objects, mk.ResourceClaim("web").Request("gpu", "gpu", 2, `device.attributes["gpu.example.com"].model == "H100"`).Obj(),
		mk.Pod("web").CPU("1").ResourceClaim("web").Obj())...)
}

// BenchmarkDevices_5000Nodes is one answer about a pod whose claim finds no devices among 40,000.
func BenchmarkDevices_5000Nodes(b *testing.B) {
	e := takenCluster(b, 5000)
	ref := world.PodRefOf(e.Store().Pod("default", "web"))
	for b.Loop() {
		d, err := diagnose.Pod(e, ref)
		if err != nil || len(d.Reasons) == 0 {
			b.Fatal(d, err)
		}
	}
}
