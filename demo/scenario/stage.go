package scenario

import (
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/evict/budget"
	"orrery/core/evict/pressure"
	taints "orrery/core/evict/taint"
	"orrery/core/leader/sim"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// stage is a scenario being played: a cluster in virtual time, and everybody who acts in it.
type stage struct {
	*Director
	cluster  *memory.Cluster
	election *sim.Simulation
	replicas []*replica
	taints   *taints.Controller
	end      time.Time
	down     time.Time // until when the API server is: whoever wants something of it waits

	seen   int // the replica before a witness; none if negative
	inputs int
	told   func(now time.Time) // progress
}

// newStage sets everything up that is there from the beginning.
func newStage(s *Scenario, c *memory.Cluster) (*stage, error) {
	st := &stage{
		cluster: c, seen: -1, end: c.Now().Add(s.Length), told: func(time.Time) {},
		taints: taints.New(taints.Options{Act: true, First: effects(taintController)}),
	}
	st.Director = s.Direct(c, s.Start, st.say)
	st.created, st.further = st.useOf, st.trouble()
	return st, st.addReplicas()
}

// newCluster is a cluster by the scenario's settings, without anything in it.
func (s *Scenario) newCluster(start time.Time, seed uint64) (*memory.Cluster, error) {
	kubelets, err := pressure.NewFleet(pressure.FleetOptions{Configuration: s.kubelet})
	if err != nil {
		return nil, s.file.Cluster.Fail("kubelet", "%v", err)
	}
	return memory.New(memory.Options{
		Start: start, Seed: seed, Latency: s.file.Cluster.Latency.of(), PodLife: s.Life,
		Budgets: budget.Rules{}, Pace: newPacer(s.file.Cluster.Controllers, start), Pressure: kubelets,
	}), nil
}

// Life is what becomes of a pod on its node, by what its workload says.
func (s *Scenario) Life(pod *v1.Pod) memory.Life {
	life := memory.DefaultLife(pod)
	w := s.file.workload(pod.Labels[appLabel])
	if w == nil {
		return life
	}
	life.Start, life.Fails = w.Starts.draw(pod.UID, "starts"), w.Fails
	if w.Runs != nil {
		life.Run = w.Runs.draw(pod.UID, "runs")
	}
	if w.Stops != nil {
		life.Stop = w.Stops.draw(pod.UID, "stops")
	}
	return life
}

// run plays to the end.
func (s *stage) run() error {
	for s.err == nil {
		s.settle()
		wake := s.wake()
		in, ok := s.cluster.Next(wake)
		if ok {
			s.tell(in)
			continue
		}
		s.pass(wake)
		if !wake.Before(s.end) {
			break
		}
	}
	s.settle()
	return s.err
}

// settle has everybody do what they want done.
func (s *stage) settle() {
	for _, r := range s.replicas {
		r.settle(s.cluster)
	}
	for _, effect := range s.taints.Effects() {
		s.cluster.Do(effect)
	}
	if s.err == nil && !s.cluster.Now().Before(s.down) {
		s.err = s.Director.settle()
	}
}

// wake is when somebody wants to be woken, or the end.
func (s *stage) wake() time.Time {
	first := s.end
	sooner := func(at time.Time, ok bool) {
		if ok && at.Before(first) {
			first = at
		}
	}
	for _, r := range s.replicas {
		sooner(r.nextWake())
	}
	sooner(s.taints.NextWake())
	sooner(s.election.Next())
	at, ok := s.Director.NextWake()
	if at.Before(s.down) { // whoever wants something of the API server waits for it
		at = s.down
	}
	sooner(at, ok)
	if now := s.cluster.Now(); first.Before(now) {
		return now
	}
	return first
}

// tell tells everybody what happened. Outcomes are told to who asked.
func (s *stage) tell(in world.Input) {
	if s.inputs++; s.inputs > mostInputs {
		s.err = s.file.Fail("", "more than %d things have happened after %v, and it does not end there: make it smaller", mostInputs, in.At.Sub(s.Start))
		return
	}
	if s.inputs%1024 == 0 {
		s.told(in.At)
	}
	ended, isOutcome := in.Event.(world.Ended)
	if isOutcome {
		switch actor, own := whose(ended.Effect); actor {
		case taintController:
			s.taints.Apply(in)
		default:
			ended.Effect = own
			s.replicas[actor].hear(world.Input{At: in.At, Event: ended})
		}
		return
	}
	for _, r := range s.replicas {
		r.hear(in)
	}
	s.taints.Apply(in)
	for _, d := range s.drains {
		d.hear(in)
	}
}

// pass wakes everybody whose time has come.
func (s *stage) pass(now time.Time) {
	passed := world.Input{At: now, Event: world.Passed{}}
	for _, r := range s.replicas {
		if at, ok := r.nextWake(); ok && !at.After(now) {
			r.hear(passed)
		}
	}
	if at, ok := s.taints.NextWake(); ok && !at.After(now) {
		s.taints.Apply(passed)
	}
	s.election.Run(now)
	if s.err == nil && !now.Before(s.down) {
		for _, d := range s.drains {
			d.hear(passed)
		}
		s.err = s.perform(now)
	}
}

// say sets a mark in the recording.
func (s *stage) say(text string) {
	if s.seen < 0 {
		return
	}
	r := s.replicas[s.seen]
	if marker, ok := r.seen.(Marker); ok {
		r.hear(world.Input{At: s.cluster.Now(), Event: world.Passed{}})
		marker.Mark(text)
	}
}
