package leader

import (
	"context"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/utils/ptr"

	"orrery/core/process/leader"
)

func TestSettings_SameErrors(t *testing.T) {
	values := []time.Duration{-1, 0, 1, 2, 3, time.Second, 1200 * time.Millisecond, 1201 * time.Millisecond}
	rejected := 0
	for _, lease := range values {
		for _, renew := range values {
			for _, retry := range values {
				for _, identity := range []string{"", "a"} {
					s := leader.Settings{
						Identity: identity, Namespace: "n", Name: "l",
						LeaseDuration: lease, RenewDeadline: renew, RetryPeriod: retry,
					}
					_, theirs := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
						Lock:          &resourcelock.LeaseLock{LockConfig: resourcelock.ResourceLockConfig{Identity: identity}},
						LeaseDuration: lease, RenewDeadline: renew, RetryPeriod: retry,
						Callbacks: leaderelection.LeaderCallbacks{
							OnStartedLeading: func(context.Context) {}, OnStoppedLeading: func() {},
						},
					})
					if diff := gocmp.Diff(text(theirs), text(s.Validate())); diff != "" {
						t.Errorf("%+v (-theirs +ours):\n%s", s, diff)
					}
					if theirs != nil {
						rejected++
					}
				}
			}
		}
	}
	t.Logf("%d settings rejected", rejected)
}

func TestCheckLock_SameErrors(t *testing.T) {
	for _, kind := range []string{"leases", "endpoints", "configmaps", "endpointsleases", "configmapsleases", "foo", ""} {
		_, theirs := resourcelock.New(kind, "n", "l", nil, nil, resourcelock.ResourceLockConfig{Identity: "a"})
		if diff := gocmp.Diff(text(theirs), text(leader.ValidateResourceLock(kind))); diff != "" {
			t.Errorf("%q (-theirs +ours):\n%s", kind, diff)
		}
	}
}

func TestRecord_SameAsClientGo(t *testing.T) {
	at := metav1.NewMicroTime(time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC))
	for _, spec := range []coordinationv1.LeaseSpec{
		{},
		{HolderIdentity: ptr.To("a"), LeaseDurationSeconds: ptr.To[int32](15), AcquireTime: &at, RenewTime: &at},
		{LeaseTransitions: ptr.To[int32](3), PreferredHolder: ptr.To("b"), Strategy: ptr.To(coordinationv1.OldestEmulationVersion)},
		{HolderIdentity: ptr.To(""), PreferredHolder: ptr.To("")},
	} {
		theirs := resourcelock.LeaseSpecToLeaderElectionRecord(&spec)
		ours := leader.RecordOf(&coordinationv1.Lease{Spec: spec})
		if diff := gocmp.Diff(leader.Record{
			Holder: theirs.HolderIdentity, LeaseSeconds: theirs.LeaseDurationSeconds,
			AcquireTime: theirs.AcquireTime.Time, RenewTime: theirs.RenewTime.Time, Transitions: theirs.LeaderTransitions,
			Strategy: theirs.Strategy, PreferredHolder: theirs.PreferredHolder,
		}, ours); diff != "" {
			t.Errorf("record read from the Lease (-theirs +ours):\n%s", diff)
		}
		if diff := gocmp.Diff(resourcelock.LeaderElectionRecordToLeaseSpec(theirs), ours.Spec()); diff != "" {
			t.Errorf("Lease written from the record (-theirs +ours):\n%s", diff)
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
