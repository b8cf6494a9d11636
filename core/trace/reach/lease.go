package reach

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
type Lease struct {
	Namespace, Name string
	// Listed reads it by a list, for those who may list leases, as readers of whole clusters do, and need no right for one by its name.
	Listed bool
}

func (l Lease) String() string { return l.Namespace + "/" + l.Name }

// A renewal is waited for during this part of the lease's duration. With the usual durations a holder renews after two fifteenths of it.
const renewalShare = 5

// maxRenewalWait bounds that wait where a lease lasts long.
//
//orrery:limit readers; how long a lease that seems to be expired is watched; not renewed by then, it is expired
const maxRenewalWait = 15 * time.Second

// Holding is who held a lease at a time.
type Holding struct {
	State HoldingState
	// Holder is as it wrote itself, and Renewed when it last did. Of an expired lease it is the one that let it expire, Late ago.
	Holder  string
	Renewed time.Time
	Late    time.Duration
}

// HoldingState says whether a scheduler leads by a lease.
type HoldingState uint8

// The states.
const (
	Absent HoldingState = iota // there is no such lease
	Free                       // it has no holder
	Expired
	Held
)

func (s HoldingState) String() string { return [...]string{"absent", "free", "expired", "held"}[s] }

// HoldingOf returns who held a lease at a time; nil stands for one that does not exist.
func HoldingOf(lease *coordinationv1.Lease, at time.Time) Holding {
	if lease == nil {
		return Holding{}
	}
	spec := &lease.Spec
	if spec.HolderIdentity == nil || *spec.HolderIdentity == "" {
		return Holding{State: Free}
	}
	h := Holding{State: Held, Holder: *spec.HolderIdentity}
	if spec.RenewTime == nil || spec.LeaseDurationSeconds == nil {
		return h
	}
	h.Renewed = spec.RenewTime.Time
	if late := at.Sub(h.Renewed.Add(saturating.Seconds(int64(*spec.LeaseDurationSeconds)))); late > 0 {
		h.State, h.Late = Expired, late
	}
	return h
}

// Look returns who holds the lease at a time. This machine's clock may differ from the holder's: a lease that seems to be expired is read
// again after a while, and is held if it was renewed by then.
func (l Lease) Look(ctx context.Context, client clientset.Interface, now time.Time, after func(time.Duration) <-chan time.Time) (Holding, error) {
	lease, err := l.read(ctx, client)
	if err != nil {
		return Holding{}, err
	}
	seen := HoldingOf(lease, now)
	if seen.State != Expired {
		return seen, nil
	}
	lasts := saturating.Seconds(int64(*lease.Spec.LeaseDurationSeconds))
	select {
	case <-after(min(lasts/renewalShare, maxRenewalWait)):
	case <-ctx.Done():
		return Holding{}, fmt.Errorf("waiting for a renewal of the lease %s: %w", l, context.Cause(ctx))
	}
	if lease, err = l.read(ctx, client); err != nil {
		return Holding{}, err
	}
	again := HoldingOf(lease, now)
	if again.State == Expired && !again.Renewed.Equal(seen.Renewed) {
		again.State, again.Late = Held, 0
	}
	return again, nil
}

// read returns the lease, or nil.
func (l Lease) read(ctx context.Context, client clientset.Interface) (*coordinationv1.Lease, error) {
	if l.Listed {
		list, err := client.CoordinationV1().Leases(l.Namespace).List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + l.Name})
		if err != nil {
			return nil, fmt.Errorf("reading the lease %s: %w", l, err)
		}
		if i := slices.IndexFunc(list.Items, func(o coordinationv1.Lease) bool { return o.Name == l.Name }); i >= 0 {
			return &list.Items[i], nil
		}
		return nil, nil
	}
	lease, err := client.CoordinationV1().Leases(l.Namespace).Get(ctx, l.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("reading the lease %s: %w", l, err)
	}
	return lease, nil
}

// Leader returns the identity that holds the lease at a time, as the holder wrote it.
func (l Lease) Leader(ctx context.Context, client clientset.Interface, now time.Time, after func(time.Duration) <-chan time.Time) (identity string, err error) {
	h, err := l.Look(ctx, client, now, after)
	switch {
	case apierrors.IsForbidden(err):
		return "", fmt.Errorf(`the lease %s may not be read: the rule "get leases" (coordination.k8s.io) in namespace %s is missing; without it name a pod, as in pod/NAME: %w`, l, l.Namespace, err)
	case err != nil:
		return "", err
	}
	switch h.State {
	case Absent:
		return "", fmt.Errorf("%w: there is no lease %s: a scheduler with another one, or without election, is named by its pod, as in pod/NAME", ErrNoLeader, l)
	case Free:
		return "", fmt.Errorf("%w: the lease %s has no holder", ErrNoLeader, l)
	case Expired:
		return "", fmt.Errorf("%w: the lease %s of %s expired %s ago", ErrNoLeader, l, printable.Line(h.Holder, 120), h.Late.Round(time.Second))
	}
	return h.Holder, nil
}

// hostOf returns the hostname of an identity: kube-scheduler's and Orrery's are a hostname and a UUID.
func hostOf(identity string) string {
	if i := strings.LastIndexByte(identity, '_'); i >= 0 {
		return identity[:i]
	}
	return identity
}
