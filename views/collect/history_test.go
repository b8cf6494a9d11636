package collect

import (
	"fmt"
	"slices"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"pgregory.net/rapid"

	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/world"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func TestCurves_EmptyWithoutSamples(t *testing.T) {
	var c curves
	if rate, p99 := c.series(noon); len(rate) != 0 || len(p99) != 0 {
		t.Errorf("%d rates and %d latencies of no decision", len(rate), len(p99))
	}
	c.add(&engine.Decision{At: noon})
	if rate, p99 := c.series(noon); len(rate) == 0 || len(p99) != 0 {
		t.Errorf("%d rates and %d latencies of a decision that was not measured", len(rate), len(p99))
	}
}

// The curve counts the decisions of each second, across seconds without any.
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
				t.Errorf("%d s ago: %v decisions, want %v", now.Unix()-second, got, bySecond[second])
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
		{"during a hundred decisions a second", 30 * time.Second, 95, 105},
		{"five seconds after the last", 35 * time.Second, 40, 60},
		{"long after the last", time.Minute, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := c.rate(noon.Add(tt.after)); got < tt.from || got > tt.to {
				t.Errorf("rate %v, want %v to %v", got, tt.from, tt.to)
			}
		})
	}
	if got := c.p99(noon.Add(30 * time.Second)); got != time.Millisecond {
		t.Errorf("p99 is %v, want 1ms", got)
	}
	if got := c.p99(noon.Add(time.Minute)); got != 0 {
		t.Errorf("p99 long after is %v, want 0", got)
	}
}

// A histogram's quantile is at most a quarter too large, and never too small.
func TestHistogram_Precision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h histogram
		histogram := rapid.SliceOfN(rapid.Int64Range(2000, int64(10*time.Second)), 1, 200).Draw(t, "took")
		for _, ns := range histogram {
			h.add(time.Duration(ns))
		}
		slices.Sort(histogram)
		for _, share := range []float64{0, 0.5, 0.9, 0.99, 1} {
			want := time.Duration(histogram[min(int(float64(len(histogram))*share), len(histogram)-1)])
			if got := h.quantile(share); got < want || float64(got) > 1.25*float64(want) {
				t.Errorf("quantile %v is %v, want %v", share, got, want)
			}
		}
	})
	if got := (&histogram{}).quantile(0.99); got != 0 {
		t.Errorf("a quantile of nothing is %v", got)
	}
	unmeasured := histogram{}
	unmeasured.add(0)
	if got := unmeasured.quantile(0.99); got != 0 {
		t.Errorf("a quantile of unmeasured durations is %v", got)
	}
}

func leaseOf(namespace, name, holder string, renewed time.Time) *coordinationv1.Lease {
	seconds, at := int32(15), metav1.NewMicroTime(renewed)
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: "1"},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &seconds, RenewTime: &at},
	}
}

func TestLeases_WatchedFromFirstUpdate(t *testing.T) {
	c := NewHistory(HistoryOptions{})
	update := func(second int, op world.Op, holder string, renewed int) {
		c.Applied(world.Input{At: noon.Add(time.Duration(second) * time.Second), Event: world.Changed{
			Op: op, Object: leaseOf("kube-system", "kube-scheduler", holder, noon.Add(time.Duration(renewed)*time.Second)),
		}}, nil)
	}
	update(0, world.Added, "a", 0)
	update(2, world.Modified, "a", 2)
	update(3, world.Modified, "a", 2) // written for another reason
	update(5, world.Modified, "a", 5)
	fork := c.Fork().(*History)
	update(30, world.Modified, "b", 30)
	w := c.leases.scheduler()
	if want := []time.Duration{2 * time.Second, 3 * time.Second, 25 * time.Second}; !slices.Equal(w.lastIntervals(), want) {
		t.Errorf("the intervals between renewals are %v, want %v", w.lastIntervals(), want)
	}
	changes := changesOf(w.History().Tenures)
	if len(changes) != 1 || changes[0].From != "a" || changes[0].To != "b" || changes[0].Why != "taken over after expiry, 25s after its last renewal" {
		t.Errorf("the transitions are %+v, want one from a to b after expiry", changes)
	}
	if candidates := candidatesOf(w.History().Tenures, "b", noon.Add(40*time.Second)); len(candidates) != 1 || candidates[0].Name != "a" {
		t.Errorf("the candidates are %+v, want a", candidates)
	}
	if before := fork.leases.scheduler(); len(before.lastIntervals()) != 2 || len(before.History().Tenures) != 1 {
		t.Errorf("a change after the fork is in the fork: %v", before.lastIntervals())
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

func TestLeases_AbsentWhenNotListed(t *testing.T) {
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
		t.Errorf("a deleted lease is %s, want absent", got)
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
			t.Errorf("Fit: mean %v, p99 %v, want 505µs and 1ms", fit.mean(), fit.histogram.quantile(0.99))
		}
		point := which.timings.of(timingKey{profile: "p", point: framework.Filter})
		if point.mean() != time.Second {
			t.Errorf("the extension point's mean is %v, want 1s", point.mean())
		}
	}
	if unknown := c.timings.of(timingKey{"p", framework.Score, "Fit"}); unknown.mean() != 0 {
		t.Errorf("an unmeasured point's mean is %v", unknown.mean())
	}
}

// Such a call is not counted, so that its time would be the mean of none.
func TestTimings_LeaveSkippedPodsOut(t *testing.T) {
	c := NewHistory(HistoryOptions{})
	for _, point := range []framework.Point{framework.PreFilter, framework.PreScore, framework.Bind} {
		c.ObserveTiming(framework.Timing{Profile: "p", Point: point, Plugin: "Fit", Code: fwk.Skip, Duration: time.Millisecond})
		c.ObserveTiming(framework.Timing{Profile: "p", Point: point, Code: fwk.Skip, Duration: time.Millisecond})
	}
	for key, want := range map[timingKey]time.Duration{
		{"p", framework.PreFilter, "Fit"}: 0, {"p", framework.PreScore, "Fit"}: 0, {"p", framework.Bind, "Fit"}: time.Millisecond,
		{"p", framework.PreFilter, ""}: time.Millisecond, {"p", framework.PreScore, ""}: time.Millisecond,
	} {
		took := c.timings.of(key)
		if got := took.mean(); got != want {
			t.Errorf("%v: the mean is %v, want %v", key, got, want)
		}
	}
}
