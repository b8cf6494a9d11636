package interpodaffinity

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/mk"
	"orrery/core/plugins/plugintest"
)

func TestEventsToRegister(t *testing.T) {
	got := plugintest.Events(t, newFixture(t, nil).InterPodAffinity)
	want := []fwk.ClusterEvent{
		{Resource: fwk.Pod, ActionType: fwk.Add | fwk.UpdatePodLabel | fwk.Delete},
		{Resource: fwk.Node, ActionType: fwk.Add | fwk.UpdateNodeLabel},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// hintRow is an event and the answer. Where upstream lets the pod sleep, the row says "only here".
type hintRow struct {
	name          string
	waiting       *v1.Pod
	before, after any
	want          fwk.QueueingHint
}

func TestQueueingHints_PodChange(t *testing.T) {
	friendly := pod("p", "x", of(term(zone, "web")), nil)
	shy := pod("p", "x", nil, of(term(zone, "web")))
	shyTwice := pod("p", "x", nil, of(term(zone, "web"), term(host, "db")))
	sociable := pod("p", "x", of(term(zone, "x")), nil)
	abroad := pod("p", "x", of(inTeam(term(zone, "web"), "red")), nil)
	shyAbroad := pod("p", "x", nil, of(inTeam(term(zone, "web"), "red")))
	quiet := plain("p", "x")
	relabelled := quiet.DeepCopy()
	relabelled.Labels = map[string]string{"app": "y"}

	web, db := on("n1", plain("w", "web")), on("n1", plain("w", "db"))
	foreign := on("n1", mk.Pod("w").Namespace("red").Label("app", "web").Obj())
	guard := on("n1", pod("guard", "g", nil, of(term(host, "x"))))
	teamGuard := on("n1", pod("guard", "g", nil, of(inTeam(term(host, "x"), "blue"))))
	same := on("n1", plain("s", "x"))

	for _, row := range []hintRow{
		{"a pod that it wants was placed", friendly, nil, web, fwk.Queue},
		{"a pod that it does not want was placed", friendly, nil, db, fwk.QueueSkip},
		{"a pod that it wants was created and has no node yet", friendly, nil, plain("w", "web"), fwk.QueueSkip},
		{"a pod became one that it wants", friendly, db, web, fwk.Queue},
		{"a pod that it wants was deleted", friendly, web, nil, fwk.QueueSkip},
		{"a pod that it shuns was deleted", shy, web, nil, fwk.Queue},
		{"a pod that it shuns was deleted while nobody watched", shy, cache.DeletedFinalStateUnknown{Obj: web}, nil, fwk.Queue},
		{"a pod that it does not shun was deleted", shy, db, nil, fwk.QueueSkip},
		{"a pod ceased to be one that it shuns", shy, web, db, fwk.Queue},
		{"a pod became one that it shuns", shy, db, web, fwk.QueueSkip},
		{"a pod that it shuns was placed", shy, nil, web, fwk.QueueSkip},
		{"only here: a pod that it shuns for one of two reasons was deleted", shyTwice, db, nil, fwk.Queue},
		{"only here: the pod that kept it out by its own anti-affinity was deleted", quiet, guard, nil, fwk.Queue},
		{"only here: and so by its anti-affinity to the team", quiet, teamGuard, nil, fwk.Queue},
		{"a pod whose anti-affinity did not concern it was deleted", plain("p", "y"), guard, nil, fwk.QueueSkip},
		{"a pod with anti-affinity changed its labels", quiet, guard, func() *v1.Pod { g := guard.DeepCopy(); g.Labels["a"] = "b"; return g }(), fwk.QueueSkip},
		{"only here: a pod that it wants was placed in a selected namespace", abroad, nil, foreign, fwk.Queue},
		{"a pod was placed in a namespace that is not selected", abroad, nil, web, fwk.QueueSkip},
		{"only here: a pod that it shuns was deleted in a selected namespace", shyAbroad, foreign, nil, fwk.Queue},
		{"only here: the last of its own kind may be gone, so it may be the first", sociable, same, nil, fwk.Queue},
		{"only here: its own labels changed", relabelled, quiet, relabelled, fwk.Queue},
		{"something else of its own changed", quiet, quiet, quiet.DeepCopy(), fwk.QueueSkip},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newFixture(t, nil)
			s.namespace(t, "default", "team", "blue")
			s.namespace(t, "red", "team", "red")
			got, err := s.isSchedulableAfterPodChange(klog.Logger{}, row.waiting, row.before, row.after)
			if got != row.want || err != nil {
				t.Errorf("%v, error %v, want %v", got, err, row.want)
			}
		})
	}
}

func TestQueueingHints_NodeChange(t *testing.T) {
	friendly := pod("p", "x", of(term(zone, "web")), nil)
	shy := pod("p", "x", nil, of(term(zone, "web")))
	quiet := plain("p", "x")
	keyless := func() *mk.NodeBuilder { return mk.Node("n") }
	inZone := func(zone string) *mk.NodeBuilder { return mk.Node("n").Zone(zone) }

	for _, row := range []hintRow{
		{"a node with the key was added", friendly, nil, inZone("A").Obj(), fwk.Queue},
		{"a node without the key was added", friendly, nil, keyless().Obj(), fwk.QueueSkip},
		{"any node was added, for a pod that shuns others", shy, nil, keyless().Obj(), fwk.Queue},
		{"only here: any node was added, for a pod that others shun", quiet, nil, keyless().Obj(), fwk.Queue},
		{"a node got the key", friendly, keyless().Obj(), inZone("A").Obj(), fwk.Queue},
		{"a node moved to another domain", friendly, inZone("A").Obj(), inZone("B").Obj(), fwk.Queue},
		{"a node lost the key", friendly, inZone("A").Obj(), keyless().Obj(), fwk.QueueSkip},
		{"a node lost the key of anti-affinity", shy, inZone("A").Obj(), keyless().Obj(), fwk.Queue},
		{"a node changed domains of anti-affinity", shy, inZone("A").Obj(), inZone("B").Obj(), fwk.Queue},
		{"only here: a node with the key changed another label, which others may go by", friendly, inZone("A").Obj(), inZone("A").Label("rack", "r").Obj(), fwk.Queue},
		{"a node without the key changed another label", friendly, keyless().Obj(), keyless().Label("rack", "r").Obj(), fwk.QueueSkip},
		{"only here: a node changed a label, for a pod that others shun", quiet, keyless().Obj(), keyless().Label("rack", "r").Obj(), fwk.Queue},
		{"a node kept its labels", quiet, keyless().Obj(), keyless().Unschedulable().Obj(), fwk.QueueSkip},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := newFixture(t, nil).isSchedulableAfterNodeChange(klog.Logger{}, row.waiting, row.before, row.after)
			if got != row.want || err != nil {
				t.Errorf("%v, error %v, want %v", got, err, row.want)
			}
		})
	}
}

// A hint that cannot tell wakes the pod, and says why.
func TestQueueingHints_UnreadableObjects(t *testing.T) {
	s := newFixture(t, nil)
	broken := pod("p", "x", of(term(zone, "web")), nil)
	broken.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0].LabelSelector.MatchLabels["a b"] = ""
	for name, ask := range map[string]func() (fwk.QueueingHint, error){
		"a node where a pod should be": func() (fwk.QueueingHint, error) {
			return s.isSchedulableAfterPodChange(klog.Logger{}, plain("p", "x"), nil, &v1.Node{})
		},
		"a pod where a node should be": func() (fwk.QueueingHint, error) {
			return s.isSchedulableAfterNodeChange(klog.Logger{}, plain("p", "x"), nil, &v1.Pod{})
		},
		"a selector, when a pod changes": func() (fwk.QueueingHint, error) {
			return s.isSchedulableAfterPodChange(klog.Logger{}, broken, nil, on("n1", plain("w", "web")))
		},
		"a selector, when a node changes": func() (fwk.QueueingHint, error) {
			return s.isSchedulableAfterNodeChange(klog.Logger{}, broken, nil, mk.Node("n").Obj())
		},
	} {
		if got, err := ask(); got != fwk.Queue || err == nil {
			t.Errorf("%s: %v, error %v, want Queue and an error", name, got, err)
		}
	}
}
