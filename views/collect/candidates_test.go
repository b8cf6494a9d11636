package collect_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	coordinationv1beta1 "k8s.io/api/coordination/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/scheduler/engine"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
)

// candidate is a LeaseCandidate of the scheduler's Lease, with its times in seconds after noon.
func candidate(name, emulates string, created, renewed, pinged int) *coordinationv1beta1.LeaseCandidate {
	at := func(second int) *metav1.MicroTime {
		if second < 0 {
			return nil
		}
		t := metav1.NewMicroTime(start.Add(time.Duration(second) * time.Second))
		return &t
	}
	return &coordinationv1beta1.LeaseCandidate{
		ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: name, CreationTimestamp: metav1.NewTime(at(created).Time)},
		Spec: coordinationv1beta1.LeaseCandidateSpec{
			LeaseName: "kube-scheduler", BinaryVersion: "1.35.4", EmulationVersion: emulates, RenewTime: at(renewed), PingTime: at(pinged),
			Strategy: "OldestEmulationVersion",
		},
	}
}

func candidatesText(e *engine.Engine, ch *collect.History) string {
	l := collect.New(collect.Options{History: ch}).Model(e, collect.Query{Open: views.LeaderPane}).Leader
	var lines []string
	for _, c := range l.Candidates {
		lines = append(lines, fmt.Sprintf("%s: %s (announced: %t)", c.Name, c.Note, c.Announced))
	}
	return strings.Join(lines, "\n")
}

func TestLeader_Candidates(t *testing.T) {
	e, ch := busyCluster(t)
	since := int(e.Now().Sub(start).Seconds())
	other := candidate("controller", "1.35.0", 0, since, -1)
	other.Spec.LeaseName = "kube-controller-manager"
	apply(
		t, e, ch,
		world.Listed{Kind: world.LeaseCandidate, Objects: []world.Object{
			candidate("young", "1.34.0", 9, since, -1), candidate("replica-b", "1.35.0", 1, since, since-5), other,
		}},
		world.Changed{Op: world.Added, Object: candidate("host_silent", "1\x1b[2J", 20, 0, since)},
		world.Changed{Op: world.Added, Object: candidate("gone", "1.35.0", 0, since, -1)},
		world.Changed{Op: world.Deleted, Object: candidate("gone", "1.35.0", 0, since, -1)},
	)
	const want = `replica-b: leader, emulates 1.35.0, version 1.35.4, renewed 4s ago (announced: true)
young: emulates 1.34.0, version 1.35.4, renewed 4s ago (announced: true)
host_silent: emulates 1\x1b[2J, version 1.35.4, pinged 4s ago, not renewed since (announced: true)`
	if got := candidatesText(e, ch); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	fork := ch.Fork().(*collect.History)
	apply(t, e, ch, world.Listed{Kind: world.LeaseCandidate})
	if got := candidatesText(e, ch); !strings.Contains(got, "announced: false") {
		t.Errorf("without LeaseCandidates, want former leaders; got %s", got)
	}
	if got := candidatesText(e, fork); strings.Count(got, "announced: true") != 3 {
		t.Errorf("the fork lacks candidates: %s", got)
	}
}

func TestLeader_OtherLeases(t *testing.T) {
	e, ch := busyCluster(t)
	of := func(name, holder string, terms int32) *world.Changed {
		l := lease(holder, e.Now(), terms)
		l.Name = name
		return &world.Changed{Op: world.Modified, Object: l}
	}
	identity := of("apiserver-abc", "apiserver-abc_1", 0)
	identity.Object.SetLabels(map[string]string{"apiserver.kubernetes.io/identity": "kube-apiserver"})
	apply(t, e, ch, *of("kube-controller-manager", "control-1", 4), *identity, *of("alerts", "", 0), *of("kube-controller-manager", "control-2\x07", 5))
	l := collect.New(collect.Options{History: ch}).Model(e, collect.Query{Open: views.LeaderPane}).Leader
	var got []string
	for _, o := range l.Others {
		got = append(got, fmt.Sprintf("%s %q %d", o.Name, o.Holder, o.Transitions))
	}
	const want = `kube-system/alerts "" 0, kube-system/kube-controller-manager "control-2\\x07" 5`
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("the others are %s, want %s", s, want)
	}
	if c := l.History[0]; c.Lease != "kube-controller-manager" || c.From != "control-1" || c.To != `control-2\x07` {
		t.Errorf("the latest transition is %+v", c)
	}
	if l.Holder != "replica-b" {
		t.Errorf("the scheduler's holder is %q", l.Holder)
	}
}
