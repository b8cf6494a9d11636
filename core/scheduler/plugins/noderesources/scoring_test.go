package noderesources

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

// by is a change of args: a strategy, the weights of its resources as "cpu=1 memory=1", and for a ratio its shape as
// "0→0 100→10".
func by(kind configv1.ScoringStrategyType, weights, shape string) func(*configv1.NodeResourcesFitArgs) {
	return func(args *configv1.NodeResourcesFitArgs) {
		s := &configv1.ScoringStrategy{Type: kind}
		for _, word := range strings.Fields(weights) {
			name, weight, _ := strings.Cut(word, "=")
			s.Resources = append(s.Resources, configv1.ResourceSpec{Name: name, Weight: number(weight)})
		}
		if shape != "" {
			s.RequestedToCapacityRatio = &configv1.RequestedToCapacityRatioParam{}
			for _, word := range strings.Fields(shape) {
				at, score, _ := strings.Cut(word, "→")
				s.RequestedToCapacityRatio.Shape = append(s.RequestedToCapacityRatio.Shape,
					configv1.UtilizationShapePoint{Utilization: int32(number(at)), Score: int32(number(score))})
			}
		}
		args.ScoringStrategy = s
	}
}

func number(digits string) int64 {
	var n int64
	for _, digit := range digits {
		n = 10*n + int64(digit-'0')
	}
	return n
}

const packing, spreading = "0→0 100→10", "0→10 100→0"

// halfUsed is a node of 4000m and 10000Mi whose pods count for 1000m and 1600Mi.
func halfUsed() fwk.NodeInfo {
	return onNode(mk.Node("n").CPU("4000m").Memory("10000Mi").Obj(), mk.Pod("q").CPU("1000m").Memory("1600Mi").Obj())
}

// Shows PACK-01, PACK-02 and PACK-08.
func TestScore(t *testing.T) {
	noRequests := mk.Pod("p").Obj() // counts for 100m and 200Mi
	for name, tc := range map[string]struct {
		args func(*configv1.NodeResourcesFitArgs)
		pod  *v1.Pod
		node fwk.NodeInfo
		want int64
	}{
		"by default the emptier node is better: cpu 72, memory 82":       {nil, noRequests, halfUsed(), 77},
		"LeastAllocated is the default":                                  {by("LeastAllocated", "cpu=1 memory=1", ""), noRequests, halfUsed(), 77},
		"MostAllocated is the opposite: cpu 27, memory 18, rounded down": {by("MostAllocated", "cpu=1 memory=1", ""), noRequests, halfUsed(), 22},
		"a ratio is rounded to the nearest: 22.5 becomes 23":             {by("RequestedToCapacityRatio", "cpu=1 memory=1", packing), noRequests, halfUsed(), 23},
		"weights shift the mean: (72·3+82)/4":                            {by("LeastAllocated", "cpu=3 memory=1", ""), noRequests, halfUsed(), 74},
		"LeastAllocated scores 0 for a pod that does not fit":            {by("LeastAllocated", "cpu=1", ""), mk.Pod("p").CPU("5").Obj(), halfUsed(), 0},
		"MostAllocated scores 100 for a pod that does not fit":           {by("MostAllocated", "cpu=1", ""), mk.Pod("p").CPU("5").Obj(), halfUsed(), 100},
		"a ratio scores as at 100 % for a pod that does not fit":         {by("RequestedToCapacityRatio", "cpu=1", packing), mk.Pod("p").CPU("5").Obj(), halfUsed(), 100},
		"a resource the node does not have is left out":                  {by("LeastAllocated", "cpu=1 example.com/gpu=10", ""), mk.Pod("p").CPU("1").Request(gpu, "1").Obj(), halfUsed(), 50},
		"a scalar that the pod does not request is left out":             {by("MostAllocated", "cpu=1 example.com/gpu=10", ""), mk.Pod("p").CPU("1").Obj(), onNode(mk.Node("n").CPU("4").Resource(gpu, "4").Obj(), mk.Pod("q").Request(gpu, "4").CPU("1").Obj()), 50},
		"a scalar that the pod requests counts":                          {by("MostAllocated", "cpu=1 example.com/gpu=1", ""), mk.Pod("p").CPU("1").Request(gpu, "1").Obj(), onNode(mk.Node("n").CPU("4").Resource(gpu, "4").Obj(), mk.Pod("q").Request(gpu, "3").CPU("1").Obj()), 75},
		"ephemeral storage counts as requested, without defaults":        {by("MostAllocated", "ephemeral-storage=1", ""), mk.Pod("p").Request(v1.ResourceEphemeralStorage, "2Gi").Obj(), onNode(mk.Node("n").Resource(v1.ResourceEphemeralStorage, "10Gi").Obj(), mk.Pod("q").Request(v1.ResourceEphemeralStorage, "1Gi").Obj()), 30},
		"no resource that counts: zero":                                  {by("LeastAllocated", "example.com/gpu=1", ""), noRequests, halfUsed(), 0},
		"every container without requests counts for 100m":               {by("MostAllocated", "cpu=1", ""), mk.Pod("p").Container("b", "app", nil).Container("c", "app", nil).Obj(), onNode(mk.Node("n").CPU("1").Obj()), 30},
		"a container that requests 0 counts for nothing":                 {by("MostAllocated", "cpu=1", ""), mk.Pod("p").CPU("0").Obj(), onNode(mk.Node("n").CPU("1").Obj()), 0},
		"in a ratio, a resource that scores 0 is left out":               {by("RequestedToCapacityRatio", "cpu=1 memory=1", packing), mk.Pod("p").CPU("2").Memory("0").Obj(), onNode(mk.Node("n").CPU("4").Memory("8Gi").Obj()), 50},
	} {
		t.Run(name, func(t *testing.T) {
			raw, _ := plugintest.Scores(t, fitWith(t, tc.args), tc.pod, tc.node)
			if raw[0] != tc.want {
				t.Errorf("scores %d, want %d", raw[0], tc.want)
			}
		})
	}
}

// A node of 4000m and 10000Mi that would hold 1200m and 2000Mi with the pod on it. Shows PACK-02.
func TestScore_ThirtyAndTwentyPercentUsed(t *testing.T) {
	node := onNode(mk.Node("n").CPU("4000m").Memory("10000Mi").Obj(), mk.Pod("q").CPU("1100m").Memory("1800Mi").Obj())
	for name, tc := range map[string]struct {
		args func(*configv1.NodeResourcesFitArgs)
		want int64
	}{
		"LeastAllocated: (70+80)/2":           {by("LeastAllocated", "cpu=1 memory=1", ""), 75},
		"MostAllocated: (30+20)/2":            {by("MostAllocated", "cpu=1 memory=1", ""), 25},
		"RequestedToCapacityRatio: (30+20)/2": {by("RequestedToCapacityRatio", "cpu=1 memory=1", packing), 25},
	} {
		t.Run(name, func(t *testing.T) {
			raw, _ := plugintest.Scores(t, fitWith(t, tc.args), mk.Pod("p").Obj(), node)
			if raw[0] != tc.want {
				t.Errorf("scores %d, want %d", raw[0], tc.want)
			}
		})
	}
}

// The pod's own request replaces its containers' requests in the filter, but not in the score.
func TestScore_IgnoresPodLevelResources(t *testing.T) {
	pod := mk.Pod("p").CPU("1").Memory("1Gi").Obj()
	pod.Spec.Resources = &v1.ResourceRequirements{Requests: mk.Resources("cpu", "3")}
	raw, _ := plugintest.Scores(t, fitWith(t, by("MostAllocated", "cpu=1", "")), pod, onNode(mk.Node("n").CPU("4").Obj()))
	if raw[0] != 25 {
		t.Errorf("scores %d, want 25: one cpu of four", raw[0])
	}
}

// Shows CONF-05 and PACK-03.
func TestRequestedToCapacityRatio_Shapes(t *testing.T) {
	for shape, want := range map[string]map[int64]int64{
		"0→10 40→6 100→0": {0: 100, 33: 67, 40: 60, 55: 45, 99: 1, 100: 0},
		"0→10 30→0":       {1: 97, 30: 0, 31: 0, 100: 0},
		"20→3 80→9":       {0: 30, 20: 30, 50: 60, 80: 90, 100: 90},
	} {
		args := &configv1.NodeResourcesFitArgs{}
		by("RequestedToCapacityRatio", "cpu=1", shape)(args)
		s := newStrategy(args.ScoringStrategy)
		got := map[int64]int64{}
		for utilization := range want {
			got[utilization] = s.shape.At(utilization)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("shape %s, score by utilization (-want +got):\n%s", shape, diff)
		}
	}
}

// A shape whose scores fall prefers empty nodes. As with any shape, resources that score 0 are left out of the mean. Shows
// PACK-04.
func TestRequestedToCapacityRatio_FallingShape(t *testing.T) {
	both := by("RequestedToCapacityRatio", "cpu=1 memory=1", spreading)
	for name, tc := range map[string]struct {
		args func(*configv1.NodeResourcesFitArgs)
		pod  *v1.Pod
		want int64
	}{
		"27 % and 18 % used score 73 and 82, of which 77.5 is rounded up": {both, mk.Pod("p").Obj(), 78},
		"weights shift the mean: (73·3+82)/4":                             {by("RequestedToCapacityRatio", "cpu=3 memory=1", spreading), mk.Pod("p").Obj(), 75},
		"cpu that would be used up is left out":                           {both, mk.Pod("p").CPU("3").Memory("0").Obj(), 84},
		"insufficient cpu is left out":                                    {both, mk.Pod("p").CPU("5").Memory("0").Obj(), 84},
		"if every resource is left out, the score is 0":                   {both, mk.Pod("p").CPU("3").Memory("8400Mi").Obj(), 0},
	} {
		t.Run(name, func(t *testing.T) {
			raw, normalized := plugintest.Scores(t, fitWith(t, tc.args), tc.pod, halfUsed())
			if raw[0] != tc.want || normalized[0] != tc.want {
				t.Errorf("scores %d, normalized %d, want %d", raw[0], normalized[0], tc.want)
			}
		})
	}
}

// The two nodes of the bin-packing documentation: a pod that requests two foo, 256MB and two cpu, and weights of five for
// foo, one for memory and three for cpu. There, scores run from 0 to 10; here, from 0 to 100. Shows PACK-07, PACK-08,
// PACK-09, PACK-10, PACK-11, PACK-12, PACK-13, B-12 and C-19.
func TestRequestedToCapacityRatio_BinPackingExample(t *testing.T) {
	const foo = "intel.com/foo"
	args := by("RequestedToCapacityRatio", "intel.com/foo=5 memory=1 cpu=3", packing)
	pod := mk.Pod("p").Request(foo, "2").Memory("256Mi").CPU("2").Obj()
	first := onNode(mk.Node("first").Resource(foo, "4").Memory("1Gi").CPU("8").Obj(),
		mk.Pod("q").Request(foo, "1").Memory("256Mi").CPU("1").Obj())
	second := onNode(mk.Node("second").Resource(foo, "8").Memory("1Gi").CPU("8").Obj(),
		mk.Pod("q").Request(foo, "2").Memory("512Mi").CPU("6").Obj())

	raw, _ := plugintest.Scores(t, fitWith(t, args), pod, first, second)
	if diff := cmp.Diff([]int64{60, 69}, raw); diff != "" {
		t.Errorf("scores, (75·5+50+37·3)/9 and (50·5+75+100·3)/9 rounded to the nearest (-want +got):\n%s", diff)
	}

	// On the scale of ten: each resource rounded down, the mean to the nearest.
	plain := &configv1.NodeResourcesFitArgs{}
	args(plain)
	s := newStrategy(plain.ScoringStrategy)
	onTen := func(foo, memory, cpu int64) int64 { return s.mean(foo/10*5+memory/10*1+cpu/10*3, 9) }
	if got := onTen(s.scoreResource(4, 3), s.scoreResource(1024, 512), s.scoreResource(8, 3)); got != 5 {
		t.Errorf("first node: %d of ten, want 5: 49/9 is 5.44", got)
	}
	if got := onTen(s.scoreResource(8, 4), s.scoreResource(1024, 768), s.scoreResource(8, 8)); got != 7 {
		t.Errorf("second node: %d of ten, want 7: 62/9 is 6.89", got)
	}
}

func TestScore_WithoutPreScore(t *testing.T) {
	fit := fitWith(t, nil)
	score, status := fit.Score(t.Context(), framework.NewCycleState(), mk.Pod("p").Obj(), halfUsed())
	if !status.IsSuccess() || score != 77 {
		t.Errorf("got %d, %v; want 77 as with PreScore", score, status)
	}
}

func TestScore_DoesNotAllocate(t *testing.T) {
	pod, node := mk.Pod("p").CPU("1").Memory("1Gi").Obj(), halfUsed()
	for _, plugin := range []fwk.ScorePlugin{fitWith(t, nil), balancedWith(t, "cpu", "memory", gpu)} {
		ctx, state := t.Context(), framework.NewCycleState()
		plugin.(fwk.PreScorePlugin).PreScore(ctx, state, pod, nil)
		if n := testing.AllocsPerRun(100, func() { plugin.Score(ctx, state, pod, node) }); n != 0 {
			t.Errorf("%s: %v allocations for a node", plugin.Name(), n)
		}
	}
}

func TestNew_Errors(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*configv1.NodeResourcesFitArgs)
		want   string
	}{
		"no strategy":             {func(a *configv1.NodeResourcesFitArgs) { a.ScoringStrategy = nil }, "scoring strategy not specified"},
		"an unknown strategy":     {by("Whatever", "cpu=1", ""), "Whatever"},
		"a ratio without a shape": {by("RequestedToCapacityRatio", "cpu=1", ""), "a shape must be given when the type is RequestedToCapacityRatio"},
		"no resource to score by": {by("LeastAllocated", "", ""), "name at least one resource"},
		"a weight beyond 100":     {by("LeastAllocated", "cpu=101", ""), "not in valid range (0, 100]"},
		"a group with a slash":    {func(a *configv1.NodeResourcesFitArgs) { a.IgnoredResourceGroups = []string{"a/b"} }, "resource group name can't contain '/'"},
		"a shape that turns back": {by("RequestedToCapacityRatio", "cpu=1", "50→0 20→10"), "values must be sorted in increasing order"},
	} {
		t.Run(name, func(t *testing.T) {
			args := config.DefaultArgs(Name, config.DefaultFeatures()).(*configv1.NodeResourcesFitArgs)
			tc.change(args)
			_, err := New(t.Context(), args, nil, config.DefaultFeatures())
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one that says %q", err, tc.want)
			}
		})
	}
	if _, err := New(t.Context(), &configv1.NodeAffinityArgs{}, nil, config.DefaultFeatures()); err == nil {
		t.Error("args of another plugin were taken")
	}
}
