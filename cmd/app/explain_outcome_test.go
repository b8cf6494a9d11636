package app

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/answers/diagnose"
	"orrery/core/objects/workloads"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/plugins/unreadable"
	"orrery/core/testing/mk"
	"orrery/core/testing/race"
	"orrery/core/trace/play"
	"orrery/core/world"
	"orrery/demo"
)

// TestExplain_SaysWhereAPodIs explains every pod of all embedded recordings at several moments, and compares the headline, the exit code
// and the document with the pod's object.
func TestExplain_SaysWhereAPodIs(t *testing.T) {
	const (
		moments      = 4
		pendingEvery = 10 // of those without a node, whose remedies take time
		alike        = 40 // of those that stay on a node, at a moment, evenly; the ones that end or leave are all explained
		wholeEvery   = 25 // of those that are explained with a node: as decided, by going back there
	)
	traces := demo.Traces()
	for _, tr := range traces[:race.Few(len(traces), 1)] {
		t.Run(tr.Name, func(t *testing.T) {
			t.Parallel()
			file, err := demo.Open(tr.Name)
			if err != nil {
				t.Fatal(err)
			}
			player, err := play.NewPlayer(file, play.Options{})
			if err != nil {
				t.Fatal(err)
			}
			pending, placed, preemptors := 0, 0, 0
			for i := 1; i <= moments; i++ {
				record := player.End().Record * i / moments
				if err := player.SeekRecord(record); err != nil {
					t.Fatal(err)
				}
				s := &openedAt{Player: player, trace: tr.Name, at: player.At().Time}
				var whole []*v1.Pod
				staying, every := 0, max(s.Engine().Store().Len(world.Pod)/alike, 1)
				for o := range s.Engine().Store().Objects(world.Pod) {
					pod := o.(*v1.Pod)
					life := diagnose.LifecycleOf(s.Engine(), pod)
					nominated := pod.Status.NominatedNodeName != "" && pod.Spec.NodeName != ""
					stays := !nominated && !life.Leaves()
					if life.Node == "" {
						if pending++; pending%pendingEvery != 0 {
							continue
						}
					} else if staying++; stays && staying%every != 0 {
						continue
					} else if placed++; placed%wholeEvery == 0 || nominated && preemptors < 5 {
						whole = append(whole, pod)
						if nominated {
							preemptors++
						}
					}
					checkOutcome(t, s.Engine(), pod, explainNow(t, s, pod))
				}
				for _, pod := range whole {
					doc, err := explainAt(s, pod, diagnose.Question{})
					if err != nil {
						t.Fatal(err)
					}
					checkOutcome(t, s.Engine(), pod, doc)
				}
			}
			if placed == 0 {
				t.Error("no pod had a node at any moment")
			}
		})
	}
}

// TestExplain_SaysWhereAGeneratedPodIs explains every pod of many small clusters: running, ended, terminating for each cause, on nodes that
// are silent or do not exist.
func TestExplain_SaysWhereAGeneratedPodIs(t *testing.T) {
	for seed := range uint64(race.Few(300, 30)) {
		g := newGenerator(seed)
		e := generatedEngine(t, g.lives(g.cluster()))
		s := &openedAt{Player: playerOf(t, e), trace: "generated", at: generatedStart}
		for o := range e.Store().Objects(world.Pod) {
			pod := o.(*v1.Pod)
			checkOutcome(t, e, pod, explainNow(t, s, pod))
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// lives gives pods and nodes statuses as they have in a cluster.
func (g generator) lives(objects []world.Object) []world.Object {
	for _, o := range objects {
		switch o := o.(type) {
		case *v1.Node:
			status := pick(g, v1.ConditionTrue, v1.ConditionTrue, v1.ConditionFalse, v1.ConditionUnknown)
			o.Status.Conditions = append(o.Status.Conditions, v1.NodeCondition{Type: v1.NodeReady, Status: status, LastTransitionTime: metav1.NewTime(generatedStart)})
		case *v1.Pod:
			if o.Spec.NodeName != "" {
				o.Status.Phase = pick(g, v1.PodRunning, v1.PodRunning, v1.PodPending, "", v1.PodSucceeded, v1.PodFailed)
				if g.one(10) {
					o.Spec.NodeName = "node-99"
				}
			}
			if g.one(3) {
				o.Finalizers = []string{"example.com/hold"}
			}
			if g.one(4) {
				grace := int64(g.IntN(3) * 30)
				o.DeletionTimestamp, o.DeletionGracePeriodSeconds = &metav1.Time{Time: generatedStart.Add(time.Duration(g.IntN(60)-30) * time.Second)}, &grace
				o.Status.Conditions = append(o.Status.Conditions, v1.PodCondition{
					Type: v1.DisruptionTarget, Status: v1.ConditionTrue,
					Reason: pick(g, v1.PodReasonPreemptionByScheduler, "DeletionByTaintManager", "EvictionByEvictionAPI", "DeletionByPodGC", v1.PodReasonTerminationByKubelet, "Else"),
				})
			}
			if g.one(6) {
				o.Spec.SchedulerName = "somebody-else"
			}
		}
	}
	return objects
}

// playerOf returns a player of an engine as it is.
func playerOf(t *testing.T, e *engine.Engine) *play.Player {
	t.Helper()
	flight, err := play.NewFlightRecorder(e, engine.Options{Start: generatedStart}, 0)
	if err != nil {
		t.Fatal(err)
	}
	player, err := flight.Player()
	if err != nil {
		t.Fatal(err)
	}
	return player
}

// explainNow explains a pod as if nothing was recorded.
func explainNow(t *testing.T, s *openedAt, pod *v1.Pod) *answerDocument {
	t.Helper()
	d, err := diagnose.Ask(s.Engine(), world.PodRefOf(pod), diagnose.Question{})
	if err != nil {
		t.Fatal(err)
	}
	return answerAt(s, "Explanation", &d.Answer)
}

// wherePhrases begin the headline of a pod that is bound, and of no other.
var wherePhrases = []string{"runs on ", "is on ", "is bound to ", "is Terminating on "}

// checkOutcome compares an answer with the object of its pod.
func checkOutcome(t *testing.T, e *engine.Engine, pod *v1.Pod, doc *answerDocument) {
	t.Helper()
	errorf := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s/%s at %s: "+format, append([]any{pod.Namespace, pod.Name, e.Now()}, args...)...)
	}
	ended := pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
	bound := !ended && e.PodState(pod.Namespace, pod.Name) == engine.StateBound
	exists := pod.Spec.NodeName == "" || e.Store().Node(pod.Spec.NodeName) != nil
	headline := doc.Headline
	says := slices.ContainsFunc(wherePhrases, func(phrase string) bool { return strings.HasPrefix(headline, phrase) })
	if says != bound || bound && !strings.Contains(headline, pod.Spec.NodeName) {
		errorf("bound to %q: %t, and the headline is %q", pod.Spec.NodeName, bound, headline)
	}
	if ended && !strings.HasPrefix(headline, "has ended") {
		errorf("it has ended, and the headline is %q", headline)
	}
	if (bound && exists || ended) && !doc.Yes {
		errorf("the exit code of %q is 1", headline)
	}
	deleted := pod.DeletionTimestamp != nil && !ended
	if (doc.Status.State == diagnose.StateTerminating) != deleted || (doc.Status.Terminating != nil) != deleted {
		errorf("it is being deleted: %t, and the state is %s, %+v", deleted, doc.Status.State, doc.Status.Terminating)
	}
	if deleted && !bound && (doc.Yes || !strings.Contains(headline, "eing")) {
		errorf("it is being deleted, and the answer is %q", headline)
	}
	for _, f := range pod.Finalizers {
		if deleted && !strings.Contains(headline, f) {
			errorf("%s keeps it, and the headline is %q", f, headline)
		}
	}
	if placed := doc.Verdict == engine.Placed.String(); doc.Status.Node != "" && !placed || deleted && !bound && doc.Status.Node == "" && doc.Verdict != engine.Skipped.String() {
		errorf("the verdict is %s, the state %s and the node %q", doc.Verdict, doc.Status.State, doc.Status.Node)
	}
	if bound && (doc.Waiting != "" || doc.Message != "") {
		errorf("it is bound, and waits: %q, message %q", doc.Waiting, doc.Message)
	}
	if bound && strings.Contains(headline, "Pending") {
		errorf("it is bound, and the headline is %q", headline)
	}
}

// TestExplain_SaysNothingOfWhatItMayNotRead takes the objects of kinds away, with the right to read them: what a pod names of such a kind is
// never said not to exist.
func TestExplain_SaysNothingOfWhatItMayNotRead(t *testing.T) {
	for _, c := range []struct {
		pod   *mk.PodBuilder
		kinds []world.Kind
	}{
		{mk.Pod("data").CPU("1").PVC("c"), unreadable.StorageKinds()},
		{mk.Pod("train").CPU("1").ResourceClaim("gpu"), []world.Kind{world.ResourceClaim, world.ResourceSlice, world.DeviceClass}},
		{gangPod("member"), []world.Kind{world.Workload}},
	} {
		for _, kind := range c.kinds {
			for _, node := range []string{"", "n1"} {
				pod := c.pod.Obj().DeepCopy()
				pod.Spec.NodeName = node
				e := engineUnread(t, kind, mk.Node("n1").CPU("4").Memory("8Gi").Obj(), pod)
				s := &openedAt{Player: playerOf(t, e), trace: "t", at: generatedStart}
				doc, err := explainAt(s, e.Store().Pod("default", pod.Name), diagnose.Question{})
				if err != nil {
					t.Fatal(err)
				}
				var text bytes.Buffer
				doc.text(&text)
				resource := kind.Resource().Resource
				if said := text.String(); strings.Contains(said, "not exist") || strings.Contains(said, "not found") || !strings.Contains(said, "no right to list "+resource) {
					t.Errorf("%s without the right to read %s:\n%s", pod.Name, kind, said)
				}
				if first, _, _ := strings.Cut(text.String(), "\n"); node == "" && !strings.Contains(first, resource) {
					t.Errorf("%s without the right to read %s begins with %q", pod.Name, kind, first)
				}
				if node == "" && (doc.Yes || !slices.Contains(doc.NotEvaluated, string(kind))) {
					t.Errorf("%s without the right to read %s: the answer is yes: %t, not evaluated for %q", pod.Name, kind, doc.Yes, doc.NotEvaluated)
				}
			}
		}
	}
}

func gangPod(name string) *mk.PodBuilder {
	p := mk.Pod(name).CPU("1")
	workloads.SetRef(&p.Obj().ObjectMeta, workloads.Reference{Name: "job", PodGroup: "workers"})
	return p
}

func engineUnread(t *testing.T, kind world.Kind, objects ...world.Object) *engine.Engine {
	t.Helper()
	e, err := engine.New(engine.Options{Start: generatedStart, Seed: 1, Unread: []world.Kind{kind}})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		if err := e.Apply(world.Input{At: generatedStart, Event: world.Changed{Op: world.Added, Object: o}}); err != nil {
			t.Fatal(fmt.Errorf("%s: %w", o.GetName(), err))
		}
	}
	return e
}
