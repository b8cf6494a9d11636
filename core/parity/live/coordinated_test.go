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
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	typed "k8s.io/client-go/kubernetes/typed/coordination/v1beta1"
	"k8s.io/utils/ptr"

	"orrery/core/console"
	"orrery/core/engine"
	"orrery/core/parity/apiserver"
	"orrery/core/world"
)

// coordinate has the API server's own controllers choose leaders among those who ask for it. The server asks the process's
// gates for that, whatever its flags say.
func coordinate() error {
	return utilfeature.DefaultMutableFeatureGate.Set("CoordinatedLeaderElection=true")
}

// coordinating are the API server's flags for that.
func coordinating() []string {
	return []string{
		"--runtime-config=coordination.k8s.io/v1beta1=true", "--coordinated-leadership-lease-duration=4s",
		"--coordinated-leadership-renew-deadline=3s", "--coordinated-leadership-retry-period=500ms",
	}
}

// chosen is a scene in which the control plane chooses the leader. kube-scheduler can be a candidate for one lease only.
type chosen struct{ *scene }

const (
	chosenLease = "kube-scheduler"
	// patience is for an election: the control plane asks everybody, the dead included, waits 5 s for each to answer, and does
	// so once more when the others' answers are too old by then.
	patience = 3 * time.Minute
)

func newChosen(t *testing.T) *chosen {
	t.Helper()
	c := &chosen{newScene(t, full(300)...)}
	c.lease = chosenLease
	clean := func() {
		_ = c.candidates().DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{})
		_ = c.client.CoordinationV1().Leases(metav1.NamespaceSystem).Delete(t.Context(), chosenLease, metav1.DeleteOptions{})
	}
	clean() // what earlier tests have left would be asked first, and waited for
	return c
}

func (c *chosen) candidates() typed.LeaseCandidateInterface {
	return c.client.CoordinationV1beta1().LeaseCandidates(metav1.NamespaceSystem)
}

// stand runs a scheduler that the control plane can choose.
func (c *chosen) stand(user string, what schedulerProgram, args ...string) *process {
	c.t.Helper()
	p := c.scheduleAs(user, what, append([]string{"--feature-gates=CoordinatedLeaderElection=true", "--leader-elect-resource-name=" + chosenLease}, args...)...)
	c.eventually(p.ready)
	return p
}

// standing are the candidates, the oldest first, once there are so many.
func (c *chosen) standing(n int) (all []coordinationv1beta1.LeaseCandidate) {
	c.t.Helper()
	c.eventually(func() error {
		list, err := c.candidates().List(c.ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		if all = list.Items; len(all) != n {
			return fmt.Errorf("%d stand, want %d", len(all), n)
		}
		return nil
	})
	return all
}

func (c *chosen) leaseNow() *coordinationv1.Lease {
	c.t.Helper()
	lease, err := c.client.CoordinationV1().Leases(metav1.NamespaceSystem).Get(c.ctx, chosenLease, metav1.GetOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	return lease
}

func TestCoordinated_ControlPlaneChooses(t *testing.T) {
	c := newChosen(t)
	first := c.stand(scheduler, orrery)
	c.within(patience, func() error { return c.reignOf(scheduler, 1) })
	oldest := c.standing(1)[0]
	c.isAsKubeSchedulers(&oldest)
	if _, body := first.get("/readyz?verbose", "admin"); !strings.Contains(body, "[+]informer-sync ok") {
		t.Errorf("readiness does not tell of the candidacy: %s", body)
	}
	second := c.stand(rival, orrery)
	lease := c.leaseNow()
	if ptr.Deref(lease.Spec.Strategy, "") != coordinationv1.OldestEmulationVersion || *lease.Spec.HolderIdentity != oldest.Name {
		t.Errorf("the lease says %+v, want %s in it by the oldest emulation version", lease.Spec, oldest.Name)
	}

	names := []string{}
	for _, candidate := range c.standing(2) {
		names = append(names, candidate.Name)
	}
	admins, users := c.bystander(apiserver.Admin), c.bystander("limited")
	c.eventually(func() error { return admins.sees(names...) })
	if err := users.sees(); err != nil {
		t.Errorf("who has no right to: %v", err)
	}
	for _, rule := range users.State().MissingRules {
		if rule.Resource == "leasecandidates" {
			t.Error("it is told as missing that few clusters have")
		}
	}

	// Somebody who would be preferred, and does not answer when asked: the others do, and go on as they are.
	silent := oldest.DeepCopy()
	silent.ObjectMeta = metav1.ObjectMeta{Name: "silent", Namespace: metav1.NamespaceSystem}
	silent.Spec.EmulationVersion, silent.Spec.PingTime = "1.33.0", nil
	silent.Spec.RenewTime = &metav1.MicroTime{Time: time.Now().Add(-time.Minute)}
	if _, err := c.candidates().Create(c.ctx, silent, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	c.within(patience, c.allAnswered)
	c.eventually(func() error { return admins.sees(append(names, "silent")...) })
	c.pods(50, "a", "80m")
	c.bound(50)
	if lease := c.leaseNow(); *lease.Spec.HolderIdentity != oldest.Name || lease.Spec.PreferredHolder != nil {
		t.Errorf("the lease went to somebody else: %+v", lease.Spec)
	}
	if err := c.candidates().Delete(c.ctx, "silent", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}

	_ = first.Process.Kill()
	c.pods(50, "b", "80m")
	c.within(patience, func() error { return c.reignOf(rival, 2) })
	c.bound(100)
	if err := second.says("Successfully acquired lease"); err != nil {
		t.Error(err)
	}
	c.sound(c.watchBindings())
	c.lawful(time.Time{})
}

// bystander is a console that only looks on.
type bystander struct{ *console.Session }

func (c *chosen) bystander(user string) bystander {
	c.t.Helper()
	session, err := console.Open(c.ctx, console.Options{KubeConfig: server.Config(user)})
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(session.Close)
	return bystander{session}
}

// sees says whether the console is told of these candidates for the lease, and of no others.
func (o bystander) sees(names ...string) error {
	var seen []string
	o.Inspect(func(e *engine.Engine) {
		for object := range e.Store().Objects(world.LeaseCandidate) {
			if candidate, ok := object.(*coordinationv1beta1.LeaseCandidate); ok && candidate.Spec.LeaseName == chosenLease {
				seen = append(seen, candidate.Name)
			}
		}
	})
	slices.Sort(seen)
	slices.Sort(names)
	if !slices.Equal(seen, names) {
		return fmt.Errorf("the console sees %q, want %q", seen, names)
	}
	return nil
}

// isAsKubeSchedulers compares a candidate with what kube-scheduler 1.35.4 announces.
func (c *chosen) isAsKubeSchedulers(ours *coordinationv1beta1.LeaseCandidate) {
	c.t.Helper()
	want := coordinationv1beta1.LeaseCandidateSpec{
		LeaseName: chosenLease, BinaryVersion: "1.35.4", EmulationVersion: "1.35.0", Strategy: coordinationv1.OldestEmulationVersion,
	}
	got := ours.Spec
	got.RenewTime, got.PingTime = nil, nil
	if got != want || ours.Spec.RenewTime == nil {
		c.t.Errorf("the candidate says %+v, want %+v", got, want)
	}
}

// allAnswered says whether everybody but the silent was asked, and has answered.
func (c *chosen) allAnswered() error {
	list, err := c.candidates().List(c.ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, candidate := range list.Items {
		spec := candidate.Spec
		answered := spec.PingTime != nil && spec.RenewTime != nil && !spec.RenewTime.Before(spec.PingTime)
		if !answered && candidate.Name != "silent" {
			return fmt.Errorf("%s was asked at %s and answered at %s", candidate.Name, spec.PingTime, spec.RenewTime)
		}
	}
	return nil
}

// A kube-scheduler comes that emulates an older version. The control plane prefers it: Orrery ends its bindings, releases the
// lease, and ends as one does that lost it; the other one leads at once, not when the lease has expired. Then it is killed,
// and the control plane goes back to Orrery.
func TestCoordinated_YieldsToPreferredHolder(t *testing.T) {
	c := newChosen(t)
	leader := c.stand(scheduler, orrery, "--leader-elect-lease-duration=40s", "--leader-elect-renew-deadline=30s")
	c.within(patience, func() error { return c.reignOf(scheduler, 1) })
	watches := c.watchBindings()
	made := c.trickle(300)
	older := c.stand(rival, kubeScheduler, "--emulated-version=1.34")
	c.within(patience, func() error { return c.reignOf(rival, 2) })
	if before, after := c.reigns()[0], c.reigns()[1]; after.first.After(before.lapses[len(before.lapses)-1].from) {
		t.Errorf("the other leads from %s on, when the lease had expired already: %+v", after.first, before)
	}
	if code := leader.exit(); code != 1 {
		t.Errorf("Orrery ended with %d, want 1", code)
	}
	for _, words := range []string{"The lease is wanted for another", "Leaderelection lost"} {
		if err := leader.says(words); err != nil {
			t.Error(err)
		}
	}
	c.lawful(time.Time{})

	next := c.stand(scheduler, orrery)
	_ = older.Process.Kill()
	c.within(patience, func() error { return c.reignOf(scheduler, 3) })
	if err := <-made; err != nil {
		t.Fatal(err)
	}
	c.bound(300)
	if err := next.says("Successfully acquired lease"); err != nil {
		t.Error(err)
	}
	c.sound(watches)
	c.lawful(time.Time{})
}
