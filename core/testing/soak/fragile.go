package soak

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
)

// fragile is a third party's plugin that refuses, fails, panics and waits for the pods whose label asks for it. It depends on the pod
// and the node alone, so that a replay does the same.
type fragile struct{}

const fragileName = "Fragile"

// The values of the label: what happens, and where. Those of a hint refuse every node, too, until the label is gone.
const (
	fragileHint   = framework.Point("QueueingHint")
	waitsInPermit = "wait-Permit"
)

var fragileWays = slices.Concat(
	[]string{waitsInPermit},
	ways("refuse", framework.PreEnqueue, framework.PreFilter, framework.Filter, framework.PostFilter, framework.Reserve, framework.Permit),
	ways("fail", framework.PreEnqueue, framework.PreFilter, framework.Filter, framework.PreScore, framework.Score, framework.Reserve, framework.Permit, framework.PreBind, fragileHint),
	ways("panic", framework.PreEnqueue, framework.PreFilter, framework.Filter, framework.PostFilter, framework.PreScore, framework.Score, framework.Reserve,
		framework.Unreserve, framework.Permit, framework.PreBind, framework.PostBind, fragileHint),
)

func ways(what string, at ...framework.Point) (all []string) {
	for _, point := range at {
		all = append(all, what+"-"+string(point))
	}
	return all
}

// refusedInBinding reports whether the plugin rejects a pod where a new engine that is asked for a place does not ask it.
func refusedInBinding(pod *v1.Pod) bool {
	way := pod.Labels[fragileLabel]
	return way == waitsInPermit || slices.ContainsFunc([]framework.Point{framework.Reserve, framework.Permit, framework.PreBind}, func(p framework.Point) bool {
		return strings.HasSuffix(way, "-"+string(p))
	})
}

func fragileRegistry() framework.Registry {
	return framework.Registry{fragileName: func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) { return fragile{}, nil }}
}

func (fragile) Name() string { return fragileName }

// spares reports whether nothing happens to a pod on a node, of which the plugin does not strike all.
func spares(pod *v1.Pod, node string) bool {
	hash := fnv.New32()
	_, _ = hash.Write([]byte(pod.Name + node))
	return hash.Sum32()%3 == 0
}

// meet does what the pod's label asks for at this extension point, on some nodes only.
func meet(pod *v1.Pod, point framework.Point, node string) *fwk.Status {
	way := pod.Labels[fragileLabel]
	if way == "" || spares(pod, node) {
		return nil
	}
	switch way {
	case "refuse-" + string(point):
		return fwk.NewStatus(fwk.Unschedulable, "the plugin refuses the node")
	case "fail-" + string(point):
		return fwk.NewStatus(fwk.Error, "the plugin fails")
	case "panic-" + string(point):
		panic(fmt.Sprintf("the plugin panics at %s", point))
	}
	return nil
}

func (fragile) PreEnqueue(_ context.Context, pod *v1.Pod) *fwk.Status {
	return meet(pod, framework.PreEnqueue, "")
}

// EventsToRegister implements fwk.EnqueueExtensions.
func (fragile) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{
		{Event: fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.Delete | fwk.UpdatePodLabel}, QueueingHintFn: hint},
		{Event: fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add | fwk.Update}, QueueingHintFn: hint},
	}, nil
}

func hint(_ klog.Logger, pod *v1.Pod, _, _ any) (fwk.QueueingHint, error) {
	switch pod.Labels[fragileLabel] {
	case "fail-" + string(fragileHint):
		return fwk.QueueSkip, errors.New("the plugin's hint fails")
	case "panic-" + string(fragileHint):
		panic("the plugin's hint panics")
	}
	return fwk.Queue, nil
}

func (fragile) PreFilter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	return nil, meet(pod, framework.PreFilter, "")
}

func (fragile) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

func (fragile) Filter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	if strings.HasSuffix(pod.Labels[fragileLabel], string(fragileHint)) {
		return fwk.NewStatus(fwk.Unschedulable, "the plugin refuses all nodes")
	}
	return meet(pod, framework.Filter, node.Node().Name)
}

func (fragile) PostFilter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	if s := meet(pod, framework.PostFilter, ""); s != nil {
		return nil, s
	}
	return nil, fwk.NewStatus(fwk.Unschedulable)
}

func (fragile) PreScore(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) *fwk.Status {
	return meet(pod, framework.PreScore, "")
}

func (fragile) Score(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) (int64, *fwk.Status) {
	return 0, meet(pod, framework.Score, node.Node().Name)
}

func (fragile) ScoreExtensions() fwk.ScoreExtensions { return nil }

func (fragile) Reserve(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	return meet(pod, framework.Reserve, node)
}

func (fragile) Unreserve(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node string) {
	_ = meet(pod, framework.Unreserve, node)
}

// Permit lets pods wait for a time that nothing ends.
func (fragile) Permit(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node string) (*fwk.Status, time.Duration) {
	if pod.Labels[fragileLabel] == waitsInPermit && !spares(pod, node) {
		return fwk.NewStatus(fwk.Wait), 20 * time.Second
	}
	return meet(pod, framework.Permit, node), 0
}

func (fragile) PreBindPreFlight(context.Context, fwk.CycleState, *v1.Pod, string) (*fwk.PreBindPreFlightResult, *fwk.Status) {
	return nil, nil
}

func (fragile) PreBind(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	return meet(pod, framework.PreBind, node)
}

func (fragile) PostBind(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node string) {
	_ = meet(pod, framework.PostBind, node)
}
