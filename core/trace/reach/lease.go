package reach

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientset "k8s.io/client-go/kubernetes"

	"orrery/core/objects/saturating"
	"orrery/core/safe/printable"
)

// ErrNoLeader is the cause of errors that end by themselves when a replica takes the lease.
var ErrNoLeader = errors.New("no scheduler leads")

// Lease names a Lease.
type Lease struct{ Namespace, Name string }

func (l Lease) String() string { return l.Namespace + "/" + l.Name }

// A renewal is waited for during this part of the lease's duration. With the usual durations a holder renews after two fifteenths of it.
const renewalShare = 5

// maxRenewalWait bounds that wait where a lease lasts long.
//
//orrery:limit readers; how long a lease that seems to be expired is watched; not renewed by then, it is expired
const maxRenewalWait = 15 * time.Second

// Leader returns the identity that holds the lease at a time. The identity is as the holder wrote it. This machine's clock may differ from the
// holder's: a lease that seems to be expired is read again after a while, and its holder leads if the lease was renewed by then.
func (l Lease) Leader(ctx context.Context, client clientset.Interface, now time.Time, after func(time.Duration) <-chan time.Time) (identity string, err error) {
	seen, err := l.held(ctx, client)
	if err != nil {
		return "", err
	}
	late, wait := overdue(seen, now)
	if late <= 0 {
		return *seen.HolderIdentity, nil
	}
	select {
	case <-after(wait):
	case <-ctx.Done():
		return "", fmt.Errorf("waiting for a renewal of the lease %s: %w", l, context.Cause(ctx))
	}
	again, err := l.held(ctx, client)
	if err != nil {
		return "", err
	}
	if again.RenewTime.Equal(seen.RenewTime) {
		return "", fmt.Errorf("%w: the lease %s of %s expired %s ago", ErrNoLeader, l, printable.Line(*again.HolderIdentity, 120), late.Round(time.Second))
	}
	return *again.HolderIdentity, nil
}

// overdue returns how long ago a lease expired by this machine's clock, and how long a renewal is waited for.
func overdue(spec *coordinationv1.LeaseSpec, now time.Time) (late, wait time.Duration) {
	if spec.RenewTime == nil || spec.LeaseDurationSeconds == nil {
		return 0, 0
	}
	lasts := saturating.Seconds(int64(*spec.LeaseDurationSeconds))
	return now.Sub(spec.RenewTime.Add(lasts)), min(lasts/renewalShare, maxRenewalWait)
}

// held reads the lease, which has a holder.
func (l Lease) held(ctx context.Context, client clientset.Interface) (*coordinationv1.LeaseSpec, error) {
	lease, err := client.CoordinationV1().Leases(l.Namespace).Get(ctx, l.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return nil, fmt.Errorf("%w: there is no lease %s: a scheduler with another one, or without election, is named by its pod, as in pod/NAME", ErrNoLeader, l)
	case apierrors.IsForbidden(err):
		return nil, fmt.Errorf(`the lease %s may not be read: the rule "get leases" (coordination.k8s.io) in namespace %s is missing; without it name a pod, as in pod/NAME: %w`, l, l.Namespace, err)
	case err != nil:
		return nil, fmt.Errorf("reading the lease %s: %w", l, err)
	}
	if holder := lease.Spec.HolderIdentity; holder == nil || *holder == "" {
		return nil, fmt.Errorf("%w: the lease %s has no holder", ErrNoLeader, l)
	}
	return &lease.Spec, nil
}

// hostOf returns the hostname of an identity: kube-scheduler's and Orrery's are a hostname and a UUID.
func hostOf(identity string) string {
	if i := strings.LastIndexByte(identity, '_'); i >= 0 {
		return identity[:i]
	}
	return identity
}
