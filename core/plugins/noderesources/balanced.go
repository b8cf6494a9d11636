package noderesources

import (
	"context"
	"fmt"
	"math"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/config"
	"orrery/core/framework"
)

// BalancedName is the name of the balanced allocation plugin, in configurations, metrics and statuses.
const BalancedName = "NodeResourcesBalancedAllocation"

// balancedKey is where the pod's amounts wait for the score.
const balancedKey fwk.StateKey = "PreScore" + BalancedName

// Balanced is the plugin NodeResourcesBalancedAllocation: it prefers nodes whose resources would be used to an equal
// share with the pod on them.
type Balanced struct {
	reading    reading
	resources  []weighed
	unsignable bool
}

var (
	_ fwk.PreScorePlugin  = (*Balanced)(nil)
	_ fwk.ScorePlugin     = (*Balanced)(nil)
	_ framework.NodeLocal = (*Balanced)(nil)
)

var nothingToBalance = fwk.NewStatus(fwk.Skip)

// NewBalanced makes the balanced allocation plugin from NodeResourcesBalancedAllocationArgs.
func NewBalanced(_ context.Context, args runtime.Object, _ fwk.Handle, features config.Features) (fwk.Plugin, error) {
	balanced, ok := args.(*configv1.NodeResourcesBalancedAllocationArgs)
	if !ok {
		return nil, fmt.Errorf("want args to be of type NodeResourcesBalancedAllocationArgs, got %T", args)
	}
	if err := config.ValidateNodeResourcesBalancedAllocationArgs(nil, balanced); err != nil {
		return nil, err
	}
	return &Balanced{
		reading:    newReading(features),
		resources:  newWeighed(balanced.Resources),
		unsignable: features.Enabled(config.DRAExtendedResource),
	}, nil
}

// Name is the plugin's name.
func (*Balanced) Name() string { return BalancedName }

// NodeLocal says that the answer is the node's own.
func (*Balanced) NodeLocal() {}

// PreScore works out what the pod asks for. A pod that asks for none of the resources cannot change a node's balance;
// scoring it would send all such pods to the same node.
func (b *Balanced) PreScore(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) *fwk.Status {
	amounts := b.podAmounts(state, pod)
	if amounts.zero() {
		return nothingToBalance
	}
	state.Write(balancedKey, amounts)
	return nil
}

func (b *Balanced) podAmounts(state fwk.CycleState, pod *v1.Pod) podAmounts {
	if s, err := readFilterState(state); err == nil && !isStarted(pod) {
		return amountsOf(&s.need, b.resources)
	}
	held := b.reading.held(pod)
	return amountsOf(&held, b.resources)
}

func (a podAmounts) zero() bool {
	for _, amount := range a {
		if amount != 0 {
			return false
		}
	}
	return true
}

// Score is 100 less the standard deviation of the shares, in percent.
func (b *Balanced) Score(_ context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) (int64, *fwk.Status) {
	amounts, ok := readAmounts(state, balancedKey)
	if !ok {
		if amounts = b.podAmounts(state, pod); amounts.zero() {
			return 0, nil
		}
	}
	var onStack [8]float64
	shares := onStack[:0]
	base := node.GetRequested()
	for i := range b.resources {
		if there, held := b.resources[i].amounts(node, base, amounts[i]); there != 0 {
			shares = append(shares, min(1, float64(held)/float64(there)))
		}
	}
	return int64((1 - deviation(shares)) * float64(fwk.MaxNodeScore)), nil
}

// deviation is the standard deviation over all of the shares. The products are rounded one by one, so that no machine
// fuses them and every machine gets the same score.
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

// ScoreExtensions are not needed: scores run from 0 to 100 by themselves.
func (*Balanced) ScoreExtensions() fwk.ScoreExtensions { return nil }
