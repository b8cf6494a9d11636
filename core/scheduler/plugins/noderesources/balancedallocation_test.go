package noderesources

import (
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

func balancedWith(t testing.TB, names ...string) *BalancedAllocation {
	t.Helper()
	args := &configv1.NodeResourcesBalancedAllocationArgs{}
	for _, name := range names {
		args.Resources = append(args.Resources, configv1.ResourceSpec{Name: name, Weight: 1})
	}
	plugin, err := NewBalancedAllocation(t.Context(), args, nil, config.DefaultFeatures())
	if err != nil {
		t.Fatal(err)
	}
	return plugin.(*BalancedAllocation)
}

func TestBalancedAllocation_Score(t *testing.T) {
	hundred := func() *mk.NodeBuilder { return mk.Node("n").CPU("10").Memory("1000").Resource(gpu, "100") }
	for name, tc := range map[string]struct {
		resources []string
		pod       *v1.Pod
		node      fwk.NodeInfo
		want      int64
	}{
		"equal shares are perfect":                           {[]string{"cpu", "memory"}, mk.Pod("p").CPU("5").Memory("500").Obj(), onNode(hundred().Obj()), 100},
		"three quarters and a half: an eighth from perfect":  {[]string{"cpu", "memory"}, mk.Pod("p").CPU("7500m").Memory("500").Obj(), onNode(hundred().Obj()), 87},
		"more than the node has is a share of one":           {[]string{"cpu", "memory"}, mk.Pod("p").CPU("15").Memory("200").Obj(), onNode(hundred().Obj()), 60},
		"three resources: .2, .5 and .9":                     {[]string{"cpu", "memory", gpu}, mk.Pod("p").CPU("2").Memory("500").Request(gpu, "90").Obj(), onNode(hundred().Obj()), 71},
		"one resource is always balanced":                    {[]string{"cpu"}, mk.Pod("p").CPU("2").Obj(), onNode(hundred().Obj()), 100},
		"pods on the node count with their requests":         {[]string{"cpu", "memory"}, mk.Pod("p").CPU("5").Obj(), onNode(hundred().Obj(), mk.Pod("q").CPU("2500m").Memory("500").Obj()), 87},
		"a pod on the node without requests counts nothing":  {[]string{"cpu", "memory"}, mk.Pod("p").CPU("5").Memory("500").Obj(), onNode(hundred().Obj(), mk.Pod("q").Obj()), 100},
		"a resource the node does not have is left out":      {[]string{"cpu", "memory", gpu}, mk.Pod("p").CPU("5").Memory("500").Request(gpu, "1").Obj(), onNode(mk.Node("n").CPU("10").Memory("1000").Obj()), 100},
		"a scalar that the pod does not request is left out": {[]string{"cpu", "memory", gpu}, mk.Pod("p").CPU("5").Memory("500").Obj(), onNode(hundred().Obj(), mk.Pod("q").Request(gpu, "90").Obj()), 100},
	} {
		t.Run(name, func(t *testing.T) {
			raw, _ := plugintest.Scores(t, balancedWith(t, tc.resources...), tc.pod, tc.node)
			if raw[0] != tc.want {
				t.Errorf("scores %d, want %d", raw[0], tc.want)
			}
		})
	}
}

func TestBalancedAllocation_SkipsPodsWithoutRequests(t *testing.T) {
	balanced := balancedWith(t, "cpu", "memory")
	for name, pod := range map[string]*v1.Pod{
		"has no requests":           mk.Pod("p").Obj(),
		"requests zero":             mk.Pod("p").CPU("0").Memory("0").Obj(),
		"requests another resource": mk.Pod("p").Request(gpu, "1").Obj(),
	} {
		status := balanced.PreScore(t.Context(), framework.NewCycleState(), pod, nil)
		if !status.IsSkip() {
			t.Errorf("a pod that %s: PreScore returned %s, want Skip", name, plugintest.StatusText(status))
		}
		score, _ := balanced.Score(t.Context(), framework.NewCycleState(), pod, onNode(mk.Node("n").CPU("1").Obj()))
		if score != 0 {
			t.Errorf("a pod that %s scores %d without PreScore, want 0", name, score)
		}
	}
}

func TestBalancedAllocation_PodLevelResources(t *testing.T) {
	pod := mk.Pod("p").CPU("1").Memory("500").Obj()
	pod.Spec.Resources = &v1.ResourceRequirements{Requests: mk.Resources("cpu", "5")}
	raw, _ := plugintest.Scores(t, balancedWith(t, "cpu", "memory"), pod, onNode(mk.Node("n").CPU("10").Memory("1000").Obj()))
	if raw[0] != 100 {
		t.Errorf("scores %d, want 100: half of each", raw[0])
	}
}

func TestBalancedAllocation_ResizedPod(t *testing.T) {
	pod := mk.Pod("p").CPU("1").Memory("500").Obj()
	pod.Status.ContainerStatuses = []v1.ContainerStatus{{
		Name: "main", Resources: &v1.ResourceRequirements{Requests: mk.Resources("cpu", "5", "memory", "500")},
	}}
	raw, _ := plugintest.Scores(t, balancedWith(t, "cpu", "memory"), pod, onNode(mk.Node("n").CPU("10").Memory("1000").Obj()))
	if raw[0] != 100 {
		t.Errorf("scores %d, want 100: five cpus are still allocated to it", raw[0])
	}
}

func TestNewBalancedAllocation_Args(t *testing.T) {
	twice := []configv1.ResourceSpec{{Name: "cpu", Weight: 1}, {Name: "cpu", Weight: 1}}
	heavy := []configv1.ResourceSpec{{Name: "cpu", Weight: 2}}
	for name, tc := range map[string]struct {
		resources []configv1.ResourceSpec
		want      string
	}{
		"a resource twice":         {twice, "Duplicate value"},
		"a weight that is not one": {heavy, "must be 1"},
	} {
		args := &configv1.NodeResourcesBalancedAllocationArgs{Resources: tc.resources}
		if _, err := NewBalancedAllocation(t.Context(), args, nil, config.DefaultFeatures()); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want one that contains %q", name, err, tc.want)
		}
	}
	if _, err := NewBalancedAllocation(t.Context(), &configv1.NodeAffinityArgs{}, nil, config.DefaultFeatures()); err == nil {
		t.Error("args of another plugin were accepted")
	}
}
