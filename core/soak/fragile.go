package soak

import (
	"context"
	"fmt"
	"hash/fnv"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/framework"
)

// fragile is a third party's plugin that refuses, fails and panics for the pods whose label asks for it. It depends on the pod and
// the node alone, so that a replay does the same.
type fragile struct{}

const fragileName = "Fragile"

// fragileWays are the values of the label: what happens, and where.
var fragileWays = []string{"refuse-Filter", "fail-Filter", "panic-Filter", "panic-PreFilter", "fail-Reserve", "panic-Reserve", "fail-PreBind", "panic-PreBind", "panic-Score", "fail-Score"}

func fragileRegistry() framework.Registry {
	return framework.Registry{fragileName: func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) { return fragile{}, nil }}
}

func (fragile) Name() string { return fragileName }

// meet does what the pod's label asks for at this extension point, on some nodes only.
func meet(pod *v1.Pod, point framework.Point, node string) *fwk.Status {
	hash := fnv.New32()
	_, _ = hash.Write([]byte(pod.Name + node))
	if hash.Sum32()%3 == 0 {
		return nil
	}
	switch pod.Labels[fragileLabel] {
	case "refuse-" + string(point):
		return fwk.NewStatus(fwk.Unschedulable, "the plugin refuses the node")
	case "fail-" + string(point):
		return fwk.NewStatus(fwk.Error, "the plugin fails")
	case "panic-" + string(point):
		panic(fmt.Sprintf("the plugin panics at %s", point))
	}
	return nil
}

func (fragile) PreFilter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	return nil, meet(pod, framework.PreFilter, "")
}

func (fragile) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

func (fragile) Filter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	return meet(pod, framework.Filter, node.Node().Name)
}

func (fragile) Score(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) (int64, *fwk.Status) {
	return 0, meet(pod, framework.Score, node.Node().Name)
}

func (fragile) ScoreExtensions() fwk.ScoreExtensions { return nil }

func (fragile) Reserve(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	return meet(pod, framework.Reserve, node)
}

func (fragile) Unreserve(context.Context, fwk.CycleState, *v1.Pod, string) {}

func (fragile) PreBindPreFlight(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status {
	return nil
}

func (fragile) PreBind(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	return meet(pod, framework.PreBind, node)
}
