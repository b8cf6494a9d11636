package pressure_test

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"orrery/core/evict/budget"
	"orrery/core/evict/pressure"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// Node pressure evicts a pod within a second, though its budget allows no disruption and its grace period is a minute. The
// node rejects the replacement.
// Shows NPE-03.
func TestKubelets_IgnoreBudgetAndGracePeriod(t *testing.T) {
	kubelets, err := pressure.NewKubelets(pressure.KubeletsOptions{Configuration: config(t, hardMemory)})
	if err != nil {
		t.Fatal(err)
	}
	c := &testCluster{t: t, Cluster: memory.New(memory.Options{
		Start: noon, Pressure: kubelets, Budgets: budget.Rules{}, Kinds: []world.Kind{world.Pod},
		PodBehavior: func(*v1.Pod) memory.PodBehavior { return memory.PodBehavior{Stop: 45 * time.Second} },
	})}
	c.create(mk.Node("n1").CPU("8").Memory("10Gi").Obj())
	labels := map[string]string{"app": "web"}
	model := mk.Pod("x").Obj().Spec
	model.TerminationGracePeriodSeconds = ptr(int64(60))
	c.create(&appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: ptr(int32(1)), Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: v1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: model},
		},
	})
	c.create(&policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"},
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: labels}, MinAvailable: ptr(intstr.FromInt32(1))},
	})
	c.until(time.Second)
	web := c.bindPending()
	c.until(2 * time.Second)
	refused := c.Evict(&policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: web}})
	if !apierrors.IsTooManyRequests(refused) {
		t.Errorf("the eviction API answers %v, want 429", refused)
	}
	c.use(memory.UsageReport{Labels: labels, Usage: memory.Usage{Memory: gib(10)}})
	// The kubelet syncs at the first usage, at 2 s, and gives the pod a second.
	for at, want := range map[time.Duration]v1.PodPhase{2 * time.Second: v1.PodRunning, 3*time.Second - 1: v1.PodRunning, 3 * time.Second: v1.PodFailed} {
		fork := *c
		fork.Cluster, fork.log = c.Fork(), strings.Builder{}
		fork.until(at)
		if got := fork.Pod("default", web).Status; got.Phase != want || want == v1.PodFailed && got.Reason != "Evicted" {
			t.Errorf("at %v it is %s, %s, want %s", at, got.Phase, got.Reason, want)
		}
	}
	c.until(4 * time.Second)
	replacement := c.bindPending()
	c.until(5 * time.Second)
	status := c.Pod("default", replacement).Status
	if status.Phase != v1.PodFailed || !strings.Contains(status.Message, "The node had condition: [MemoryPressure]. ") {
		t.Errorf("its replacement is %s: %q", status.Phase, status.Message)
	}
}

// bindPending binds the one pending pod.
func (c *testCluster) bindPending() string {
	c.t.Helper()
	for _, o := range c.List(world.Pod) {
		if pod := o.(*v1.Pod); pod.Spec.NodeName == "" {
			c.Do(world.Effect{ID: 1, At: c.Now(), Action: world.Bind{Pod: world.PodRefOf(pod), Node: "n1"}})
			c.Advance(0)
			return pod.Name
		}
	}
	c.t.Fatalf("no pod is pending at %v", c.Now().Sub(noon))
	return ""
}
