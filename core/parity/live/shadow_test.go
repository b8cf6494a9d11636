package live_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"orrery/core/answers/shadow"
	"orrery/core/parity/apiserver"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
	"orrery/core/world/live"
)

// kube-scheduler schedules mixed pods, with all nodes scored. Orrery shadows it with read rights only. Every node that
// kube-scheduler chooses is one of Orrery's best, or an event that the two received at different times explains it.
func TestShadow_AgreesWithKubeScheduler(t *testing.T) {
	pods := count(t, 750)
	nodes := max(10, pods/25)
	s := newFixture(t, workloadNodes(nodes)...)
	results := s.shadow()
	s.eventually(s.startKubeScheduler().ready)
	m := newWorkload(s, nodes)
	m.preemptOnSmallNodes()
	for m.made < pods {
		m.burst(min(250, pods-m.made))()
		m.waitBound()
		for range 10 {
			m.wave(min(25, pods-m.made))
			m.waitBound()
		}
	}
	m.addNode()
	counters := m.waitCompared(results, m.made)
	if counters.NotCompared > 0 || int(counters.Unschedulable) < m.of["late"] {
		t.Errorf("%d decisions were not compared; %d declared pods unschedulable, want at least %d", counters.NotCompared, counters.Unschedulable, m.of["late"])
	}
	t.Logf("%d pods on %d nodes: %+v; %v", m.made, nodes, counters, m.of)
}

// Orrery starts to shadow kube-scheduler during a burst. It does not compare the decisions made before; of the others none
// differs.
func TestShadow_StartsDuringBurst(t *testing.T) {
	const nodes, wave = 20, 50
	s := newFixture(t, workloadNodes(nodes)...)
	s.eventually(s.startKubeScheduler().ready)
	m := newWorkload(s, nodes)
	wait := m.burst(600)
	s.eventually(func() error {
		if len(s.list()) < 100 {
			return errors.New("fewer than 100 pods of the burst exist")
		}
		return nil
	})
	results := s.shadow()
	wait()
	m.waitBound()
	m.wave(wave)
	m.waitBound()
	t.Logf("%+v", m.waitCompared(results, wave))
}

// startKubeScheduler runs kube-scheduler without a lease, which it could lose in a burst on a slow machine.
func (s *fixture) startKubeScheduler() *process {
	s.t.Helper()
	return s.scheduleAs(scheduler, kubeScheduler, "--leader-elect=false")
}

// waitCompared waits until so many bindings have been compared, none of which may differ.
func (m *workload) waitCompared(results func() (shadow.Counters, []string), bindings int) (counters shadow.Counters) {
	m.t.Helper()
	m.eventually(func() error {
		var differs []string
		if counters, differs = results(); counters.Differs > 0 {
			m.t.Fatalf("%+v: %q", counters, differs)
		}
		if n := counters.Compared() - counters.Unschedulable; n < uint64(bindings) {
			return fmt.Errorf("only %d of %d bindings were compared: %+v", n, bindings, counters)
		}
		return nil
	})
	return counters
}

// shadow runs a shadow of the cluster until the test ends. results returns the comparisons so far.
func (s *fixture) shadow() (results func() (shadow.Counters, []string)) {
	c := s.configuration()
	c.PercentageOfNodesToScore = 100
	o := engine.Options{Config: c, Seed: 1}
	e, err := engine.New(o)
	if err != nil {
		s.t.Fatal(err)
	}
	kinds, err := e.WatchedKinds()
	if err != nil {
		s.t.Fatal(err)
	}
	client, err := live.NewClient(server.Config(apiserver.Admin))
	if err != nil {
		s.t.Fatal(err)
	}
	cluster, err := live.New(live.Options{Client: client, Kinds: kinds, Gate: live.NewWriteGate(func() bool { return false })})
	if err != nil {
		s.t.Fatal(err)
	}
	o.Start = cluster.Now()
	// On a loaded machine the two see an event seconds apart.
	sh, err := shadow.New(shadow.Options{Engine: o, Window: 5 * time.Second})
	if err != nil {
		s.t.Fatal(err)
	}
	queries, stop, ended := make(chan func()), make(chan struct{}), make(chan struct{})
	cluster.Start()
	go func() {
		defer close(ended)
		for {
			stepShadow(cluster, sh)
			select {
			case query := <-queries:
				query()
			case <-stop:
				return
			default:
			}
		}
	}()
	s.t.Cleanup(func() {
		close(stop)
		<-ended
		cluster.Stop()
	})
	s.eventually(func() error {
		select {
		case <-cluster.Synced():
			return nil
		default:
			return fmt.Errorf("not listed yet: %v", cluster.Unsynced())
		}
	})
	return func() (counters shadow.Counters, differs []string) {
		done := make(chan struct{})
		queries <- func() {
			defer close(done)
			counters = sh.Comparator().Counters()
			for f := range sh.Comparator().Findings() {
				if f.Class == shadow.Differs {
					differs = append(differs, fmt.Sprintf("%+v", *f))
				}
			}
		}
		<-done
		return counters, differs
	}
}

// stepShadow applies the next input, if one arrives within 20 ms, and makes all possible decisions.
func stepShadow(cluster *live.Cluster, sh *shadow.Shadow) {
	until := cluster.Now().Add(20 * time.Millisecond)
	in, ok := cluster.Next(until)
	if !ok {
		in = world.Input{At: cluster.Now(), Event: world.Tick{}}
	}
	_ = sh.Apply(in) // the test's inputs are valid
	select {
	case <-cluster.Synced():
	default:
		return
	}
	for more := true; more; {
		_, more = sh.Step()
	}
}
