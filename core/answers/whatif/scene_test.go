package whatif_test

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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"orrery/core/answers/change"
	"orrery/core/answers/whatif"
	"orrery/core/evict/budget"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
	"orrery/core/world/memory"
)

var start = time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)

// scene is a cluster with its scheduling engine, a minute after the first objects were created.
type scene struct {
	t       testing.TB
	cluster *memory.Cluster
	engine  *engine.Engine
}

func newScene(t testing.TB, things ...world.Object) *scene {
	t.Helper()
	return newSceneWith(t, nil, things...)
}

func newSceneWith(t testing.TB, c *config.Configuration, things ...world.Object) *scene {
	t.Helper()
	m := memory.New(memory.Options{Start: start, Budgets: budget.Rules{}, ComparisonOperators: true})
	for _, o := range things {
		if _, err := m.Create(o); err != nil {
			t.Fatalf("creating %s: %v", o.GetName(), err)
		}
	}
	e, err := engine.New(engine.Options{Start: start, Seed: 1, Config: c})
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{t: t, cluster: m, engine: e}
	s.pass(time.Minute)
	return s
}

func (s *scene) pass(d time.Duration) {
	drive.Run(s.cluster, s.cluster.Now().Add(d), drive.NewScheduler(s.engine, drive.OnInput(func(in world.Input, err error) {
		if err != nil {
			s.t.Fatalf("the engine refuses %T: %v", in.Event, err)
		}
	})))
}

// create creates objects, and advances time by ten seconds.
func (s *scene) create(all ...world.Object) {
	s.t.Helper()
	for _, o := range all {
		if _, err := s.cluster.Create(o); err != nil {
			s.t.Fatal(err)
		}
	}
	s.pass(10 * time.Second)
}

// podOf returns the first pod of an owner.
func (s *scene) podOf(owner string) string {
	s.t.Helper()
	for o := range s.engine.Store().Objects(world.Pod) {
		if strings.HasPrefix(o.GetName(), owner+"-") {
			return o.GetName()
		}
	}
	s.t.Fatalf("%s has no pod", owner)
	return ""
}

// twoProfiles are the default profile and one that packs nodes.
func twoProfiles(t testing.TB) *config.Configuration {
	t.Helper()
	c, err := config.Load([]byte(`
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
- schedulerName: packer
  pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: MostAllocated
        resources: [{name: cpu, weight: 1}, {name: memory, weight: 1}]
  plugins:
    score:
      disabled: [{name: NodeResourcesBalancedAllocation}]
`), config.DefaultFeatures())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func changes(t testing.TB, text string) []change.Change {
	t.Helper()
	all, err := change.ParseAll([]string{text})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func (s *scene) evaluate(text string) *whatif.Result {
	s.t.Helper()
	a, err := whatif.Evaluate(s.engine, changes(s.t, text), whatif.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	return a
}

// check evaluates changes, and compares the pods' outcomes with one line for each: name, kind of change, and node.
func (s *scene) check(question, want string) *whatif.Result {
	s.t.Helper()
	a := s.evaluate(question)
	if diff := cmp.Diff(sorted(want), sorted(summarize(a))); diff != "" {
		s.t.Errorf("what if %s (-want +got):\n%s", question, diff)
	}
	if a.Truncated {
		s.t.Errorf("what if %s: the cluster does not come to rest", question)
	}
	return a
}

func summarize(a *whatif.Result) string {
	var b strings.Builder
	for _, p := range a.Pods {
		fmt.Fprintf(&b, "%s %s: %s -> %s\n", baseName(p.Pod.Name), p.Kind, describe(p.Without), describe(p.With))
	}
	return b.String()
}

func describe(f whatif.PodOutcome) string {
	switch {
	case f.Node != "":
		return f.Node
	case f.Reason.Reason != "":
		return string(f.State) + " (" + f.Reason.Reason + ")"
	case f.RemovedBy != "":
		return string(f.State) + " (" + f.RemovedBy + ")"
	case f.State == "":
		return "-"
	}
	return string(f.State)
}

// baseName returns a pod's name without its random suffix.
func baseName(name string) string {
	if i := strings.LastIndexByte(name, '-'); i >= 0 && len(name)-i == 6 {
		return name[:i]
	}
	return name
}

// sorted sorts the lines of a text; pods have random names, so their own order is random.
func sorted(text string) []string {
	all := lines(text)
	slices.Sort(all)
	return all
}

func lines(text string) []string {
	var all []string
	for _, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, strings.Join(strings.Fields(line), " "))
		}
	}
	return all
}

// set returns a replica set with a number of pods and their cpu request.
func set(name string, replicas int32, cpu string, alter ...func(*v1.PodSpec)) *appsv1.ReplicaSet {
	labels := map[string]string{"app": name}
	s := &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: v1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: v1.PodSpec{Containers: []v1.Container{{
				Name: "main", Resources: v1.ResourceRequirements{Requests: requests(cpu)},
			}}}},
		},
	}
	for _, a := range alter {
		a(&s.Spec.Template.Spec)
	}
	return s
}

func newBudget(name string, least int) *policyv1.PodDisruptionBudget {
	minAvailable := intstr.FromInt32(int32(least))
	return &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
		Spec: policyv1.PodDisruptionBudgetSpec{
			MinAvailable: &minAvailable, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}},
		},
	}
}
