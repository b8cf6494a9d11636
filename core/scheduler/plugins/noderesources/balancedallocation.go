package noderesources

import (
	"context"
	"fmt"
	"math"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/objects/saturating"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/release"
)

// BalancedAllocationName is the name of the balanced allocation plugin, in configurations, metrics and statuses.
const BalancedAllocationName = config.NodeResourcesBalancedAllocation

// balancedKey is the key of what is scored in the cycle state.
const balancedKey fwk.StateKey = "PreScore" + BalancedAllocationName

// BalancedAllocation is the plugin NodeResourcesBalancedAllocation: it prefers nodes on which all resources would be
// used to an equal share or, from 1.36 on, to a more equal share than without the pod.
type BalancedAllocation struct {
	requestOptions requestOptions
	resources      []weightedResource
	improvement    bool // score how much the pod improves the balance
	unsignable     bool
	devices        *deviceCounter // of devices that are counted as extended resources; nil without the gate
	lastScored     *scored        // of the last pod, which the next one of its template shares
}

var (
	_ fwk.PreScorePlugin  = (*BalancedAllocation)(nil)
	_ fwk.ScorePlugin     = (*BalancedAllocation)(nil)
	_ framework.NodeLocal = (*BalancedAllocation)(nil)
)

var skip = fwk.NewStatus(fwk.Skip)

// NewBalancedAllocation makes the balanced allocation plugin from NodeResourcesBalancedAllocationArgs.
func NewBalancedAllocation(_ context.Context, args runtime.Object, h fwk.Handle, features config.Features) (fwk.Plugin, error) {
	balanced, ok := args.(*configv1.NodeResourcesBalancedAllocationArgs)
	if !ok {
		return nil, fmt.Errorf("want args to be of type NodeResourcesBalancedAllocationArgs, got %T", args)
	}
	if err := config.ValidateNodeResourcesBalancedAllocationArgs(nil, balanced); err != nil {
		return nil, err
	}
	return &BalancedAllocation{
		requestOptions: newRequestOptions(features),
		resources:      newWeightedResources(balanced.Resources),
		improvement:    features.Has(release.BalanceByImprovement),
		unsignable:     refusesAllSignatures(features),
		devices:        newDeviceCounter(h, features),
	}, nil
}

// Name is the plugin's name.
func (*BalancedAllocation) Name() string { return BalancedAllocationName }

// PreScore computes the pod's amounts. A pod without requests for the resources cannot change a node's balance; scoring it
// would send all such pods to the same node (kubernetes issue 129138).
func (b *BalancedAllocation) PreScore(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) *fwk.Status {
	counted := b.counted(state, pod)
	if counted.hasNone(b.resources) {
		return skip
	}
	s, status := newScored(counted, b.devices, b.resources, b.lastScored)
	if status.IsSuccess() {
		b.lastScored = s
		state.Write(balancedKey, s)
	}
	return status
}

// counted is what scores count for a pod.
func (b *BalancedAllocation) counted(state fwk.CycleState, pod *v1.Pod) *request {
	if s, err := readFilterState(state); err == nil && !isStarted(pod) {
		return &s.need
	}
	held := b.requestOptions.allocated(pod)
	return &held
}

func (r *request) hasNone(resources []weightedResource) bool {
	for i := range resources {
		if r.amount(resources[i].name) != 0 {
			return false
		}
	}
	return true
}

// Score rates the shares of the node's resources that would be in use with the pod.
func (b *BalancedAllocation) Score(_ context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) (int64, *fwk.Status) {
	s, err := framework.ReadState[*scored](state, balancedKey)
	if err != nil {
		counted := b.counted(state, pod)
		if counted.hasNone(b.resources) {
			return 0, nil
		}
		var status *fwk.Status
		if s, status = newScored(counted, b.devices, b.resources, nil); !status.IsSuccess() {
			return 0, status
		}
	}
	var onStack [2][8]float64
	with, without := onStack[0][:0], onStack[1][:0]
	base := node.GetRequested()
	for i := range b.resources {
		if there, held := b.resources[i].amounts(node, base, s.amounts[i], s.devices); there != 0 {
			with = append(with, share(there, held))
			if b.improvement {
				without = append(without, share(there, saturating.Sub(held, s.amounts[i])))
			}
		}
	}
	return b.rate(with, without), nil
}

// rate scores the shares with the pod and, where the improvement counts, without it. Evenness is from half to all of the best score, so an
// improvement is as well: a quarter below the best if nothing changes.
func (b *BalancedAllocation) rate(with, without []float64) int64 {
	if !b.improvement {
		return evenness(with)
	}
	const half = fwk.MaxScore / 2
	return half + (half+evenness(with)-evenness(without))/2
}

// share is how much of a resource is held, at most all of it.
func share(there, held int64) float64 { return min(1, float64(held)/float64(there)) }

// evenness is 100 minus the standard deviation of the shares, in percent.
func evenness(shares []float64) int64 {
	return int64((1 - deviation(shares)) * float64(fwk.MaxScore))
}

// deviation is the standard deviation of the shares. Each product is rounded, which prevents fused multiply-add, so that
// every machine gets the same score.
func deviation(shares []float64) float64 {
	switch n := float64(len(shares)); n {
	case 0, 1:
		return 0
	case 2:
		return math.Abs((shares[0] - shares[1]) / 2)
	default:
		var total, squares float64
		for _, share := range shares {
			total += share
		}
		mean := total / n
		for _, share := range shares {
			squares += float64((share - mean) * (share - mean))
		}
		return math.Sqrt(squares / n)
	}
}

// ScoreExtensions is nil: scores are from 0 to 100.
func (*BalancedAllocation) ScoreExtensions() fwk.ScoreExtensions { return nil }
