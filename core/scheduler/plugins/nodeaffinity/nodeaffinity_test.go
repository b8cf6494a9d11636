package nodeaffinity_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/nodeaffinity"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

func pluginWith(t testing.TB, added *v1.NodeAffinity) *nodeaffinity.NodeAffinity {
	t.Helper()
	p, err := nodeaffinity.New(t.Context(), &configv1.NodeAffinityArgs{AddedAffinity: added}, nil, config.DefaultFeatures())
	if err != nil {
		t.Fatal(err)
	}
	return p.(*nodeaffinity.NodeAffinity)
}

func onNode(node *v1.Node) fwk.NodeInfo {
	info := cache.NewNodeInfo()
	info.SetNode(node)
	return info
}

// requirement parses "zone In a b" or "gpu Exists". The key metadata.name makes it a field requirement.
func requirement(words string) v1.NodeSelectorRequirement {
	parts := strings.Fields(words)
	return v1.NodeSelectorRequirement{Key: parts[0], Operator: v1.NodeSelectorOperator(parts[1]), Values: parts[2:]}
}

// term parses a node selector term; "&" separates its requirements.
func term(words string) v1.NodeSelectorTerm {
	var t v1.NodeSelectorTerm
	for _, part := range strings.Split(words, "&") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		if d := requirement(part); d.Key == "metadata.name" {
			t.MatchFields = append(t.MatchFields, d)
		} else {
			t.MatchExpressions = append(t.MatchExpressions, d)
		}
	}
	return t
}

// selector parses a node selector; "|" separates its terms.
func selector(words string) *v1.NodeSelector {
	s := &v1.NodeSelector{}
	for _, part := range strings.Split(words, "|") {
		s.NodeSelectorTerms = append(s.NodeSelectorTerms, term(part))
	}
	return s
}

func requiring(words string) *mk.PodBuilder {
	return mk.Pod("p").Affinity(&v1.Affinity{NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: selector(words)}})
}

const (
	rejected = "UnschedulableAndUnresolvable: node(s) didn't match Pod's node affinity/selector"
	enforced = "UnschedulableAndUnresolvable: node(s) didn't match scheduler-enforced node affinity"
	conflict = "UnschedulableAndUnresolvable: pod affinity terms conflict"
)

// Shows SEL-04, SEL-09, SEL-10, SEL-11, SEL-12, SEL-13, SEL-14 and A-4.
func TestFilter(t *testing.T) {
	node := mk.Node("n1").Label("a", "1").Label("b", "2").Label("gen", "5").Label("empty", "").Zone("antarctica-east1").Obj()
	for name, tc := range map[string]struct {
		pod  *mk.PodBuilder
		want string
	}{
		"no selector and no affinity":                   {mk.Pod("p"), "Skip"},
		"a node selector with matching labels":          {mk.Pod("p").NodeSelector("a", "1").NodeSelector("b", "2"), "Success"},
		"a node selector with a missing label":          {mk.Pod("p").NodeSelector("a", "1").NodeSelector("c", "3"), rejected},
		"a node selector with another value":            {mk.Pod("p").NodeSelector("a", "2"), rejected},
		"an empty value matches an empty label":         {mk.Pod("p").NodeSelector("empty", ""), "Success"},
		"an empty value does not match a missing label": {mk.Pod("p").NodeSelector("missing", ""), rejected},
		"In":                                          {requiring("topology.kubernetes.io/zone In antarctica-east1 antarctica-west1"), "Success"},
		"In, other values":                            {requiring("topology.kubernetes.io/zone In x y"), rejected},
		"In, missing label":                           {requiring("missing In x"), rejected},
		"NotIn":                                       {requiring("a NotIn 2 3"), "Success"},
		"NotIn, missing label":                        {requiring("missing NotIn x"), "Success"},
		"Exists":                                      {requiring("a Exists"), "Success"},
		"Exists, missing label":                       {requiring("missing Exists"), rejected},
		"DoesNotExist":                                {requiring("missing DoesNotExist"), "Success"},
		"5 is greater than 4":                         {requiring("gen Gt 4"), "Success"},
		"5 is not greater than 5":                     {requiring("gen Gt 5"), rejected},
		"5 is less than 6":                            {requiring("gen Lt 6"), "Success"},
		"Gt, label is not a number":                   {requiring("topology.kubernetes.io/zone Gt 3"), rejected},
		"one of several terms is enough":              {requiring("missing Exists | a Exists"), "Success"},
		"all requirements of a term must match":       {requiring("a In 1 & b In x | missing Exists"), rejected},
		"an empty term matches no node":               {requiring(""), rejected},
		"an empty term does not affect other terms":   {requiring(" | a Exists"), "Success"},
		"an invalid term matches no node":             {requiring("a Near 1"), rejected},
		"an invalid term does not affect other terms": {requiring("a Near 1 | a Exists"), "Success"},
		"Gt, value is not a number":                   {requiring("gen Gt four"), rejected},
		"node selector and affinity must both match":  {requiring("a Exists").NodeSelector("a", "2"), rejected},
		"metadata.name In, matching":                  {requiring("metadata.name In n1"), "Success"},
		"metadata.name In, another node":              {requiring("metadata.name In n2"), rejected},
		"metadata.name NotIn, matching":               {requiring("metadata.name NotIn n1"), rejected},
		"metadata.name NotIn, another node":           {requiring("metadata.name NotIn n2"), "Success"},
		"metadata.name In, two values, is invalid":    {requiring("metadata.name In n1 n2"), rejected},
		"metadata.name and label in one term":         {requiring("metadata.name In n1 & a In 2"), rejected},
		"a hostname that is not the name":             {mk.Pod("p").NodeSelector(v1.LabelHostname, "h1"), rejected},
		"one term requires two different names":       {requiring("metadata.name In n1 & metadata.name In n2"), conflict},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plugintest.Filter(pluginWith(t, nil), tc.pod.Obj(), onNode(node)); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	t.Run("an affinity without terms matches no node", func(t *testing.T) {
		pod := requiring("a Exists")
		pod.Obj().Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms = nil
		if got := plugintest.Filter(pluginWith(t, nil), pod.Obj(), onNode(node)); got != rejected {
			t.Errorf("got %q, want %q", got, rejected)
		}
	})
}

func TestPreFilter_NodeNames(t *testing.T) {
	for name, tc := range map[string]struct {
		words string
		want  []string // nil: all nodes
	}{
		"no term names a node":                              {"a Exists", nil},
		"one name":                                          {"metadata.name In n1", []string{"n1"}},
		"terms are ORed":                                    {"metadata.name In n1 | metadata.name In n2", []string{"n1", "n2"}},
		"a term without a name allows all nodes":            {"metadata.name In n1 | a Exists", nil},
		"requirements of a term are ANDed":                  {"metadata.name In n1 n2 & metadata.name In n2 n3", []string{"n2"}},
		"a conflict in one term does not affect the others": {"metadata.name In n1 & metadata.name In n2 | metadata.name In n3", []string{"n3"}},
		"NotIn does not limit the nodes":                    {"metadata.name NotIn n1", nil},
	} {
		t.Run(name, func(t *testing.T) {
			result, status := pluginWith(t, nil).PreFilter(t.Context(), framework.NewCycleState(), requiring(tc.words).Obj(), nil)
			if !status.IsSuccess() {
				t.Fatalf("PreFilter returned %s", plugintest.StatusText(status))
			}
			var got []string
			if !result.AllNodes() {
				got = sets.List(result.NodeNames)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("nodes (-want +got):\n%s", diff)
			}
		})
	}
}

// addedAffinity limits the pods of a profile to the nodes labelled scheduler-profile=foo.
// Shows CONF-03.
// addedAffinity limits the pods of a profile to the nodes labelled scheduler-profile=foo. Shows SEL-17.
func TestFilter_AddedAffinity(t *testing.T) {
	foo := pluginWith(t, &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: selector("scheduler-profile In foo")})
	inProfile := mk.Node("n").Label("scheduler-profile", "foo").Label("a", "1").Obj()
	other := mk.Node("n").Label("scheduler-profile", "bar").Label("a", "1").Obj()
	for name, tc := range map[string]struct {
		pod  *mk.PodBuilder
		node *v1.Node
		want string
	}{
		"a pod without affinity is rejected elsewhere":    {mk.Pod("p"), other, enforced},
		"a pod without affinity fits the profile's nodes": {mk.Pod("p"), inProfile, "Success"},
		"the pod's node selector applies as well":         {mk.Pod("p").NodeSelector("a", "2"), inProfile, rejected},
		"the profile's affinity is checked first":         {mk.Pod("p").NodeSelector("a", "2"), other, enforced},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plugintest.Filter(foo, tc.pod.Obj(), onNode(tc.node)); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func preferring(weights map[string]int32) *v1.NodeAffinity {
	a := &v1.NodeAffinity{}
	for words, weight := range weights {
		a.PreferredDuringSchedulingIgnoredDuringExecution = append(a.PreferredDuringSchedulingIgnoredDuringExecution,
			v1.PreferredSchedulingTerm{Weight: weight, Preference: term(words)})
	}
	return a
}

// Shows SEL-15 and C-6.
func TestScore(t *testing.T) {
	nodes := []fwk.NodeInfo{
		onNode(mk.Node("n0").Obj()),
		onNode(mk.Node("n1").Label("label-1", "key-1").Obj()),
		onNode(mk.Node("n2").Label("label-2", "key-2").Obj()),
		onNode(mk.Node("n3").Label("label-1", "key-1").Label("label-2", "key-2").Obj()),
	}
	documented := map[string]int32{"label-1 In key-1": 1, "label-2 In key-2": 50}
	for name, tc := range map[string]struct {
		added, own      *v1.NodeAffinity
		raw, normalised []int64
	}{
		"weights of 1 and 50 are added up":                     {nil, preferring(documented), []int64{0, 1, 50, 51}, []int64{0, 1, 98, 100}},
		"no preferences: PreScore skips":                       {nil, nil, nil, nil},
		"an empty list of preferences: PreScore skips":         {nil, &v1.NodeAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []v1.PreferredSchedulingTerm{}}, nil, nil},
		"no node matches: all are equal":                       {nil, preferring(map[string]int32{"x Exists": 7}), []int64{0, 0, 0, 0}, []int64{0, 0, 0, 0}},
		"the profile's preferences count":                      {preferring(map[string]int32{"label-1 Exists": 20}), nil, []int64{0, 20, 0, 20}, []int64{0, 100, 0, 100}},
		"the profile's and the pod's preferences are added up": {preferring(map[string]int32{"label-1 Exists": 20}), preferring(map[string]int32{"label-2 Exists": 60}), []int64{0, 20, 60, 80}, []int64{0, 25, 75, 100}},
		"a weight of zero and an empty term count 0":           {nil, preferring(map[string]int32{"label-1 Near x": 0, "": 9, "label-2 Exists": 1}), []int64{0, 0, 1, 1}, []int64{0, 0, 100, 100}},
	} {
		t.Run(name, func(t *testing.T) {
			pod := mk.Pod("p").Affinity(&v1.Affinity{NodeAffinity: tc.own}).Obj()
			raw, normalised := plugintest.Scores(t, pluginWith(t, tc.added), pod, nodes...)
			if diff := cmp.Diff(tc.raw, raw); diff != "" {
				t.Errorf("sums of weights (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.normalised, normalised); diff != "" {
				t.Errorf("scores (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNormalizeScore(t *testing.T) {
	scores := fwk.NodeScoreList{{Score: 0}, {Score: 20}, {Score: 80}}
	pluginWith(t, nil).NormalizeScore(t.Context(), nil, nil, scores)
	if diff := cmp.Diff(fwk.NodeScoreList{{Score: 0}, {Score: 25}, {Score: 100}}, scores); diff != "" {
		t.Errorf("scores (-want +got):\n%s", diff)
	}
}

func TestPreScore_InvalidPreferences(t *testing.T) {
	pod := mk.Pod("p").Affinity(&v1.Affinity{NodeAffinity: preferring(map[string]int32{"a Near 1": 5})}).Obj()
	const want = `Error: [0].matchExpressions[0].operator: Unsupported value: "Near"`
	status := pluginWith(t, nil).PreScore(t.Context(), framework.NewCycleState(), pod, nil)
	if got := plugintest.StatusText(status); !strings.HasPrefix(got, want) {
		t.Errorf("PreScore returned %q, want %q…", got, want)
	}
	_, status = pluginWith(t, nil).Score(t.Context(), framework.NewCycleState(), pod, onNode(mk.Node("n").Obj()))
	if got := plugintest.StatusText(status); !strings.HasPrefix(got, want) {
		t.Errorf("Score without PreScore returned %q, want %q…", got, want)
	}
}

func TestFilterAndScore_WithoutPreFilterAndPreScore(t *testing.T) {
	pod := requiring("a Exists").Obj()
	pod.Spec.Affinity.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution = preferring(map[string]int32{"b Exists": 5}).PreferredDuringSchedulingIgnoredDuringExecution
	p, node := pluginWith(t, nil), onNode(mk.Node("n").Label("b", "").Obj())
	if got := plugintest.StatusText(p.Filter(t.Context(), framework.NewCycleState(), pod, node)); got != rejected {
		t.Errorf("Filter returned %q, want %q", got, rejected)
	}
	if score, status := p.Score(t.Context(), framework.NewCycleState(), pod, node); score != 5 || !status.IsSuccess() {
		t.Errorf("Score is %d, %v; want 5", score, status)
	}
}

func TestQueueingHints(t *testing.T) {
	pod := requiring("zone In a").Obj()
	in := func(zone string) *v1.Node { return mk.Node("n").Label("zone", zone).Obj() }
	foo := &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: selector("profile In foo")}
	inFoo := func(zone string) *v1.Node { return mk.Node("n").Label("zone", zone).Label("profile", "foo").Obj() }
	for name, tc := range map[string]struct {
		added         *v1.NodeAffinity
		pod           *v1.Pod
		action        fwk.ActionType
		before, after any
		want          string
	}{
		"a node is added that matches":                                   {nil, pod, fwk.Add, nil, in("a"), "Queue"},
		"a node is added that does not match":                            {nil, pod, fwk.Add, nil, in("b"), "QueueSkip"},
		"a node begins to match":                                         {nil, pod, fwk.UpdateNodeLabel, in("b"), in("a"), "Queue"},
		"a node ceases to match":                                         {nil, pod, fwk.UpdateNodeLabel, in("a"), in("b"), "QueueSkip"},
		"a node matched before and after":                                {nil, pod, fwk.UpdateNodeLabel, in("a"), in("a"), "QueueSkip"},
		"a node is added outside the profile":                            {foo, pod, fwk.Add, nil, in("a"), "QueueSkip"},
		"a node is added inside the profile":                             {foo, pod, fwk.Add, nil, inFoo("a"), "Queue"},
		"a matching node moves into the profile":                         {foo, pod, fwk.UpdateNodeLabel, in("a"), inFoo("a"), "Queue"},
		"a node matched inside the profile before and after":             {foo, pod, fwk.UpdateNodeLabel, inFoo("a"), inFoo("a"), "QueueSkip"},
		"the pod's term is invalid":                                      {nil, requiring("zone Near a").Obj(), fwk.Add, nil, in("a"), `Queue: nodeSelectorTerms[0].matchExpressions[0].operator: Unsupported value: "Near": supported values: "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"`},
		"the pod's term is invalid and its node selector does not match": {nil, requiring("zone Near a").NodeSelector("x", "y").Obj(), fwk.Add, nil, in("a"), "QueueSkip"},
		"one of the pod's terms is valid and matches":                    {nil, requiring("zone Near a | zone In a").Obj(), fwk.Add, nil, in("a"), "Queue"},
		"a node's taints change":                                         {nil, pod, fwk.UpdateNodeTaint, in("a"), in("a"), "not registered"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plugintest.Hint(t, pluginWith(t, tc.added), fwk.Node, tc.action, tc.pod, tc.before, tc.after); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestSignPod(t *testing.T) {
	p := pluginWith(t, nil)
	one := plugintest.Signature(t, p, requiring("a In 1 2 | b Exists").NodeSelector("c", "3").Obj())
	reordered := plugintest.Signature(t, p, requiring("b Exists | a In 2 1").NodeSelector("c", "3").Obj())
	if diff := cmp.Diff(one, reordered); diff != "" {
		t.Errorf("the signature depends on the order of terms and values:\n%s", diff)
	}
	if other := plugintest.Signature(t, p, requiring("a In 1 2 | b Exists").NodeSelector("c", "4").Obj()); len(one) == 0 || cmp.Equal(one, other) {
		t.Errorf("another node selector has the same signature %v", one)
	}
	nowhere := requiring("a Exists").Obj()
	nowhere.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms = nil
	anywhere := mk.Pod("p").Affinity(&v1.Affinity{NodeAffinity: &v1.NodeAffinity{}}).Obj()
	if cmp.Equal(plugintest.Signature(t, p, nowhere), plugintest.Signature(t, p, anywhere)) {
		t.Error("an affinity that no node matches has the signature of one that all match")
	}
}

func TestFilterAndScore_DoNotAllocate(t *testing.T) {
	pod := requiring("zone In a & gen Gt 3 & metadata.name In n").NodeSelector("x", "y").Obj()
	pod.Spec.Affinity.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution = preferring(map[string]int32{"b Exists": 5}).PreferredDuringSchedulingIgnoredDuringExecution
	p, ctx, state := pluginWith(t, nil), t.Context(), framework.NewCycleState()
	p.PreFilter(ctx, state, pod, nil)
	p.PreScore(ctx, state, pod, nil)
	for name, node := range map[string]fwk.NodeInfo{
		"matches":     onNode(mk.Node("n").Label("zone", "a").Label("gen", "4").Label("x", "y").Label("b", "").Obj()),
		"is rejected": onNode(mk.Node("m").Label("zone", "a").Label("gen", "4").Label("x", "y").Obj()),
	} {
		if n := testing.AllocsPerRun(100, func() { p.Filter(ctx, state, pod, node); p.Score(ctx, state, pod, node) }); n != 0 {
			t.Errorf("a node that %s: %v allocations", name, n)
		}
	}
}

func TestNew_Errors(t *testing.T) {
	for name, tc := range map[string]struct {
		args runtime.Object
		want string
	}{
		"invalid required terms": {
			&configv1.NodeAffinityArgs{AddedAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: selector("a Near 1")}},
			`requiredDuringSchedulingIgnoredDuringExecution`,
		},
		"invalid preferred terms": {
			&configv1.NodeAffinityArgs{AddedAffinity: preferring(map[string]int32{"a Near 1": 5})}, `preferredDuringSchedulingIgnoredDuringExecution`,
		},
		"args of another plugin": {&configv1.NodeResourcesFitArgs{}, "args are not of type NodeAffinityArgs, got *v1.NodeResourcesFitArgs"},
	} {
		_, err := nodeaffinity.New(t.Context(), tc.args, nil, config.DefaultFeatures())
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want one that contains %q", name, err, tc.want)
		}
	}
}
