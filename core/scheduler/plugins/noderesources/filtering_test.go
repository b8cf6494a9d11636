package noderesources

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"pgregory.net/rapid"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

const gpu = "example.com/gpu"

func fitWith(t testing.TB, change func(*configv1.NodeResourcesFitArgs), gates ...string) *Fit {
	t.Helper()
	set := map[string]bool{}
	for _, gate := range gates {
		set[gate] = true
	}
	return fitUnder(t, change, set)
}

func fitUnder(t testing.TB, change func(*configv1.NodeResourcesFitArgs), gates map[string]bool) *Fit {
	t.Helper()
	features, err := config.ParseFeatures(gates)
	if err != nil {
		t.Fatal(err)
	}
	args := config.DefaultArgs(Name, features).(*configv1.NodeResourcesFitArgs)
	if change != nil {
		change(args)
	}
	plugin, err := New(t.Context(), args, nil, features)
	if err != nil {
		t.Fatal(err)
	}
	return plugin.(*Fit)
}

func onNode(node *v1.Node, pods ...*v1.Pod) fwk.NodeInfo {
	info := cache.NewNodeInfo(pods...)
	info.SetNode(node)
	return info
}

// Shows NODE-05.
func TestFilter(t *testing.T) {
	node := func() *mk.NodeBuilder {
		return mk.Node("n").CPU("4").Memory("8Gi").Resource(v1.ResourceEphemeralStorage, "100Gi")
	}
	busy := mk.Pod("busy").CPU("3").Memory("6Gi").Request(v1.ResourceEphemeralStorage, "90Gi").Obj()
	for name, tc := range map[string]struct {
		pod  *v1.Pod
		node fwk.NodeInfo
		want string
	}{
		"the request equals what is free": {
			mk.Pod("p").CPU("1").Memory("2Gi").Obj(), onNode(node().Obj(), busy), "Success",
		},
		"preemption can free one missing millicpu": {
			mk.Pod("p").CPU("1001m").Obj(), onNode(node().Obj(), busy), "Unschedulable: Insufficient cpu",
		},
		"memory": {
			mk.Pod("p").Memory("3Gi").Obj(), onNode(node().Obj(), busy), "Unschedulable: Insufficient memory",
		},
		"ephemeral storage": {
			mk.Pod("p").Request(v1.ResourceEphemeralStorage, "11Gi").Obj(), onNode(node().Obj(), busy), "Unschedulable: Insufficient ephemeral-storage",
		},
		"preemption cannot free more than the node's allocatable": {
			mk.Pod("p").CPU("8").Obj(), onNode(node().Obj()), "UnschedulableAndUnresolvable: Insufficient cpu",
		},
		"one unresolvable resource makes the node unresolvable, and all reasons are given": {
			mk.Pod("p").CPU("2").Memory("9Gi").Request(v1.ResourceEphemeralStorage, "11Gi").Request(gpu, "1").Obj(),
			onNode(node().Pods("1").Obj(), busy),
			"UnschedulableAndUnresolvable: Too many pods, Insufficient cpu, Insufficient memory, Insufficient ephemeral-storage, Insufficient example.com/gpu",
		},
		"a node at its pod limit rejects a pod without requests, and preemption can help": {
			mk.Pod("p").Obj(), onNode(node().Pods("1").Obj(), busy), "Unschedulable: Too many pods",
		},
		"a node without allocatable pods accepts none": {
			mk.Pod("p").Obj(), onNode(&v1.Node{}), "Unschedulable: Too many pods",
		},
		"a request of zero fits a node without the resource": {
			mk.Pod("p").CPU("0").Request(gpu, "0").Obj(), onNode(mk.Node("n").Obj()), "Success",
		},
		"a pod without requests fits an overcommitted node": {
			mk.Pod("p").Obj(), onNode(mk.Node("n").CPU("1").Obj(), busy), "Success",
		},
		"an extended resource that the node lacks": {
			mk.Pod("p").Request(gpu, "1").Obj(), onNode(node().Obj()), "UnschedulableAndUnresolvable: Insufficient example.com/gpu",
		},
		"an extended resource that is in use": {
			mk.Pod("p").Request(gpu, "1").Obj(),
			onNode(node().Resource(gpu, "2").Obj(), mk.Pod("q").Request(gpu, "2").Obj()),
			"Unschedulable: Insufficient example.com/gpu",
		},
		"several extended resources are named in order": {
			mk.Pod("p").Request("example.com/b", "1").Request("example.com/a", "1").Obj(), onNode(node().Obj()),
			"UnschedulableAndUnresolvable: Insufficient example.com/a, Insufficient example.com/b",
		},
		"huge pages": {
			mk.Pod("p").Request("hugepages-2Mi", "4Mi").Obj(), onNode(node().Resource("hugepages-2Mi", "2Mi").Obj()),
			"UnschedulableAndUnresolvable: Insufficient hugepages-2Mi",
		},
		"a resource that the scheduler does not count": {
			mk.Pod("p").Request("unheard-of", "5").Obj(), onNode(node().Obj()), "Success",
		},
		"the largest init container counts if it requests more than all containers together": {
			mk.Pod("p").CPU("1").Init("i", mk.Resources("cpu", "5")).Obj(), onNode(node().Obj()), "UnschedulableAndUnresolvable: Insufficient cpu",
		},
		"an init container that requests less than the containers does not count": {
			mk.Pod("p").CPU("4").Init("i", mk.Resources("cpu", "3")).Obj(), onNode(node().Obj()), "Success",
		},
		"a sidecar adds to the containers": {
			mk.Pod("p").CPU("3").Sidecar("s", mk.Resources("cpu", "2")).Obj(), onNode(node().Obj()), "UnschedulableAndUnresolvable: Insufficient cpu",
		},
		"a sidecar adds to the init containers after it": {
			mk.Pod("p").Sidecar("s", mk.Resources("cpu", "2")).Init("i", mk.Resources("cpu", "3")).Obj(), onNode(node().Obj()),
			"UnschedulableAndUnresolvable: Insufficient cpu",
		},
		"a sidecar does not add to the init containers before it": {
			mk.Pod("p").Init("i", mk.Resources("cpu", "3")).Sidecar("s", mk.Resources("cpu", "2")).Obj(), onNode(node().Obj()), "Success",
		},
		"a request beyond 64 bits fits no node": {
			mk.Pod("p").CPU("10P").Container("q", "app", mk.Resources("cpu", "9E")).Obj(), onNode(node().Obj()),
			"UnschedulableAndUnresolvable: Insufficient cpu",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plugintest.Filter(fitWith(t, nil), tc.pod, tc.node); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// The documentation's example: containers of 500m and 1500m, 100Mi each, on a runtime that needs 250m and 120Mi itself. Shows
// OVH-05 and C-9.
func TestFilter_CountsOverhead(t *testing.T) {
	pod := mk.Pod("p").CPU("500m").Memory("100Mi").
		Container("second", "app", mk.Resources("cpu", "1500m", "memory", "100Mi")).
		Overhead(v1.ResourceCPU, "250m").Overhead(v1.ResourceMemory, "120Mi").Obj()
	if got := newRequestOptions(config.DefaultFeatures()).requests(pod); got.milliCPU != 2250 || got.memory != 335544320 {
		t.Errorf("requests %dm and %d bytes, want 2250m and 335544320 bytes (320Mi)", got.milliCPU, got.memory)
	}
	for cpu, want := range map[string]string{"2250m": "Success", "2249m": "UnschedulableAndUnresolvable: Insufficient cpu"} {
		node := onNode(mk.Node("n").CPU(cpu).Memory("320Mi").Obj())
		if got := plugintest.Filter(fitWith(t, nil), pod, node); got != want {
			t.Errorf("on a node of %s: %q, want %q", cpu, got, want)
		}
	}
}

func TestFilter_PodLevelResources(t *testing.T) {
	pod := mk.Pod("p").CPU("1").Memory("1Gi").Obj()
	pod.Spec.Resources = &v1.ResourceRequirements{Requests: mk.Resources("cpu", "3")}
	node := onNode(mk.Node("n").CPU("2").Memory("2Gi").Obj())
	if got, want := plugintest.Filter(fitWith(t, nil), pod, node), "UnschedulableAndUnresolvable: Insufficient cpu"; got != want {
		t.Errorf("the pod's own request replaces its containers': got %q, want %q", got, want)
	}
	off := fitUnder(t, nil, map[string]bool{"PodLevelResources": false})
	if got, want := plugintest.Filter(off, pod, node), "Success"; got != want {
		t.Errorf("with the gate off only containers count: got %q, want %q", got, want)
	}
}

// A quantity that is written as a fraction is held behind a pointer; adding the overhead to it would add it to the pod.
func TestRequests_DoNotChangePod(t *testing.T) {
	pod := mk.Pod("p").Overhead(v1.ResourceMemory, "1").Obj()
	pod.Spec.Resources = &v1.ResourceRequirements{Requests: mk.Resources("memory", "1.5Gi")}
	r := newRequestOptions(config.DefaultFeatures())
	const want = 3<<29 + 1
	for range 3 {
		if requested, allocated := r.requests(pod), r.allocated(pod); requested.memory != want || allocated.memory != want {
			t.Fatalf("requests %d and is allocated %d, want %d each time", requested.memory, allocated.memory, want)
		}
	}
}

func TestFilter_IgnoredResources(t *testing.T) {
	ignoring := fitWith(t, func(args *configv1.NodeResourcesFitArgs) {
		args.IgnoredResources = []string{"example.com/licence", "hugepages-2Mi"}
		args.IgnoredResourceGroups = []string{"other.org"}
	})
	for name, tc := range map[string]struct {
		resource v1.ResourceName
		want     string
	}{
		"an ignored resource is left to an extender":                {"example.com/licence", "Success"},
		"every resource of an ignored group is left to an extender": {"other.org/anything", "Success"},
		"another resource of the same domain is counted":            {gpu, "UnschedulableAndUnresolvable: Insufficient example.com/gpu"},
		"a domain with an ignored group as prefix is counted":       {"other.org.uk/x", "UnschedulableAndUnresolvable: Insufficient other.org.uk/x"},
		"huge pages cannot be ignored":                              {"hugepages-2Mi", "UnschedulableAndUnresolvable: Insufficient hugepages-2Mi"},
		"a resource of kubernetes.io cannot be ignored":             {"kubernetes.io/thing", "UnschedulableAndUnresolvable: Insufficient kubernetes.io/thing"},
	} {
		t.Run(name, func(t *testing.T) {
			pod := mk.Pod("p").Request(tc.resource, "1").Obj()
			if got := plugintest.Filter(ignoring, pod, onNode(mk.Node("n").Obj())); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// A pod fits exactly if the exact sum of its requests is at most what the node has, however large the quantities.
func TestFilter_HugeRequests(t *testing.T) {
	amounts := rapid.SampledFrom([]string{"0", "1m", "100u", "0.3", "1", "1.5Gi", "4Gi", "5P", "9E", "8Ei", "9223372036854775807", "9223372036854775.807"})
	capacities := rapid.SampledFrom([]string{"0", "1", "4", "8Gi", "1P"})
	fit := fitWith(t, nil)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory, v1.ResourceEphemeralStorage, gpu}).Draw(t, "resource")
		var sum resource.Quantity
		b := mk.Pod("p")
		for i := range rapid.IntRange(1, 4).Draw(t, "containers") {
			amount := amounts.Draw(t, "amount")
			b.Container(string(rune('a'+i)), "app", mk.Resources(string(name), amount))
			sum.Add(resource.MustParse(amount))
		}
		capacity := capacities.Draw(t, "capacity")
		node := onNode(mk.Node("n").Resource(name, capacity).Obj())
		fits := plugintest.Filter(fit, b.Obj(), node) == "Success"
		if want := sum.Cmp(resource.MustParse(capacity)) <= 0; fits != want {
			t.Fatalf("%s of %s requested, %s allocatable: fits is %v, want %v", sum.String(), name, capacity, fits, want)
		}
	})
}

func TestFilter_WithoutPreFilter(t *testing.T) {
	status := fitWith(t, nil).Filter(t.Context(), framework.NewCycleState(), mk.Pod("p").Obj(), onNode(mk.Node("n").Obj()))
	if got, want := plugintest.StatusText(status), `Error: error reading "PreFilterNodeResourcesFit" from cycleState: not found`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFilter_DoesNotAllocate(t *testing.T) {
	fit := fitWith(t, nil)
	roomy := onNode(mk.Node("n").CPU("4").Memory("8Gi").Resource(gpu, "2").Obj())
	taken := onNode(mk.Node("n").CPU("4").Memory("8Gi").Resource(gpu, "2").Obj(), mk.Pod("q").Request(gpu, "2").Obj())
	full := onNode(mk.Node("n").CPU("1").Obj(), mk.Pod("q").CPU("1").Obj())
	for name, tc := range map[string]struct {
		pod  *v1.Pod
		node fwk.NodeInfo
	}{
		"a pod that fits":              {mk.Pod("p").CPU("1").Memory("1Gi").Request(gpu, "1").Obj(), roomy},
		"a pod that lacks one scalar":  {mk.Pod("p").CPU("1").Memory("1Gi").Request(gpu, "1").Obj(), taken},
		"a pod that lacks cpu, memory": {mk.Pod("p").CPU("1").Memory("1Gi").Obj(), full},
		"a pod without requests":       {mk.Pod("p").Obj(), full},
	} {
		state := framework.NewCycleState()
		fit.PreFilter(t.Context(), state, tc.pod, nil)
		ctx := t.Context()
		if n := testing.AllocsPerRun(100, func() { fit.Filter(ctx, state, tc.pod, tc.node) }); n != 0 {
			t.Errorf("%s: %v allocations for a node", name, n)
		}
	}
}

func TestFilter_StatusesCarryPluginName(t *testing.T) {
	for found, status := range basicStatus {
		if found == 0 {
			if status != nil {
				t.Errorf("the status for no shortage is %v, want success", status)
			}
			continue
		}
		if status.Plugin() != Name {
			t.Errorf("status %q is of plugin %q", status.Message(), status.Plugin())
		}
	}
}
