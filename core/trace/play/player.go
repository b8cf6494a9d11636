package play

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"time"

	"orrery/core/engine"
	"orrery/core/trace"
)

// Player holds a trace and an engine that stands at some point of it. It goes forward by deciding again, and backward
// from a fork it kept on the way.
type Player struct {
	records []trace.Record
	clock   []time.Time // of each record: the latest time up to it
	damage  *trace.Damage

	now     performance
	at      int // records played
	kept    []keptFork
	spacing int // records between forks

	report  *Report
	checked int // records that the report has seen
}

// keptFork is the performance as it was after so many records.
type keptFork struct {
	at int
	performance
}

// Position is where a Player stands.
type Position struct {
	// Record is how many records were played, Time the latest time among them.
	Record int
	Time   time.Time
}

const (
	// mostForks bounds the forks that are kept; a fork of a large cluster takes some megabytes.
	mostForks = 64
	// firstSpacing is how many records lie between forks until there are too many.
	firstSpacing = 64
)

// NewPlayer reads a whole trace, up to where it is damaged, and stands before its first record.
func NewPlayer(from io.Reader, o Options) (*Player, error) {
	r, err := trace.NewReader(from)
	if err != nil {
		return nil, err
	}
	e, err := o.engineFor(r.Header())
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
	p := newPlayer(newPerformance(e, r.Header().Base, r.Header().NamesHashed), records)
	p.damage, p.report.Damage = damage, damage
	return p, nil
}

func newPlayer(first performance, records []trace.Record) *Player {
	p := &Player{
		records: records, clock: make([]time.Time, len(records)), now: first, spacing: firstSpacing,
		report: &Report{Exact: first.exact()},
	}
	latest := first.engine.Now()
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

// Records are all records, in order.
func (p *Player) Records() []trace.Record { return p.records }

// Damage is where the trace could not be read any further; nil for a whole one.
func (p *Player) Damage() *trace.Damage { return p.damage }

// Report compares as far as the player has ever come.
func (p *Player) Report() *Report { return p.report }

// At is where the player stands.
func (p *Player) At() Position {
	if p.at == 0 {
		return Position{Time: p.now.engine.Now()}
	}
	return Position{p.at, p.clock[p.at-1]}
}

// End is the position after the last record.
func (p *Player) End() Position {
	if len(p.records) == 0 {
		return p.At()
	}
	return Position{len(p.records), p.clock[len(p.clock)-1]}
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

// Prepare plays to the end and returns to the beginning, so that from then on every way is short, and the report
// complete. Progress, if not nil, is called with how many records were played; it stops the player, where it is, by
// answering false.
func (p *Player) Prepare(progress func(records int) bool) error {
	for p.at < len(p.records) {
		if err := p.forward(); err != nil {
			return err
		}
		if progress != nil && p.at%progressEvery == 0 && !progress(p.at) {
			return nil
		}
	}
	return p.SeekRecord(0)
}

// Seek goes to a time: everything up to and with it has happened, and nothing after it.
func (p *Player) Seek(t time.Time) error {
	return p.SeekRecord(sort.Search(len(p.clock), func(i int) bool { return p.clock[i].After(t) }))
}

// SeekRecord goes to where so many records were played.
func (p *Player) SeekRecord(n int) error {
	if n < 0 || n > len(p.records) {
		return fmt.Errorf("seeking to record %d: the trace has %d", n, len(p.records))
	}
	if err := p.keep(); err != nil {
		return err
	}
	nearest, _ := slices.BinarySearchFunc(p.kept, n+1, func(k keptFork, n int) int { return k.at - n })
	if from := p.kept[nearest-1]; n < p.at || from.at > p.at {
		fork, err := from.fork()
		if err != nil {
			return fmt.Errorf("seeking to record %d: %w", n, err)
		}
		p.now, p.at = fork, from.at
	}
	for p.at < n {
		if err := p.forward(); err != nil {
			return err
		}
	}
	return nil
}

// StepInput plays the next input, and what stands before it. It is false at the end of the trace.
func (p *Player) StepInput() (trace.Record, bool, error) {
	return p.stepTo(func(b trace.Body) bool { _, ok := b.(trace.Input); return ok })
}

// StepDecision plays up to and with the next decision. It is false at the end of the trace.
func (p *Player) StepDecision() (trace.Record, bool, error) {
	return p.stepTo(func(b trace.Body) bool { _, ok := b.(trace.Decision); return ok })
}

func (p *Player) stepTo(wanted func(trace.Body) bool) (trace.Record, bool, error) {
	for p.at < len(p.records) {
		r := p.records[p.at]
		if err := p.forward(); err != nil {
			return r, false, err
		}
		if wanted(r.Body) {
			return r, true, nil
		}
	}
	return trace.Record{}, false, nil
}

// forward plays one record. The report hears of each record once, however often it is played.
func (p *Player) forward() error {
	if p.at%p.spacing == 0 {
		if err := p.keep(); err != nil {
			return err
		}
	}
	report := &Report{}
	if p.at >= p.checked {
		report = p.report
		p.checked = p.at + 1
	}
	p.now.play(p.records[p.at], report)
	p.at++
	return nil
}

// keep keeps a fork of here, unless there is one, and makes room when there are too many.
func (p *Player) keep() error {
	place, found := slices.BinarySearchFunc(p.kept, p.at, func(k keptFork, at int) int { return k.at - at })
	if found || (p.at%p.spacing != 0 && p.at != 0) {
		return nil
	}
	fork, err := p.now.fork()
	if err != nil {
		return fmt.Errorf("keeping record %d to come back to: %w", p.at, err)
	}
	p.kept = slices.Insert(p.kept, place, keptFork{p.at, fork})
	if len(p.kept) > mostForks {
		p.spacing *= 2
		p.kept = slices.DeleteFunc(p.kept, func(k keptFork) bool { return k.at%p.spacing != 0 })
	}
	return nil
}
