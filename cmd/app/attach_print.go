package app

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"orrery/core/answers/answer"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/trace"
	"orrery/core/trace/attach"
	"orrery/core/trace/play"
	"orrery/core/world"
)

// printedBytes bounds the records that are held while decisions are printed: none is shown again.
//
//orrery:limit readers; records that are held while decisions are printed, in bytes; the older half goes
const printedBytes = 1 << 20

// attachmentDocument says that a scheduler was attached to, that it is lost, that it decided differently from what is shown, or that its
// recording on disk stopped.
type attachmentDocument struct {
	envelope
	// State is "attached", "lost", "diverged", "recording stopped" or "recording resumed".
	State string `json:"state"`
	At    moment `json:"at"`
	schedulerDocument
	// Message says why it is lost, what differs, or why nothing is recorded.
	Message string `json:"message,omitempty"`
	// UnknownSeconds is what lies between this stream and the one before, of which nothing is known.
	UnknownSeconds float64 `json:"unknownSeconds,omitempty"`
}

// schedulerDocument is a scheduler that was attached to.
type schedulerDocument struct {
	Identity string `json:"identity,omitempty"`
	Where    string `json:"where"`
	Leading  bool   `json:"leading"`
	// Observing says that it never leads: it decides beside another scheduler.
	Observing bool   `json:"observing,omitempty"`
	Version   string `json:"version,omitempty"`
}

func schedulerOf(s *attach.State) schedulerDocument {
	return schedulerDocument{Identity: s.Identity, Where: s.Where, Leading: s.Leading, Observing: s.Observing, Version: s.Version}
}

// madeDecision is a decision of the scheduler that was attached to.
type madeDecision struct {
	envelope
	At            moment   `json:"at"`
	Seq           uint64   `json:"seq"`
	Pod           podRef   `json:"pod"`
	Attempt       int      `json:"attempt"`
	Verdict       string   `json:"verdict"`
	Node          string   `json:"node,omitempty"`
	Score         int64    `json:"score,omitempty"`
	NominatedNode string   `json:"nominatedNode,omitempty"`
	Victims       []podRef `json:"victims,omitempty"`
	// Message is that of the pod's condition.
	Message string            `json:"message,omitempty"`
	Nodes   answer.NodeCounts `json:"nodes"`
}

func newMadeDecision(d *engine.Decision) *madeDecision {
	doc := &madeDecision{
		envelope: document("Decision"), At: momentOf(d.At), Seq: d.Seq, Pod: refOf(d.Pod), Attempt: d.Attempt, Verdict: d.Verdict.String(),
		Node: d.Node, Score: d.Score, NominatedNode: d.Nominated, Message: d.Message, Nodes: answer.NodeCounts{Total: d.Nodes, Examined: d.Examined, Feasible: d.Feasible},
	}
	if d.Preemption != nil {
		for _, victim := range d.Preemption.Victims {
			doc.Victims = append(doc.Victims, refOf(world.PodRefOf(victim)))
		}
	}
	return doc
}

// decisionPrinter prints what a session is told of.
type decisionPrinter struct {
	*cobra.Command
	format   string
	identity string
	player   *play.Player
	lost     bool
	diverged bool
	printed  printedDecision
}

// printedDecision is the last one that was printed, and the scheduler that made it.
type printedDecision struct {
	identity string
	seq      uint64
	at       time.Time
}

// has reports whether a decision of a scheduler was printed before: the stream of one that is attached to again begins with its past.
func (p *printedDecision) has(identity string, d *engine.Decision) bool {
	return identity == p.identity && d.Seq <= p.seq && !d.At.After(p.at)
}

// print prints decisions until the scheduler is gone for good.
func (f *attachFlags) print(c *cobra.Command, o attach.Options) error {
	s, err := f.open(c, o)
	if err != nil {
		return err
	}
	defer s.Close()
	p := decisionPrinter{Command: c, format: f.out.format}
	for {
		b, more := s.Take()
		if err := p.batch(&b); err != nil {
			return err
		}
		if b.State.GaveUp {
			return fmt.Errorf("no scheduler leads any more: %w", errors.Join(b.State.Lost, b.State.Retry))
		}
		if more {
			continue
		}
		select {
		case <-s.Wake():
		case <-c.Context().Done():
			return nil
		}
	}
}

func (p *decisionPrinter) batch(b *attach.Batch) error {
	if s := b.Segment; s != nil {
		doc := &attachmentDocument{envelope: document("Attachment"), State: "attached", At: momentOf(s.Player.Start().Time), schedulerDocument: schedulerOf(&s.State)}
		if p.player != nil {
			doc.UnknownSeconds = rounded(max(s.Player.Start().Time.Sub(p.player.End().Time), 0).Seconds())
		}
		p.identity, p.player, p.lost, p.diverged = s.Identity, s.Player, false, false
		if err := p.document(doc, doc.line()); err != nil {
			return err
		}
	}
	if err := p.decisions(b); err != nil {
		return err
	}
	if b.State.Attached() || p.lost {
		return nil
	}
	p.lost = true
	doc := &attachmentDocument{envelope: document("Attachment"), State: "lost", At: momentOf(b.State.LostAt), schedulerDocument: schedulerOf(&b.State), Message: b.State.Lost.Error()}
	return p.document(doc, doc.line())
}

// decisions plays the records of a batch, and prints the decisions among them.
func (p *decisionPrinter) decisions(b *attach.Batch) error {
	if err := p.player.Append(b.Records...); err != nil {
		return err
	}
	for i := range b.Records {
		if err := p.outage(&b.Records[i], b); err != nil {
			return err
		}
	}
	for {
		_, found, err := p.player.StepDecision()
		if err != nil || !found {
			return errors.Join(err, p.divergence(b))
		}
		for d := range p.player.Engine().Decisions() {
			if p.printed.has(p.identity, d) {
				break
			}
			p.printed = printedDecision{p.identity, d.Seq, d.At}
			doc := newMadeDecision(d)
			if err := p.document(doc, doc.line()); err != nil {
				return err
			}
			break
		}
	}
}

// outage prints a mark of the scheduler's recording on disk, or of its lag behind the cluster.
func (p *decisionPrinter) outage(r *trace.Record, b *attach.Batch) error {
	m, _ := r.Body.(trace.Mark)
	switch m.Kind {
	case trace.RecordingStopped, trace.RecordingResumed, trace.FellBehind, trace.CaughtUp:
	default:
		return nil
	}
	doc := &attachmentDocument{envelope: document("Attachment"), State: m.Kind.String(), At: momentOf(r.At), schedulerDocument: schedulerOf(&b.State), Message: m.Text}
	return p.document(doc, doc.line())
}

// divergence prints once that the scheduler decided differently.
func (p *decisionPrinter) divergence(b *attach.Batch) error {
	first := p.player.Report().First
	if first == nil || p.diverged {
		return nil
	}
	p.diverged = true
	doc := &attachmentDocument{envelope: document("Attachment"), State: "diverged", At: momentOf(first.At.At), schedulerDocument: schedulerOf(&b.State), Message: first.String()}
	return p.document(doc, doc.line())
}

// document prints a document in a line, or its text.
func (p *decisionPrinter) document(doc any, line string) error {
	text := []byte(line + "\n")
	if p.format != asText {
		var err error
		if text, err = encodeOne(doc, p.format); err != nil {
			return err
		}
	}
	if _, err := p.OutOrStdout().Write(text); err != nil {
		return fmt.Errorf("writing the decisions: %w", err)
	}
	return nil
}

func (d *attachmentDocument) line() string {
	who := printable.Line(d.Where, 200)
	if d.Identity != "" {
		who += ", " + printable.Line(d.Identity, 120)
	}
	text := d.At.clock() + "  " + d.State
	switch {
	case d.State == "attached" && d.Observing:
		text += " to " + who + ", which observes another scheduler"
	case d.State == "attached" && !d.Leading:
		text += " to " + who + ", which does not lead"
	case d.State == "attached":
		text += " to " + who
	default:
		text += ": " + who
	}
	if d.UnknownSeconds > 0 {
		text += fmt.Sprintf("; %gs before it are unknown", d.UnknownSeconds)
	}
	if d.Message != "" {
		text += ": " + printable.Line(d.Message, 400)
	}
	return text
}

func (d *madeDecision) line() string {
	text := fmt.Sprintf("%s  %-13s  %s", d.At.clock(), d.Verdict, podName(d.Pod))
	if d.Node != "" {
		text += " on " + printable.Line(d.Node, 100)
	}
	if d.NominatedNode != "" {
		text += fmt.Sprintf(", preempts %s on %s", countText(len(d.Victims), "pod"), printable.Line(d.NominatedNode, 100))
	}
	if d.Message != "" {
		text += ": " + printable.Line(d.Message, 400)
	}
	return text
}

// clock returns the time of day with thousandths of seconds.
func (m moment) clock() string {
	t, err := time.Parse(time.RFC3339Nano, string(m))
	if err != nil {
		return string(m)
	}
	return t.Format("15:04:05.000")
}
