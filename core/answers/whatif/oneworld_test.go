package whatif_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/answers/whatif"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// crowd is a cluster where nearly everything is a tie: up to 20 nodes of one size, replica sets whose pods are on them or wait, a node
// on fire, with pods that will be evicted from it, and a node apart with a pod of nobody. The seed of the engine is another one each
// time that it is read: it has decided other ties before.
func crowd(t testing.TB, seed, read uint64) *engine.Engine {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 3))
	var objects []world.Object
	nodes := 4 + rng.IntN(17)
	for i := range nodes {
		n := mk.Node(fmt.Sprintf("n%02d", i)).CPU("8").Memory("32Gi").Pods("30").Zone([]string{"east", "west"}[i%2])
		if i == 0 {
			n.Taint("fire", "", v1.TaintEffectNoExecute)
		}
		objects = append(objects, n.Obj())
	}
	objects = append(objects, mk.Node("apart").CPU("8").Memory("32Gi").Pods("30").Unschedulable().Obj(), mk.Pod("loner").CPU("1").Node("apart").Obj())
	for i := range 2 + rng.IntN(3) {
		s := set(fmt.Sprintf("web%d", i), int32(6+rng.IntN(10)), "500m")
		s.UID = types.UID("of-" + s.Name)
		objects = append(objects, s)
		for j := range int(*s.Spec.Replicas) {
			pod := mk.Pod(fmt.Sprintf("%s-%02d", s.Name, j)).CPU("500m").Label("app", s.Name)
			if !strings.HasSuffix(pod.Obj().Name, "7") {
				pod.Node(fmt.Sprintf("n%02d", rng.IntN(nodes)))
			}
			objects = append(objects, ownedBy(pod.Obj(), s))
		}
	}
	return engineOf(t, read, objects...)
}

// engineOf knows some objects, and nothing has happened to them.
func engineOf(t testing.TB, seed uint64, objects ...world.Object) *engine.Engine {
	t.Helper()
	e, err := engine.New(engine.Options{Start: start, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		if err := e.Apply(world.Input{At: start, Event: world.Changed{Op: world.Added, Object: o}}); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

func ownedBy(pod *v1.Pod, by *appsv1.ReplicaSet) *v1.Pod {
	yes := true
	pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: by.Name, UID: by.UID, Controller: &yes}}
	return pod
}

func answerOf(t testing.TB, e *engine.Engine, question string) *whatif.Result {
	t.Helper()
	a, err := whatif.Evaluate(e, changes(t, question), whatif.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// A change that concerns a pod or a node alone leaves all other pods where they are without it, though those of the node on fire are evicted,
// others wait for a node, and nearly every node is as good as another.
func TestEvaluate_PodsThatNobodyTouchedStay(t *testing.T) {
	moved := 0
	for seed := range uint64(20) {
		e := crowd(t, seed, 1)
		a := answerOf(t, e, "label n01 example.com/rack=r1")
		moved += a.Without.Moved
		if len(a.Pods) > 0 || a.Without != a.With {
			t.Errorf("seed %d: a label that nobody asks for changes %s\n%+v\n%+v", seed, summarize(a), a.Without, a.With)
		}
		for _, question := range []string{"delete pod loner", "scale loner 0"} {
			if a := answerOf(t, e, question); len(a.Pods) != 1 || a.Pods[0].Kind != whatif.Gone || a.Worse() {
				t.Errorf("seed %d: %s changes more than the pod:\n%s", seed, question, summarize(a))
			}
		}
	}
	if moved < 20 {
		t.Errorf("only %d pods are evicted from the node on fire", moved)
	}
}

// An owner that is scaled down has the rest of its pods in the end, whatever else happens to them: some are evicted from the node on fire.
func TestScale_DownIsNoEviction(t *testing.T) {
	for seed := range uint64(20) {
		e := crowd(t, seed, 1)
		have := int(*e.Store().Object(world.ReplicaSet, "default", "web0").(*appsv1.ReplicaSet).Spec.Replicas)
		a := answerOf(t, e, "scale web0 2")
		if gone := strings.Count(summarize(a), " gone: "); a.Worse() || gone != have-2 {
			t.Errorf("seed %d: of %d pods %d go: %s\n%s", seed, have, gone, a.Verdict(), summarize(a))
		}
	}
}

// The same question about the same objects has the same answer, whatever was decided before it was asked.
func TestEvaluate_TenTimesTheSame(t *testing.T) {
	for seed := range uint64(4) {
		for _, question := range []string{"drain n01", "scale web0 3", "add 1 node like n02, cordon n03", "delete node n02"} {
			first := answerOf(t, crowd(t, seed, 0), question)
			for read := range uint64(9) {
				again := answerOf(t, crowd(t, seed, 1+read), question)
				if diff := cmp.Diff(first, again); diff != "" {
					t.Fatalf("seed %d: %s has two answers:\n%s", seed, question, diff)
				}
			}
		}
	}
}

// Of two gangs that have each other's room one gets it at the deadline. Which one is no effect of a change that concerns neither.
func TestGangs_WhoWinsADeadlockIsNoEffect(t *testing.T) {
	s := deadlock(t)
	s.create(mk.Node("small").CPU("500m").Memory("1Gi").Obj())
	for _, question := range []string{"cordon small", "label n a=b", "delete node small", "mincount default/train/workers 3"} {
		a := s.evaluate(question)
		if len(a.Pods) > 0 || a.Worse() {
			t.Errorf("%s: %s\n%s", question, a.Verdict(), summarize(a))
		}
	}
	if a := s.evaluate("delete gang default/tune/workers"); a.Worse() || a.With.Pending != 0 {
		t.Errorf("without the other gang: %s\n%s", a.Verdict(), summarize(a))
	}
	if a := s.evaluate("add 1 node like n"); a.Worse() || a.With.Pending != 0 || strings.Count(summarize(a), " placed: ") != 3 {
		t.Errorf("with room for both: %s\n%s", a.Verdict(), summarize(a))
	}
}
