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

	"orrery/core/evict"
	"orrery/core/evict/observer"
	"orrery/core/operator/console"
	"orrery/core/parity/apiserver"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// driveObserver passes the inputs of a session's engine to an eviction observer.
type driveObserver struct{ *observer.Observer }

func (k driveObserver) Applied(in world.Input, _ error) { k.Apply(in) }
func (k driveObserver) Stepped(*engine.Decision)        {}
func (k driveObserver) Emitted(world.Effect)            {}

// predict opens a console with an eviction observer. evictionsOf returns the observer's evictions of a pod.
func (s *fixture) predict() (session *console.Session, c *observer.Observer, evictionsOf func(pod string) []evict.Eviction) {
	s.t.Helper()
	c = observer.New(observer.Options{})
	session = s.openConsole(apiserver.Admin, func(o *console.Options) {
		o.Observer = func(*engine.Engine) drive.Observer { return driveObserver{c} }
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

// tolerating creates a pod on a node that tolerates the taint for some seconds.
func (s *fixture) tolerating(name, node string, seconds int64) {
	s.t.Helper()
	pod := apiserver.Pod(name, "10m", "16Mi")
	pod.Spec.NodeName, pod.Labels = node, map[string]string{"app": "tolerating"}
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

// taint adds the taint that these pods tolerate to a node, or removes it.
func (s *fixture) taint(node string, on bool) {
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
		return evict.Eviction{}, fmt.Errorf("%d evictions: %+v", len(list), list)
	}
	return list[0], nil
}

// Orrery's taint eviction controller evicts pods from a tainted node when their tolerationSeconds end. A read-only console
// predicts each eviction, and the predictions come true within seconds.
func TestPrediction_TaintDeadlines(t *testing.T) {
	s := newFixture(t, apiserver.Node(0, "8", "16Gi", "110"))
	tolerationSeconds := map[string]int64{"short": 15, "longer": 20, "longest": 3600} // a shorter one could end before a slow console has seen the taint
	for name, seconds := range tolerationSeconds {
		s.tolerating(name, "node-0", seconds)
	}
	session, c, evictionsOf := s.predict()
	leader := s.schedule("--controllers=taint-eviction")
	s.eventually(func() error { return leader.logged("Successfully acquired lease") })
	s.taint("node-0", true)
	// There is no kubelet, so the pods stay terminating and the observer keeps their evictions open.
	for _, name := range []string{"short", "longer"} {
		s.eventually(func() error {
			d, err := only(evictionsOf(name))
			if err != nil {
				return err
			}
			if d.Prediction.PredictedAt.IsZero() || d.Prediction.ObservedAt.IsZero() {
				return fmt.Errorf("%s: not evicted as predicted yet: %+v", name, d)
			}
			if off := d.Prediction.ObservedAt.Sub(d.Prediction.PredictedAt); off.Abs() > 20*time.Second || d.Predicted {
				t.Errorf("%s: predicted for %v, evicted with a difference of %s: %+v", name, d.Prediction.PredictedAt, off, d)
			} else {
				t.Logf("%s: %s", name, d.PredictionText(d.Prediction.ObservedAt))
			}
			return nil
		})
	}
	first, err := only(evictionsOf("short"))
	if err != nil {
		t.Fatal(err)
	}
	second, err := only(evictionsOf("longer"))
	if err != nil {
		t.Fatal(err)
	}
	if apart := second.Prediction.PredictedAt.Sub(first.Prediction.PredictedAt); apart != 5*time.Second {
		t.Errorf("the two predictions differ by %s, want 5s", apart)
	}
	if d, err := only(evictionsOf("longest")); err != nil || d.Phase != evict.CountingDown {
		t.Errorf("the third is not counting down: %+v, %v", d, err)
	}
	s.taint("node-0", false)
	s.eventually(func() error {
		d, err := only(evictionsOf("longest"))
		if err == nil && d.Prediction.Outcome != evict.OutcomeCancelled {
			err = fmt.Errorf("the taint is removed, and the third is not cancelled: %+v", d)
		}
		return err
	})
	session.Inspect(func(*engine.Engine) {
		outcomes := c.Record().Outcomes()
		evicted := outcomes.Count(evict.OnTime) + outcomes.Count(evict.Late) + outcomes.Count(evict.Early) // either process may see the taint late
		if evicted < 2 || outcomes.Count(evict.OutcomeCancelled) != 1 || outcomes.Count(evict.Missed) > 0 {
			t.Errorf("the outcomes are %v", outcomes)
		}
	})
}

func TestPrediction_SuspectsMissingController(t *testing.T) {
	s := newFixture(t, apiserver.Node(0, "8", "16Gi", "110"))
	s.tolerating("stays", "node-0", 1)
	_, _, evictionsOf := s.predict()
	s.taint("node-0", true)
	s.eventually(func() error {
		d, err := only(evictionsOf("stays"))
		if err != nil {
			return err
		}
		if d.Prediction.PredictedAt.IsZero() {
			return fmt.Errorf("no prediction: %+v", d)
		}
		later := d.Prediction.PredictedAt.Add(45 * time.Second)
		if check := d.PredictionText(later); !d.LongOverdue(later) || !strings.HasSuffix(check, "overdue by 45s: is taint eviction running?") {
			t.Errorf("45s later the prediction is %q", check)
		}
		return nil
	})
}

// No controller updates the budget's status here; the API server applies the status that the test sets.
func TestPrediction_BudgetsMatchAPIServer(t *testing.T) {
	s := newFixture(t, apiserver.Node(0, "8", "16Gi", "110"))
	s.tolerating("first", "node-0", 3600)
	s.tolerating("second", "node-0", 3600)
	budgets := s.client.PolicyV1().PodDisruptionBudgets(metav1.NamespaceDefault)
	one := intstr.FromInt32(1)
	pdb, err := budgets.Create(s.ctx, &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "tolerating"},
		Spec:       policyv1.PodDisruptionBudgetSpec{MinAvailable: &one, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "tolerating"}}},
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
	session, c, evictionsOf := s.predict()
	evicted := func(name string) error {
		return s.client.CoreV1().Pods(metav1.NamespaceDefault).EvictV1(s.ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	if err := evicted("first"); err != nil {
		t.Fatal(err)
	}
	s.eventually(func() error {
		d, err := only(evictionsOf("first"))
		if err == nil && (d.Prediction.Outcome != evict.AsPredicted || d.Prediction.PredictedAnswer != evict.Allowed) {
			err = fmt.Errorf("the first eviction's prediction is %q: %+v", d.PredictionText(time.Now()), d)
		}
		return err
	})
	s.eventually(func() (err error) { // until the observer has the budget's new status
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
	d, err := only(evictionsOf("second"))
	if err != nil || d.PredictionText(time.Now()) != "refused, as predicted" {
		t.Errorf("the second eviction's prediction is %q: %+v, %v", d.PredictionText(time.Now()), d, err)
	}
}
