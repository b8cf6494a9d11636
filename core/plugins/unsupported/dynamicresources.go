package unsupported

import (
	"context"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/config"
	"orrery/core/framework"
	"orrery/core/world"
)

// DynamicResources is the name of the plugin for resource claims, in configurations, metrics and statuses.
const DynamicResources = "DynamicResources"

// Claims is the plugin DynamicResources.
type Claims struct{ filtering }

var (
	_ fwk.PreEnqueuePlugin  = (*Claims)(nil)
	_ fwk.PreFilterPlugin   = (*Claims)(nil)
	_ fwk.FilterPlugin      = (*Claims)(nil)
	_ fwk.PostFilterPlugin  = (*Claims)(nil)
	_ fwk.ScorePlugin       = (*Claims)(nil)
	_ fwk.ScoreExtensions   = (*Claims)(nil)
	_ fwk.ReservePlugin     = (*Claims)(nil)
	_ fwk.EnqueueExtensions = (*Claims)(nil)
	_ framework.NodeLocal   = (*Claims)(nil)

	_ framework.StepwisePreBind = (*Claims)(nil)
)

var (
	nothingToDeallocate = fwk.NewStatus(fwk.Unschedulable, "no new claims to deallocate").WithPlugin(DynamicResources)
	notSignable         = fwk.NewStatus(fwk.Unschedulable, "pods with dra resource claims are not signable").WithPlugin(DynamicResources)
)

// NewDynamicResources makes the plugin from DynamicResourcesArgs.
func NewDynamicResources(_ context.Context, args runtime.Object, _ fwk.Handle, features config.Features) (fwk.Plugin, error) {
	claims, ok := args.(*configv1.DynamicResourcesArgs)
	if !ok {
		return nil, fmt.Errorf("got args of type %T, want *DynamicResourcesArgs", args)
	}
	if err := config.ValidateDynamicResourcesArgs(nil, claims, features); err != nil {
		return nil, err
	}
	uses := func(pod *v1.Pod) string {
		if len(pod.Spec.ResourceClaims) == 0 {
			return ""
		}
		return "a resource claim"
	}
	return &Claims{filtering{refusal{DynamicResources, uses}}}, nil
}

// PreEnqueue accepts every pod: a rejection at PreFilter reaches the pod's status, one here would not.
func (*Claims) PreEnqueue(context.Context, *v1.Pod) *fwk.Status { return nil }

// visited marks for PostFilter that PreFilter ran.
type visited struct{}

// Clone returns the mark.
func (v visited) Clone() fwk.StateData { return v }

const visitedKey fwk.StateKey = DynamicResources

// PreFilter writes the mark, and rejects the pod or skips Filter.
func (c *Claims) PreFilter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	state.Write(visitedKey, visited{})
	return c.filtering.PreFilter(ctx, state, pod, nodes)
}

// PostFilter never helps. Its reason is part of the message of nearly every pod that does not fit. Where an earlier
// plugin has ended PreFilter, the mark is missing and the answer is an error, which keeps preemption from being tried.
func (*Claims) PostFilter(_ context.Context, state fwk.CycleState, _ *v1.Pod, _ fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	if _, err := state.Read(visitedKey); err != nil {
		return nil, fwk.AsStatus(err)
	}
	return nil, nothingToDeallocate
}

// Score is the same for every node.
func (*Claims) Score(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeInfo) (int64, *fwk.Status) {
	return 0, nil
}

// ScoreExtensions is the plugin itself.
func (c *Claims) ScoreExtensions() fwk.ScoreExtensions { return c }

// NormalizeScore leaves zeros as they are.
func (*Claims) NormalizeScore(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeScoreList) *fwk.Status {
	return nil
}

// Reserve has nothing to reserve.
func (*Claims) Reserve(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status { return nil }

// Unreserve has nothing to release.
func (*Claims) Unreserve(context.Context, fwk.CycleState, *v1.Pod, string) {}

// PreBindPreFlight says that PreBind has nothing to do.
func (*Claims) PreBindPreFlight(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status {
	return skip
}

// PreBind has nothing to do.
func (*Claims) PreBind(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status { return nil }

// PreBindStep has nothing to do: the plugin never blocks.
func (*Claims) PreBindStep(fwk.CycleState, *v1.Pod, string, time.Time, *world.Outcome) framework.PreBindStep {
	return framework.PreBindStep{}
}

// SignPod does not sign pods with claims, and adds nothing to the signature of others.
func (c *Claims) SignPod(_ context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	if c.uses(pod) != "" {
		return nil, notSignable
	}
	return nil, nil
}
