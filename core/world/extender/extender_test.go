package extender_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	configv1 "k8s.io/kube-scheduler/config/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"orrery/core/objects/nodenames"
	"orrery/core/testing/fuzz"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/extender"
)

func TestAll_IgnorableOnesLast(t *testing.T) {
	all := extender.All([]configv1.Extender{
		{URLPrefix: "http://a", Ignorable: true}, {URLPrefix: "http://b/"}, {URLPrefix: "http://c", Ignorable: true}, {URLPrefix: "http://d"},
	})
	var got []string
	for _, x := range all {
		got = append(got, x.Name())
	}
	if diff := cmp.Diff([]string{"http://b/", "http://d", "http://a", "http://c"}, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	if all[0].Index != 1 || all[2].Index != 0 {
		t.Errorf("positions %d and %d in the configuration, want 1 and 0", all[0].Index, all[2].Index)
	}
}

func TestExtender_URL(t *testing.T) {
	for prefix, want := range map[string]string{
		"http://host/x/":               "http://host/x/filter",
		"http://host//":                "http://host/filter",
		"https://user:secret@host:1/x": "https://host:1/x/filter",
		"%zz":                          "%zz/filter",
	} {
		x := extender.All([]configv1.Extender{{URLPrefix: prefix, FilterVerb: "filter"}})[0]
		if got := x.URL(world.ExtenderFilter); got != want {
			t.Errorf("%s: %s, want %s", prefix, got, want)
		}
	}
}

func TestExtender_Interested(t *testing.T) {
	managing := extender.All([]configv1.Extender{{ManagedResources: []configv1.ExtenderManagedResource{{Name: "example.com/gpu"}}}})[0]
	requests := mk.Pod("requests").Request("example.com/gpu", "1").Obj()
	limits := mk.Pod("limits").CPU("1").Obj()
	limits.Spec.Containers[0].Resources.Limits = mk.Resources("example.com/gpu", "1")
	initial := mk.Pod("init").CPU("1").Obj()
	initial.Spec.InitContainers = requests.Spec.Containers
	for pod, want := range map[*v1.Pod]bool{requests: true, limits: true, initial: true, mk.Pod("plain").CPU("1").Obj(): false} {
		if got := managing.Interested(pod); got != want {
			t.Errorf("pod %s: %v, want %v", pod.Name, got, want)
		}
	}
	if unfiltered := extender.All([]configv1.Extender{{}})[0]; !unfiltered.Interested(mk.Pod("plain").Obj()) {
		t.Error("without managed resources, an extender is interested in every pod")
	}
}

// Requests have the fields that kube-scheduler sends.
func TestRequestBody(t *testing.T) {
	pod, victim, node := mk.Pod("web").Obj(), mk.Pod("victim").Obj(), mk.Node("n1").Obj()
	victims := []world.ExtenderVictims{{Node: "n1", Pods: []*v1.Pod{victim}, PDBViolations: 2}}
	names := []string{"n1"}
	for name, tt := range map[string]struct {
		verb    world.ExtenderVerb
		request world.ExtenderRequest
		want    any
	}{
		"names":   {world.ExtenderFilter, world.ExtenderRequest{NamesOnly: true, Names: nodenames.Of(names)}, extenderv1.ExtenderArgs{Pod: pod, NodeNames: &names}},
		"objects": {world.ExtenderPrioritize, world.ExtenderRequest{Nodes: []*v1.Node{node}}, extenderv1.ExtenderArgs{Pod: pod, Nodes: &v1.NodeList{Items: []v1.Node{*node}}}},
		"victims": {world.ExtenderPreempt, world.ExtenderRequest{Victims: victims}, extenderv1.ExtenderPreemptionArgs{
			Pod: pod, NodeNameToVictims: map[string]*extenderv1.Victims{"n1": {Pods: []*v1.Pod{victim}, NumPDBViolations: 2}},
		}},
		"UIDs": {world.ExtenderPreempt, world.ExtenderRequest{NamesOnly: true, Victims: victims}, extenderv1.ExtenderPreemptionArgs{
			Pod: pod, NodeNameToMetaVictims: map[string]*extenderv1.MetaVictims{"n1": {Pods: []*extenderv1.MetaPod{{UID: string(victim.UID)}}, NumPDBViolations: 2}},
		}},
		"binding": {world.ExtenderBind, world.ExtenderRequest{Node: "n1"}, extenderv1.ExtenderBindingArgs{
			PodName: "web", PodNamespace: "default", PodUID: pod.UID, Node: "n1",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			tt.request.Pod = pod
			got, err := extender.RequestBody(world.CallExtender{Pod: world.PodRefOf(pod), Verb: tt.verb, Request: tt.request})
			want, _ := json.Marshal(tt.want)
			if diff := cmp.Diff(string(want), string(got)); err != nil || diff != "" {
				t.Errorf("%v, request (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestAnswer(t *testing.T) {
	n1, n2 := mk.Node("n1").Label("a", "b").Obj(), mk.Node("n2").CPU("1500m").Obj()
	relabelled := n1.DeepCopy()
	relabelled.Labels = map[string]string{"a": "c"}
	asObjects := func(nodes ...v1.Node) string {
		text, _ := json.Marshal(extenderv1.ExtenderFilterResult{Nodes: &v1.NodeList{Items: nodes}})
		return string(text)
	}
	for name, tt := range map[string]struct {
		verb     world.ExtenderVerb
		names    bool
		response string
		want     *world.ExtenderAnswer
	}{
		"names":                     {world.ExtenderFilter, true, `{"NodeNames": ["n2","n1"]}`, &world.ExtenderAnswer{Nodes: []string{"n2", "n1"}}},
		"names where objects count": {world.ExtenderFilter, false, `{"NodeNames": ["n2"]}`, &world.ExtenderAnswer{}},
		"objects as they were":      {world.ExtenderFilter, false, asObjects(*n2, *n1), &world.ExtenderAnswer{AsObjects: true, Nodes: []string{"n2", "n1"}}},
		"a changed object":          {world.ExtenderFilter, false, asObjects(*relabelled), &world.ExtenderAnswer{AsObjects: true, Nodes: []string{"n1"}, Changed: []*v1.Node{relabelled}}},
		"objects where names count": {world.ExtenderFilter, true, asObjects(*n1), &world.ExtenderAnswer{AsObjects: true, Nodes: []string{"n1"}}},
		"the unresolvable one counts": {world.ExtenderFilter, true, `{"FailedNodes": {"b": "x", "a": "y"}, "FailedAndUnresolvableNodes": {"b": "z"}}`, &world.ExtenderAnswer{
			Failed: []world.FailedNode{{Node: "a", Reason: "y"}, {Node: "b", Reason: "z", Unresolvable: true}},
		}},
		"an error":   {world.ExtenderFilter, true, `{"Error": "no"}`, &world.ExtenderAnswer{Error: "no"}},
		"priorities": {world.ExtenderPrioritize, true, `[{"Host": "n1", "Score": 10}]`, &world.ExtenderAnswer{Scores: []world.HostScore{{Host: "n1", Score: 10}}}},
		"victims": {world.ExtenderPreempt, true, `{"NodeNameToMetaVictims": {"n2": {"Pods": [{"UID": "u"}], "NumPDBViolations": 1}, "n1": {}}}`, &world.ExtenderAnswer{
			Victims: []world.AnsweredVictims{{Node: "n1"}, {Node: "n2", Pods: []types.UID{"u"}, PDBViolations: 1}},
		}},
		"null victims":    {world.ExtenderPreempt, true, `{"NodeNameToMetaVictims": {"n2": null}}`, nil},
		"a null victim":   {world.ExtenderPreempt, true, `{"NodeNameToMetaVictims": {"n2": {"Pods": [null]}}}`, nil},
		"a binding":       {world.ExtenderBind, true, `{}`, &world.ExtenderAnswer{}},
		"another type":    {world.ExtenderPrioritize, true, `{}`, nil},
		"a cut response":  {world.ExtenderFilter, true, `{"NodeNames": ["n2"`, nil},
		"only one answer": {world.ExtenderBind, true, `{"Error": "a"} {"Error": "b"}`, &world.ExtenderAnswer{Error: "a"}},
	} {
		t.Run(name, func(t *testing.T) {
			call := world.CallExtender{Verb: tt.verb, Request: world.ExtenderRequest{NamesOnly: tt.names, Nodes: []*v1.Node{n1, n2}, Names: nodenames.Of([]string{"n1", "n2"})}}
			got, err := extender.Answer(call, strings.NewReader(tt.response), extender.MaxResponse)
			if (err != nil) != (tt.want == nil) {
				t.Fatalf("answer %+v, error %v", got, err)
			}
			if err != nil {
				return
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

// An extender cannot have the scheduler fill its memory, or compute for a minute, with a small response.
func TestAnswer_BoundsNodes(t *testing.T) {
	quantity := `{"Nodes":{"items":[{"metadata":{"name":"n1"},"status":{"allocatable":{"cpu":"1e-100000000"}}}]}}`
	many := `{"Nodes":{"items":[` + strings.Repeat("{},", 400_000) + `{}]}}`
	twice := `{"nodes":` + strings.TrimPrefix(many, `{"Nodes":`)
	for name, response := range map[string]string{"a quantity that is no amount": quantity, "many empty nodes": many, "many, spelled otherwise": twice} {
		t.Run(name, func(t *testing.T) {
			call := world.CallExtender{Verb: world.ExtenderFilter}
			fuzz.Cost(t, len(response), func() {
				_, err := extender.Answer(call, strings.NewReader(response), extender.MaxResponse)
				if err == nil || !strings.Contains(err.Error(), "of memory, or have a quantity that is no amount") {
					t.Errorf("the error is %v", err)
				}
			})
		})
	}
}
