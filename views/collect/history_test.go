package collect

import (
	"fmt"
	"slices"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"orrery/core/engine"
	"orrery/core/framework"
	"orrery/core/world"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// The curve has for each second how many decisions came in it, however many seconds had none.
func TestCurves_CountPerSecond(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c curves
		at, bySecond := noon, map[int64]float64{}
		for range rapid.IntRange(1, 60).Draw(t, "decisions") {
			at = at.Add(time.Duration(rapid.SampledFrom([]int{0, 1, 40, 400, 1000, 7000, 200_000, 500_000}).Draw(t, "ms")) * time.Millisecond)
			c.add(&engine.Decision{At: at})
			bySecond[at.Unix()]++
		}
		now := at.Add(time.Duration(rapid.IntRange(0, 5000).Draw(t, "since")) * time.Millisecond)
		rate, _ := c.series(now)
		for i, got := range rate {
			if second := now.Unix() - curveSeconds + 1 + int64(i); got != bySecond[second] {
				t.Errorf("%d s ago there were %v, want %v", now.Unix()-second, got, bySecond[second])
			}
		}
	})
}

func TestCurves_RateOfLastSeconds(t *testing.T) {
	var c curves
	for i := range 3000 {
		c.add(&engine.Decision{At: noon.Add(time.Duration(i) * 10 * time.Millisecond), Duration: time.Millisecond})
	}
	for _, tt := range []struct {
		name     string
		after    time.Duration
		from, to float64
	}{
		{"while a hundred a second are decided", 30 * time.Second, 95, 105},
		{"five seconds after the last", 35 * time.Second, 40, 60},
		{"long after", time.Minute, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := c.rate(noon.Add(tt.after)); got < tt.from || got > tt.to {
				t.Errorf("got %v a second, want %v to %v", got, tt.from, tt.to)
			}
		})
	}
	if got := c.p99(noon.Add(30 * time.Second)); got != time.Millisecond {
		t.Errorf("the slowest hundredth took %v, want 1ms", got)
	}
	if got := c.p99(noon.Add(time.Minute)); got != 0 {
		t.Errorf("long after, the slowest hundredth took %v, want nothing", got)
	}
}

// What a histogram says of a quantile is at most a quarter too much, and never too little.
func TestHistogram_Precision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h histogram
		took := rapid.SliceOfN(rapid.Int64Range(2000, int64(10*time.Second)), 1, 200).Draw(t, "took")
		for _, ns := range took {
			h.add(time.Duration(ns))
		}
		slices.Sort(took)
		for _, share := range []float64{0, 0.5, 0.9, 0.99, 1} {
			want := time.Duration(took[min(int(float64(len(took))*share), len(took)-1)])
			if got := h.quantile(share); got < want || float64(got) > 1.25*float64(want) {
				t.Errorf("%v took %v at most, want %v", share, got, want)
			}
		}
	})
	if got := (&histogram{}).quantile(0.99); got != 0 {
		t.Errorf("of nothing the slowest took %v", got)
	}
	unmeasured := histogram{}
	unmeasured.add(0)
	if got := unmeasured.quantile(0.99); got != 0 {
		t.Errorf("of what nobody measured the slowest took %v", got)
	}
}

func leaseOf(namespace, name, holder string, renewed time.Time) *coordinationv1.Lease {
	seconds, at := int32(15), metav1.NewMicroTime(renewed)
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: "1"},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &seconds, RenewTime: &at},
	}
}

func TestLeases_WatchedFromFirstSight(t *testing.T) {
	c := NewHistory(HistoryOptions{})
	hear := func(second int, op world.Op, holder string, renewed int) {
		c.Applied(world.Input{At: noon.Add(time.Duration(second) * time.Second), Event: world.Changed{
			Op: op, Object: leaseOf("kube-system", "kube-scheduler", holder, noon.Add(time.Duration(renewed)*time.Second)),
		}}, nil)
	}
	hear(0, world.Added, "a", 0)
	hear(2, world.Modified, "a", 2)
	hear(3, world.Modified, "a", 2) // written for another reason
	hear(5, world.Modified, "a", 5)
	fork := c.Fork().(*History)
	hear(30, world.Modified, "b", 30)
	w := c.leases.scheduler()
	if want := []time.Duration{2 * time.Second, 3 * time.Second, 25 * time.Second}; !slices.Equal(w.lastIntervals(), want) {
		t.Errorf("the times between renewals are %v, want %v", w.lastIntervals(), want)
	}
	changes := changesOf(w.History().Tenures)
	if len(changes) != 1 || changes[0].From != "a" || changes[0].To != "b" || changes[0].Why != "taken over after expiry" {
		t.Errorf("the changes are %+v, want one from a to b after silence", changes)
	}
	if waiting := candidatesOf(w.History().Tenures, "b", noon.Add(40*time.Second)); len(waiting) != 1 || waiting[0].Name != "a" {
		t.Errorf("those who wait are %+v, want a", waiting)
	}
	if before := fork.leases.scheduler(); len(before.lastIntervals()) != 2 || len(before.History().Tenures) != 1 {
		t.Errorf("what came after the fork is in it: %v", before.lastIntervals())
	}
}

func TestLeases_IgnoreNodeHeartbeats(t *testing.T) {
	c := NewHistory(HistoryOptions{})
	for i := range 3 * maxLeases {
		for _, namespace := range []string{nodeLeaseNamespace, "kube-system"} {
			c.Applied(world.Input{At: noon, Event: world.Changed{Object: leaseOf(namespace, fmt.Sprint("l", i), "a", noon)}}, nil)
		}
	}
	if n := len(c.leases.byName); n != maxLeases {
		t.Errorf("%d leases are watched, want %d", n, maxLeases)
	}
	for name := range c.leases.byName {
		if name.Namespace == nodeLeaseNamespace {
			t.Errorf("the heartbeat %v is watched", name)
		}
	}
}

func TestLeases_GoneWhenNotListed(t *testing.T) {
	c := NewHistory(HistoryOptions{})
	listed := func(second int, objects ...world.Object) {
		c.Applied(world.Input{At: noon.Add(time.Duration(second) * time.Second), Event: world.Listed{Kind: world.Lease, Objects: objects}}, nil)
	}
	listed(0, leaseOf("kube-system", "kube-scheduler", "a", noon))
	if got := c.leases.scheduler().Status(noon).State.String(); got != "held" {
		t.Errorf("the lease is %s, want held", got)
	}
	listed(1)
	if got := c.leases.scheduler().Status(noon.Add(time.Second)).State.String(); got != "absent" {
		t.Errorf("a lease that is not there any more is %s, want absent", got)
	}
}

func TestTimings_SharedByForks(t *testing.T) {
	c := NewHistory(HistoryOptions{})
	fork := c.Fork().(*History)
	for i := range 100 {
		c.ObserveTiming(framework.Timing{Profile: "p", Point: framework.Filter, Plugin: "Fit", Duration: time.Duration(i+1) * 10 * time.Microsecond})
	}
	fork.ObserveTiming(framework.Timing{Profile: "p", Point: framework.Filter, Duration: time.Second})
	for _, which := range []*History{c, fork} {
		fit := which.timings.of(timingKey{"p", framework.Filter, "Fit"})
		if fit.mean() != 505*time.Microsecond || fit.histogram.quantile(0.99) != time.Millisecond {
			t.Errorf("Fit took %v in the mean and %v at most, want 505µs and 1ms", fit.mean(), fit.histogram.quantile(0.99))
		}
		point := which.timings.of(timingKey{profile: "p", point: framework.Filter})
		if point.mean() != time.Second {
			t.Errorf("the point took %v, want 1s", point.mean())
		}
	}
	if unknown := c.timings.of(timingKey{"p", framework.Score, "Fit"}); unknown.mean() != 0 {
		t.Errorf("what nobody measured took %v", unknown.mean())
	}
}
