package tui

import (
	"errors"
	"io"
	"math"
	"strconv"
	"time"

	"orrery/core/engine"
	"orrery/core/printable"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/whatif"
	"orrery/demo/playback"
	"orrery/views"
	"orrery/views/collect"
)

// Deck is a recording as a Source.
type Deck struct {
	*playback.Deck
	// Trace is what the command line calls the recording; empty if it has no name for it.
	Trace string
	marks []views.Mark
	rate  []float64 // decisions a second, from end to end
}

// OpenDeck opens a recording to be watched: with a chronicle as its companion, and with every plugin measured by a
// stopwatch, which may be nil.
func OpenDeck(r io.Reader, o playback.Options, stopwatch func() time.Duration) (*Deck, error) {
	chronicle := collect.NewChronicle(collect.ChronicleOptions{})
	o.Companion = func(*engine.Engine) play.Companion { return chronicle }
	adjust := o.Adjust
	o.Adjust = func(e *engine.Options) {
		e.Stopwatch, e.Observer = stopwatch, chronicle.Observer()
		if adjust != nil {
			adjust(e)
		}
	}
	d, err := playback.Open(r, o)
	if err != nil {
		return nil, err
	}
	deck := &Deck{Deck: d}
	for _, m := range d.Marks() {
		deck.marks = append(deck.marks, markOf(m))
	}
	survey := d.Survey()
	for _, n := range survey.Decided {
		deck.rate = append(deck.rate, n/survey.Step.Seconds())
	}
	return deck, nil
}

var (
	_ Source   = (*Deck)(nil)
	_ Playback = (*Deck)(nil)
	_ Hurried  = (*Deck)(nil)
	_ Alarmed  = (*Deck)(nil)
)

// Mode is what a recording does to the world: nothing.
func (d *Deck) Mode() views.Mode { return views.Demo }

// Moving tells whether time passes, or the recording has not been looked through yet, which is done whether it plays or
// not.
func (d *Deck) Moving() bool { return d.Playing() || !d.surveyed() }

// surveyed tells whether everything was played once, so that every way is short and the curves are whole.
func (d *Deck) surveyed() bool {
	return d.Err() != nil || d.Report().Records == uint64(d.Records())
}

// Advance plays on, or looks ahead. The curves are seen to grow with it.
func (d *Deck) Advance(real time.Duration) (changed bool) {
	known := len(d.Survey().Waiting)
	changed = d.Deck.Advance(real)
	return changed || len(d.Survey().Waiting) != known
}

// Chronicle is the deck's companion.
func (d *Deck) Chronicle() *collect.Chronicle {
	c, _ := d.Companion().(*collect.Chronicle)
	return c
}

// Alert says what keeps the deck from playing on, that the scheduler decides otherwise than was recorded, or, at the end,
// that the file goes on and cannot be read.
func (d *Deck) Alert() string {
	first := d.Report().First
	switch {
	case d.Err() != nil:
		return printable.Line("cannot go on: "+d.Err().Error(), 200)
	case first != nil:
		return printable.Line("this scheduler decides otherwise than the recorded one: "+first.String(), 200)
	case d.AtEnd() && d.Damage() != nil:
		return printable.Line("the recording is damaged from here on: "+d.Damage().Error(), 200)
	}
	return ""
}

// Timeline is the recording from end to end.
func (d *Deck) Timeline() *views.Timeline {
	survey := d.Survey()
	return &views.Timeline{
		Start: d.Start(), End: d.End(), At: d.Now(), Speed: speedOf(d.Speed()), Paused: !d.Playing(), Marks: d.marks,
		Step: survey.Step, Rate: d.rate, Depth: survey.Waiting,
	}
}

// speedOf is a speed in at most six columns.
func speedOf(x float64) string {
	if math.IsInf(x, 1) {
		return "max"
	}
	return strconv.FormatFloat(x, 'g', 4, 64) + "x"
}

var markLooks = [...]struct {
	glyph rune
	bad   bool
}{
	trace.Note: {'◇', false}, trace.Preemption: {'⚑', false}, trace.Eviction: {'▼', true}, trace.LeaderChange: {'♥', false}, trace.FirstFailure: {'✗', true},
}

func markOf(m trace.MarkAt) views.Mark {
	v := views.Mark{At: m.At, Label: printable.Text(m.Mark.Text), Kind: m.Mark.Kind.String(), Glyph: '◆', Told: m.Mark.Kind == trace.Note}
	if int(m.Mark.Kind) < len(markLooks) {
		v.Glyph, v.Bad = markLooks[m.Mark.Kind].glyph, markLooks[m.Mark.Kind].bad
	}
	if v.Label == "" {
		v.Label = v.Kind
	}
	return v
}

// Step goes on by one decision, or back by one.
func (d *Deck) Step(back bool) error {
	if back {
		d.BackDecision()
	} else {
		d.StepDecision()
	}
	return d.Err()
}

// StepInput goes on by one input, or back by one.
func (d *Deck) StepInput(back bool) error {
	if back {
		d.BackInput()
	} else {
		d.Deck.StepInput()
	}
	return d.Err()
}

// SeekTo goes to a time.
func (d *Deck) SeekTo(t time.Time) error {
	d.Deck.SeekTo(t)
	return d.Err()
}

// Mark goes to the next mark or the one before.
func (d *Deck) Mark(back bool) error {
	found, which := false, "after"
	if back {
		found, which = d.PrevMark(), "before"
	} else {
		found = d.NextMark()
	}
	if !found && d.Err() == nil {
		return errors.New("there is no mark " + which + " this moment")
	}
	return d.Err()
}

// Ends goes to the beginning or to the end.
func (d *Deck) Ends(last bool) error {
	if last {
		d.ToEnd()
	} else {
		d.ToStart()
	}
	return d.Err()
}

// Asked is the moment that a question is about, and the command that asks it again: of the times until something else
// happens, the one with the fewest digits, and where none is so long before the next record, as after a single step, the
// number of records. A recording that the command line cannot find is asked on the screen's own.
func (d *Deck) Asked(changes []whatif.Change) (time.Time, string) {
	since := d.Now().Sub(d.Start())
	for _, unit := range [...]time.Duration{time.Second, 100 * time.Millisecond, time.Millisecond, time.Microsecond} {
		if round := since.Round(unit); d.RecordAt(d.Start().Add(round)) == d.Record() {
			since = round
			break
		}
	}
	at := d.Start().Add(since)
	if d.Trace == "" {
		return at, ":whatif " + whatif.Words(changes)
	}
	if d.RecordAt(at) != d.Record() {
		return at, whatif.CommandAtRecord(d.Trace, d.Record(), changes)
	}
	return at, whatif.Command(d.Trace, since, changes)
}
