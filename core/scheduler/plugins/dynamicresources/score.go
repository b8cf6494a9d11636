package dynamicresources

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
)

// Score prefers nodes where requests with alternatives (KEP-4816) get an early one: the first counts 8, the second 7, and so on.
func (pl *DynamicResources) Score(ctx context.Context, state fwk.CycleState, _ *v1.Pod, info fwk.NodeInfo) (int64, *fwk.Status) {
	c, err := readCycle(state)
	if err != nil {
		return 0, fwk.AsStatus(err)
	}
	if !c.allocates || pl.scoresAllocated && !pl.features.PrioritizedList {
		return 0, nil
	}
	onNode := c.nextFound(info.Node().Name)
	if onNode == nil {
		onNode = pl.found(ctx, c, info.Node().Name)
	}
	switch {
	case onNode == nil || onNode.verdict == nil:
		return 0, nil
	case pl.scoresAllocated:
		return scoreAll(c.claims.all, onNode.verdict)
	case len(onNode.results) < len(c.claims.all):
		// The results are those of the claims without devices, yet they are counted by all. Kube-scheduler does so, too.
		return 0, fwk.AsStatus(fmt.Errorf("number of allocations %d is smaller than number of claims", len(onNode.results)))
	}
	return onNode.score, nil
}

// scoreAll adds what the claims with devices got to the score of the others. There is none for a claim that the node's device plugin serves.
func scoreAll(claims []*resourcev1.ResourceClaim, onNode *verdict) (int64, *fwk.Status) {
	score, needed := onNode.score, 0
	for _, claim := range claims {
		if claim.Status.Allocation == nil {
			needed++
			continue
		}
		score += scoreOf(claim, claim.Status.Allocation)
	}
	if len(onNode.results) < needed {
		return 0, fwk.AsStatus(fmt.Errorf("number of allocations %d is smaller than number of claims needing allocation", len(onNode.results)))
	}
	return score, nil
}

// scoreOf sums up the alternatives that a claim got.
func scoreOf(claim *resourcev1.ResourceClaim, result *resourcev1.AllocationResult) int64 {
	chosen := sets.New[string]()
	for _, device := range result.Devices.Results {
		chosen.Insert(device.Request)
	}
	var score int64
	for i := range claim.Spec.Devices.Requests {
		request := &claim.Spec.Devices.Requests[i]
		if request.Exactly != nil {
			continue
		}
		for j := range request.FirstAvailable {
			if chosen.Has(resourceclaim.CreateSubRequestRef(request.Name, request.FirstAvailable[j].Name)) {
				score += int64(resourcev1.FirstAvailableDeviceRequestMaxSize - j)
			}
		}
	}
	return score
}

// ScoreExtensions is the plugin itself.
func (pl *DynamicResources) ScoreExtensions() fwk.ScoreExtensions { return pl }

// Reversed reports that the node with the highest score gets 100.
func (pl *DynamicResources) Reversed() bool { return false }

// NormalizeScore scales the scores so that the highest is 100.
func (*DynamicResources) NormalizeScore(_ context.Context, _ fwk.CycleState, _ *v1.Pod, scores fwk.NodeScoreList) *fwk.Status {
	framework.ScaleScores(scores)
	return nil
}
