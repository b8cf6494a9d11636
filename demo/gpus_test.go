package demo_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"orrery/core/scheduler/engine"
	"orrery/core/trace/play"
	"orrery/core/world"
)

// gpuID is a device, or a counter set of its pool; the pools of gpu-day are called as their nodes.
type gpuID struct{ node, device string }

// gpu is a whole device, of which others may be parts.
type gpu struct {
	model  string
	memory int64
	parts  []string
}

// gpus are the devices that the scheduler knows at a time, and what claims have of them.
type gpus struct {
	whole map[gpuID]*gpu
	of    map[gpuID]gpuID // of each device, the whole one
	// owned counts the claims that have a device alone, shared sums the memory of those that share it, by device.
	owned  map[gpuID]int
	shared map[gpuID]int64
	// claims are those that have a device or a part of it, by the whole device.
	claims map[gpuID][]*resourcev1.ResourceClaim
}

func gpusOf(e *engine.Engine) *gpus {
	g := &gpus{map[gpuID]*gpu{}, map[gpuID]gpuID{}, map[gpuID]int{}, map[gpuID]int64{}, map[gpuID][]*resourcev1.ResourceClaim{}}
	for o := range e.Store().Objects(world.ResourceSlice) {
		slice := o.(*resourcev1.ResourceSlice)
		for i := range slice.Spec.Devices {
			g.publish(slice.Spec.Pool.Name, &slice.Spec.Devices[i])
		}
	}
	for o := range e.Store().Objects(world.ResourceClaim) {
		if claim := o.(*resourcev1.ResourceClaim); claim.Status.Allocation != nil {
			for i := range claim.Status.Allocation.Devices.Results {
				g.take(claim, &claim.Status.Allocation.Devices.Results[i])
			}
		}
	}
	return g
}

func (g *gpus) publish(pool string, d *resourcev1.Device) {
	id := gpuID{pool, d.Name}
	whole := id
	if len(d.ConsumesCounters) > 0 {
		whole.device = d.ConsumesCounters[0].CounterSet
	}
	if g.whole[whole] == nil {
		g.whole[whole] = &gpu{}
	}
	g.of[id] = whole
	if id != whole {
		g.whole[whole].parts = append(g.whole[whole].parts, id.device)
		return
	}
	memory := d.Capacity["memory"].Value
	g.whole[id].model, g.whole[id].memory = *d.Attributes["model"].StringValue, memory.Value()
}

func (g *gpus) take(claim *resourcev1.ResourceClaim, r *resourcev1.DeviceRequestAllocationResult) {
	id := gpuID{r.Pool, r.Device}
	if memory, ok := r.ConsumedCapacity["memory"]; ok {
		g.shared[id] += memory.Value()
	} else {
		g.owned[id]++
	}
	g.claims[g.of[id]] = append(g.claims[g.of[id]], claim)
}

// free counts the devices of a model that no claim has anything of, by node.
func (g *gpus) free(model string) (total int, byNode map[string]int) {
	byNode = map[string]int{}
	for id, one := range g.whole {
		if one.model == model && len(g.claims[id]) == 0 {
			total++
			byNode[id.node]++
		}
	}
	return total, byNode
}

// inUse counts the parts of a device that claims have.
func (g *gpus) inUse(id gpuID) (parts int) {
	for _, part := range g.whole[id].parts {
		parts += g.owned[gpuID{id.node, part}]
	}
	return parts
}

// overcommitted returns the first device of which more is allocated than there is, empty if there is none.
func (g *gpus) overcommitted() string {
	for id, one := range g.whole {
		parts, whole := g.inUse(id), g.owned[id]
		for _, part := range one.parts {
			if g.owned[gpuID{id.node, part}] > 1 {
				return fmt.Sprintf("%v: part %s has %d claims", id, part, g.owned[gpuID{id.node, part}])
			}
		}
		if whole > 1 || whole == 1 && parts+int(g.shared[id]) > 0 || g.shared[id] > one.memory {
			return fmt.Sprintf("%v: %d claims have it alone, %d parts of it, and others %d bytes", id, whole, parts, g.shared[id])
		}
	}
	return ""
}

// gpuDay is the recording of that name, which can be looked at at any time.
type gpuDay struct {
	*testing.T
	player *play.Player
	began  time.Time
}

var opened *gpuDay

// openGPUDay opens the recording, once for all tests.
func openGPUDay(t *testing.T) *gpuDay {
	t.Helper()
	if opened == nil {
		p, err := play.NewPlayer(bytes.NewReader(bytesOf(t, "gpu-day")), play.Options{})
		if err != nil {
			t.Fatal(err)
		}
		opened = &gpuDay{player: p, began: p.Engine().Now()}
	}
	return &gpuDay{t, opened.player, opened.began}
}

// at returns the devices at a time.
func (d *gpuDay) at(at time.Duration) *gpus {
	d.Helper()
	if err := d.player.Seek(d.began.Add(at)); err != nil {
		d.Fatal(err)
	}
	return gpusOf(d.player.Engine())
}

// pods returns the pods of a workload now.
func (d *gpuDay) pods(name string) []*v1.Pod {
	var all []*v1.Pod
	for o := range d.player.Engine().Store().Objects(world.Pod) {
		if pod := o.(*v1.Pod); app(pod) == name {
			all = append(all, pod)
		}
	}
	return all
}
