package noderesources

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/release"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

func balancedIn(t testing.TB, r release.Release) *BalancedAllocation {
	t.Helper()
	features := config.FeaturesOf(r)
	plugin, err := NewBalancedAllocation(t.Context(), config.DefaultArgs(BalancedAllocationName, features), nil, features)
	if err != nil {
		t.Fatal(err)
	}
	return plugin.(*BalancedAllocation)
}

func TestBalanceByImprovement(t *testing.T) {
	ten := func() *v1.Node { return mk.Node("n").CPU("10").Memory("1000").Obj() }
	for name, tc := range map[string]struct {
		pod               *v1.Pod
		node              fwk.NodeInfo
		balance, improved int64
	}{
		"a pod of equal shares leaves an empty node as balanced as it is": {mk.Pod("p").CPU("5").Memory("500").Obj(), onNode(ten()), 100, 75},
		"a pod of cpu alone unbalances an empty node":                     {mk.Pod("p").CPU("5").Obj(), onNode(ten()), 75, 62},
		"a pod of memory balances a node whose cpu is used":               {mk.Pod("p").Memory("500").Obj(), onNode(ten(), mk.Pod("q").CPU("5").Obj()), 100, 87},
		"a pod more than the node has":                                    {mk.Pod("p").CPU("99").Obj(), onNode(ten()), 50, 50},
		"a pod that makes a bad balance a little better":                  {mk.Pod("p").Memory("100").Obj(), onNode(ten(), mk.Pod("q").CPU("10").Obj()), 55, 77},
	} {
		t.Run(name, func(t *testing.T) {
			for r, want := range map[release.Release]int64{release.V135: tc.balance, release.V136: tc.improved, release.V137: tc.improved} {
				if raw, _ := plugintest.Scores(t, balancedIn(t, r), tc.pod, tc.node); raw[0] != want {
					t.Errorf("in %v it scores %d, want %d", r, raw[0], want)
				}
			}
		})
	}
}

func TestSignUnlessServedByDevices(t *testing.T) {
	h, _, _ := gpus(t)
	served := mk.Pod("p").CPU("1").Memory("1Gi").Request(gpu, "1").Obj()
	others := map[string]*v1.Pod{
		"requests another scalar": mk.Pod("p").CPU("1").Request("example.com/other", "1").Obj(),
		"requests none of it":     mk.Pod("p").CPU("1").Memory("1Gi").Request(gpu, "0").Obj(),
	}
	for r, signs := range map[release.Release]bool{release.V135: false, release.V136: true, release.V137: true} {
		features, err := config.ParseFeaturesOf(r, map[string]bool{string(config.DRAExtendedResource): true})
		if err != nil {
			t.Fatal(err)
		}
		fit, err := New(t.Context(), config.DefaultArgs(Name, features), h, features)
		if err != nil {
			t.Fatal(err)
		}
		balanced, err := NewBalancedAllocation(t.Context(), config.DefaultArgs(BalancedAllocationName, features), h, features)
		if err != nil {
			t.Fatal(err)
		}
		for _, plugin := range []fwk.Plugin{fit, balanced} {
			signed := func(pod *v1.Pod) bool {
				_, status := plugin.(fwk.SignPlugin).SignPod(t.Context(), pod)
				if _, keeps := plugin.(framework.NodeLocal).AppendSignature(nil, framework.NewCycleState(), pod); !keeps {
					t.Errorf("%s of %v keeps nothing of a pod whose score counts no devices", plugin.Name(), r)
				}
				return status.IsSuccess()
			}
			if signed(served) {
				t.Errorf("%s of %v signs a pod that requests what devices serve", plugin.Name(), r)
			}
			for name, pod := range others {
				if signed(pod) != signs {
					t.Errorf("%s of %v signs a pod that %s: %v", plugin.Name(), r, name, !signs)
				}
			}
		}
	}
}

func TestRatioOnlyWithItsType_IsCheckedByTheFactory(t *testing.T) {
	for r, want := range map[release.Release]bool{release.V135: true, release.V136: false} {
		features := config.FeaturesOf(r)
		args := config.DefaultArgs(Name, features).(*configv1.NodeResourcesFitArgs)
		args.ScoringStrategy.RequestedToCapacityRatio = &configv1.RequestedToCapacityRatioParam{Shape: []configv1.UtilizationShapePoint{{Utilization: 0, Score: 1}}}
		if _, err := New(t.Context(), args, nil, features); (err == nil) != want {
			t.Errorf("%v: a ratio with the type LeastAllocated gives the error %v", r, err)
		}
	}
}
