package whatif_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"orrery/core/answers/change"
	"orrery/core/answers/whatif"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// busy returns a scene with objects of all kinds.
func busy(t testing.TB) *scene {
	s := newScene(t,
		node("a", "4"), node("b", "4"), mk.Node("shut").CPU("4").Memory("16Gi").Unschedulable().Obj(),
		mk.Node("red").CPU("2").Memory("4Gi").Taint("k", "v", v1.TaintEffectNoSchedule).Obj(),
		set("web", 3, "1"), newBudget("web", 2), set("api", 3, "1500m"), set("pinned", 1, "1", onNode("shut")),
	)
	s.create(mk.Pod("alone").CPU("500m").Obj(), mk.Pod("big").CPU("3").Obj(), mk.Pod("shy").CPU("1").Gate("quota").Obj())
	held := mk.Pod("held").CPU("5").Obj()
	held.Finalizers = []string{"example.com/hold"}
	s.create(mk.Pod("foreign").CPU("1").Scheduler("mine").Obj(), mk.Pod("failed").CPU("5").Phase(v1.PodFailed).Obj(), held)
	return s
}

func (s *scene) names(kind world.Kind) []string {
	var all []string
	for o := range s.engine.Store().Objects(kind) {
		all = append(all, o.GetName())
	}
	return all
}

func TestEvaluate_IsRepeatableAndReadOnly(t *testing.T) {
	s := busy(t)
	nodes, pods := s.names(world.Node), s.names(world.Pod)
	digest, before := s.engine.Digest(), fingerprint(s)
	rapid.Check(t, func(t *rapid.T) {
		var texts []string
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			texts = append(texts, anyChange(t, nodes, pods, []string{"web", "api", "alone"}))
		}
		question, err := change.ParseAll([]string{strings.Join(texts, ", ")})
		if err != nil {
			t.Fatal(err)
		}
		first, err := whatif.Evaluate(s.engine, question, whatif.Options{})
		again, errAgain := whatif.Evaluate(s.engine, question, whatif.Options{})
		if diff := cmp.Diff(fmt.Sprint(err), fmt.Sprint(errAgain)); diff != "" {
			t.Fatalf("%q: two errors:\n%s", texts, diff)
		}
		if diff := cmp.Diff(first, again); diff != "" {
			t.Errorf("%q has two answers:\n%s", texts, diff)
		}
		if s.engine.Digest() != digest || fingerprint(s) != before {
			t.Errorf("%q has changed the engine that was asked", texts)
		}
		if err != nil {
			return
		}
		if first.Truncated {
			t.Errorf("%q does not come to rest", texts)
		}
		checkSums(t, texts, first)
	})
}

func TestEvaluate_NoChanges(t *testing.T) {
	s := busy(t)
	a := s.evaluate("")
	if len(a.Pods) > 0 || a.Without != a.With || a.Worse() {
		t.Errorf("nothing is changed, and the answer is %+v", a)
	}
	if len(a.StillPending) == 0 {
		t.Error("a pod is pending, and the result names none")
	}
}

// lostNode reports whether a pod that has no node without the changes had one with them, for a while.
func lostNode(p whatif.PodChange) bool {
	return p.Without.Node == "" && !slices.Contains([]string{"", "deleted", "deleted by the change", "scaled down"}, p.With.RemovedBy)
}

// checkSums compares the pods of a result with its numbers.
func checkSums(t rapid.TB, texts []string, a *whatif.Result) {
	t.Helper()
	placed, evicted, worse := 0, 0, false
	pendingBefore, pendingAfter := len(a.StillPending), len(a.StillPending)
	for _, p := range a.Pods {
		if p.Without.Pending() {
			pendingBefore++
		}
		if p.With.Pending() {
			pendingAfter++
		}
		if p.With.Node != "" {
			placed++
		}
		if p.Without.Node != "" {
			placed--
		}
		if p.Kind == whatif.Evicted || p.Kind == whatif.Gone && lostNode(p) {
			evicted++
		}
		worse = worse || p.Kind == whatif.Evicted || p.Kind == whatif.BecomesPending
		if p.Without.Node == p.With.Node && p.Without.Node != "" {
			t.Errorf("%q: %s is said to fare differently, and is on %s either way", texts, p.Pod, p.With.Node)
		}
	}
	for _, p := range a.StillPending {
		if lostNode(p) {
			evicted++
		}
	}
	if got := a.With.Placed - a.Without.Placed; got != placed {
		t.Errorf("%q: %d more pods are placed, and pod by pod it is %d", texts, got, placed)
	}
	if a.Without.Pending != pendingBefore || a.With.Pending != pendingAfter {
		t.Errorf("%q: %d pods are pending before and %d after, and pod by pod it is %d and %d", texts, a.Without.Pending, a.With.Pending, pendingBefore, pendingAfter)
	}
	if a.Without.Moved+a.Without.Evicted == 0 && a.With.Evicted != evicted {
		t.Errorf("%q: %d pods are evicted, and pod by pod it is %d", texts, a.With.Evicted, evicted)
	}
	if worse != a.Worse() {
		t.Errorf("%q: worse is %v", texts, a.Worse())
	}
	for _, o := range []whatif.ClusterSummary{a.Without, a.With} {
		for _, share := range []float64{o.CPU, o.Memory, o.Spread, o.Deviation} {
			if share < 0 || share > 1 {
				t.Errorf("%q: a share is %v", texts, share)
			}
		}
	}
}

// fingerprint returns the visible state of an engine.
func fingerprint(s *scene) string {
	var b strings.Builder
	for _, kind := range world.Kinds() {
		for o := range s.engine.Store().Objects(kind) {
			fmt.Fprintf(&b, "%s %s %s %s\n", kind, o.GetNamespace(), o.GetName(), o.GetResourceVersion())
			if pod, ok := o.(*v1.Pod); ok {
				fmt.Fprintf(&b, "  %s %s %v\n", pod.Spec.NodeName, s.engine.PodState(pod.Namespace, pod.Name), pod.Spec.Containers)
			}
		}
	}
	fmt.Fprintf(&b, "%+v %+v %v", s.engine.Queue().Counts(), s.engine.Counters(), s.engine.Now())
	return b.String()
}

func TestEvaluate_UnknownNames(t *testing.T) {
	s := busy(t)
	s.create(named("one"), named("two"), podIn("one"), podIn("two"))
	for _, c := range []struct{ question, says string }{
		{"cordon nowhere", `there is no node "nowhere"`},
		{"drain nowhere", `there is no node "nowhere"`},
		{"add 2 nodes like nowhere", `there is no node "nowhere"`},
		{"delete node nowhere", `there is no node "nowhere"`},
		{"delete pod nobody", `there is no pod "nobody"`},
		{"delete pod twin", `there are 2 of the name "twin" in several namespaces: write NAMESPACE/twin`},
		{"requests nobody cpu=1", `there is no pod "nobody"`},
		{"priority alone higher", `there is no priority class "higher"`},
		{"priority alone 99999999999", `there is no priority class "99999999999", and it is not a number`},
		{"profile alone nothing", `there is no profile "nothing": they are default-scheduler`},
		{"scale nobody 3", `there is no owner of pods and no pod "nobody"`},
		{"untaint a k", `there is no taint "k"`},
		{"ungate alone", "has no scheduling gates"},
		{"unselect alone disk", `does not select nodes by "disk"`},
	} {
		_, err := whatif.Evaluate(s.engine, changes(t, c.question), whatif.Options{})
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: the error is %v, want one that says %q", c.question, err, c.says)
		}
	}
}

func TestEvaluate_Truncates(t *testing.T) {
	s := busy(t)
	a, err := whatif.Evaluate(s.engine, changes(t, "add 5 nodes like a, scale web 50"), whatif.Options{MaxDecisions: 10})
	if err != nil {
		t.Fatal(err)
	}
	if !a.Truncated || a.With.Decisions > 10 {
		t.Errorf("truncated is %v after %d decisions", a.Truncated, a.With.Decisions)
	}
	a, err = whatif.Evaluate(s.engine, changes(t, "delete node a"), whatif.Options{MaxTime: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !a.Truncated {
		t.Error("pods of a node that is gone are deleted after 40 seconds, and that is not said to be still to come")
	}
}

// anyChange returns a random change in its syntax.
func anyChange(t *rapid.T, nodes, pods, owners []string) string {
	node := rapid.SampledFrom(nodes).Draw(t, "node")
	pod := rapid.SampledFrom(pods).Draw(t, "pod")
	effect := rapid.SampledFrom([]string{"NoSchedule", "PreferNoSchedule", "NoExecute"}).Draw(t, "effect")
	n := rapid.IntRange(0, 6).Draw(t, "n")
	return rapid.SampledFrom([]string{
		"cordon " + node, "uncordon " + node, "drain " + node, "delete node " + node, "delete pod " + pod,
		fmt.Sprintf("add %d nodes like %s", n+2, node), fmt.Sprintf("requests %s cpu=%d00m memory=%dGi", pod, n*5+1, n+1),
		fmt.Sprintf("priority %s %d", pod, n*100), fmt.Sprintf("scale %s %d", rapid.SampledFrom(owners).Draw(t, "owner"), n),
		"profile " + pod + " default-scheduler", "taint " + node + " k=v:" + effect, "untaint " + node + " k", "ungate " + pod,
		"tolerate " + pod + " k=v", "unselect " + pod + " kubernetes.io/hostname",
	}).Draw(t, "change")
}
