package noderesources

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

func TestQueueingHints_PodChange(t *testing.T) {
	waiting := mk.Pod("waiting").CPU("1").Request(gpu, "0").Obj()
	held := func(cpu, memory string) *v1.Pod { return mk.Pod("other").Node("n").CPU(cpu).Memory(memory).Obj() }
	inPlace := held("1", "1Gi")
	inPlace.Status.ContainerStatuses = []v1.ContainerStatus{{
		Name: "main", Resources: &v1.ResourceRequirements{Requests: mk.Resources("cpu", "2", "memory", "1Gi")},
	}}
	for name, tc := range map[string]struct {
		action        fwk.ActionType
		before, after any
		want          string
	}{
		"another pod on a node is deleted":                        {fwk.Delete, held("1", "1Gi"), nil, "Queue"},
		"a nominated pod is deleted":                              {fwk.Delete, mk.Pod("other").Nominated("n").Obj(), nil, "Queue"},
		"a pod without a node is deleted":                         {fwk.Delete, mk.Pod("other").CPU("9").Obj(), nil, "QueueSkip"},
		"another pod lowers its cpu request":                      {fwk.UpdatePodScaleDown, held("2", "1Gi"), held("1", "1Gi"), "Queue"},
		"another pod lowers a request that the pod does not have": {fwk.UpdatePodScaleDown, held("1", "2Gi"), held("1", "1Gi"), "QueueSkip"},
		"another pod lowers a request that is still allocated":    {fwk.UpdatePodScaleDown, held("2", "1Gi"), inPlace, "QueueSkip"},
		"a pod without a node lowers its request":                 {fwk.UpdatePodScaleDown, mk.Pod("other").CPU("2").Obj(), mk.Pod("other").CPU("1").Obj(), "QueueSkip"},
		"the pod itself lowers its request":                       {fwk.UpdatePodScaleDown, mk.Pod("waiting").CPU("2").Obj(), waiting, "Queue"},
		"another pod is created":                                  {fwk.Add, nil, held("1", "1Gi"), "not registered"},
		"the event is for another kind of object":                 {fwk.Delete, mk.Node("n").Obj(), nil, "Queue: reading the old object of an event: it is a *v1.Node where a *v1.Pod was expected"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plugintest.Hint(t, fitWith(t, nil), fwk.Pod, tc.action, waiting, tc.before, tc.after); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestQueueingHints_NodeChange(t *testing.T) {
	waiting := mk.Pod("waiting").CPU("2").Request(gpu, "1").Obj()
	noRequests := mk.Pod("no-requests").Obj()
	node := func(cpu, gpus string) *mk.NodeBuilder { return mk.Node("n").CPU(cpu).Memory("1Gi").Resource(gpu, gpus) }
	for name, tc := range map[string]struct {
		pod           *v1.Pod
		action        fwk.ActionType
		before, after any
		want          string
	}{
		"a node is added that fits the pod":                     {waiting, fwk.Add, nil, node("2", "1").Obj(), "Queue"},
		"a node is added that is too small":                     {waiting, fwk.Add, nil, node("1", "1").Obj(), "QueueSkip"},
		"a node is added that lacks a scalar":                   {waiting, fwk.Add, nil, node("2", "0").Obj(), "QueueSkip"},
		"a node is added that accepts no pods":                  {noRequests, fwk.Add, nil, mk.Node("n").Pods("0").Obj(), "QueueSkip"},
		"a node gains cpu":                                      {waiting, fwk.UpdateNodeAllocatable, node("2", "1").Obj(), node("3", "1").Obj(), "Queue"},
		"a node gains a scalar":                                 {waiting, fwk.UpdateNodeAllocatable, node("2", "1").Obj(), node("2", "2").Obj(), "Queue"},
		"a node gains cpu but is still too small":               {waiting, fwk.UpdateNodeAllocatable, node("1", "1").Obj(), node("1500m", "1").Obj(), "QueueSkip"},
		"a node loses cpu and still fits the pod":               {waiting, fwk.UpdateNodeAllocatable, node("4", "1").Obj(), node("3", "1").Obj(), "QueueSkip"},
		"a node gains a resource that the pod does not request": {waiting, fwk.UpdateNodeAllocatable, node("2", "1").Obj(), node("2", "1").Memory("9Gi").Obj(), "QueueSkip"},
		"a node accepts more pods":                              {noRequests, fwk.UpdateNodeAllocatable, node("2", "1").Obj(), node("2", "1").Pods("111").Obj(), "Queue"},
		"a pod without requests is not requeued by more cpu":    {noRequests, fwk.UpdateNodeAllocatable, node("2", "1").Obj(), node("3", "1").Obj(), "QueueSkip"},
		"a taint changes":                                       {waiting, fwk.UpdateNodeTaint, node("2", "1").Obj(), node("2", "1").Obj(), "not registered"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plugintest.Hint(t, fitWith(t, nil), fwk.Node, tc.action, tc.pod, tc.before, tc.after); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestQueueingHints_CountIgnoredResources(t *testing.T) {
	ignoring := fitWith(t, func(args *configv1.NodeResourcesFitArgs) { args.IgnoredResources = []string{gpu} })
	pod := mk.Pod("p").Request(gpu, "1").Obj()
	if got := plugintest.Hint(t, ignoring, fwk.Node, fwk.Add, pod, nil, mk.Node("n").Obj()); got != "QueueSkip" {
		t.Errorf("got %q, want QueueSkip", got)
	}
}
