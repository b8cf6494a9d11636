package tainttoleration_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/tainttoleration"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

func plugin(t *testing.T, numeric bool) *tainttoleration.TaintToleration {
	features, err := config.ParseFeatures(map[string]bool{"TaintTolerationComparisonOperators": numeric})
	if err != nil {
		t.Fatal(err)
	}
	p, err := tainttoleration.New(t.Context(), nil, nil, features)
	if err != nil {
		t.Fatal(err)
	}
	return p.(*tainttoleration.TaintToleration)
}

func onNode(node *v1.Node) fwk.NodeInfo {
	info := cache.NewNodeInfo()
	info.SetNode(node)
	return info
}

// tolerating is a pod with one toleration.
func tolerating(key string, operator v1.TolerationOperator, value string, effect v1.TaintEffect) *mk.PodBuilder {
	return mk.Pod("p").Toleration(v1.Toleration{Key: key, Operator: operator, Value: value, Effect: effect})
}

const (
	rejected   = "UnschedulableAndUnresolvable: node(s) had untolerated taint(s)"
	noSchedule = v1.TaintEffectNoSchedule
	noExecute  = v1.TaintEffectNoExecute
	prefer     = v1.TaintEffectPreferNoSchedule
	equal      = v1.TolerationOpEqual
	exists     = v1.TolerationOpExists
)

// Shows CONF-12, TAINT-03, TAINT-04, TAINT-05, TAINT-06, TAINT-07, TAINT-09, TAINT-11, TAINT-12 and A-12.
func TestFilter(t *testing.T) {
	tainted := func() *mk.NodeBuilder { return mk.Node("n").Taint("key1", "value1", noSchedule) }
	three := mk.Node("n").Taint("key1", "value1", noSchedule).Taint("key1", "value1", noExecute).Taint("key2", "value2", noSchedule)
	for name, tc := range map[string]struct {
		pod  *mk.PodBuilder
		node *mk.NodeBuilder
		want string
	}{
		"a node without taints":                            {mk.Pod("p"), mk.Node("n"), "Success"},
		"a taint and no toleration":                        {mk.Pod("p"), tainted(), rejected},
		"the same key, value and effect":                   {tolerating("key1", equal, "value1", noSchedule), tainted(), "Success"},
		"no operator means Equal":                          {tolerating("key1", "", "value1", noSchedule), tainted(), "Success"},
		"another value":                                    {tolerating("key1", equal, "value2", noSchedule), tainted(), rejected},
		"any value, with Exists":                           {tolerating("key1", exists, "", noSchedule), tainted(), "Success"},
		"another key":                                      {tolerating("key2", exists, "", noSchedule), tainted(), rejected},
		"another effect":                                   {tolerating("key1", exists, "", noExecute), tainted(), rejected},
		"no effect means every effect":                     {tolerating("key1", exists, "", ""), tainted().Taint("key1", "x", noExecute), "Success"},
		"no key and Exists means every key":                {tolerating("", exists, "", noSchedule), mk.Node("n").Taint("a", "b", noSchedule), "Success"},
		"no key and Exists: the effect still has to match": {tolerating("", exists, "", noSchedule), mk.Node("n").Taint("a", "b", noExecute), rejected},
		"no key and Equal still compares the value":        {tolerating("", equal, "b", noSchedule), mk.Node("n").Taint("a", "b", noSchedule), "Success"},
		"an unknown operator":                              {tolerating("key1", "Like", "value1", noSchedule), tainted(), rejected},
		"a NoExecute taint rejects new pods":               {mk.Pod("p"), mk.Node("n").Taint("k", "v", noExecute), rejected},
		"a PreferNoSchedule taint does not reject":         {mk.Pod("p"), mk.Node("n").Taint("k", "v", prefer), "Success"},
		"three taints, of which two are tolerated": {
			tolerating("key1", equal, "value1", noSchedule).Toleration(v1.Toleration{Key: "key1", Operator: equal, Value: "value1", Effect: noExecute}),
			three, rejected,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plugintest.Filter(plugin(t, false), tc.pod.Obj(), onNode(tc.node.Obj())); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// Shows TAINT-13, TAINT-14 and C-13.
func TestFilter_NumericOperators(t *testing.T) {
	const key = "servicelevel.organization.example/agreed-service-level"
	for name, tc := range map[string]struct {
		operator v1.TolerationOperator
		value    string
		taint    string
		want     string
	}{
		"950 is greater than 900":           {v1.TolerationOpGt, "900", "950", "Success"},
		"950 is not greater than 950":       {v1.TolerationOpGt, "950", "950", rejected},
		"950 is less than 1000":             {v1.TolerationOpLt, "1000", "950", "Success"},
		"950 is not less than 900":          {v1.TolerationOpLt, "900", "950", rejected},
		"the taint's value is not a number": {v1.TolerationOpGt, "900", "high", rejected},
		"the toleration's value is empty":   {v1.TolerationOpGt, "", "950", rejected},
		"a leading zero is not allowed":     {v1.TolerationOpGt, "0900", "950", rejected},
		"a plus sign is not allowed":        {v1.TolerationOpGt, "900", "+950", rejected},
		"negative numbers are compared":     {v1.TolerationOpLt, "0", "-1", "Success"},
		"a number beyond 64 bits":           {v1.TolerationOpLt, "99999999999999999999", "1", rejected},
	} {
		t.Run(name, func(t *testing.T) {
			pod := tolerating(key, tc.operator, tc.value, noSchedule).Obj()
			node := onNode(mk.Node("n").Taint(key, tc.taint, noSchedule).Obj())
			if got := plugintest.Filter(plugin(t, true), pod, node); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if got := plugintest.Filter(plugin(t, false), pod, node); got != rejected {
				t.Errorf("with the gate off: got %q, want %q", got, rejected)
			}
		})
	}
}

// Shows TAINT-10.
func TestScore(t *testing.T) {
	clean := mk.Node("clean")
	one := mk.Node("one").Taint("a", "", prefer)
	three := mk.Node("three").Taint("a", "", prefer).Taint("b", "", prefer).Taint("c", "", prefer).Taint("d", "", noSchedule)
	nodes := []fwk.NodeInfo{onNode(clean.Obj()), onNode(one.Obj()), onNode(three.Obj())}
	for name, tc := range map[string]struct {
		pod             *mk.PodBuilder
		raw, normalised []int64
	}{
		"fewer taints that are not tolerated score higher":            {mk.Pod("p"), []int64{0, 1, 3}, []int64{100, 67, 0}},
		"a tolerated taint does not count":                            {tolerating("a", exists, "", prefer), []int64{0, 0, 2}, []int64{100, 100, 0}},
		"a taint tolerated for every effect does not count":           {tolerating("a", exists, "", ""), []int64{0, 0, 2}, []int64{100, 100, 0}},
		"a toleration for NoSchedule does not match PreferNoSchedule": {tolerating("a", exists, "", noSchedule), []int64{0, 1, 3}, []int64{100, 67, 0}},
		"every taint tolerated: all nodes score 100":                  {tolerating("", exists, "", ""), []int64{0, 0, 0}, []int64{100, 100, 100}},
	} {
		t.Run(name, func(t *testing.T) {
			raw, normalised := plugintest.Scores(t, plugin(t, false), tc.pod.Obj(), nodes...)
			if diff := cmp.Diff(tc.raw, raw); diff != "" {
				t.Errorf("taints that count (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.normalised, normalised); diff != "" {
				t.Errorf("scores (-want +got):\n%s", diff)
			}
		})
	}
}

// A numeric toleration that does not match lowers the node's score and does not reject the node. Shows TAINT-16.
func TestScore_NumericOperators(t *testing.T) {
	pod := tolerating("level", v1.TolerationOpGt, "900", prefer).Obj()
	good, bad := onNode(mk.Node("good").Taint("level", "950", prefer).Obj()), onNode(mk.Node("bad").Taint("level", "800", prefer).Obj())
	_, normalised := plugintest.Scores(t, plugin(t, true), pod, good, bad)
	if diff := cmp.Diff([]int64{100, 0}, normalised); diff != "" {
		t.Errorf("scores (-want +got):\n%s", diff)
	}
}

func TestScore_WithoutPreScore(t *testing.T) {
	_, status := plugin(t, false).Score(t.Context(), framework.NewCycleState(), mk.Pod("p").Obj(), onNode(mk.Node("n").Obj()))
	if got, want := plugintest.StatusText(status), `Error: failed to read "PreScoreTaintToleration" from cycleState: not found`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestQueueingHints(t *testing.T) {
	pod := tolerating("ok", exists, "", "").Obj()
	clean, bad := mk.Node("n").Obj(), mk.Node("n").Taint("bad", "", noSchedule).Obj()
	for name, tc := range map[string]struct {
		resource      fwk.EventResource
		action        fwk.ActionType
		before, after any
		want          string
	}{
		"a clean node is added":                  {fwk.Node, fwk.Add, nil, clean, "Queue"},
		"a node is added with a tolerated taint": {fwk.Node, fwk.Add, nil, mk.Node("n").Taint("ok", "", noExecute).Obj(), "Queue"},
		"a node is added with another taint":     {fwk.Node, fwk.Add, nil, bad, "QueueSkip"},
		"a node loses its last bad taint":        {fwk.Node, fwk.UpdateNodeTaint, bad, clean, "Queue"},
		"a node gets a bad taint":                {fwk.Node, fwk.UpdateNodeTaint, clean, bad, "QueueSkip"},
		"a bad taint is replaced by another":     {fwk.Node, fwk.UpdateNodeTaint, bad, mk.Node("n").Taint("worse", "", noSchedule).Obj(), "QueueSkip"},
		"a node gets a tolerated taint":          {fwk.Node, fwk.UpdateNodeTaint, clean, mk.Node("n").Taint("ok", "", noSchedule).Obj(), "QueueSkip"},
		"a PreferNoSchedule taint is removed":    {fwk.Node, fwk.UpdateNodeTaint, mk.Node("n").Taint("bad", "", prefer).Obj(), clean, "QueueSkip"},
		"the pod tolerates something new":        {fwk.Pod, fwk.UpdatePodToleration, mk.Pod("p").Obj(), pod, "Queue"},
		"another pod tolerates something new":    {fwk.Pod, fwk.UpdatePodToleration, mk.Pod("q").Obj(), mk.Pod("q").Obj(), "QueueSkip"},
		"a pod's labels change":                  {fwk.Pod, fwk.UpdatePodLabel, pod, pod, "not registered"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plugintest.Hint(t, plugin(t, false), tc.resource, tc.action, pod, tc.before, tc.after); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestFilterAndScore_DoNotAllocate(t *testing.T) {
	p, pod, ctx := plugin(t, false), tolerating("ok", exists, "", "").Obj(), t.Context()
	state := framework.NewCycleState()
	p.PreScore(ctx, state, pod, nil)
	for name, node := range map[string]fwk.NodeInfo{
		"accepted": onNode(mk.Node("n").Taint("ok", "", noSchedule).Taint("bad", "", prefer).Obj()),
		"rejected": onNode(mk.Node("n").Taint("bad", "", noSchedule).Obj()),
	} {
		if n := testing.AllocsPerRun(100, func() { p.Filter(ctx, state, pod, node); p.Score(ctx, state, pod, node) }); n != 0 {
			t.Errorf("a node that is %s: %v allocations", name, n)
		}
	}
}

func TestSignPod(t *testing.T) {
	signed := func(keys ...string) map[string]string {
		pod := mk.Pod("p")
		for _, key := range keys {
			pod.Toleration(v1.Toleration{Key: key})
		}
		return plugintest.Signature(t, plugin(t, false), pod.Obj())
	}
	if diff := cmp.Diff(signed("a", "b"), signed("b", "a")); diff != "" {
		t.Errorf("the signature depends on the order of tolerations:\n%s", diff)
	}
	if one := signed("a"); len(one) == 0 || cmp.Equal(one, signed("b")) {
		t.Errorf("another toleration has the same signature %v", one)
	}
}
