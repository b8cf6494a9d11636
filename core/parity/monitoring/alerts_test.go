package monitoring

import (
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

const leaderStatus = `leader_election_master_status{name="kube-scheduler"}`

func TestAlerts_QuietWhileAllIsWell(t *testing.T) {
	s := newSimulated(t)
	s.busy(time.Hour)
	s.create(mk.Pod("waits").CPU("16").Obj())
	s.create(mk.Pod("gated").CPU("1").Gate("example.com/later").Obj())
	s.run(12 * time.Minute)
	s.create(mk.Node("large").CPU("32").Memory("64Gi").Pods("110").Obj()) // "waits" is bound in time
	s.run(48 * time.Minute)
	s.wantFired()
}

func TestAlerts_NoLeader(t *testing.T) {
	s := newSimulated(t)
	s.busy(time.Hour)
	s.run(10 * time.Minute)
	s.process[leaderStatus], s.process["orrery_leading"] = 0, 0 // a failover takes 15 seconds, and is seen for a scrape
	s.run(30 * time.Second)
	s.process[leaderStatus], s.process["orrery_leading"] = 1, 1
	s.run(10 * time.Minute)
	s.wantFired()
	s.process[leaderStatus], s.process["orrery_leading"] = 0, 0
	s.run(2 * time.Minute)
	s.wantFired("OrreryNoLeader")
}

// With every replica gone there is no series of the leader at all.
func TestAlerts_NoLeaderWithoutReplicas(t *testing.T) {
	s := newSimulated(t)
	s.run(10 * time.Minute)
	s.down = true
	s.run(7 * time.Minute) // Prometheus looks back for five minutes where it is not told that a target has gone
	s.wantFired("OrreryNoLeader")
}

func TestAlerts_DecisionsStalled(t *testing.T) {
	s := newSimulated(t)
	s.busy(time.Hour)
	s.run(10 * time.Minute)
	s.wantFired()
	s.follow(5 * time.Minute) // pods come in, and the leader decides nothing
	s.wantFired("OrreryDecisionsStalled")
	if text := s.fired["OrreryDecisionsStalled"]; !strings.Contains(text, "10.0.0.1:10259") {
		t.Errorf("it names no instance: %s", text)
	}
}

// A standby has every pending pod in its activeQ, and decides nothing.
func TestAlerts_StandbyIsQuiet(t *testing.T) {
	s := newSimulated(t)
	s.process["orrery_leading"] = 0 // the leader is another instance
	s.busy(time.Hour)
	s.follow(time.Hour)
	s.wantFired()
}

func TestAlerts_DecisionsStalledByStuckEngine(t *testing.T) {
	s := newSimulated(t)
	s.busy(time.Hour)
	s.run(10 * time.Minute)
	s.process["orrery_sample_age_seconds"] = 31 // of one slow input
	s.run(30 * time.Second)
	s.process["orrery_sample_age_seconds"] = 1
	s.run(10 * time.Minute)
	s.wantFired()
	s.process["orrery_sample_age_seconds"] = 90
	s.run(2 * time.Minute)
	s.wantFired("OrreryDecisionsStalled")
}

func TestAlerts_PodsPendingTooLong(t *testing.T) {
	s := newSimulated(t)
	s.busy(time.Hour)
	s.create(mk.Pod("huge").CPU("64").Obj())
	s.run(15 * time.Minute)
	s.wantFired()
	s.run(3 * time.Minute)
	s.wantFired("OrreryPodsPendingTooLong")
	want := "1 pods have been pending for more than 15 minutes, unschedulable, rejected by NodeResourcesFit."
	if got := s.fired["OrreryPodsPendingTooLong"]; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}

// Pods that are always pending, each for a short time, are not pending for too long.
func TestAlerts_QuietWhileOthersArePending(t *testing.T) {
	s := newSimulated(t)
	for i := range 12 {
		name, from := "huge-"+string(rune('a'+i)), start.Add(time.Duration(i)*5*time.Minute)
		s.cluster.At(from, func(*memory.Cluster) { s.create(mk.Pod(name).CPU("64").Obj()) })
		s.cluster.At(from.Add(6*time.Minute), func(c *memory.Cluster) {
			if err := c.Delete(world.Pod, "default", name, deleteNow); err != nil {
				t.Error(err)
			}
		})
	}
	s.run(time.Hour)
	s.wantFired()
}

func TestAlerts_AttemptsSlow(t *testing.T) {
	s := newSimulated(t)
	s.busy(2 * time.Hour)
	s.run(20 * time.Minute)
	s.slow = time.Second // between two readings of the stopwatch
	s.run(5 * time.Minute)
	s.slow = 10 * time.Microsecond
	s.run(20 * time.Minute)
	s.wantFired() // slow for five minutes, and no longer
	s.slow = time.Second
	s.run(20 * time.Minute)
	s.wantFired("OrreryAttemptsSlow")
}

func TestAlerts_CacheDrift(t *testing.T) {
	s := newSimulated(t)
	s.run(20 * time.Minute)
	s.wantFired()
	s.process["orrery_relist_drift_total"] = 7
	s.run(time.Minute)
	s.wantFired("OrreryCacheDrift")
}

// An input that contradicts others: a pod moves to another node, which no pod does.
func TestAlerts_Contradiction(t *testing.T) {
	s := newSimulated(t)
	s.create(mk.Pod("web").CPU("1").Obj())
	s.run(20 * time.Minute)
	s.wantFired()
	web, err := s.cluster.Get(world.Pod, "default", "web")
	if err != nil {
		t.Fatal(err)
	}
	moved := web.DeepCopyObject().(*v1.Pod)
	moved.Spec.NodeName = map[string]string{"n1": "n2", "n2": "n1"}[moved.Spec.NodeName]
	moved.ResourceVersion += "0"
	_ = s.engine.Apply(world.Input{At: s.now, Event: world.Changed{Op: world.Modified, Object: moved}})
	s.run(time.Minute)
	s.wantFired("OrreryContradiction")
}

func TestAlerts_RecordingStopped(t *testing.T) {
	s := newSimulated(t)
	delete(s.process, "orrery_recording_up") // without --record-dir
	s.run(10 * time.Minute)
	s.process["orrery_recording_up"] = 1
	s.run(10 * time.Minute)
	s.process["orrery_recording_up"] = 0
	s.run(30 * time.Second)
	s.process["orrery_recording_up"] = 1
	s.run(10 * time.Minute)
	s.wantFired()
	s.process["orrery_recording_up"] = 0
	s.run(2 * time.Minute)
	s.wantFired("OrreryRecordingStopped")
}
