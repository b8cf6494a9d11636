package main

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// size is a cluster's.
type size struct{ nodes, pods int }

func (s size) String() string {
	return fmt.Sprintf("%s nodes, %s pods", grouped(s.nodes), grouped(s.pods))
}

// cluster is an engine, and the API server that it schedules for.
type cluster struct {
	engine *engine.Engine
	now    time.Time
	pods   map[string]*v1.Pod // that are pending, or were bound since the start
}

// allScored is the profile that scores every node.
const allScored = "all-scored"

const configuration = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
- schedulerName: ` + allScored + `
  percentageOfNodesToScore: 100
`

func newCluster(s size) (*cluster, error) {
	loaded, err := config.LoadNamed("the two profiles", []byte(configuration), config.DefaultFeatures())
	if err != nil {
		return nil, err
	}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	e, err := engine.New(engine.Options{Config: loaded, Start: start})
	if err != nil {
		return nil, err
	}
	c := &cluster{engine: e, now: start, pods: map[string]*v1.Pod{}}
	for i := range s.nodes {
		if err := c.apply(world.Changed{Op: world.Added, Object: node(i).Obj()}); err != nil {
			return nil, err
		}
	}
	for i := range s.pods {
		pod := mk.Pod(fmt.Sprintf("old%d", i)).Node(nodeName(i%s.nodes)).Label("app", "old").CPU("1").Memory("2Gi").Phase(v1.PodRunning).Obj()
		if err := c.apply(world.Changed{Op: world.Added, Object: pod}); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func nodeName(i int) string { return fmt.Sprintf("n%d", i) }

func node(i int) *mk.NodeBuilder {
	return mk.Node(nodeName(i)).Zone(fmt.Sprintf("z%d", i%3)).CPU("128").Memory("512Gi").Pods("250")
}

func (c *cluster) apply(event world.Event) error {
	return c.engine.Apply(world.Input{At: c.now, Event: event})
}

// schedule has a pod created, decided on and bound, and returns the time that it took. An unschedulable pod is decided on once.
func (c *cluster) schedule(pod *v1.Pod) (time.Duration, error) {
	c.pods[pod.Name] = pod
	began := time.Now()
	if err := c.apply(world.Changed{Op: world.Added, Object: pod}); err != nil {
		return 0, err
	}
	if _, decided := c.engine.Step(); !decided {
		return 0, fmt.Errorf("pod %s is not ready to be decided on", pod.Name)
	}
	for effects := c.engine.Effects(); len(effects) > 0; effects = c.engine.Effects() {
		for _, effect := range effects {
			if err := c.carryOut(effect); err != nil {
				return 0, err
			}
		}
	}
	return time.Since(began), nil
}

func (c *cluster) carryOut(effect world.Effect) error {
	if !world.HasOutcome(effect.Action) {
		return nil
	}
	if err := c.apply(world.EffectDone{Effect: effect.ID}); err != nil {
		return err
	}
	bind, is := effect.Action.(world.Bind)
	if !is {
		return nil
	}
	bound := *c.pods[bind.Pod.Name]
	bound.Spec.NodeName = bind.Node
	c.pods[bound.Name] = &bound
	return c.apply(world.Changed{Op: world.Modified, Object: &bound})
}

// deletePods deletes the pods that were created since the start.
func (c *cluster) deletePods() error {
	for _, pod := range c.pods {
		if err := c.apply(world.Changed{Op: world.Deleted, Object: pod}); err != nil {
			return err
		}
	}
	clear(c.pods)
	return nil
}
