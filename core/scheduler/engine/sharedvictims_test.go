package engine_test

import (
	"fmt"
	"testing"
	"time"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world/memory"
)

// Preemptors of one priority that arrive together may choose the same victims. Whichever deletes a victim first, and
// in any order of the outcomes, all of them are placed.
func TestPreemption_SharedVictims(t *testing.T) {
	const low, high = 20, 10
	for seed := range uint64(40) {
		latency := memory.TypicalLatency()
		latency.Kubelet = memory.Delay{Base: time.Millisecond, Jitter: 20 * time.Millisecond}
		slow := memory.CallFaults{Slow: 0.3, SlowBy: memory.Delay{Jitter: 2 * time.Second}}
		c := memory.New(memory.Options{
			Start: start, Seed: seed, Latency: latency,
			Faults: memory.Faults{Calls: map[memory.Call]memory.CallFaults{memory.CallPatchStatus: slow, memory.CallDelete: slow}},
		})
		must(c.Create(mk.Node("n1").CPU("4").Memory("8Gi").Pods("110").Obj()))
		must(c.Create(mk.Node("n2").CPU("4").Memory("8Gi").Pods("110").Obj()))
		for i := range low {
			pod := mk.Pod(fmt.Sprintf("low-%d", i)).UID("").CPU("400m").Obj()
			none := int64(0)
			pod.Spec.TerminationGracePeriodSeconds = &none
			must(c.Create(pod))
		}
		c.At(start.Add(10*time.Second), func(c *memory.Cluster) {
			for i := range high {
				pod := mk.Pod(fmt.Sprintf("high-%d", i)).UID("").CPU("400m").Obj()
				pod.Spec.PriorityClassName = "system-cluster-critical"
				must(c.Create(pod))
			}
		})
		e := newEngine(t, seed)
		run(e, c, start.Add(40*time.Second))
		for i := range high {
			name := fmt.Sprintf("high-%d", i)
			if state := e.PodState("default", name); state != engine.StateBound {
				t.Errorf("with seed %d, %s is %s", seed, name, state)
			}
		}
		if err := e.Check(); err != nil {
			t.Errorf("with seed %d: %v", seed, err)
		}
	}
}
