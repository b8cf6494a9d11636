package volumebinding

import (
	"context"
	"math"
	"math/bits"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/component-helpers/storage/volume"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/utils/ptr"

	"orrery/core/objects/saturating"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/reuse"
)

var _ framework.ClassScore = (*VolumeBinding)(nil)

// usage is what volumes of a class request, of what there is.
type usage struct{ requested, capacity int64 }

// PreScoreIgnoresNodes implements framework.NodelessPreScore: Filter has found what Score needs.
func (pl *VolumeBinding) PreScoreIgnoresNodes(fwk.CycleState, *v1.Pod) bool { return true }

// PreScore skips Score unless storage is scored.
func (pl *VolumeBinding) PreScore(_ context.Context, state fwk.CycleState, _ *v1.Pod, _ []fwk.NodeInfo) *fwk.Status {
	if len(pl.shape) == 0 {
		return skip
	}
	_, err := readCycle(state)
	return fwk.AsStatus(err)
}

// Score is how full the volumes to bind would be, or, where there are none, the storage to provision from: the mean over
// the classes, by the configured shape.
func (pl *VolumeBinding) Score(_ context.Context, state fwk.CycleState, _ *v1.Pod, node fwk.NodeInfo) (int64, *fwk.Status) {
	if len(pl.shape) == 0 {
		return 0, nil
	}
	c, err := readCycle(state)
	if err != nil {
		return 0, fwk.AsStatus(err)
	}
	target := c.fit[node.Node().Name]
	if target == nil {
		return 0, nil
	}
	if _, err := pl.choose(c, target); err != nil {
		return 0, fwk.AsStatus(err)
	}
	byClass := c.found.usage()
	if len(byClass) == 0 {
		return 0, nil
	}
	var sum int64
	for _, u := range byClass { // a sum, in any order
		sum += pl.shape.At(u.percent())
	}
	return int64(math.Round(float64(sum) / float64(len(byClass)))), nil
}

// ScoreClasses implements framework.ClassScore where no node was found to have volumes for the pod, or storage for them, as for all pods that wait
// for none.
func (pl *VolumeBinding) ScoreClasses(state fwk.CycleState, _ *reuse.Found) (reuse.Scores, bool) {
	c, err := readCycle(state)
	return reuse.Scores{}, err == nil && len(c.fit) == 0
}

// ScoreExtensions is nil: a score is not relative to those of other nodes.
func (*VolumeBinding) ScoreExtensions() fwk.ScoreExtensions { return nil }

func (c *choice) usage() map[string]usage {
	byClass := map[string]usage{}
	for _, b := range c.bindings {
		u := byClass[b.volume.Spec.StorageClassName]
		size, has := b.claim.Spec.Resources.Requests[v1.ResourceStorage], b.volume.Spec.Capacity[v1.ResourceStorage]
		byClass[b.volume.Spec.StorageClassName] = usage{saturating.Add(u.requested, size.Value()), saturating.Add(u.capacity, has.Value())}
	}
	if len(c.bindings) > 0 {
		return byClass
	}
	for _, p := range c.provisions {
		if p.capacity == nil {
			continue
		}
		class := volume.GetPersistentVolumeClaimClass(p.claim)
		size := p.claim.Spec.Resources.Requests[v1.ResourceStorage]
		total := ptr.Deref(p.capacity.Capacity, resource.Quantity{})
		// The volumes of a class share one capacity.
		byClass[class] = usage{saturating.Add(byClass[class].requested, size.Value()), total.Value()}
	}
	return byClass
}

func (u usage) percent() int64 {
	if u.capacity <= 0 || u.requested < 0 || u.requested > u.capacity {
		return 100
	}
	high, low := bits.Mul64(uint64(u.requested), 100)
	percent, _ := bits.Div64(high, low, uint64(u.capacity))
	return int64(percent)
}
