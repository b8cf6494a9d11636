package drawn

import (
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/answers/fit"
	"orrery/core/evict"
	"orrery/core/evict/budget"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
	"orrery/core/world/memory"
)

var start = time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)

// T is what tests and property tests have in common.
type T interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// Scene is a cluster with its scheduling engine, a minute after the first objects were created.
type Scene struct {
	t       T
	Cluster *memory.Cluster
	Engine  *engine.Engine
}

// New makes a cluster of manifests. The seed decides names, and how ties between nodes fall.
func New(t T, seed uint64, manifests string) *Scene {
	t.Helper()
	c := memory.New(memory.Options{
		Start: start, Seed: seed, Budgets: budget.Rules{}, ComparisonOperators: true,
		PodBehavior: func(*v1.Pod) memory.PodBehavior { return memory.PodBehavior{Stop: time.Second} },
	})
	e, err := engine.New(engine.Options{Start: start, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	s := &Scene{t, c, e}
	s.Apply(manifests)
	s.Pass(time.Minute)
	return s
}

// Ties has ties between equally good nodes fall otherwise from now on; with zero they fall as they do.
func (s *Scene) Ties(seed uint64) *Scene {
	if seed > 0 {
		s.Engine.SettleTies(seed)
	}
	return s
}

// Apply creates the objects of manifests.
func (s *Scene) Apply(manifests string) {
	s.t.Helper()
	for _, o := range objectsOf(s.t, manifests) {
		if _, err := s.Cluster.Create(o); err != nil {
			s.t.Fatalf("creating %s: %v", o.GetName(), err)
		}
	}
}

// objectsOf reads manifests of clusters: those of nodes, too, which a set leaves out.
func objectsOf(t T, manifests string) []world.Object {
	t.Helper()
	var nodes []world.Object
	rest := []string{}
	for document := range strings.SplitSeq(manifests, "---\n") {
		fields := strings.Fields(document)
		switch {
		case len(fields) == 0:
		case fields[0] != "node":
			rest = append(rest, document)
		default:
			nodes = append(nodes, nodeOf(t, fields[1:]))
		}
	}
	if len(rest) == 0 {
		return nodes
	}
	return append(nodes, Set(t, strings.Join(rest, "---\n")).Objects...)
}

// nodeOf makes a ready node of "NAME CPU ZONE".
func nodeOf(t T, fields []string) *v1.Node {
	t.Helper()
	if len(fields) != 3 {
		t.Fatalf("a node is NAME CPU ZONE, and not %q", fields)
	}
	shape := v1.ResourceList{v1.ResourceCPU: quantity(fields[1]), v1.ResourceMemory: quantity("64Gi"), v1.ResourcePods: quantity("30")}
	return &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: fields[0], Labels: map[string]string{v1.LabelHostname: fields[0], v1.LabelTopologyZone: fields[2]}},
		Status: v1.NodeStatus{
			Capacity: shape, Allocatable: shape, Conditions: []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionTrue}},
		},
	}
}

// Set reads manifests of what is to fit.
func Set(t T, manifests string) *fit.Set {
	t.Helper()
	r := fit.NewReader("")
	if err := r.Read("test.yaml", strings.NewReader(manifests)); err != nil {
		t.Fatal(err)
	}
	s, err := r.Set()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Pass advances time.
func (s *Scene) Pass(d time.Duration) {
	drive.Run(s.Cluster, s.Cluster.Now().Add(d), drive.NewScheduler(s.Engine, drive.OnInput(func(in world.Input, err error) {
		if err != nil {
			s.t.Fatalf("the engine refuses %T: %v", in.Event, err)
		}
	})))
}

// Pods returns the pods by UID.
func (s *Scene) Pods() map[types.UID]*v1.Pod {
	all := map[types.UID]*v1.Pod{}
	for _, o := range s.Cluster.List(world.Pod) {
		all[o.GetUID()] = o.(*v1.Pod)
	}
	return all
}

// Outcome is what became of the objects that were created in a cluster.
type Outcome struct {
	Placed, Pending, Preempted int
	Nodes                      string
}

// Create really creates the objects, and returns what came of them.
func (s *Scene) Create(set *fit.Set) Outcome {
	s.t.Helper()
	before := s.Pods()
	for _, o := range set.Objects {
		_, _ = s.Cluster.Create(o) // it may be refused
	}
	preempted := map[types.UID]bool{}
	// A pod that is preempted is gone a second later.
	for range 4 * 60 {
		s.Pass(500 * time.Millisecond)
		for uid, pod := range s.Pods() {
			if cause, _ := evict.DisruptionOf(pod); before[uid] != nil && cause == evict.Preemption {
				preempted[uid] = true
			}
		}
	}
	o := Outcome{Preempted: len(preempted)}
	var nodes []string
	for uid, pod := range s.Pods() {
		switch {
		case before[uid] != nil || pod.Labels["set"] != "new":
		case pod.Spec.NodeName == "":
			o.Pending++
		default:
			o.Placed++
			nodes = append(nodes, pod.Spec.NodeName)
		}
	}
	slices.Sort(nodes)
	o.Nodes = strings.Join(nodes, " ")
	return o
}

// Empty carries waves of drains out, and returns the first budget that was violated on the way; empty if none was. Nodes that are not empty
// after ten minutes are an error.
func (s *Scene) Empty(waves [][]string, cordonAll bool) (violated string) {
	s.t.Helper()
	healthy := s.budgets()
	if cordonAll {
		for _, wave := range waves {
			s.cordon(wave)
		}
	}
	for _, wave := range waves {
		s.cordon(wave)
		controllers := []drive.Controller{drive.NewScheduler(s.Engine)}
		var drains []*budget.Driver
		for _, node := range wave {
			d := budget.StartDrain(s.Cluster, node, "test", budget.DrainOptions{IgnoreDaemonSets: true, DeleteEmptyDirData: true}, evict.NewRecord())
			drains, controllers = append(drains, d), append(controllers, d)
		}
		for range 20 * 60 {
			drive.Run(s.Cluster, s.Cluster.Now().Add(500*time.Millisecond), controllers...)
			for name, now := range s.budgets() {
				if healthy[name] && !now && violated == "" {
					violated = name
				}
			}
		}
		for i, d := range drains {
			if done, err := d.Done(); !done || err != nil {
				s.t.Fatalf("node %s is not drained: %v", wave[i], err)
			}
		}
	}
	return violated
}

// Open uncordons nodes.
func (s *Scene) Open(nodes []string) {
	s.setUnschedulable(nodes, false)
	s.Pass(time.Second)
}

func (s *Scene) cordon(nodes []string) { s.setUnschedulable(nodes, true) }

func (s *Scene) setUnschedulable(nodes []string, yes bool) {
	for _, name := range nodes {
		node := s.Cluster.Node(name).DeepCopy()
		node.Spec.Unschedulable = yes
		if _, err := s.Cluster.Update(node); err != nil {
			s.t.Fatalf("cordoning %s: %v", name, err)
		}
	}
}

// budgets says of each disruption budget whether as many pods are healthy as it wants.
func (s *Scene) budgets() map[string]bool {
	all := map[string]bool{}
	for _, o := range s.Cluster.List(world.PodDisruptionBudget) {
		pdb, ready := o.(*policyv1.PodDisruptionBudget), 0
		for _, pod := range s.Pods() {
			if budget.Selects(pdb, pod) && pod.DeletionTimestamp == nil && pod.Status.Phase == v1.PodRunning {
				ready++
			}
		}
		all[pdb.Name] = ready >= pdb.Spec.MinAvailable.IntValue()
	}
	return all
}
