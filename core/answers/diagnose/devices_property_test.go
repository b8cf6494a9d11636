package diagnose_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	resourcev1 "k8s.io/api/resource/v1"

	"orrery/core/answers/diagnose"
	"orrery/core/scheduler/plugins/dynamicresources/shortage"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// drawnDevice is a device of a drawn cluster.
type drawnDevice struct {
	node, name     string
	large, tainted bool
	taken          bool
}

// drawDevices draws a cluster with devices of two models, some tainted and some taken, and a pod whose claim wants so many of the
// large ones.
func drawDevices(t *testing.T, rng *rand.Rand) (all []drawnDevice, want int, d *diagnose.Diagnosis) {
	t.Helper()
	objects := []world.Object{mk.DeviceClass("gpu", `device.driver == "gpu.example.com"`)}
	nodes := 1 + rng.IntN(5)
	for i := range nodes {
		name := fmt.Sprintf("n%d", i)
		objects = append(objects, node(name, "8").Obj())
		slice := mk.ResourceSlice(name, gpuDriver, name).Node(name)
		for j := range rng.IntN(5) {
			device := drawnDevice{name, fmt.Sprintf("gpu-%d", j), rng.IntN(3) > 0, rng.IntN(5) == 0, rng.IntN(3) == 0}
			slice.Devices(device.name).Attribute("model", map[bool]string{true: "large", false: "small"}[device.large])
			if device.tainted {
				slice.Taint("broken", resourcev1.DeviceTaintEffectNoSchedule)
			}
			if device.taken {
				holder := fmt.Sprintf("holder-%d-%d", i, j)
				objects = append(objects, mk.ResourceClaim(holder).Request("gpu", "gpu", 1).Allocated(name, "gpu", gpuDriver, name, device.name).ReservedFor(holder).Obj(),
					mk.Pod(holder).Node(name).CPU("10m").ResourceClaim(holder).Obj())
			}
			all = append(all, device)
		}
		objects = append(objects, slice.Obj())
	}
	want = 1 + rng.IntN(3)
	claim := mk.ResourceClaim("web").Request("gpu", "gpu", int64(want), `device.attributes["gpu.example.com"].model == "large"`)
	pod := mk.Pod("web").CPU("10m").ResourceClaim("web").Obj()
	d, err := diagnose.Pod(engineWithGates(t, "DRADeviceTaints=true", append(objects, claim.Obj(), pod)...), world.PodRefOf(pod))
	if err != nil {
		t.Fatal(err)
	}
	return all, want, d
}

// The numbers of an answer are those that counting the devices one by one gives, and agree with what the plugin decided.
func TestDevices_NumbersAreThoseOfPlainCounting(t *testing.T) {
	rejected := 0
	for seed := range uint64(300) {
		all, want, d := drawDevices(t, rand.New(rand.NewPCG(seed, 1)))
		if d.Devices.Nearest == nil {
			continue
		}
		rejected++
		matching, usable := map[string]int{}, map[string]int{}
		for _, device := range all {
			if device.large {
				matching[device.node]++
				if !device.tainted && !device.taken {
					usable[device.node]++
				}
			}
		}
		r := d.Devices.Claims[0].Requests[0]
		tooFew, none, most := 0, 0, 0
		short := map[string]bool{}
		for i := range d.Nodes {
			if name := d.Nodes[i].Node; usable[name] < want {
				short[name] = true
				tooFew, most = tooFew+1, max(most, usable[name])
				if matching[name] == 0 {
					none++
				}
			}
		}
		if got, counted := [4]int{r.TooFewOn, r.NoneOn, r.MostOn, d.Devices.Allowed}, [4]int{tooFew, none, most, len(d.Nodes) - tooFew}; got != counted {
			t.Errorf("seed %d: too few, none, most and allowed are %v, counted %v", seed, got, counted)
		}
		checkReasons(t, seed, all, short, &r)
		if n := d.Devices.Nearest; n.Wanted != want || n.Free != usable[n.Node] || n.Matching != matching[n.Node] || !short[n.Node] {
			t.Errorf("seed %d: the nearest is %+v", seed, n)
		}
	}
	if rejected < 100 {
		t.Errorf("only %d pods were rejected", rejected)
	}
}

// checkReasons compares the number of devices of each reason with that of the devices of the nodes that have too few.
func checkReasons(t *testing.T, seed uint64, all []drawnDevice, short map[string]bool, r *shortage.Request) {
	t.Helper()
	counted := map[shortage.Trouble]int{}
	for _, device := range all {
		does := device.large && !device.tainted && !device.taken
		switch {
		case !short[device.node]:
			if does {
				counted[shortage.TroubleReach]++
			}
		case !device.large:
			counted[shortage.TroubleSelector]++
		case device.tainted:
			counted[shortage.TroubleTaint]++
		case device.taken:
			counted[shortage.TroubleTaken]++
		}
	}
	for _, reason := range r.Reasons {
		if counted[reason.Trouble] != reason.Devices {
			t.Errorf("seed %d: %s is of %d devices, counted %d", seed, reason.Trouble, reason.Devices, counted[reason.Trouble])
		}
		delete(counted, reason.Trouble)
	}
	if len(counted) > 0 {
		t.Errorf("seed %d: no reason for %v", seed, counted)
	}
}
