package scenario

import (
	"io"
	"time"

	"orrery/core/engine"
	"orrery/core/trace/play"
	"orrery/core/world"
)

// Marker is a witness that wants to know of the moments that the story speaks of. A play.Recorder is one.
type Marker interface{ Mark(text string) }

// Begin makes the witness of an engine that is about to begin, which was made with these options.
type Begin func(e *engine.Engine, o engine.Options) (engine.Witness, error)

// program is what recordings say recorded them.
const program = "orrery"

// Record plays the scenario and writes a trace of it. Progress, if not nil, is called now and then with how far it has
// come.
func (s *Scenario) Record(to io.Writer, progress func(done time.Duration)) error {
	var recorder *play.Recorder
	_, err := s.Play(func(e *engine.Engine, o engine.Options) (engine.Witness, error) {
		var err error
		recorder, err = play.NewRecorder(to, e, o, play.About{Program: program, Description: s.About()})
		return recorder, err
	}, progress)
	if err != nil {
		return err
	}
	return recorder.Close()
}

// About is what a recording says of what it is of.
func (s *Scenario) About() string {
	if s.Description == "" {
		return s.Title
	}
	return s.Title + "\n\n" + s.Description
}

// Play plays the scenario before a witness, and answers with the engine that was watched, as it is at the end. Where
// there are several replicas of the scheduler, that is the one which leads at the end: a rehearsal finds out which.
func (s *Scenario) Play(begin Begin, progress func(done time.Duration)) (*engine.Engine, error) {
	before, err := s.warmedUp()
	if err != nil {
		return nil, err
	}
	seen := 0
	if s.file.Scheduler.Replicas > 1 {
		rehearsal, err := s.staged(before)
		if err != nil {
			return nil, err
		}
		if err := rehearsal.run(); err != nil {
			return nil, err
		}
		seen = rehearsal.lastToLead()
	}
	st, err := s.staged(before)
	if err != nil {
		return nil, err
	}
	if progress != nil {
		st.told = func(now time.Time) { progress(now.Sub(s.Start)) }
	}
	r := st.replicas[seen]
	if r.seen, err = begin(r.engine, r.options); err != nil {
		return nil, err
	}
	st.seen = seen
	return r.engine, st.run()
}

// lastToLead is the replica that leads now; the first if none does.
func (s *stage) lastToLead() int {
	for _, r := range s.replicas {
		if r.leads() {
			return r.number
		}
	}
	return 0
}

// staged is the scenario at its beginning: the cluster as it was after the warm-up.
func (s *Scenario) staged(before []world.Object) (*stage, error) {
	furnish := func(st *stage) error { return st.Furnish() }
	if len(before) > 0 {
		furnish = func(st *stage) error { return st.cluster.Load(before...) }
	}
	st, err := s.stageOf(s.Start, s.file.Seed, furnish)
	if err != nil {
		return nil, err
	}
	return st, st.useAll()
}

func (s *Scenario) stageOf(start time.Time, seed uint64, furnish func(*stage) error) (*stage, error) {
	c, err := s.newCluster(start, seed)
	if err != nil {
		return nil, err
	}
	st, err := newStage(s, c)
	if err != nil {
		return nil, err
	}
	return st, furnish(st)
}

// warmUpSeed keeps the names of what is there before the story apart from those of what comes later.
const warmUpSeed = 0x9e3779b97f4a7c15

// warmedUp are the objects of the cluster after it has run by itself for a while, before the story begins.
func (s *Scenario) warmedUp() ([]world.Object, error) {
	d := s.Warmup
	if d == 0 {
		return nil, nil
	}
	st, err := s.stageOf(s.Start.Add(-d), s.file.Seed^warmUpSeed, (*stage).Furnish)
	if err != nil {
		return nil, err
	}
	st.script, st.end = nil, s.Start
	if err := st.run(); err != nil {
		return nil, err
	}
	var all []world.Object
	for _, kind := range world.Kinds() {
		if kind != world.Lease {
			all = append(all, st.cluster.List(kind)...)
		}
	}
	return all, nil
}
