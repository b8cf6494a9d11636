package live_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"orrery/core/engine"
	"orrery/core/shadow"
	"orrery/core/world"
	"orrery/core/world/live"
)

// Kube-scheduler schedules mixed pods, with all nodes scored. Orrery looks on with the rights to read, and every node that
// kube-scheduler takes is among those Orrery holds best, or an event that one saw later than the other explains it.
func TestShadow_AgreesWithKubeScheduler(t *testing.T) {
	pods := count(t, 750)
	nodes := max(10, pods/25)
	s := newScene(t, mixtureNodes(nodes)...)
	tell := s.shadow()
	s.eventually(s.steadily().ready)
	m := newMixture(s, nodes)
	m.pressed()
	for m.made < pods {
		m.burst(min(250, pods-m.made))()
		m.settled()
		for range 10 {
			m.wave(min(25, pods-m.made))
			m.settled()
		}
	}
	m.helped()
	tally := m.judged(tell, m.made)
	if tally.NotCompared > 0 || int(tally.Unschedulable) < m.of["late"] {
		t.Errorf("%d decisions were missed, %d declared pods unschedulable, of which %d had to wait for a node", tally.NotCompared, tally.Unschedulable, m.of["late"])
	}
	t.Logf("%d pods on %d nodes: %+v; %v", m.made, nodes, tally, m.of)
}

// Orrery begins to look on while kube-scheduler is at work on a burst. What had been decided by then it cannot know, and
// does not judge; of the rest nothing differs.
func TestShadow_StartsDuringBurst(t *testing.T) {
	const nodes, wave = 20, 50
	s := newScene(t, mixtureNodes(nodes)...)
	s.eventually(s.steadily().ready)
	m := newMixture(s, nodes)
	wait := m.burst(600)
	s.eventually(func() error {
		if len(s.list()) < 100 {
			return errors.New("the burst has hardly begun")
		}
		return nil
	})
	tell := s.shadow()
	wait()
	m.settled()
	m.wave(wave)
	m.settled()
	t.Logf("%+v", m.judged(tell, wave))
}

// steadily runs kube-scheduler alone: on a slow machine it must not lose its lease amid a burst.
func (s *scene) steadily() *process {
	s.t.Helper()
	return s.scheduleAs(scheduler, kubeScheduler, "--leader-elect=false")
}

// judged waits until so many bindings have been judged, of which none may differ.
func (m *mixture) judged(tell func() (shadow.Counters, []string), bindings int) (tally shadow.Counters) {
	m.t.Helper()
	m.eventually(func() error {
		var differs []string
		if tally, differs = tell(); tally.Differs > 0 {
			m.t.Fatalf("%+v: %q", tally, differs)
		}
		if n := tally.Compared() - tally.Unschedulable; n < uint64(bindings) {
			return fmt.Errorf("only %d of %d bindings were judged: %+v", n, bindings, tally)
		}
		return nil
	})
	return tally
}

// shadow has Orrery look on until the test ends. What it gives back tells what has come of it so far.
func (s *scene) shadow() (tell func() (shadow.Counters, []string)) {
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
	cluster, err := live.New(live.Options{Client: s.client, Kinds: kinds, Allowed: func() bool { return false }})
	if err != nil {
		s.t.Fatal(err)
	}
	o.Start = cluster.Now()
	// On a loaded machine the two see an event seconds apart.
	beside, err := shadow.New(shadow.Options{Engine: o, Window: 5 * time.Second})
	if err != nil {
		s.t.Fatal(err)
	}
	asked, stop, ended := make(chan func()), make(chan struct{}), make(chan struct{})
	cluster.Start()
	go func() {
		defer close(ended)
		for {
			lookOn(cluster, beside)
			select {
			case ask := <-asked:
				ask()
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
			return fmt.Errorf("no list has come of %v", cluster.Unsynced())
		}
	})
	return func() (tally shadow.Counters, differs []string) {
		told := make(chan struct{})
		asked <- func() {
			defer close(told)
			tally = beside.Comparator().Counters()
			for f := range beside.Comparator().Findings() {
				if f.Class == shadow.Differs {
					differs = append(differs, fmt.Sprintf("%+v", *f))
				}
			}
		}
		<-told
		return tally, differs
	}
}

// lookOn takes in what happens next, within a moment, and decides about all there is to decide.
func lookOn(cluster *live.Cluster, beside *shadow.Shadow) {
	until := cluster.Now().Add(20 * time.Millisecond)
	in, ok := cluster.Next(until)
	if !ok {
		in = world.Input{At: cluster.Now(), Event: world.Tick{}}
	}
	_ = beside.Apply(in) // what is wrong with an input is the engine's to say, and here nothing is
	select {
	case <-cluster.Synced():
	default:
		return
	}
	for more := true; more; {
		_, more = beside.Step()
	}
}
