package whatif_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"orrery/core/answers/whatif"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

func named(name string) *v1.Namespace {
	return &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

func podIn(namespace string) *v1.Pod { return mk.Pod("twin").Namespace(namespace).CPU("100m").Obj() }

// sceneOfObjects returns a scene whose engine has only these objects, as from an export.
func sceneOfObjects(t testing.TB, things ...world.Object) *scene {
	t.Helper()
	e, err := engine.New(engine.Options{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range things {
		if err := e.Apply(world.Input{At: start, Event: world.Changed{Op: world.Added, Object: o}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, more := e.Step(); more; _, more = e.Step() {
		e.Effects() // no outcome follows
	}
	return &scene{t: t, engine: e}
}

func owned(kind, name, pod string) *mk.PodBuilder {
	b := mk.Pod(pod).CPU("1").Node("a").Owner("apps/v1", kind, name)
	yes := true
	b.Obj().OwnerReferences[0].Controller = &yes
	return b
}

func TestRecreations_OfUnknownOwners(t *testing.T) {
	for _, c := range []struct{ kind, want string }{
		{"ReplicaSet", "x-0 moved: a -> b"},
		{"ReplicationController", "x-0 moved: a -> b"},
		{"Job", "x-0 moved: a -> b"},
		{"StatefulSet", "x-0 moved: a -> b"},
		{"DaemonSet", "x-0 evicted: a -> gone (eviction API)"},
		{"Rollout", "x-0 evicted: a -> gone (eviction API)"},
	} {
		s := sceneOfObjects(t, node("a", "4"), node("b", "4"), owned(c.kind, "x", "x-0").Obj())
		a := s.check("drain a", c.want)
		for _, p := range a.Pods {
			if c.kind == "StatefulSet" && p.With.Pod.Name != "x-0" {
				t.Errorf("the pod of a stateful set comes back as %s", p.With.Pod.Name)
			}
		}
	}
}

func TestScale_UnknownOwner(t *testing.T) {
	s := sceneOfObjects(t, node("a", "4"), owned("ReplicaSet", "x", "x-0").Obj(), owned("ReplicaSet", "x", "x-1").Obj())
	s.check("scale x-0 3", "x-new1 created: - -> a")
	s.check("scale x-0 1", "x-1 gone: a -> gone (scaled down)")
}

func TestScale_DeploymentScalesReplicaSet(t *testing.T) {
	two := int32(2)
	labels := map[string]string{"app": "web"}
	s := newScene(t, node("a", "4"), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"},
		Spec: appsv1.DeploymentSpec{
			Replicas: &two, Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: set("web", 1, "1").Spec.Template,
		},
	})
	if a := s.evaluate("scale web 3"); a.With.Placed != 3 || len(a.Pods) != 1 || a.Pods[0].Kind != whatif.Created {
		t.Errorf("scaled to 3, %d pods are placed, and %+v", a.With.Placed, a.Pods)
	}
	a := s.evaluate("scale web 0")
	if a.With.Placed != 0 || len(a.Pods) != 2 {
		t.Errorf("scaled to nothing, %d pods are placed", a.With.Placed)
	}
}

func TestEvaluate_JobKeepsItsPods(t *testing.T) {
	five, two := int32(5), int32(2)
	s := newScene(t, node("a", "4"), node("b", "4"), &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: "sum", Namespace: "default"},
		Spec:       batchv1.JobSpec{Completions: &five, Parallelism: &two, Template: set("sum", 1, "1").Spec.Template},
	})
	s.pass(30 * time.Second) // two have ended after a minute, and two more run
	a := s.evaluate("")
	if a.Without.Placed != 2 {
		t.Errorf("%d pods are placed at rest, want 2", a.Without.Placed)
	}
	if a := s.evaluate("scale sum 4"); a.With.Placed != 4 {
		t.Errorf("scaled to 4, %d pods are placed", a.With.Placed)
	}
}

func TestEvaluate_PendingBindingsSucceed(t *testing.T) {
	slow := memory.TypicalLatency()
	slow.Request = memory.Delay{Base: time.Minute}
	s := slowScene(t, slow, node("a", "1"), node("b", "1"), mk.Pod("p").CPU("1").Obj(), mk.Pod("q").CPU("1").Obj())
	if n := s.engine.BindingCount(); n != 2 {
		t.Fatalf("%d bindings are under way, want 2", n)
	}
	a := s.evaluate("")
	if a.Without.Placed != 2 || a.Without.Decisions != 0 || len(a.Pods) > 0 {
		t.Errorf("before is %+v", a.Without)
	}
	on := s.engine.Bindings()[0]
	s.check("drain "+on.Node, fmt.Sprintf("%s evicted: %s -> gone (eviction API)", on.Pod.Name, on.Node))
}

func TestEvaluate_PendingPreemptionsSucceed(t *testing.T) {
	slow := memory.TypicalLatency()
	slow.Request = memory.Delay{Base: time.Minute}
	s := slowScene(t, slow, node("a", "2"), running("v1"), running("v2"), mk.Pod("vip").CPU("2").Priority(100).Obj())
	if a := s.evaluate(""); a.Without.Preempted != 2 || a.Without.Placed != 1 || len(a.StillPending) > 0 {
		t.Errorf("before is %+v, and %d wait", a.Without, len(a.StillPending))
	}
}

func running(name string) *v1.Pod {
	return mk.Pod(name).CPU("1").Node("a").Phase(v1.PodRunning).Condition(v1.PodReady, v1.ConditionTrue, "").Obj()
}

// slowScene is a scene with calls to the API server in flight.
func slowScene(t testing.TB, latency memory.Latency, things ...world.Object) *scene {
	t.Helper()
	c := memory.New(memory.Options{Start: start, Latency: latency})
	if err := c.Load(things...); err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Options{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{t: t, cluster: c, engine: e}
	s.pass(30 * time.Second)
	return s
}

func TestEvaluate_UnusualClusters(t *testing.T) {
	hostile := "\x1b[31m" + strings.Repeat("m", 3000)
	for _, c := range []struct {
		name   string
		things []world.Object
		asks   string
	}{
		{"an empty cluster", nil, ""},
		{"a cluster without nodes", []world.Object{mk.Pod("p").Obj()}, "scale p 3"},
		{"a pod on a node that is not there", []world.Object{mk.Pod("p").Node("gone").Obj()}, "delete pod p"},
		{"a pod of an unknown class", []world.Object{node("a", "1"), classy()}, "drain a"},
		{"names of great length", []world.Object{node(strings.Repeat("n", 248), "4")}, "add 2 nodes like " + strings.Repeat("n", 248)},
		{"labels that move the cursor", []world.Object{mk.Node("a").CPU("1").Label("x", hostile).Obj()}, "add 1 node like a"},
		{"versions of the greatest number", []world.Object{versioned(node("a", "1"), "18446744073709551615")}, "cordon a"},
		{"versions that are no numbers", []world.Object{versioned(node("a", "1"), "banana")}, "cordon a"},
		{"a pod that is being deleted", []world.Object{node("a", "1"), mk.Pod("p").Node("a").Deleting(start).Obj()}, "drain a"},
		{"a node that is out of touch", []world.Object{mk.Node("a").CPU("1").Condition(v1.NodeReady, v1.ConditionUnknown).Obj(), mk.Pod("p").Node("a").Obj()}, "cordon a"},
		{"two owners of one name", []world.Object{node("a", "4"), owned("ReplicaSet", "x", "p").Obj(), owned("Job", "x", "q").Obj()}, "drain a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := sceneOfObjects(t, c.things...)
			digest := s.engine.Digest()
			if a := s.evaluate(c.asks); a.Truncated {
				t.Error("it does not come to rest")
			}
			if s.engine.Digest() != digest {
				t.Error("the engine that was asked has changed")
			}
		})
	}
}

func classy() *v1.Pod {
	p := owned("ReplicaSet", "x", "p").Priority(7).Obj()
	p.Spec.PriorityClassName = "unheard-of"
	kata := "kata"
	p.Spec.RuntimeClassName = &kata
	return p
}

func versioned(n *v1.Node, version string) *v1.Node {
	n.ResourceVersion = version
	return n
}

func TestCordon_NodeWithLargeResourceVersion(t *testing.T) {
	s := sceneOfObjects(t, versioned(node("a", "4"), "18446744073709551615"), mk.Pod("p").CPU("1").Obj())
	s.check("add 1 node like a, cordon a, requests p cpu=2", "p moved: a -> a-new1")
}

// The nodes' sums, and their sum, are more than an int64 holds.
func TestEvaluate_SumsBeyondInt64(t *testing.T) {
	things := []world.Object{node("small", "1m"), node("other", "4")}
	for i := range 1100 {
		things = append(things, mk.Pod(fmt.Sprint("huge-", i)).Node("small").CPU("9007199254740").Memory("8Pi").Obj())
	}
	a := sceneOfObjects(t, things...).evaluate("cordon other")
	for when, s := range map[string]whatif.ClusterSummary{"before": a.Without, "after": a.With} {
		if s.CPU < 1e12 || s.Memory < 1 || s.Spread < 0 || s.Deviation < 0 {
			t.Errorf("%s, the shares are %g of cpu and %g of memory, the spread %g and the deviation %g", when, s.CPU, s.Memory, s.Spread, s.Deviation)
		}
	}
}

// A pod of another scheduler is pending like others, in the count and in the list; one that has ended is in neither.
func TestEvaluate_CountsPendingPodsAsItListsThem(t *testing.T) {
	ended := mk.Pod("ended").CPU("5").Phase(v1.PodFailed).Obj()
	s := sceneOfObjects(t, node("a", "1"), mk.Pod("foreign").CPU("1").Scheduler("mine").Obj(), ended, mk.Pod("big").CPU("2").Obj())
	a := s.evaluate("cordon a")
	if len(a.Pods) > 0 || a.Without.Pending != 2 || a.With.Pending != 2 || len(a.StillPending) != 2 {
		t.Fatalf("%d change, %d are pending before and %d after, and listed are %+v", len(a.Pods), a.Without.Pending, a.With.Pending, a.StillPending)
	}
	foreign := a.StillPending[1].With
	if want := `waits for scheduler "mine": no profile here has that name`; foreign.State == engine.StateGone || foreign.Reason.Reason != want {
		t.Errorf("the pod of another scheduler is %+v, want the reason %q", foreign, want)
	}
	checkSums(t, nil, a)
}

// TestEvaluate_EndsWhateverTheOwners asks about pods whose references to owners no API server takes: without a UID, or with one UID for owners
// of several kinds, names and namespaces. Each what-if ends, and at rest where no UID is that of several.
func TestEvaluate_EndsWhateverTheOwners(t *testing.T) {
	rapid.Check(t, func(draw *rapid.T) {
		things := []world.Object{node("a", "4"), node("b", "4")}
		owners, shared := map[types.UID]string{}, false
		for i := range rapid.IntRange(1, 6).Draw(draw, "pods") {
			kind := rapid.SampledFrom([]string{"ReplicaSet", "ReplicationController", "Job", "StatefulSet", "DaemonSet", "Rollout"}).Draw(draw, "kind")
			pod := owned(kind, rapid.SampledFrom([]string{"x", "y"}).Draw(draw, "owner"), fmt.Sprintf("x-%d", i)).Obj()
			pod.Namespace = rapid.SampledFrom([]string{"default", "shop"}).Draw(draw, "namespace")
			pod.OwnerReferences[0].UID = types.UID(rapid.SampledFrom([]string{"", "1", "2"}).Draw(draw, "uid"))
			ref := &pod.OwnerReferences[0]
			owner := ref.Kind + " " + pod.Namespace + "/" + ref.Name
			shared = shared || ref.UID != "" && owners[ref.UID] != "" && owners[ref.UID] != owner
			owners[ref.UID] = owner
			pod.Spec.NodeName = rapid.SampledFrom([]string{"a", "b", "gone", ""}).Draw(draw, "node")
			things = append(things, pod)
		}
		s := sceneOfObjects(t, things...)
		for _, question := range []string{"drain a", "delete node a", "delete pod " + things[2].GetNamespace() + "/x-0", "add 1 nodes like a"} {
			a, err := whatif.Evaluate(s.engine, changes(t, question), whatif.Options{})
			if err == nil && a.Truncated && !shared { // a pod on a node that does not exist is gone, and not there to be deleted
				draw.Errorf("what if %s: the cluster does not come to rest", question)
			}
		}
	})
}

func TestRecreations_OwnerWithoutUID(t *testing.T) {
	for _, kind := range []string{"ReplicaSet", "ReplicationController", "Job", "StatefulSet", "DaemonSet", "Rollout"} {
		pod := owned(kind, "x", "x-0").Obj()
		pod.OwnerReferences[0].UID = ""
		s := sceneOfObjects(t, node("a", "4"), node("b", "4"), pod)
		s.check("drain a", "x-0 evicted: a -> gone (eviction API)")
	}
}
