package engine_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

const noFilters = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
percentageOfNodesToScore: 60
profiles:
- schedulerName: default-scheduler
  plugins: {filter: {disabled: [{name: "*"}]}}
`

// Without Filter plugins every node is feasible, and the kept scores are those of the nodes that this search found.
func TestReuse_WithoutFilterPlugins(t *testing.T) {
	configuration, err := config.LoadNamed("no filters", []byte(noFilters), config.DefaultFeatures())
	if err != nil {
		t.Fatal(err)
	}
	decide := func(fresh bool) (all []*engine.Decision) {
		e, err := engine.New(engine.Options{Config: configuration, Start: start, NoReuse: fresh})
		if err != nil {
			t.Fatal(err)
		}
		apply := func(object world.Object) {
			if err := e.Apply(world.Input{At: start, Event: world.Changed{Op: world.Added, Object: object}}); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 250 {
			apply(mk.Node(fmt.Sprint("n", i)).CPU(fmt.Sprint(2+i%3)).Memory("8Gi").Taint("a", fmt.Sprint(i%2), v1.TaintEffectPreferNoSchedule).Obj())
		}
		for i := range 12 {
			apply(mk.Pod(fmt.Sprint("p", i)).CPU("100m").Obj())
			decision, _ := e.Step()
			all = append(all, decision)
		}
		if reused := e.ReuseStats().Reused; (reused == 0) != fresh {
			t.Errorf("%d scores are reused", reused)
		}
		return all
	}
	if diff := cmp.Diff(decide(true), decide(false)); diff != "" {
		t.Errorf("(-afresh +reusing):\n%s", diff)
	}
}
