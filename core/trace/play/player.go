package play

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"time"

	"orrery/core/scheduler/engine"
	"orrery/core/trace"
)

// Player plays a trace to an engine and stops at any record. It goes forward by deciding again, and backward from a
// kept fork.
type Player struct {
	header      trace.Header
	records     []trace.Record // held ones; the first has dropped records before it
	dropped     int
	start       time.Time        // before the first held record
	latestTimes []time.Time      // of each record: the latest time up to it
	usages      map[string][]int // the numbers of the held readings of each node
	damage      *trace.Damage
	growth      *growth // nil if no records are added

	current playhead
	ahead   *playhead // prefetches past the current record, or nil
	forks   forks

	report   *Report
	reported int // records that the report counts
	watch    func(trace.Record, *engine.Engine)
}

// playhead is a replayer with the number of records it has played.
type playhead struct {
	record int
	replayer
}

func (s playhead) fork() (playhead, error) { return s.forkBy((*engine.Engine).Fork) }

func (s playhead) forkBy(forkEngine func(*engine.Engine) (*engine.Engine, error)) (playhead, error) {
	p, err := s.replayer.fork(forkEngine)
	if err != nil {
		return playhead{}, fmt.Errorf("copying the engine at record %d: %w", s.record, err)
	}
	return playhead{s.record, p}, nil
}

// Position is a point of a trace.
type Position struct {
	// Record is the number of records up to there, dropped ones included, Time the latest time among them.
	Record int
	Time   time.Time
}

// NewPlayer reads a whole trace, up to its damage if any, and returns a player before the first record.
func NewPlayer(from io.Reader, o Options) (*Player, error) {
	r, err := trace.NewReader(from)
	if err != nil {
		return nil, err
	}
	var records []trace.Record
	var damage *trace.Damage
	for record, err := range r.All() {
		if err != nil {
			errors.As(err, &damage)
			break
		}
		records = append(records, record)
		if !o.Until.IsZero() && record.At.After(o.Until) {
			break
		}
		if o.Progress != nil && len(records)%progressEvery == 0 {
			o.Progress(r.Offset())
		}
	}
	first, err := o.newReplayer(r.Header(), records)
	if err != nil {
		return nil, err
	}
	p := newPlayer(first, records)
	p.header, p.damage, p.report.Damage = r.Header(), damage, damage
	return p, nil
}

func newPlayer(first replayer, records []trace.Record) *Player {
	p := &Player{
		records: records, latestTimes: make([]time.Time, 0, len(records)), current: playhead{replayer: first}, forks: newForks(),
		report: &Report{Exact: first.exact()}, start: first.engine.Now(), usages: map[string][]int{},
	}
	p.index(records)
	return p
}

// index adds the latest times of records to those of the records before them, and where the readings of usage are.
func (p *Player) index(records []trace.Record) {
	latest := p.start
	if n := len(p.latestTimes); n > 0 {
		latest = p.latestTimes[n-1]
	}
	for _, r := range records {
		if r.At.After(latest) {
			latest = r.At
		}
		if u, ok := r.Body.(trace.Usage); ok {
			p.usages[u.Node] = append(p.usages[u.Node], p.dropped+len(p.latestTimes))
		}
		p.latestTimes = append(p.latestTimes, latest)
	}
}

// Engine returns the engine at the current position, to be read only. A seek may replace it.
func (p *Player) Engine() *engine.Engine { return p.current.engine }

// Follower returns the follower of Engine, or nil.
func (p *Player) Follower() Follower { return p.current.follower }

// Header returns the trace's header; that of a flight recorder is empty.
func (p *Player) Header() trace.Header { return p.header }

// Records returns all records that are held, in order. [Player.Append] may drop some from the front.
func (p *Player) Records() []trace.Record { return p.records }

// Damage returns where the trace could not be read any further; nil for a whole one.
func (p *Player) Damage() *trace.Damage { return p.damage }

// Report returns the comparison of all records that the player or its prefetch has played.
func (p *Player) Report() *Report { return p.report }

// Watch calls observe once for every record, in order, when the player or its prefetch plays it for the first time. The
// engine is the one that has just played it, to be read during the call.
func (p *Player) Watch(observe func(trace.Record, *engine.Engine)) { p.watch = observe }

// At returns the current position.
func (p *Player) At() Position { return p.position(p.current.record) }

// Start returns the position before the first record that is held.
func (p *Player) Start() Position { return p.position(p.dropped) }

// End returns the position after the last record.
func (p *Player) End() Position { return p.position(p.dropped + len(p.records)) }

func (p *Player) position(record int) Position {
	if record == p.dropped {
		return Position{record, p.start}
	}
	return Position{record, p.latestTimes[record-p.dropped-1]}
}

// Usage returns the last reading of a node's usage up to the current position, if one is held.
func (p *Player) Usage(node string) (trace.Record, bool) {
	all := p.usages[node]
	n, _ := slices.BinarySearch(all, p.current.record)
	if n == 0 {
		return trace.Record{}, false
	}
	return p.records[all[n-1]-p.dropped], true
}

// Marks lists the marks; Record is the position to seek to.
func (p *Player) Marks() []trace.MarkAt {
	var marks []trace.MarkAt
	for i, r := range p.records {
		if m, ok := r.Body.(trace.Mark); ok {
			marks = append(marks, trace.MarkAt{At: r.At, Record: uint64(p.dropped + i + 1), Mark: m})
		}
	}
	return marks
}

// Seek goes to the position after the last record up to and including a time.
func (p *Player) Seek(t time.Time) error { return p.SeekRecord(p.RecordAt(t)) }

// RecordAt returns the number of records up to and including a time.
func (p *Player) RecordAt(t time.Time) int {
	return p.dropped + sort.Search(len(p.latestTimes), func(i int) bool { return p.latestTimes[i].After(t) })
}

// SeekRecord goes to the position after n records.
func (p *Player) SeekRecord(n int) error {
	if first, last := p.dropped, p.dropped+len(p.records); n < first || n > last {
		return fmt.Errorf("seeking to record %d: those from %d to %d are held", n, first, last)
	}
	if from, ok := p.forks.nearest(n); ok && (n < p.current.record || from.record > p.current.record) {
		fork, err := from.fork()
		if err != nil {
			return fmt.Errorf("seeking to record %d: %w", n, err)
		}
		p.current = fork
	}
	for p.current.record < n {
		if _, err := p.Step(); err != nil {
			return err
		}
	}
	return nil
}

// Step plays the next record of any kind. At the end of the trace it does nothing.
func (p *Player) Step() (Work, error) { return p.play(&p.current) }

// StepInput plays up to and including the next input. It returns false at the end of the trace.
func (p *Player) StepInput() (trace.Record, bool, error) {
	return p.stepTo(func(b trace.Body) bool { _, ok := b.(trace.Input); return ok })
}

// StepDecision plays up to and including the next decision. It returns false at the end of the trace.
func (p *Player) StepDecision() (trace.Record, bool, error) {
	return p.stepTo(func(b trace.Body) bool { _, ok := b.(trace.Decision); return ok })
}

func (p *Player) stepTo(wanted func(trace.Body) bool) (trace.Record, bool, error) {
	for p.current.record < p.End().Record {
		r := p.records[p.current.record-p.dropped]
		if _, err := p.Step(); err != nil {
			return r, false, err
		}
		if wanted(r.Body) {
			return r, true, nil
		}
	}
	return trace.Record{}, false, nil
}

// play plays one record. The first time a record is played, play adds it to the report and may keep a fork.
func (p *Player) play(s *playhead) (Work, error) {
	if s.record == p.dropped+len(p.records) {
		return 0, nil
	}
	var work Work
	report, first := &Report{}, s.record == p.reported
	if first {
		var err error
		if work, err = p.forks.keep(*s); err != nil {
			return work, err
		}
		report = p.report
		p.reported++
	}
	record := &p.records[s.record-p.dropped]
	s.playRecord(*record, report)
	s.record++
	played := workOf(record, s.engine)
	if first {
		p.forks.done += played
		if p.watch != nil {
			p.watch(*record, s.engine)
		}
	}
	return work + played, nil
}
