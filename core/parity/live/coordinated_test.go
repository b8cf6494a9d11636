package live_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	coordinationv1beta1 "k8s.io/api/coordination/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typed "k8s.io/client-go/kubernetes/typed/coordination/v1beta1"
	"k8s.io/utils/ptr"

	"orrery/core/operator/console"
	"orrery/core/parity/apiserver"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// coordinated is a fixture in which the control plane chooses the leader. kube-scheduler can be a candidate for one lease only.
type coordinated struct{ *fixture }

const coordinatedLease = "kube-scheduler"

func newCoordinated(t *testing.T) *coordinated {
	t.Helper()
	c := &coordinated{newFixture(t, nodesFor(300)...)}
	c.lease, c.leaseDuration = coordinatedLease, c.shortLease()
	clean := func() {
		_ = c.candidates().DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{})
		_ = c.client.CoordinationV1().Leases(metav1.NamespaceSystem).Delete(t.Context(), coordinatedLease, metav1.DeleteOptions{})
	}
	clean() // the candidates of earlier tests would be pinged first, and waited for
	return c
}

func (c *coordinated) candidates() typed.LeaseCandidateInterface {
	return c.client.CoordinationV1beta1().LeaseCandidates(metav1.NamespaceSystem)
}

// startCandidate runs a scheduler that the control plane can choose.
func (c *coordinated) startCandidate(user string, what schedulerProgram, args ...string) *process {
	c.t.Helper()
	p := c.scheduleAs(user, what, append([]string{"--feature-gates=CoordinatedLeaderElection=true", "--leader-elect-resource-name=" + coordinatedLease}, args...)...)
	c.eventually(p.ready)
	return p
}

// waitCandidates waits for n candidates and returns them, the oldest first.
func (c *coordinated) waitCandidates(n int) (all []coordinationv1beta1.LeaseCandidate) {
	c.t.Helper()
	c.eventually(func() error {
		list, err := c.candidates().List(c.ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		if all = list.Items; len(all) != n {
			return fmt.Errorf("%d candidates, want %d", len(all), n)
		}
		return nil
	})
	return all
}

func (c *coordinated) currentLease() *coordinationv1.Lease {
	c.t.Helper()
	lease, err := c.client.CoordinationV1().Leases(metav1.NamespaceSystem).Get(c.ctx, coordinatedLease, metav1.GetOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	return lease
}

func TestCoordinated_ControlPlaneChooses(t *testing.T) {
	c := newCoordinated(t)
	first := c.startCandidate(scheduler, orrery)
	c.eventually(func() error { return c.tenureOf(scheduler, 1) })
	oldest := c.waitCandidates(1)[0]
	c.compareCandidate(&oldest)
	if _, body := first.get("/readyz?verbose", "admin"); !strings.Contains(body, "[+]informer-sync ok") {
		t.Errorf("/readyz does not report the candidate's informer: %s", body)
	}
	second := c.startCandidate(rival, orrery)
	lease := c.currentLease()
	if ptr.Deref(lease.Spec.Strategy, "") != coordinationv1.OldestEmulationVersion || *lease.Spec.HolderIdentity != oldest.Name {
		t.Errorf("the lease is %+v, want the holder %s by OldestEmulationVersion", lease.Spec, oldest.Name)
	}

	names := []string{}
	for _, candidate := range c.waitCandidates(2) {
		names = append(names, candidate.Name)
	}
	admins, users := c.viewerSession(apiserver.Admin), c.viewerSession("limited")
	c.eventually(func() error { return admins.sees(names...) })
	if err := users.sees(); err != nil {
		t.Errorf("a user without the right: %v", err)
	}
	for _, rule := range users.State().MissingRules {
		if rule.Resource == "leasecandidates" {
			t.Error("a right is reported as missing for a resource that few clusters have")
		}
	}

	// A candidate that would be preferred does not answer pings: the others answer, and the leader stays.
	silent := oldest.DeepCopy()
	silent.ObjectMeta = metav1.ObjectMeta{Name: "silent", Namespace: metav1.NamespaceSystem}
	silent.Spec.EmulationVersion, silent.Spec.PingTime = "1.33.0", nil
	silent.Spec.RenewTime = &metav1.MicroTime{Time: time.Now().Add(-time.Minute)}
	if _, err := c.candidates().Create(c.ctx, silent, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	c.eventually(c.allAnswered)
	c.eventually(func() error { return admins.sees(append(names, "silent")...) })
	c.pods(50, "a", "80m")
	c.bound(50)
	if lease := c.currentLease(); *lease.Spec.HolderIdentity != oldest.Name || lease.Spec.PreferredHolder != nil {
		t.Errorf("the lease has another holder: %+v", lease.Spec)
	}
	if err := c.candidates().Delete(c.ctx, "silent", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}

	_ = first.Process.Kill()
	c.pods(50, "b", "80m")
	c.eventually(func() error { return c.tenureOf(rival, 2) })
	c.bound(100)
	if err := second.logged("Successfully acquired lease"); err != nil {
		t.Error(err)
	}
	c.checkBindings(c.watchBindings())
	c.checkLeases(time.Time{}, time.Time{})
}

// viewerSession is a console session.
type viewerSession struct{ *console.Session }

func (c *coordinated) viewerSession(user string) viewerSession {
	c.t.Helper()
	session, err := console.Open(c.ctx, console.Options{KubeConfig: server.Config(user)})
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(session.Close)
	return viewerSession{session}
}

// sees checks that the console has exactly these candidates for the lease.
func (o viewerSession) sees(names ...string) error {
	var placement []string
	o.Inspect(func(e *engine.Engine) {
		for object := range e.Store().Objects(world.LeaseCandidate) {
			if candidate, ok := object.(*coordinationv1beta1.LeaseCandidate); ok && candidate.Spec.LeaseName == coordinatedLease {
				placement = append(placement, candidate.Name)
			}
		}
	})
	slices.Sort(placement)
	slices.Sort(names)
	if !slices.Equal(placement, names) {
		return fmt.Errorf("the console has the candidates %q, want %q", placement, names)
	}
	return nil
}

// compareCandidate compares a candidate with that of kube-scheduler of the same release.
func (c *coordinated) compareCandidate(ours *coordinationv1beta1.LeaseCandidate) {
	c.t.Helper()
	want := coordinationv1beta1.LeaseCandidateSpec{
		LeaseName: coordinatedLease, BinaryVersion: served.Patch(), EmulationVersion: served.Emulated(), Strategy: coordinationv1.OldestEmulationVersion,
	}
	got := ours.Spec
	got.RenewTime, got.PingTime = nil, nil
	if got != want || ours.Spec.RenewTime == nil {
		c.t.Errorf("the candidate is %+v, want %+v", got, want)
	}
}

// allAnswered checks that every candidate but the silent one was pinged and has answered.
func (c *coordinated) allAnswered() error {
	list, err := c.candidates().List(c.ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, candidate := range list.Items {
		spec := candidate.Spec
		answered := spec.PingTime != nil && spec.RenewTime != nil && !spec.RenewTime.Before(spec.PingTime)
		if !answered && candidate.Name != "silent" {
			return fmt.Errorf("%s was pinged at %s and answered at %s", candidate.Name, spec.PingTime, spec.RenewTime)
		}
	}
	return nil
}

// A kube-scheduler starts that emulates an older version. The control plane prefers it: Orrery finishes its bindings, releases
// the lease, and exits as after a lost lease; the other leads at once, not only when the lease has expired. Then it is
// killed, and the control plane chooses Orrery again.
func TestCoordinated_YieldsToPreferredHolder(t *testing.T) {
	c := newCoordinated(t)
	leader := c.startCandidate(scheduler, orrery, "--leader-elect-lease-duration=40s", "--leader-elect-renew-deadline=30s")
	c.eventually(func() error { return c.tenureOf(scheduler, 1) })
	watches := c.watchBindings()
	made := c.createSlowly(300)
	older := c.startCandidate(rival, kubeScheduler, "--emulated-version=1.34")
	c.eventually(func() error { return c.tenureOf(rival, 2) })
	if before, after := c.tenures()[0], c.tenures()[1]; after.first.After(before.expiry()) {
		t.Errorf("the other leads since %s, after the lease had expired: %+v", after.first, before)
	}
	if code := leader.exit(); code != 1 {
		t.Errorf("Orrery's exit code is %d, want 1", code)
	}
	for _, text := range []string{"The lease is wanted for another", "Leaderelection lost"} {
		if err := leader.logged(text); err != nil {
			t.Error(err)
		}
	}
	c.checkLeases(time.Time{}, time.Time{})

	next := c.startCandidate(scheduler, orrery)
	_ = older.Process.Kill()
	c.eventually(func() error { return c.tenureOf(scheduler, 3) })
	if err := <-made; err != nil {
		t.Fatal(err)
	}
	c.bound(300)
	if err := next.logged("Successfully acquired lease"); err != nil {
		t.Error(err)
	}
	c.checkBindings(watches)
	c.checkLeases(time.Time{}, time.Time{})
}
