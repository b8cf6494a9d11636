package nodepools

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/answers/pool"
	"orrery/core/answers/price"
	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
	"orrery/core/parity/oracle"
	"orrery/core/parity/oracle/nodepools"
	"orrery/core/parity/program"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/drawn"
	"orrery/core/world"
)

// chosen is what either side makes: the pools, how many nodes of them, and the pods that get none.
type chosen struct {
	pools   []string
	nodes   int
	refused []string
}

func (c *chosen) String() string {
	return fmt.Sprintf("pools %s; refused %s", strings.Join(c.pools, " "), strings.Join(c.refused, " "))
}

// TestPools_AsKarpenterChooses compares with Karpenter's scheduler.
func TestPools_AsKarpenterChooses(t *testing.T) {
	process := start(t)
	seen := difftest.Coverage{}
	n := difftest.Check(t, comparisons.NodePools.Cases, func(s *difftest.Source) {
		c := draw(s)
		e := drawn.New(t, 7, c.manifests).Engine
		waiting := pool.Waiting(e)
		ours := grown(t, e, c)
		theirs, reply := asked(t, process, e, c, waiting)
		count(seen, ours, theirs)
		if ours.String() != theirs.String() {
			s.Fatalf("ours: %s\ntheirs: %s\n%+v\n%s\n%s\n%s", ours, theirs, *reply, c.manifests, c.sizes, c.pools)
		}
	})
	seen.Require(t, n, "as many nodes", "several pools", "refused", "nobody")
	t.Log(seen)
}

// start compiles and starts Karpenter's scheduler. It runs until the test ends.
func start(t *testing.T) *oracle.Process {
	t.Helper()
	if os.Getenv(program.Switch) != "1" {
		t.Skipf("Karpenter's scheduler runs with %s=1: to compile it takes minutes the first time", program.Switch)
	}
	file, err := program.BuildKarpenter()
	if err != nil {
		t.Fatal(err)
	}
	process, err := oracle.Start(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := process.Close(); err != nil && !t.Failed() {
			t.Error(err)
		}
	})
	return process
}

func grown(t *testing.T, e *engine.Engine, c *scene) *chosen {
	t.Helper()
	known, notes := pool.Known(e, c.read(t), nil)
	if len(notes) > 0 {
		t.Fatal(notes)
	}
	var list strings.Builder
	for _, m := range c.machines {
		fmt.Fprintln(&list, m.Name, m.Price)
	}
	prices, err := price.Read("prices", strings.NewReader(list.String()))
	if err != nil {
		t.Fatal(err)
	}
	g, err := pool.Grow(e, known, prices)
	if err != nil {
		t.Fatal(err)
	}
	made, pools := &chosen{nodes: g.Nodes()}, map[string]bool{}
	for _, a := range g.Added {
		pools[a.Pool.Name] = true
	}
	for _, r := range g.Refusals {
		for _, pod := range r.All {
			made.refused = append(made.refused, pod.Name)
		}
	}
	made.pools = slices.Sorted(maps.Keys(pools))
	slices.Sort(made.refused)
	return made
}

func asked(t *testing.T, process *oracle.Process, e *engine.Engine, c *scene, waiting []*v1.Pod) (*chosen, *nodepools.Outcome) {
	t.Helper()
	request := &nodepools.Case{Pools: c.pools, Machines: c.machines, Pods: waiting}
	for o := range e.Store().Objects(world.DaemonSet) {
		set := o.(*appsv1.DaemonSet)
		request.Daemons = append(request.Daemons, &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: set.Name, Namespace: set.Namespace}, Spec: set.Spec.Template.Spec})
	}
	reply, err := process.MakeNodes(request)
	if err != nil {
		t.Fatal(err)
	}
	pools := map[string]bool{}
	for _, node := range reply.Nodes {
		pools[node.Pool] = true
	}
	return &chosen{pools: slices.Sorted(maps.Keys(pools)), nodes: len(reply.Nodes), refused: slices.Sorted(maps.Keys(reply.Refused))}, reply
}

func count(seen difftest.Coverage, ours, theirs *chosen) {
	switch {
	case len(theirs.pools) == 0:
		seen.Count("nobody")
	case len(theirs.pools) > 1:
		seen.Count("several pools")
	}
	if len(theirs.refused) > 0 {
		seen.Count("refused")
	}
	if ours.nodes == theirs.nodes {
		seen.Count("as many nodes")
	} else {
		seen.Count("%+d nodes", ours.nodes-theirs.nodes)
	}
}
