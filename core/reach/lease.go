package reach

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientset "k8s.io/client-go/kubernetes"

	"orrery/core/printable"
	"orrery/core/saturating"
)

// ErrNoLeader is the cause of errors that end by themselves when a replica takes the lease.
var ErrNoLeader = errors.New("no scheduler leads")

// Lease names a Lease.
type Lease struct{ Namespace, Name string }

func (l Lease) String() string { return l.Namespace + "/" + l.Name }

// Leader returns the identity that holds the lease at a time. The identity is as the holder wrote it.
func (l Lease) Leader(ctx context.Context, client clientset.Interface, now time.Time) (identity string, err error) {
	lease, err := client.CoordinationV1().Leases(l.Namespace).Get(ctx, l.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return "", fmt.Errorf("%w: there is no lease %s: a scheduler with another one, or without election, is named by its pod, as in pod/NAME", ErrNoLeader, l)
	case apierrors.IsForbidden(err):
		return "", fmt.Errorf(`the lease %s may not be read: the rule "get leases" (coordination.k8s.io) in namespace %s is missing; without it name a pod, as in pod/NAME: %w`, l, l.Namespace, err)
	case err != nil:
		return "", fmt.Errorf("reading the lease %s: %w", l, err)
	}
	spec := &lease.Spec
	if spec.HolderIdentity == nil || *spec.HolderIdentity == "" {
		return "", fmt.Errorf("%w: the lease %s has no holder", ErrNoLeader, l)
	}
	if spec.RenewTime != nil && spec.LeaseDurationSeconds != nil {
		expired := spec.RenewTime.Add(saturating.Seconds(int64(*spec.LeaseDurationSeconds)))
		if late := now.Sub(expired); late > 0 {
			return "", fmt.Errorf("%w: the lease %s of %s expired %s ago", ErrNoLeader, l, printable.Line(*spec.HolderIdentity, 120), late.Round(time.Second))
		}
	}
	return *spec.HolderIdentity, nil
}

// hostOf returns the hostname of an identity: kube-scheduler's and Orrery's are a hostname and a UUID.
func hostOf(identity string) string {
	if i := strings.LastIndexByte(identity, '_'); i >= 0 {
		return identity[:i]
	}
	return identity
}
