package leader_test

import (
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/process/leader"
	"orrery/core/world"
)

// observer passes the states of one Lease to a watcher.
type observer struct {
	*leader.Watcher
	version int
}

func observe(s leader.Settings) *observer {
	return &observer{Watcher: leader.NewWatcher(s, 100*time.Millisecond)}
}

func (o *observer) lease(r leader.Record) *coordinationv1.Lease {
	o.version++
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "kube-scheduler", UID: "u", ResourceVersion: strconv.Itoa(o.version)},
		Spec:       r.Spec(),
	}
}

func (o *observer) sees(at float64, r leader.Record) *observer {
	o.Apply(world.Input{At: second(at), Event: world.Changed{Op: world.Modified, Object: o.lease(r)}})
	return o
}

// renewing applies renewals every 2 s by a holder whose clock is 1000 s ahead and runs at a rate.
func (o *observer) renewing(holder string, transitions int, from, to, rate float64) *observer {
	for at := from; at <= to; at += 2 {
		o.sees(at, held(holder, 1000+at*rate, transitions))
	}
	return o
}

func TestWatcher_TenureEnds(t *testing.T) {
	for _, row := range []struct {
		name         string
		next         func(*observer)
		want         leader.End
		sinceRenewal time.Duration
		overlap      bool
	}{
		{"the holder releases it", func(o *observer) { o.sees(11, held("", 11, 0)) }, leader.Released, time.Second, false},
		{"another takes over after expiry", func(o *observer) { o.sees(26, held("b", 26, 1)) }, leader.TakenAfterExpiry, 16 * time.Second, false},
		{"another takes over in the second of expiry", func(o *observer) { o.sees(25, held("b", 25, 1)) }, leader.TakenAfterExpiry, 15 * time.Second, false},
		{"another takes over before expiry, after the holder's renew deadline", func(o *observer) { o.sees(23, held("b", 23, 1)) }, leader.TakenEarly, 13 * time.Second, false},
		{"another takes over while the holder may believe that it leads", func(o *observer) { o.sees(21, held("b", 21, 1)) }, leader.TakenEarly, 11 * time.Second, true},
		{"another holder is preferred", func(o *observer) {
			last := held("a", 1010, 0)
			last.PreferredHolder = "b"
			o.sees(11, last).sees(30, held("b", 30, 1))
		}, leader.TermEnded, 20 * time.Second, false},
		{"the Lease is deleted", func(o *observer) {
			o.Apply(world.Input{At: second(12), Event: world.Changed{Op: world.Deleted, Object: o.lease(held("a", 1010, 0))}})
		}, leader.Deleted, 2 * time.Second, false},
		{"the Lease is deleted and another creates it", func(o *observer) {
			o.Apply(world.Input{At: second(12), Event: world.Listed{Kind: world.Lease}})
			o.sees(13, held("b", 13, 0))
		}, leader.Deleted, 2 * time.Second, true},
		{"the tenure is ongoing", func(*observer) {}, leader.Ongoing, 0, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			o := observe(settings()).renewing("a", 0, 0, 10, 1)
			row.next(o)
			got := o.History().Tenures[0]
			if got.End != row.want || got.SinceRenewal != row.sinceRenewal || got.Renewals != 5 || got.LongestGap != 2*time.Second {
				t.Errorf("%v after %v, %d renewals, longest gap %v", got.End, got.SinceRenewal, got.Renewals, got.LongestGap)
			}
			if overlap := len(o.History().Overlaps) > 0; overlap != row.overlap {
				t.Errorf("overlaps: %+v", o.History().Overlaps)
			}
		})
	}
}

func TestWatcher_Status(t *testing.T) {
	o := observe(settings())
	if r := o.Status(second(0)); r.State != leader.Absent || !r.SkewTolerated() {
		t.Errorf("before any input: %+v", r)
	}
	o.renewing("a", 0, 0, 10, 1)
	for _, row := range []struct {
		at      float64
		state   leader.State
		expires time.Duration
		inTime  bool
	}{
		{10, leader.Held, 15 * time.Second, true},
		{21, leader.Held, 4 * time.Second, true},
		{22, leader.Held, 3 * time.Second, false},
		{25, leader.Expired, 0, false},
		{40, leader.Expired, -15 * time.Second, false},
	} {
		r := o.Status(second(row.at))
		if r.State != row.state || r.ExpiresIn != row.expires || r.RenewsInTime != row.inTime {
			t.Errorf("at %v s: %v, expires in %v, renews in time: %t", row.at, r.State, r.ExpiresIn, r.RenewsInTime)
		}
		if !r.FailoverAt.Equal(second(24.9)) || r.MaxClockSkew != 1.25 {
			t.Errorf("at %v s: failover at %v, maximum skew %v", row.at, r.FailoverAt.Sub(epoch), r.MaxClockSkew)
		}
	}
	if r := o.sees(41, held("", 41, 0)).Status(second(60)); r.State != leader.Free || !r.FailoverAt.Equal(second(41)) {
		t.Errorf("released: %v, failover at %v", r.State, r.FailoverAt)
	}
}

// a has a slow clock and b a fast one, and each renews for long enough to measure.
func TestWatcher_ComparesClocksByRenewals(t *testing.T) {
	for _, row := range []struct {
		name   string
		a, b   float64
		within bool
	}{
		{"equal rates", 1, 1, true},
		{"within the ratio of 15:10", 0.9, 1.3, true},
		{"outside the ratio", 0.8, 1.3, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			o := observe(settings(strict)).renewing("a", 0, 0, 300, row.a).sees(301, held("", 0, 0)).renewing("b", 1, 302, 600, row.b)
			r := o.Status(second(600))
			if r.SkewTolerated() != row.within || math.Abs(r.ClockSkew-row.b/row.a) > 0.01 {
				t.Errorf("clock ratio %.3f of %.3f, tolerated %.2f", r.ClockSkew, row.b/row.a, r.MaxClockSkew)
			}
		})
	}
}

func TestWatcher_FastCandidateFailsOverEarlier(t *testing.T) {
	o := observe(settings(strict)).renewing("b", 0, 0, 300, 1.25).sees(301, held("", 0, 0)).renewing("a", 1, 302, 600, 1)
	got := o.Status(second(600)).FailoverAt.Sub(second(600))
	if got > 12*time.Second-100*time.Millisecond || got < 11800*time.Millisecond {
		t.Errorf("with b's clock 15 s pass in 12, failover after %v", got)
	}
}

func TestWatcher_IgnoresForeignAndOldEvents(t *testing.T) {
	o := observe(settings()).renewing("a", 0, 0, 10, 1)
	want := o.Fork().Status(second(11))
	late := o.lease(held("b", 11, 1))
	late.ResourceVersion = "2"
	other := o.lease(held("b", 11, 1))
	other.Name = "kube-controller-manager"
	annotated := o.lease(held("a", 1010, 0))
	annotated.Annotations = map[string]string{"touched": "yes"}
	for name, event := range map[string]world.Event{
		"an outdated event":           world.Changed{Op: world.Modified, Object: late},
		"an outdated deletion":        world.Changed{Op: world.Deleted, Object: late},
		"another Lease":               world.Changed{Op: world.Modified, Object: other},
		"a change that is no renewal": world.Changed{Op: world.Modified, Object: annotated},
		"objects of other kinds":      world.Changed{Op: world.Modified, Object: &v1.Pod{}},
		"a list of another kind":      world.Listed{Kind: world.Pod},
		"a list with the same record": world.Listed{Kind: world.Lease, Objects: []world.Object{other, annotated}},
		"a tick":                      world.Tick{},
	} {
		fork := o.Fork()
		fork.Apply(world.Input{At: second(11), Event: event})
		if diff := cmp.Diff(want, fork.Status(second(11))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestHistory_IsBounded(t *testing.T) {
	o := observe(settings())
	for i := range 500 {
		o.sees(float64(i), held(strconv.Itoa(i), float64(i), i))
		o.Apply(world.Input{At: second(float64(i)), Event: world.Listed{Kind: world.Lease}})
	}
	h := o.History()
	if len(h.Tenures) != 64 || h.Forgotten != 500-64 || len(h.Overlaps) != 32 {
		t.Errorf("%d tenures and %d overlaps kept, %d dropped", len(h.Tenures), len(h.Overlaps), h.Forgotten)
	}
	if last := h.Tenures[63]; last.Holder != "499" {
		t.Errorf("the latest tenure is of %s", last.Holder)
	}
}
