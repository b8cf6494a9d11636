package app

import (
	"slices"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-base/metrics"

	"orrery/core/process/telemetry"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// TestInstruments_CountWhatAReplicaDoes schedules with the instruments of "orrery run": a pod preempts another one.
func TestInstruments_CountWhatAReplicaDoes(t *testing.T) {
	registry := metrics.NewKubeRegistry()
	i := instrumentsOf(telemetry.New(registry, config.DefaultFeatures()))
	start := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	o := engine.Options{Start: start, Seed: 1}
	i.Prepare(&o)
	e, err := engine.New(o)
	if err != nil {
		t.Fatal(err)
	}
	c := memory.New(memory.Options{Start: start})
	if err := c.Load(mk.Node("n1").CPU("2").Memory("4Gi").Pods("10").Obj(), mk.Pod("low").CPU("2").Node("n1").Phase(v1.PodRunning).Obj()); err != nil {
		t.Fatal(err)
	}
	vip := mk.Pod("vip").CPU("2").Obj()
	vip.Spec.PriorityClassName = "system-cluster-critical"
	if _, err := c.Create(vip); err != nil {
		t.Fatal(err)
	}
	drive.Run(c, start.Add(time.Minute), drive.NewScheduler(e, i.Observer(e)))
	i.Refresh(e, func(func(world.Action) string) map[string]int { return nil })
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var counted []string
	for _, f := range families {
		for _, m := range f.Metric {
			if m.GetCounter().GetValue()+float64(m.GetHistogram().GetSampleCount()) > 0 {
				counted = append(counted, strings.TrimPrefix(f.GetName(), "scheduler_"))
			}
		}
	}
	for _, name := range []string{
		"schedule_attempts_total", "scheduling_algorithm_duration_seconds", "preemption_attempts_total", "preemption_victims",
		"preemption_goroutines_execution_total",
	} {
		if !slices.Contains(counted, name) {
			t.Errorf("%s counts nothing; there are %q", name, counted)
		}
	}
}
