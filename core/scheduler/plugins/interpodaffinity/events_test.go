package interpodaffinity

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
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

// hintRow is an event and the hint. "differs:" marks rows where kube-scheduler's plugin returns QueueSkip.
type hintRow struct {
	name          string
	waiting       *v1.Pod
	before, after any
	want          fwk.QueueingHint
}

func TestQueueingHints_PodChange(t *testing.T) {
	attracted := pod("p", "x", of(term(zone, "web")), nil)
	repelled := pod("p", "x", nil, of(term(zone, "web")))
	repelledTwice := pod("p", "x", nil, of(term(zone, "web"), term(host, "db")))
	selfAffine := pod("p", "x", of(term(zone, "x")), nil)
	attractedInRed := pod("p", "x", of(inTeam(term(zone, "web"), "red")), nil)
	repelledInRed := pod("p", "x", nil, of(inTeam(term(zone, "web"), "red")))
	noTerms := plain("p", "x")
	relabelled := noTerms.DeepCopy()
	relabelled.Labels = map[string]string{"app": "y"}

	web, db := on("n1", plain("w", "web")), on("n1", plain("w", "db"))
	webInRed := on("n1", mk.Pod("w").Namespace("red").Label("app", "web").Obj())
	guard := on("n1", pod("guard", "g", nil, of(term(host, "x"))))
	teamGuard := on("n1", pod("guard", "g", nil, of(inTeam(term(host, "x"), "blue"))))
	same := on("n1", plain("s", "x"))

	for _, row := range []hintRow{
		{"a pod matching affinity was assigned", attracted, nil, web, fwk.Queue},
		{"a pod not matching affinity was assigned", attracted, nil, db, fwk.QueueSkip},
		{"a pod matching affinity was created without a node", attracted, nil, plain("w", "web"), fwk.QueueSkip},
		{"a pod began to match affinity", attracted, db, web, fwk.Queue},
		{"a pod matching affinity was deleted", attracted, web, nil, fwk.QueueSkip},
		{"a pod matching anti-affinity was deleted", repelled, web, nil, fwk.Queue},
		{"a pod matching anti-affinity was deleted unobserved", repelled, cache.DeletedFinalStateUnknown{Obj: web}, nil, fwk.Queue},
		{"a pod not matching anti-affinity was deleted", repelled, db, nil, fwk.QueueSkip},
		{"a pod ceased to match anti-affinity", repelled, web, db, fwk.Queue},
		{"a pod began to match anti-affinity", repelled, db, web, fwk.QueueSkip},
		{"a pod matching anti-affinity was assigned", repelled, nil, web, fwk.QueueSkip},
		{"differs: a pod matching one of two anti-affinity terms was deleted", repelledTwice, db, nil, fwk.Queue},
		{"differs: a pod whose anti-affinity rejected it was deleted", noTerms, guard, nil, fwk.Queue},
		{"differs: a pod whose anti-affinity rejected it by namespace selector was deleted", noTerms, teamGuard, nil, fwk.Queue},
		{"a pod whose anti-affinity does not match it was deleted", plain("p", "y"), guard, nil, fwk.QueueSkip},
		{"a pod with anti-affinity changed its labels", noTerms, guard, func() *v1.Pod { g := guard.DeepCopy(); g.Labels["a"] = "b"; return g }(), fwk.QueueSkip},
		{"differs: a matching pod was assigned in a selected namespace", attractedInRed, nil, webInRed, fwk.Queue},
		{"a pod was assigned in a namespace that is not selected", attractedInRed, nil, web, fwk.QueueSkip},
		{"differs: a pod matching anti-affinity was deleted in a selected namespace", repelledInRed, webInRed, nil, fwk.Queue},
		{"differs: a pod matching its own affinity was deleted, so it may now be the first of its series", selfAffine, same, nil, fwk.Queue},
		{"differs: its own labels changed", relabelled, noTerms, relabelled, fwk.Queue},
		{"the pod itself was updated without a change of labels", noTerms, noTerms, noTerms.DeepCopy(), fwk.QueueSkip},
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
	attracted := pod("p", "x", of(term(zone, "web")), nil)
	repelled := pod("p", "x", nil, of(term(zone, "web")))
	noTerms := plain("p", "x")
	keyless := func() *mk.NodeBuilder { return mk.Node("n") }
	inZone := func(zone string) *mk.NodeBuilder { return mk.Node("n").Zone(zone) }

	for _, row := range []hintRow{
		{"a node with the key was added", attracted, nil, inZone("A").Obj(), fwk.Queue},
		{"a node without the key was added", attracted, nil, keyless().Obj(), fwk.QueueSkip},
		{"a node was added, for a pod with anti-affinity", repelled, nil, keyless().Obj(), fwk.Queue},
		{"differs: a node was added, for a pod without terms", noTerms, nil, keyless().Obj(), fwk.Queue},
		{"a node got the key", attracted, keyless().Obj(), inZone("A").Obj(), fwk.Queue},
		{"a node moved to another domain", attracted, inZone("A").Obj(), inZone("B").Obj(), fwk.Queue},
		{"a node lost the key", attracted, inZone("A").Obj(), keyless().Obj(), fwk.QueueSkip},
		{"a node lost the key of anti-affinity", repelled, inZone("A").Obj(), keyless().Obj(), fwk.Queue},
		{"a node changed domains of anti-affinity", repelled, inZone("A").Obj(), inZone("B").Obj(), fwk.Queue},
		{"differs: a node with the key changed another label, which other pods' terms may use", attracted, inZone("A").Obj(), inZone("A").Label("rack", "r").Obj(), fwk.Queue},
		{"a node without the key changed another label", attracted, keyless().Obj(), keyless().Label("rack", "r").Obj(), fwk.QueueSkip},
		{"differs: a node changed a label, for a pod without terms", noTerms, keyless().Obj(), keyless().Label("rack", "r").Obj(), fwk.Queue},
		{"a node kept its labels", noTerms, keyless().Obj(), keyless().Unschedulable().Obj(), fwk.QueueSkip},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := newFixture(t, nil).isSchedulableAfterNodeChange(klog.Logger{}, row.waiting, row.before, row.after)
			if got != row.want || err != nil {
				t.Errorf("%v, error %v, want %v", got, err, row.want)
			}
		})
	}
}

// A hint that returns an error requeues the pod.
func TestQueueingHints_UnreadableObjects(t *testing.T) {
	s := newFixture(t, nil)
	broken := pod("p", "x", of(term(zone, "web")), nil)
	broken.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0].LabelSelector.MatchLabels["a b"] = ""
	for name, hint := range map[string]func() (fwk.QueueingHint, error){
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
		if got, err := hint(); got != fwk.Queue || err == nil {
			t.Errorf("%s: %v, error %v, want Queue and an error", name, got, err)
		}
	}
}
