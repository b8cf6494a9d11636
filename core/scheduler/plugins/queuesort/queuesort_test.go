package queuesort_test

import (
	"testing"
	"time"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/plugins/queuesort"
)

// queued is a pod in the queue of which only its priority and its time matter here.
type queued struct {
	fwk.QueuedEntityInfo
	priority int32
	at       time.Time
}

func (q queued) GetPriority() int32      { return q.priority }
func (q queued) GetTimestamp() time.Time { return q.at }

func TestLess(t *testing.T) {
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	in := func(priority int32, at time.Time) queued { return queued{priority: priority, at: at} }
	const low, high, none, negative = 10, 20, 0, -1
	for name, tc := range map[string]struct {
		a, b           queued
		aFirst, bFirst bool
	}{
		"a higher priority sorts first, even if later":   {in(high, noon.Add(time.Hour)), in(low, noon), true, false},
		"at equal priority the earlier pod sorts first":  {in(low, noon), in(low, noon.Add(1)), true, false},
		"no priority is zero: before a negative one":     {in(none, noon), in(negative, noon), true, false},
		"no priority is zero: after a positive one":      {in(none, noon), in(low, noon), false, true},
		"at equal priority and time neither sorts first": {in(low, noon), in(low, noon), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			plugin, err := queuesort.New(t.Context(), nil, nil, config.DefaultFeatures())
			if err != nil {
				t.Fatal(err)
			}
			sort := plugin.(fwk.QueueSortPlugin)
			if got := sort.Less(tc.a, tc.b); got != tc.aFirst {
				t.Errorf("a before b: %v, want %v", got, tc.aFirst)
			}
			if got := sort.Less(tc.b, tc.a); got != tc.bFirst {
				t.Errorf("b before a: %v, want %v", got, tc.bFirst)
			}
		})
	}
}
