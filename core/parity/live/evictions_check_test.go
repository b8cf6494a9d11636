package live_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"orrery/core/console"
	"orrery/core/drive"
	"orrery/core/engine"
	"orrery/core/evict"
	"orrery/core/evict/observer"
	"orrery/core/parity/apiserver"
	"orrery/core/world"
)

// keeper has a clerk hear what a session's engine hears.
type keeper struct{ *observer.Observer }

func (k keeper) Applied(in world.Input, _ error) { k.Apply(in) }
func (k keeper) Stepped(*engine.Decision)        {}
func (k keeper) Emitted(world.Effect)            {}

// foretell opens a console in whose shadow departures are foretold. Tell gives the departures of a pod as the board has them.
func (s *scene) foretell() (session *console.Session, c *observer.Observer, tell func(pod string) []evict.Eviction) {
	s.t.Helper()
	c = observer.New(observer.Options{})
	session = s.look(apiserver.Admin, func(o *console.Options) {
		o.Observer = func(*engine.Engine) drive.Observer { return keeper{c} }
	})
	return session, c, func(pod string) (all []evict.Eviction) {
		session.Inspect(func(*engine.Engine) {
			for _, d := range append(c.Record().Open(), c.Record().Ended()...) {
				if d.Pod.Name == pod && d.Pod.Namespace == metav1.NamespaceDefault {
					all = append(all, d)
				}
			}
		})
		return all
	}
}

// patient creates a pod on a node that tolerates the taint for so many seconds.
func (s *scene) patient(name, node string, seconds int64) {
	s.t.Helper()
	pod := apiserver.Pod(name, "10m", "16Mi")
	pod.Spec.NodeName, pod.Labels = node, map[string]string{"app": "patient"}
	pod.Spec.Tolerations = []v1.Toleration{{Key: "repair", Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute, TolerationSeconds: &seconds}}
	created, err := s.create(pod)
	if err != nil {
		s.t.Fatal(err)
	}
	created.Status.Phase = v1.PodRunning
	created.Status.Conditions = []v1.PodCondition{{Type: v1.PodReady, Status: v1.ConditionTrue}}
	if _, err := s.client.CoreV1().Pods(created.Namespace).UpdateStatus(s.ctx, created, metav1.UpdateOptions{}); err != nil {
		s.t.Fatal(err)
	}
}

// taint gives a node the taint that pods are patient with, or takes it.
func (s *scene) taint(node string, on bool) {
	s.t.Helper()
	s.eventually(func() error {
		n, err := s.client.CoreV1().Nodes().Get(s.ctx, node, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if n.Spec.Taints = nil; on {
			n.Spec.Taints = []v1.Taint{{Key: "repair", Effect: v1.TaintEffectNoExecute}}
		}
		_, err = s.client.CoreV1().Nodes().Update(s.ctx, n, metav1.UpdateOptions{})
		return err
	})
}

func only(list []evict.Eviction) (evict.Eviction, error) {
	if len(list) != 1 {
		return evict.Eviction{}, fmt.Errorf("%d departures are on the board: %+v", len(list), list)
	}
	return list[0], nil
}

// Orrery's own controller makes pods leave a tainted node, each when its patience is at an end. A console that only looks
// foretells each of them, and what it foretold comes to pass within seconds.
func TestPrediction_TaintDeadlines(t *testing.T) {
	s := newScene(t, apiserver.Node(0, "8", "16Gi", "110"))
	waits := map[string]int64{"short": 3, "longer": 8, "longest": 3600}
	for name, seconds := range waits {
		s.patient(name, "node-0", seconds)
	}
	_, c, tell := s.foretell()
	leader := s.schedule("--controllers=taint-eviction")
	s.eventually(func() error { return leader.says("Successfully acquired lease") })
	s.taint("node-0", true)
	// Meanwhile nobody kills what was asked to leave: there is no kubelet, so that the board shows what it waits for.
	for _, name := range []string{"short", "longer"} {
		s.eventually(func() error {
			d, err := only(tell(name))
			if err != nil {
				return err
			}
			if d.Prediction.PredictedAt.IsZero() || d.Prediction.ObservedAt.IsZero() {
				return fmt.Errorf("%s: nothing has come of what was foretold: %+v", name, d)
			}
			if off := d.Prediction.ObservedAt.Sub(d.Prediction.PredictedAt); off.Abs() > 20*time.Second || d.Predicted {
				t.Errorf("%s was foretold for %v and asked to leave %s off: %+v", name, d.Prediction.PredictedAt, off, d)
			} else {
				t.Logf("%s: %s", name, d.PredictionText(d.Prediction.ObservedAt))
			}
			return nil
		})
	}
	first, err := only(tell("short"))
	if err != nil {
		t.Fatal(err)
	}
	second, err := only(tell("longer"))
	if err != nil {
		t.Fatal(err)
	}
	if apart := second.Prediction.PredictedAt.Sub(first.Prediction.PredictedAt); apart != 5*time.Second {
		t.Errorf("the two were foretold %s apart, and their patience differs by 5s", apart)
	}
	if d, err := only(tell("longest")); err != nil || d.Phase != evict.CountingDown {
		t.Errorf("the third is not counted down: %+v, %v", d, err)
	}
	s.taint("node-0", false)
	s.eventually(func() error {
		d, err := only(tell("longest"))
		if err == nil && d.Prediction.Outcome != evict.OutcomeCancelled {
			err = fmt.Errorf("the taint is gone, and of the third it is said %+v", d)
		}
		return err
	})
	outcomes := c.Record().Outcomes() // nothing changes it any more but what is foretold of others
	if n := outcomes.Count(evict.OnTime) + outcomes.Count(evict.Late); n < 2 || outcomes.Count(evict.OutcomeCancelled) != 1 || outcomes.Count(evict.Missed) > 0 {
		t.Errorf("of what was foretold came %v", outcomes)
	}
}

func TestPrediction_SuspectsMissingController(t *testing.T) {
	s := newScene(t, apiserver.Node(0, "8", "16Gi", "110"))
	s.patient("stays", "node-0", 1)
	_, _, tell := s.foretell()
	s.taint("node-0", true)
	s.eventually(func() error {
		d, err := only(tell("stays"))
		if err != nil {
			return err
		}
		if d.Prediction.PredictedAt.IsZero() {
			return fmt.Errorf("nothing is foretold: %+v", d)
		}
		later := d.Prediction.PredictedAt.Add(45 * time.Second)
		if check := d.PredictionText(later); !d.LongOverdue(later) || !strings.HasSuffix(check, "overdue by 45s: is taint eviction running?") {
			t.Errorf("45s later it says %q", check)
		}
		return nil
	})
}

// Nobody keeps the budget's status here, so that it says what the test says; the API server asks it all the same.
func TestPrediction_BudgetsMatchAPIServer(t *testing.T) {
	s := newScene(t, apiserver.Node(0, "8", "16Gi", "110"))
	s.patient("first", "node-0", 3600)
	s.patient("second", "node-0", 3600)
	budgets := s.client.PolicyV1().PodDisruptionBudgets(metav1.NamespaceDefault)
	one := intstr.FromInt32(1)
	pdb, err := budgets.Create(s.ctx, &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "patient"},
		Spec:       policyv1.PodDisruptionBudgetSpec{MinAvailable: &one, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "patient"}}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = budgets.Delete(context.Background(), pdb.Name, metav1.DeleteOptions{}) })
	pdb.Status = policyv1.PodDisruptionBudgetStatus{
		ObservedGeneration: pdb.Generation, DisruptionsAllowed: 1, CurrentHealthy: 2, DesiredHealthy: 1, ExpectedPods: 2,
	}
	if _, err := budgets.UpdateStatus(s.ctx, pdb, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	session, c, tell := s.foretell()
	evicted := func(name string) error {
		return s.client.CoreV1().Pods(metav1.NamespaceDefault).EvictV1(s.ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	if err := evicted("first"); err != nil {
		t.Fatal(err)
	}
	s.eventually(func() error {
		d, err := only(tell("first"))
		if err == nil && (d.Prediction.Outcome != evict.AsPredicted || d.Prediction.PredictedAnswer != evict.Allowed) {
			err = fmt.Errorf("of the first eviction it is said %q: %+v", d.PredictionText(time.Now()), d)
		}
		return err
	})
	s.eventually(func() (err error) { // the budget's charge is seen, too
		session.Inspect(func(*engine.Engine) {
			if pdbs := c.Record().Budgets(metav1.NamespaceDefault); len(pdbs) != 1 || pdbs[0].Status.DisruptionsAllowed != 0 {
				err = fmt.Errorf("the budgets are %+v", pdbs)
			}
		})
		return err
	})
	refusal := evicted("second")
	if !apierrors.IsTooManyRequests(refusal) {
		t.Fatalf("the second eviction: %v", refusal)
	}
	session.Inspect(func(e *engine.Engine) {
		c.EvictionRefused(e.Now(), world.PodRef{Namespace: metav1.NamespaceDefault, Name: "second"}, "this test", refusal.Error())
	})
	d, err := only(tell("second"))
	if err != nil || d.PredictionText(time.Now()) != "refused, as predicted" {
		t.Errorf("of the second eviction it is said %q: %+v, %v", d.PredictionText(time.Now()), d, err)
	}
}
