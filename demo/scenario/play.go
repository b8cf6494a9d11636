package scenario

import (
	"io"
	"time"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/trace/play"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// Marker is an observer that records marks. A play.Recorder is one.
type Marker interface{ Mark(text string) }

// NewObserver returns the observer of a new engine, which was made with these options.
type NewObserver func(e *engine.Engine, o engine.Options) (drive.Observer, error)

// program is the name of the recording program in traces.
const program = "orrery"

// Record plays the scenario and writes a trace of it. Progress, if not nil, is called now and then with the time played so
// far.
func (s *Scenario) Record(to io.Writer, progress func(done time.Duration)) error {
	var recorder *play.Recorder
	kubelet, err := s.kubeletFile()
	if err != nil {
		return err
	}
	_, err = s.Play(func(e *engine.Engine, o engine.Options) (drive.Observer, error) {
		var err error
		recorder, err = play.NewRecorder(to, e, o, play.About{Program: program, Description: s.About(), Kubelet: kubelet})
		return recorder, err
	}, progress)
	if err != nil {
		return err
	}
	return recorder.Close()
}

// About returns the description in the recording's header.
func (s *Scenario) About() string {
	if s.Description == "" {
		return s.Title
	}
	return s.Title + "\n\n" + s.Description
}

// Play plays the scenario with an observer and returns the observed engine at the end. With several replicas of the
// scheduler, a first run finds the one that leads at the end, which is then observed.
func (s *Scenario) Play(begin NewObserver, progress func(done time.Duration)) (*engine.Engine, error) {
	before, err := s.runWarmup()
	if err != nil {
		return nil, err
	}
	seen := 0
	if s.file.Scheduler.Replicas > 1 {
		rehearsal, err := s.newSimulation(before)
		if err != nil {
			return nil, err
		}
		if err := rehearsal.run(); err != nil {
			return nil, err
		}
		seen = rehearsal.finalLeader()
	}
	st, err := s.newSimulation(before)
	if err != nil {
		return nil, err
	}
	if progress != nil {
		st.progress = func(now time.Time) { progress(now.Sub(s.Start)) }
	}
	r := st.replicas[seen]
	observer, err := begin(r.engine, r.options)
	if err != nil {
		return nil, err
	}
	r.observe(observer)
	st.observed = seen
	return r.engine, st.run()
}

// finalLeader returns the replica that leads now; the first if none does.
func (s *simulation) finalLeader() int {
	for _, r := range s.replicas {
		if r.leads() {
			return r.number
		}
	}
	return 0
}

// newSimulation returns the simulation at the scenario's start: the cluster after the warm-up.
func (s *Scenario) newSimulation(before []world.Object) (*simulation, error) {
	create := func(st *simulation) error { return st.CreateInitial() }
	if len(before) > 0 {
		create = func(st *simulation) error { return st.cluster.Load(before...) }
	}
	st, err := s.simulationAt(s.Start, s.file.Seed, create)
	if err != nil {
		return nil, err
	}
	return st, st.setInitialUsage()
}

func (s *Scenario) simulationAt(start time.Time, seed uint64, create func(*simulation) error) (*simulation, error) {
	c, err := s.newCluster(start, seed)
	if err != nil {
		return nil, err
	}
	st, err := newSimulation(s, c)
	if err != nil {
		return nil, err
	}
	if err := create(st); err != nil {
		return nil, err
	}
	st.setInitialCapacity()
	return st, st.publishInitialDevices()
}

// warmupSeed keeps the names of objects from the warm-up apart from those of later ones.
const warmupSeed = 0x9e3779b97f4a7c15

// runWarmup returns the objects of the cluster after the warm-up.
func (s *Scenario) runWarmup() ([]world.Object, error) {
	d := s.Warmup
	if d == 0 {
		return nil, nil
	}
	st, err := s.simulationAt(s.Start.Add(-d), s.file.Seed^warmupSeed, (*simulation).CreateInitial)
	if err != nil {
		return nil, err
	}
	st.script, st.end = nil, s.Start
	if err := st.run(); err != nil {
		return nil, err
	}
	var all []world.Object
	for _, kind := range memory.Kinds() {
		if kind != world.Lease {
			all = append(all, st.cluster.List(kind)...)
		}
	}
	return all, nil
}
