package leader

import (
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// Record is what a Lease says of the election.
type Record struct {
	// Holder is the leader's identity; it is empty after a release, and then anyone may take the lease at once.
	Holder string
	// LeaseSeconds is how long the lease is good for after a renewal.
	LeaseSeconds int
	// AcquireTime and RenewTime are by the holder's clock. Nobody judges by them; that they change is all that counts.
	AcquireTime, RenewTime time.Time
	// Transitions counts the changes of holder.
	Transitions int
	// Strategy and PreferredHolder belong to coordinated election: who chooses, and who is to be the next.
	Strategy        coordinationv1.CoordinatedLeaseStrategy
	PreferredHolder string
}

// RecordOf reads a Lease; what it does not say is zero.
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

// Spec is the record as a Lease holds it.
func (r Record) Spec() coordinationv1.LeaseSpec {
	spec := coordinationv1.LeaseSpec{
		HolderIdentity:       &r.Holder,
		LeaseDurationSeconds: ptr.To(int32(r.LeaseSeconds)),
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

// Duration is how long the lease is good for after a renewal.
func (r Record) Duration() time.Duration { return time.Duration(r.LeaseSeconds) * time.Second }

// looksLike tells whether a candidate takes two records for the same. It compares times by the whole second, so of two
// renewals within a second it notices one.
func (r Record) looksLike(other Record) bool {
	return sameSecond(r.AcquireTime, other.AcquireTime) && sameSecond(r.RenewTime, other.RenewTime) &&
		r.Holder == other.Holder && r.LeaseSeconds == other.LeaseSeconds && r.Transitions == other.Transitions &&
		r.Strategy == other.Strategy && r.PreferredHolder == other.PreferredHolder
}

func sameSecond(a, b time.Time) bool {
	return a.Unix() == b.Unix() && a.IsZero() == b.IsZero()
}
