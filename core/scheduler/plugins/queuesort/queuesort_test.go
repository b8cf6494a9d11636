package queuesort_test

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/plugins/queuesort"
	"orrery/core/testing/mk"
)

// queued is a pod in the queue of which only its pod and its time matter here.
type queued struct {
	fwk.QueuedPodInfo
	pod fwk.PodInfo
	at  time.Time
}

func (q queued) GetPodInfo() fwk.PodInfo { return q.pod }
func (q queued) GetTimestamp() time.Time { return q.at }

func TestLess(t *testing.T) {
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	in := func(pod *v1.Pod, at time.Time) queued {
		info, err := cache.NewPodInfo(pod)
		if err != nil {
			t.Fatal(err)
		}
		return queued{pod: info, at: at}
	}
	low := mk.Pod("low").Priority(10).Obj()
	high := mk.Pod("high").Priority(20).Obj()
	none := mk.Pod("none").Obj()
	negative := mk.Pod("negative").Priority(-1).Obj()
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
