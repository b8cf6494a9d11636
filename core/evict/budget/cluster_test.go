package budget_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/evict"
	"orrery/core/evict/budget"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

var _ memory.DisruptionBudgets = budget.Rules{}

// testCluster is a simulated cluster of two nodes whose API server uses Rules. It binds every pod to the first schedulable
// node.
type testCluster struct {
	*memory.Cluster
	t *testing.T
}

func newTestCluster(t *testing.T, behavior func(*v1.Pod) memory.PodBehavior) testCluster {
	t.Helper()
	c := testCluster{memory.New(memory.Options{Start: noon, Budgets: budget.Rules{}, PodBehavior: behavior}), t}
	for _, name := range []string{"n1", "n2"} {
		c.create(mk.Node(name).CPU("8").Memory("16Gi").Obj())
	}
	return c
}

func (c testCluster) create(o world.Object) {
	c.t.Helper()
	if _, err := c.Create(o); err != nil {
		c.t.Fatal(err)
	}
}

// pass advances the time in steps of a second and binds pending pods.
func (c testCluster) pass(d time.Duration) {
	for until := c.Now().Add(d); ; {
		c.bindAll()
		if !c.Now().Before(until) {
			return
		}
		c.Advance(time.Second)
	}
}

func (c testCluster) bindAll() {
	for _, o := range c.List(world.Pod) {
		pod := o.(*v1.Pod)
		for _, n := range []string{"n1", "n2"} {
			if pod.Spec.NodeName == "" && !c.Node(n).Spec.Unschedulable {
				c.Do(world.Effect{ID: 1, At: c.Now(), Action: world.Bind{Pod: world.PodRefOf(pod), Node: n}})
				break
			}
		}
	}
	c.Advance(0)
}

func (c testCluster) deploy(name string, replicas int32) {
	labels := map[string]string{"app": name}
	c.create(&appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: v1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       mk.Pod("x").CPU("100m").Obj().Spec,
			},
		},
	})
}

func (c testCluster) evict(pod *v1.Pod) error {
	return c.Evict(&policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name}})
}

func (c testCluster) pods() []*v1.Pod {
	var all []*v1.Pod
	for _, o := range c.List(world.Pod) {
		all = append(all, o.(*v1.Pod))
	}
	return all
}

func (c testCluster) budget(name string) *policyv1.PodDisruptionBudget {
	o, err := c.Get(world.PodDisruptionBudget, "default", name)
	if err != nil {
		c.t.Fatal(err)
	}
	return o.(*policyv1.PodDisruptionBudget)
}

func (c testCluster) budgetStatus(name string) string {
	s := c.budget(name).Status
	return fmt.Sprintf("%d of %d healthy, %d desired, %d allowed", s.CurrentHealthy, s.ExpectedPods, s.DesiredHealthy, s.DisruptionsAllowed)
}

func slowToStop(*v1.Pod) memory.PodBehavior {
	return memory.PodBehavior{Start: 3 * time.Second, Stop: 8 * time.Second}
}

// Shows API-02 and CONF-12.
func TestSync_InMemoryCluster(t *testing.T) {
	c := newTestCluster(t, slowToStop)
	c.deploy("web", 3)
	c.create(pdb("web", maxUnavailable("1"), func(b *policyv1.PodDisruptionBudget) { b.UID, b.Status = "", policyv1.PodDisruptionBudgetStatus{} }))
	c.pass(10 * time.Second)
	check := func(when, want string) {
		t.Helper()
		if got := c.budgetStatus("web"); got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}
	check("all pods run", "3 of 3 healthy, 2 desired, 1 allowed")
	all := c.pods()
	if err := c.evict(all[0]); err != nil {
		t.Fatalf("the first eviction: %v", err)
	}
	check("after an eviction, before the next sync", "3 of 3 healthy, 2 desired, 0 allowed")
	pod := c.Pod("default", all[0].Name)
	if got := pod.Status.Conditions[len(pod.Status.Conditions)-1]; got.Type != v1.DisruptionTarget || got.Reason != "EvictionByEvictionAPI" {
		t.Errorf("the evicted pod's last condition is %+v", got)
	}
	if left := pod.DeletionTimestamp.Sub(c.Now()); left != 30*time.Second {
		t.Errorf("its grace period is %v, want its own 30s", left)
	}
	if err := c.evict(all[1]); !apierrors.IsTooManyRequests(err) {
		t.Errorf("the second eviction: %v, want 429", err)
	}
	c.pass(time.Second)
	check("a replacement starts", "2 of 3 healthy, 2 desired, 0 allowed")
	c.pass(3 * time.Second)
	check("the replacement runs", "3 of 3 healthy, 2 desired, 1 allowed")
	if c.Pod("default", all[0].Name) == nil {
		t.Error("the evicted pod is deleted before it has stopped")
	}
	c.pass(5 * time.Second)
	if c.Pod("default", all[0].Name) != nil {
		t.Error("the evicted pod exists after it has stopped")
	}
	if n := len(c.budget("web").Status.DisruptedPods); n != 0 {
		t.Errorf("%d evictions are unconfirmed, want none", n)
	}
}

func TestStaleCondition_RemovedAfterTwoMinutes(t *testing.T) {
	c := newTestCluster(t, nil)
	c.create(pdb("web", minAvailable("1"), func(b *policyv1.PodDisruptionBudget) { b.UID, b.Status = "", policyv1.PodDisruptionBudgetStatus{} }))
	for _, name := range []string{"a", "b"} {
		c.create(mk.Pod(name).Label("app", "web").Obj())
	}
	c.pass(3 * time.Second)
	// The API server charged the budget, set the pod's condition, and crashed before it deleted the pod.
	charged := c.budget("web").DeepCopy()
	charged.Status.DisruptionsAllowed = 0
	charged.Status.DisruptedPods = map[string]metav1.Time{"a": {Time: c.Now()}}
	if _, err := c.UpdateStatus(charged); err != nil {
		t.Fatal(err)
	}
	pod := c.Pod("default", "a").DeepCopy()
	pod.Status.Conditions = append(pod.Status.Conditions, budget.DisruptionCondition(c.Now()))
	if _, err := c.UpdateStatus(pod); err != nil {
		t.Fatal(err)
	}
	start := c.Now()
	for _, tt := range []struct {
		after   time.Duration
		status  v1.ConditionStatus
		allowed int32
	}{{time.Second, "True", 0}, {119 * time.Second, "True", 0}, {120 * time.Second, "False", 1}} {
		c.Advance(start.Add(tt.after).Sub(c.Now()))
		conditions := c.Pod("default", "a").Status.Conditions
		status, allowed := conditions[len(conditions)-1].Status, c.budget("web").Status.DisruptionsAllowed
		if status != tt.status || allowed != tt.allowed {
			t.Errorf("after %v the condition is %s and %d are allowed, want %s and %d", tt.after, status, allowed, tt.status, tt.allowed)
		}
	}
	var notes []string
	for _, a := range c.Events() {
		if a.Reason == "NotDeleted" {
			notes = append(notes, a.Regarding.Name+": "+a.Note)
		}
	}
	if diff := cmp.Diff([]string{"a: Pod was expected by PDB default/default to be deleted but it wasn't"}, notes); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestEvict_WithoutRulesDeletes(t *testing.T) {
	c := memory.New(memory.Options{Start: noon})
	if _, err := c.Create(mk.Pod("a").Obj()); err != nil {
		t.Fatal(err)
	}
	if err := c.Evict(&policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a"}}); err != nil {
		t.Fatal(err)
	}
	if c.Pod("default", "a") != nil {
		t.Error("the pod was not deleted")
	}
}

func TestEvict_DryRun(t *testing.T) {
	c := newTestCluster(t, nil)
	c.create(mk.Pod("a").Label("app", "web").Obj())
	c.pass(2 * time.Second)
	before := c.Pod("default", "a")
	e := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a"}, DeleteOptions: &metav1.DeleteOptions{DryRun: []string{"All"}}}
	if err := c.Evict(e); err != nil {
		t.Fatal(err)
	}
	if c.Pod("default", "a") != before {
		t.Error("the pod has changed")
	}
}

// drive makes a drain's calls on the cluster and passes the inputs back, until the drain has ended or the time is over. It
// returns the calls with their times and results.
func (c testCluster) drive(d *budget.Drain, until time.Duration) string {
	var calls strings.Builder
	end := noon.Add(until)
	for {
		for _, call := range d.Calls() {
			at := c.Now().Sub(noon)
			if call.Verb == budget.Cordon {
				n := c.Node(call.Node).DeepCopy()
				n.Spec.Unschedulable = true
				if _, err := c.Update(n); err != nil {
					c.t.Fatal(err)
				}
				fmt.Fprintf(&calls, "%v cordon %s\n", at, call.Node)
				continue
			}
			err := c.Evict(call.Eviction())
			result := "allowed"
			if err != nil {
				result = fmt.Sprint(err.(apierrors.APIStatus).Status().Code)
			}
			fmt.Fprintf(&calls, "%v %s %s %s\n", at, call.Verb, c.alias(call.Pod.Name), result)
			d.CallDone(c.Now(), call.Pod.UID, err)
		}
		c.bindAll()
		if done, _ := d.Done(); done || !c.Now().Before(end) {
			return calls.String()
		}
		next := c.Now().Add(time.Second)
		if wake, ok := d.NextWake(); ok && wake.Before(next) {
			next = wake
		}
		for _, in := range c.Advance(next.Sub(c.Now())) {
			d.Apply(in)
		}
		d.Apply(world.Input{At: next, Event: world.Tick{}})
	}
}

// alias is a pod's name without its generated suffix.
func (c testCluster) alias(name string) string {
	if i := strings.IndexByte(name, '-'); i > 0 {
		return name[:i]
	}
	return name
}

func (c testCluster) view() budget.View {
	v := budget.View{Pods: c.pods(), Lookup: func(kind world.Kind, namespace, name string) world.Object {
		o, err := c.Get(kind, namespace, name)
		if err != nil {
			return nil
		}
		return o
	}}
	for _, o := range c.List(world.PodDisruptionBudget) {
		v.Budgets = append(v.Budgets, o.(*policyv1.PodDisruptionBudget))
	}
	return v
}

func TestDrain_RespectsBudget(t *testing.T) {
	c := newTestCluster(t, slowToStop)
	c.deploy("web", 2)
	c.create(pdb("web", maxUnavailable("1"), func(b *policyv1.PodDisruptionBudget) { b.UID, b.Status = "", policyv1.PodDisruptionBudgetStatus{} }))
	c.pass(10 * time.Second)
	record := evict.NewRecord()
	d := budget.NewDrain("n1", "alice", budget.DrainOptions{}, c.view(), c.Now(), record)
	calls := c.drive(d, 11*time.Second)
	waiting := d.Waiting()
	calls += c.drive(d, time.Hour)
	want := `10s cordon n1
10s evict web allowed
10s evict web 429
15s evict web allowed
`
	if diff := cmp.Diff(want, calls); diff != "" {
		t.Errorf("the drain (-want +got):\n%s", diff)
	}
	if len(waiting) != 2 || waiting[0].Blocked || !waiting[1].Blocked || waiting[1].Budget != "web" || waiting[1].RetryAt.Sub(noon) != 15*time.Second ||
		waiting[1].Reason != "The disruption budget web does not allow evicting pods currently" {
		t.Errorf("after 11s the drain waits for %+v", waiting)
	}
	if done, err := d.Done(); !done || err != nil {
		t.Errorf("done %v with %v", done, err)
	}
	if at := c.Now().Sub(noon); at != 23*time.Second {
		t.Errorf("the drain ended at %v, want 23s: eight seconds after the last eviction", at)
	}
	for _, out := range record.Ended() {
		if out.Phase != evict.Evicted || out.Initiator != "alice" || out.Cause != evict.EvictionAPI {
			t.Errorf("the record has %+v", out)
		}
	}
	if n := len(record.Ended()); n != 2 {
		t.Errorf("%d pods were evicted, want 2", n)
	}
}

func TestDrain_BlockedUntilTimeout(t *testing.T) {
	c := newTestCluster(t, nil)
	c.deploy("web", 1)
	c.create(pdb("web", minAvailable("1"), func(b *policyv1.PodDisruptionBudget) { b.UID, b.Status = "", policyv1.PodDisruptionBudgetStatus{} }))
	c.pass(10 * time.Second)
	record := evict.NewRecord()
	d := budget.NewDrain("n1", "alice", budget.DrainOptions{Timeout: 12 * time.Second}, c.view(), c.Now(), record)
	calls := c.drive(d, 13*time.Second)
	open := record.Open()
	if len(open) != 1 || open[0].Phase != evict.Blocked || open[0].Budget != "web" || open[0].DisruptionsAllowed != 0 || open[0].Deadline.Sub(noon) != 15*time.Second {
		t.Errorf("the record has %+v, want Blocked by web until 15s", open)
	}
	calls += c.drive(d, time.Hour)
	if want := "10s cordon n1\n10s evict web 429\n15s evict web 429\n20s evict web 429\n"; calls != want {
		t.Errorf("the drain:\n%swant:\n%s", calls, want)
	}
	_, err := d.Done()
	if want := fmt.Sprintf("error when evicting pod %q: global timeout reached: 12s", c.pods()[0].Name); err == nil || err.Error() != want {
		t.Errorf("the drain ended with %v, want %s", err, want)
	}
	if out := record.Ended(); len(out) != 1 || out[0].Phase != evict.Cancelled || out[0].Ended.Sub(noon) != 22*time.Second {
		t.Errorf("the record has %+v, want Cancelled at 22s", out)
	}
}

// An evicted pod gets the condition and its own grace period; a pod that has not stopped by then is killed.
// Shows API-05 and A-19.
func TestEvict_Steps(t *testing.T) {
	for name, row := range map[string]struct{ stops, gone time.Duration }{
		"it stops within its grace period":    {8 * time.Second, 8 * time.Second},
		"it is killed after its grace period": {time.Hour, 40 * time.Second},
		"it stops as its grace period ends":   {40 * time.Second, 40 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			c := newTestCluster(t, func(*v1.Pod) memory.PodBehavior { return memory.PodBehavior{Stop: row.stops} })
			pod := mk.Pod("a").Obj()
			pod.Spec.TerminationGracePeriodSeconds = ptr(int64(40))
			c.create(pod)
			c.pass(5 * time.Second)
			requested := c.Now()
			if err := c.evict(c.Pod("default", "a")); err != nil {
				t.Fatal(err)
			}
			terminating := c.Pod("default", "a")
			if got := terminating.DeletionTimestamp.Sub(requested); got != 40*time.Second || *terminating.DeletionGracePeriodSeconds != 40 {
				t.Errorf("its grace period is %v, want its own 40s", got)
			}
			c.Advance(row.gone - 1)
			if pod := c.Pod("default", "a"); pod == nil || pod.Status.Phase != v1.PodRunning {
				t.Errorf("a nanosecond before %v it is not running", row.gone)
			}
			if c.Advance(1); c.Pod("default", "a") != nil {
				t.Errorf("after %v it is not deleted", row.gone)
			}
		})
	}
}

// A Service sends no new connections to an evicted pod, which answers until it has stopped; and to its replacement once that runs.
// Shows API-05.
func TestEvict_LeavesEndpoints(t *testing.T) {
	c := newTestCluster(t, slowToStop)
	c.deploy("web", 2)
	c.create(&v1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}, Spec: v1.ServiceSpec{Selector: map[string]string{"app": "web"}}})
	c.create(&v1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "other"}, Spec: v1.ServiceSpec{Selector: map[string]string{"app": "other"}}})
	c.create(&v1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "without-selector"}})
	c.pass(10 * time.Second)
	first := c.pods()[0].Name
	check := func(when, want string) {
		t.Helper()
		var got []string
		for _, e := range c.Endpoints("default", "web") {
			name := "another"
			if e.Pod == first {
				name = "first"
			}
			got = append(got, fmt.Sprintf("%s ready=%t serving=%t terminating=%t", name, e.Ready, e.Serving, e.Terminating))
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, strings.Join(got, "\n")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
	const another, starts = "another ready=true serving=true terminating=false", "another ready=false serving=false terminating=false"
	check("both run", another+"\nfirst ready=true serving=true terminating=false")
	if err := c.evict(c.Pod("default", first)); err != nil {
		t.Fatal(err)
	}
	check("evicted", another+"\nfirst ready=false serving=true terminating=true")
	c.pass(2 * time.Second)
	check("a replacement starts", starts+"\n"+another+"\nfirst ready=false serving=true terminating=true")
	c.pass(6 * time.Second)
	check("the first has stopped", another+"\n"+another)
	for _, service := range []string{"other", "without-selector", "missing"} {
		if got := c.Endpoints("default", service); len(got) > 0 {
			t.Errorf("the service %s has %+v", service, got)
		}
	}
}

// Pods never become ready on the other node. After the first eviction the budget blocks the second pod forever and says
// why; only a direct deletion helps.
// Shows API-06 and API-07.
func TestEvict_BlockedWhileReplacementsNotReady(t *testing.T) {
	c := newTestCluster(t, func(pod *v1.Pod) memory.PodBehavior {
		if pod.Spec.NodeName == "n2" {
			return memory.PodBehavior{Start: 24 * time.Hour}
		}
		return slowToStop(pod)
	})
	c.deploy("web", 2)
	c.create(pdb("web", maxUnavailable("1"), func(b *policyv1.PodDisruptionBudget) { b.UID, b.Status = "", policyv1.PodDisruptionBudgetStatus{} }))
	c.pass(10 * time.Second)
	d := budget.NewDrain("n1", "alice", budget.DrainOptions{}, c.view(), c.Now(), evict.NewRecord())
	want := "10s cordon n1\n10s evict web allowed\n10s evict web 429\n15s evict web 429\n20s evict web 429\n25s evict web 429\n"
	if diff := cmp.Diff(want, c.drive(d, 28*time.Second)); diff != "" {
		t.Errorf("the drain (-want +got):\n%s", diff)
	}
	var blocked, unready *v1.Pod
	for _, pod := range c.pods() {
		if pod.Spec.NodeName == "n1" {
			blocked = pod
		} else {
			unready = pod
		}
	}
	problems := budget.Diagnose(blocked, c.view().Budgets, c.pods(), c.Now())
	if len(problems) != 1 || problems[0].Kind != budget.PodsNotReady || problems[0].Detail != "not ready: "+unready.Name {
		t.Errorf("the problems are %+v, want that %s is not ready", problems, unready.Name)
	}
	if err := c.Delete(world.Pod, "default", blocked.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	c.drive(d, time.Hour)
	if done, err := d.Done(); !done || err != nil || c.Now().Sub(noon) != 36*time.Second {
		t.Errorf("after a direct deletion at 28s: done %v with %v at %v, want the end at 36s", done, err, c.Now().Sub(noon))
	}
}
