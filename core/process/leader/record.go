package leader

import (
	"math"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// Record is the election's part of a Lease.
type Record struct {
	// Holder is the leader's identity. After a release it is empty, and any candidate may acquire the lease.
	Holder string
	// LeaseSeconds is how long the lease is valid after a renewal.
	LeaseSeconds int
	// AcquireTime and RenewTime are times of the holder's clock. Candidates only use the fact that they change.
	AcquireTime, RenewTime time.Time
	// Transitions counts the changes of holder.
	Transitions int
	// Strategy and PreferredHolder belong to coordinated election: how the leader is chosen, and who should be next.
	Strategy        coordinationv1.CoordinatedLeaseStrategy
	PreferredHolder string
}

// RecordOf reads a Lease; missing fields are zero.
func RecordOf(lease *coordinationv1.Lease) Record {
	spec := &lease.Spec
	return Record{
		Holder:          ptr.Deref(spec.HolderIdentity, ""),
		LeaseSeconds:    int(ptr.Deref(spec.LeaseDurationSeconds, 0)),
		AcquireTime:     ptr.Deref(spec.AcquireTime, metav1.MicroTime{}).Time,
		RenewTime:       ptr.Deref(spec.RenewTime, metav1.MicroTime{}).Time,
		Transitions:     int(ptr.Deref(spec.LeaseTransitions, 0)),
		Strategy:        ptr.Deref(spec.Strategy, ""),
		PreferredHolder: ptr.Deref(spec.PreferredHolder, ""),
	}
}

// Spec returns the record as a LeaseSpec.
func (r Record) Spec() coordinationv1.LeaseSpec {
	spec := coordinationv1.LeaseSpec{
		HolderIdentity:       &r.Holder,
		LeaseDurationSeconds: ptr.To(int32(min(r.LeaseSeconds, math.MaxInt32))),
		AcquireTime:          &metav1.MicroTime{Time: r.AcquireTime},
		RenewTime:            &metav1.MicroTime{Time: r.RenewTime},
		LeaseTransitions:     ptr.To(int32(r.Transitions)),
	}
	if r.Strategy != "" {
		spec.Strategy = &r.Strategy
	}
	if r.PreferredHolder != "" {
		spec.PreferredHolder = &r.PreferredHolder
	}
	return spec
}

// Duration is how long the lease is valid after a renewal.
func (r Record) Duration() time.Duration { return time.Duration(r.LeaseSeconds) * time.Second }

// sameToSecond reports whether a candidate takes two records for equal. It compares times by the whole second, so it misses
// one of two renewals within a second.
func (r Record) sameToSecond(other Record) bool {
	return sameSecond(r.AcquireTime, other.AcquireTime) && sameSecond(r.RenewTime, other.RenewTime) &&
		r.Holder == other.Holder && r.LeaseSeconds == other.LeaseSeconds && r.Transitions == other.Transitions &&
		r.Strategy == other.Strategy && r.PreferredHolder == other.PreferredHolder
}

func sameSecond(a, b time.Time) bool { return a.Unix() == b.Unix() && a.IsZero() == b.IsZero() }
