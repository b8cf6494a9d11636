package leader_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"

	"orrery/core/process/leader"
	"orrery/core/testing/fuzz"
	"orrery/core/world"
)

// FuzzLease reads Leases as a candidate and as an observer of the election.
//
//orrery:reads core/process/leader
func FuzzLease(f *testing.F) {
	const head = `{"metadata":{"namespace":"kube-system","name":"kube-scheduler","uid":"u","resourceVersion":"1"},"spec":`
	for _, spec := range []string{
		`{}}`, `{"holderIdentity":"a","leaseDurationSeconds":15,"acquireTime":"2026-03-02T09:00:00.000000Z","renewTime":"2026-03-02T09:00:10.000000Z","leaseTransitions":3}}`,
		`{"holderIdentity":"","leaseDurationSeconds":-2147483648,"renewTime":"9999-12-31T23:59:59.000000Z","leaseTransitions":2147483647}}`,
		`{"holderIdentity":"\u001b","leaseDurationSeconds":2147483647,"strategy":"OldestEmulationVersion","preferredHolder":"b"}}`,
	} {
		f.Add([]byte(head+spec), []byte(head+`{"holderIdentity":"b","renewTime":"0001-01-01T00:00:00.000000Z"}}`), int64(time.Second))
	}
	f.Fuzz(func(t *testing.T, first, second []byte, between int64) {
		var leases []*coordinationv1.Lease
		for _, text := range [][]byte{first, second, first} {
			lease := &coordinationv1.Lease{}
			if json.Unmarshal(text, lease) != nil {
				return
			}
			s := settings()
			lease.Namespace, lease.Name = s.Namespace, s.Name
			leases = append(leases, lease)
		}
		between = max(between, 0) % (10 * int64(time.Hour))
		fuzz.Cost(t, len(first)+len(second), func() {
			observed(t, leases, time.Duration(between))
			competes(t, leases, time.Duration(between))
		})
	})
}

func observed(t *testing.T, leases []*coordinationv1.Lease, between time.Duration) {
	w, now := leader.NewWatcher(settings(), time.Second), second(0)
	for _, lease := range leases {
		w.Apply(world.Input{At: now, Event: world.Changed{Op: world.Modified, Object: lease}})
		now = now.Add(between)
	}
	w.Apply(world.Input{At: now, Event: world.Listed{Kind: world.Lease}})
	for _, tenure := range w.History().Tenures {
		if tenure.End == leader.Ongoing || tenure.Renewals < 0 || tenure.LongestGap < 0 || math.IsNaN(tenure.Clock.Low) {
			t.Errorf("a tenure of a deleted Lease is %+v", tenure)
		}
	}
}

// competes answers each read of a candidate with the next Lease, or once there is none what was written last, and accepts each write.
func competes(t *testing.T, leases []*coordinationv1.Lease, between time.Duration) {
	now := second(0)
	c, err := leader.New(settings(), now)
	if err != nil {
		t.Fatal(err)
	}
	var latest *coordinationv1.Lease
	for range 4 * len(leases) {
		at, ok := c.NextWake()
		if !ok {
			break
		}
		if at.After(now) {
			now = at
		}
		c.Wake(now)
		if call, ok := c.Call(); ok {
			switch {
			case call.Lease != nil:
				latest = call.Lease
			case len(leases) > 0:
				latest, leases = leases[0], leases[1:]
			}
			c.HandleResponse(now, leader.Response{Call: call.ID, Lease: latest})
		}
		now = now.Add(between)
	}
	record, _ := c.Observed()
	if c.Leading() && record.Holder != settings().Identity {
		t.Errorf("the candidate leads, and the holder is %q", record.Holder)
	}
}
