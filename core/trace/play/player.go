package play

import (
	"errors"
	"fmt"
	"io"
	"sort"
	"time"

	"orrery/core/engine"
	"orrery/core/trace"
)

// Player holds a trace and an engine that stands at some point of it. It goes forward by deciding again, and backward
// from a fork it kept on the way.
type Player struct {
	header  trace.Header
	records []trace.Record
	start   time.Time   // before the first record
	clock   []time.Time // of each record: the latest time up to it
	damage  *trace.Damage

	now   standing
	scout *standing // plays ahead of now; nil while there is none
	kept  forks

	report  *Report
	checked int // records that the report has seen
	watch   func(trace.Record, *engine.Engine)
}

// standing is a performance after so many records.
type standing struct {
	at int
	performance
}

func (s standing) fork() (standing, error) {
	p, err := s.performance.fork()
	if err != nil {
		return standing{}, fmt.Errorf("copying the engine at record %d: %w", s.at, err)
	}
	return standing{s.at, p}, nil
}

// Position is where a Player stands.
type Position struct {
	// Record is how many records were played, Time the latest time among them.
	Record int
	Time   time.Time
}

// NewPlayer reads a whole trace, up to where it is damaged, and stands before its first record.
func NewPlayer(from io.Reader, o Options) (*Player, error) {
	r, err := trace.NewReader(from)
	if err != nil {
		return nil, err
	}
	first, err := o.perform(r.Header())
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
		if o.Progress != nil && len(records)%progressEvery == 0 {
			o.Progress(r.Offset())
		}
	}
	p := newPlayer(first, records)
	p.header, p.damage, p.report.Damage = r.Header(), damage, damage
	return p, nil
}

func newPlayer(first performance, records []trace.Record) *Player {
	p := &Player{
		records: records, clock: make([]time.Time, len(records)), now: standing{performance: first}, kept: newForks(),
		report: &Report{Exact: first.exact()}, start: first.engine.Now(),
	}
	latest := p.start
	for i, r := range records {
		if r.At.After(latest) {
			latest = r.At
		}
		p.clock[i] = latest
	}
	return p
}

// Engine is the engine where the player stands, to be read. Going backward puts another engine in its place.
func (p *Player) Engine() *engine.Engine { return p.now.engine }

// Companion is what goes along with Engine; nil if nothing does.
func (p *Player) Companion() Companion { return p.now.along }

// Header is the trace's; that of a flight is empty.
func (p *Player) Header() trace.Header { return p.header }

// Records are all records, in order.
func (p *Player) Records() []trace.Record { return p.records }

// Damage is where the trace could not be read any further; nil for a whole one.
func (p *Player) Damage() *trace.Damage { return p.damage }

// Report compares as far as the player, or its scout, has ever come.
func (p *Player) Report() *Report { return p.report }

// Watch has somebody told of every record once, when it is played for the first time, whether by the player or by its
// scout, in order. The engine is the one that has just played it, to be read during the call.
func (p *Player) Watch(told func(trace.Record, *engine.Engine)) { p.watch = told }

// At is where the player stands.
func (p *Player) At() Position { return p.position(p.now.at) }

// Start is the position before the first record.
func (p *Player) Start() Position { return p.position(0) }

// End is the position after the last record.
func (p *Player) End() Position { return p.position(len(p.records)) }

func (p *Player) position(record int) Position {
	if record == 0 {
		return Position{Time: p.start}
	}
	return Position{record, p.clock[record-1]}
}

// Marks lists the notable moments; Record is the position to go to.
func (p *Player) Marks() []trace.MarkAt {
	var marks []trace.MarkAt
	for i, r := range p.records {
		if m, ok := r.Body.(trace.Mark); ok {
			marks = append(marks, trace.MarkAt{At: r.At, Record: uint64(i + 1), Mark: m})
		}
	}
	return marks
}

// Seek goes to a time: everything up to and with it has happened, and nothing after it.
func (p *Player) Seek(t time.Time) error { return p.SeekRecord(p.RecordAt(t)) }

// RecordAt is how many records there are up to and with a time.
func (p *Player) RecordAt(t time.Time) int {
	return sort.Search(len(p.clock), func(i int) bool { return p.clock[i].After(t) })
}

// SeekRecord goes to where so many records were played.
func (p *Player) SeekRecord(n int) error {
	if n < 0 || n > len(p.records) {
		return fmt.Errorf("seeking to record %d: the trace has %d", n, len(p.records))
	}
	if from, ok := p.kept.upTo(n); ok && (n < p.now.at || from.at > p.now.at) {
		fork, err := from.fork()
		if err != nil {
			return fmt.Errorf("seeking to record %d: %w", n, err)
		}
		p.now = fork
	}
	for p.now.at < n {
		if _, err := p.Step(); err != nil {
			return err
		}
	}
	return nil
}

// Step plays the next record, whatever it is. At the end of the trace it does nothing.
func (p *Player) Step() (Work, error) { return p.play(&p.now) }

// StepInput plays the next input, and what stands before it. It is false at the end of the trace.
func (p *Player) StepInput() (trace.Record, bool, error) {
	return p.stepTo(func(b trace.Body) bool { _, ok := b.(trace.Input); return ok })
}

// StepDecision plays up to and with the next decision. It is false at the end of the trace.
func (p *Player) StepDecision() (trace.Record, bool, error) {
	return p.stepTo(func(b trace.Body) bool { _, ok := b.(trace.Decision); return ok })
}

func (p *Player) stepTo(wanted func(trace.Body) bool) (trace.Record, bool, error) {
	for p.now.at < len(p.records) {
		r := p.records[p.now.at]
		if _, err := p.Step(); err != nil {
			return r, false, err
		}
		if wanted(r.Body) {
			return r, true, nil
		}
	}
	return trace.Record{}, false, nil
}

// play plays one record to somebody. The report hears of each record once, however often it is played, and forks are
// kept where nobody has been before.
func (p *Player) play(s *standing) (Work, error) {
	if s.at == len(p.records) {
		return 0, nil
	}
	var work Work
	report, first := &Report{}, s.at == p.checked
	if first {
		var err error
		if work, err = p.kept.keep(*s); err != nil {
			return work, err
		}
		report = p.report
		p.checked++
	}
	record := &p.records[s.at]
	s.play(*record, report)
	s.at++
	played := workOf(record, s.engine)
	if first {
		p.kept.done += played
		if p.watch != nil {
			p.watch(*record, s.engine)
		}
	}
	return work + played, nil
}
