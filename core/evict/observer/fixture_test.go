package observer_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"orrery/core/evict"
	"orrery/core/evict/budget"
	"orrery/core/evict/device"
	"orrery/core/evict/lifecycle"
	"orrery/core/evict/observer"
	"orrery/core/evict/pressure"
	"orrery/core/evict/taint"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func ptr[T any](v T) *T { return &v }

// simulation is a simulated cluster with all controllers that evict pods, an engine, and an observer. The acting controllers
// have separate records: the observer's shows only what it saw and predicted.
type simulation struct {
	*memory.Cluster
	t        *testing.T
	engine   *engine.Engine
	observer *observer.Observer
	taints   *taint.Controller
	device   *device.Controller
	others   []drive.Controller // driven beside the engine
}

// newSimulation returns a simulation whose pods take three seconds to stop.
func newSimulation(t *testing.T, change ...func(*memory.Options)) *simulation {
	t.Helper()
	kubelets, err := pressure.NewKubelets(pressure.KubeletsOptions{Configuration: pressure.DefaultConfiguration("linux")})
	if err != nil {
		t.Fatal(err)
	}
	o := memory.Options{
		Start: noon, Budgets: budget.Rules{}, Pressure: kubelets,
		PodBehavior: func(*v1.Pod) memory.PodBehavior { return memory.PodBehavior{Stop: 3 * time.Second} },
	}
	for _, set := range change {
		set(&o)
	}
	e, err := engine.New(engine.Options{Start: noon})
	if err != nil {
		t.Fatal(err)
	}
	if o.NodeLifecycle == nil {
		o.NodeLifecycle = lifecycle.InCluster(lifecycle.Options{Start: o.Start, Immediate: true})
	}
	s := &simulation{
		Cluster: memory.New(o), t: t, engine: e, observer: observer.New(observer.Options{}),
		taints: taint.New(taint.Options{Act: true, FirstEffect: 1 << 32}), device: device.New(device.Options{Act: true, FirstEffect: 2 << 32}),
	}
	s.create(&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "high"}, Value: 1000})
	return s
}

func (s *simulation) create(objects ...world.Object) {
	s.t.Helper()
	for _, o := range objects {
		if _, err := s.Create(o); err != nil {
			s.t.Fatal(err)
		}
	}
}

// do schedules a change of the cluster at a time since noon.
func (s *simulation) do(at time.Duration, change func(c *memory.Cluster) error) {
	s.At(noon.Add(at), func(c *memory.Cluster) {
		if err := change(c); err != nil {
			panic(err)
		}
	})
}

// until runs the simulation to a time since noon.
func (s *simulation) until(at time.Duration) {
	others := append([]drive.Controller{s.observer, s.taints, s.device}, s.others...)
	drive.Run(s.Cluster, noon.Add(at), append([]drive.Controller{drive.NewScheduler(s.engine, s)}, others...)...)
}

func (s *simulation) Applied(world.Input, error) {}
func (s *simulation) Emitted(world.Effect)       {}

// Stepped passes preemptions to the observer.
func (s *simulation) Stepped(d *engine.Decision) {
	if d != nil && d.Preemption != nil {
		s.observer.Preempted(d.At, d.Preemption, d.Pod)
	}
}

// fork returns an independent copy.
func (s *simulation) fork() *simulation {
	f := *s
	e, err := s.engine.Fork()
	if err != nil {
		s.t.Fatal(err)
	}
	f.engine, f.Cluster, f.observer, f.others = e, s.Cluster.Fork(), s.observer.Fork(), nil
	f.taints, f.device = s.taints.Fork(evict.NewRecord()), s.device.Fork(evict.NewRecord())
	return &f
}

// wantRecord compares the record with lines.
func (s *simulation) wantRecord(want string) {
	s.t.Helper()
	if diff := cmp.Diff(trim(want), recordText(s.observer.Record())); diff != "" {
		s.t.Errorf("record at %v (-want +got):\n%s", s.Now().Sub(noon), diff)
	}
}

// recordText is a line for each eviction, the open ones first.
func recordText(b *evict.Record) string {
	var text strings.Builder
	for _, d := range append(b.Open(), b.Ended()...) {
		fmt.Fprintf(&text, "%s %s", d.Pod.Name, d.Phase)
		if d.Node != "" {
			fmt.Fprintf(&text, " %s", d.Node)
		}
		if d.Predicted {
			text.WriteString(" predicted")
		}
		if !d.Deadline.IsZero() {
			fmt.Fprintf(&text, " due %v", d.Deadline.Sub(noon))
		}
		if !d.Ended.IsZero() {
			fmt.Fprintf(&text, " ended %v", d.Ended.Sub(noon))
		}
		if d.Budget != "" {
			fmt.Fprintf(&text, " budget %s(%d)", d.Budget, d.DisruptionsAllowed)
		}
		fmt.Fprintf(&text, "; %s by %s: %s\n", d.Cause, d.Initiator, strings.TrimSpace(d.Reason))
	}
	return text.String()
}

func trim(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

func node(name string) *v1.Node { return mk.Node(name).CPU("4").Memory("8Gi").Obj() }

func web(name string) *mk.PodBuilder { return mk.Pod(name).Label("app", "web").CPU("2") }

func withPriorityClass(pod *v1.Pod, class string) *v1.Pod {
	pod.Spec.PriorityClassName = class
	return pod
}

func pdb(name string, minAvailable int) *policyv1.PodDisruptionBudget {
	return &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec: policyv1.PodDisruptionBudgetSpec{
			Selector:     &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
			MinAvailable: ptr(intstr.FromInt(minAvailable)),
		},
	}
}

// taintNode sets a node's taints.
func taintNode(name string, taints ...v1.Taint) func(*memory.Cluster) error {
	return func(c *memory.Cluster) error {
		n := c.Node(name).DeepCopy()
		n.Spec.Taints = taints
		_, err := c.Update(n)
		return err
	}
}
