package main

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"orrery/core/testing/mk"
	"orrery/core/testing/mk/kinds"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
	"orrery/views/draw"
)

// kind is a kind of pod, and what a decision on one grows with.
type kind struct {
	name  string
	pod   func(i int) *mk.PodBuilder
	grows string
}

var podKinds = []kind{
	{"one template", kinds.Plain, "the nodes that are visited, 64 at once: classes of like nodes are bitmaps"},
	{"one template, all scored", func(i int) *mk.PodBuilder { return kinds.Plain(i).Scheduler(allScored) }, "the nodes, 64 at once"},
	{"all different", kinds.Different, "different amounts among the nodes that are visited: what depends on a pod's requests is computed for each"},
	{"hard spread", kinds.HardSpread, "the nodes that are visited, 64 at once, and the classes of nodes that counts tell apart"},
	{"soft spread", kinds.SoftSpread, "the same"},
	{"anti-affinity", kinds.AntiAffinity, "the same"},
	{"required affinity", kinds.RequiredAffinity, "the same"},
	{"preferred affinity", kinds.PreferredAffinity, "the same"},
	{"unschedulable", func(i int) *mk.PodBuilder { return kinds.Plain(i).CPU("1000") }, "the nodes: each has its reason"},
}

// quantiles are the median and the 99th percentile of times.
type quantiles struct{ median, p99 time.Duration }

func quantilesOf(times []time.Duration) quantiles {
	slices.Sort(times)
	return quantiles{times[len(times)/2], times[len(times)*99/100]}
}

// result is what was measured of a size.
type result struct {
	size      size
	decisions []quantiles // of the kinds
	change    quantiles   // of a node, and the decision after it
	fork      quantiles
	frame     quantiles
	memory    uint64 // bytes held
}

const (
	warmUp   = 40 // pods of each kind
	measured = 300
	repeated = 5 // forks, and frames
)

// measure measures a size; progress is told of each step.
func measure(s size, progress func(string)) (result, error) {
	r := result{size: s}
	before := held()
	progress("filling the cluster")
	c, err := newCluster(s)
	if err != nil {
		return r, fmt.Errorf("filling a cluster of %s: %w", s, err)
	}
	r.memory = held() - before
	for _, k := range podKinds {
		progress(k.name)
		times, err := c.decide(k)
		if err != nil {
			return r, fmt.Errorf("placing pods of kind %q among %s: %w", k.name, s, err)
		}
		r.decisions = append(r.decisions, quantilesOf(times))
	}
	progress("nodes, forks and frames")
	if r.change, err = c.changeNodes(s); err != nil {
		return r, fmt.Errorf("changing nodes among %s: %w", s, err)
	}
	if r.fork, err = c.fork(); err != nil {
		return r, fmt.Errorf("forking the engine of %s: %w", s, err)
	}
	if r.frame, err = c.frame(); err != nil {
		return r, fmt.Errorf("drawing %s: %w", s, err)
	}
	runtime.KeepAlive(c)
	return r, nil
}

func held() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// decide schedules pods of a kind, and returns how long each took after the first ones.
func (c *cluster) decide(k kind) ([]time.Duration, error) {
	var times []time.Duration
	for i := range warmUp + measured {
		took, err := c.schedule(k.pod(i).Obj())
		if err != nil {
			return nil, err
		}
		if i >= warmUp {
			times = append(times, took)
		}
	}
	return times, c.deletePods()
}

// changeNodes changes a label of one node after the other, each followed by a decision.
func (c *cluster) changeNodes(s size) (quantiles, error) {
	var times []time.Duration
	for i := range measured {
		changed := node(i*7%s.nodes).Label("rack", fmt.Sprint(i)).Obj()
		began := time.Now()
		if err := c.apply(world.Changed{Op: world.Modified, Object: changed}); err != nil {
			return quantiles{}, err
		}
		took := time.Since(began)
		decided, err := c.schedule(kinds.Plain(i).Obj())
		if err != nil {
			return quantiles{}, err
		}
		times = append(times, took+decided)
	}
	return quantilesOf(times), c.deletePods()
}

func (c *cluster) fork() (quantiles, error) {
	var times []time.Duration
	for range repeated {
		runtime.GC()
		began := time.Now()
		if _, err := c.engine.Fork(); err != nil {
			return quantiles{}, err
		}
		times = append(times, time.Since(began))
	}
	return quantilesOf(times), nil
}

// frame draws the overview after some decisions.
func (c *cluster) frame() (quantiles, error) {
	const columns, rows = 140, 40
	history := collect.NewHistory(collect.HistoryOptions{})
	collector, canvas := collect.New(collect.Options{History: history}), draw.New(columns, rows)
	state := &views.State{Focus: views.QueuePane}
	var times []time.Duration
	for i := range repeated {
		if _, err := c.schedule(kinds.Plain(i).Obj()); err != nil {
			return quantiles{}, err
		}
		began := time.Now()
		m := collector.Model(c.engine, collect.Query{Open: views.Overview, Columns: columns, Rows: rows})
		views.Screen(canvas, m, state, draw.Braille, c.now)
		times = append(times, time.Since(began))
	}
	return quantilesOf(times), c.deletePods()
}
