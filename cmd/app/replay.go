package app

import (
	"errors"
	"fmt"
	"io"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	modelled "orrery/core/scheduler/release"
	"orrery/core/trace"
	"orrery/core/trace/play"
)

func replayCommand(plugins framework.Registry) *cobra.Command {
	var (
		out             output
		verify, noReuse bool
		as              releaseFlag
	)
	c := &cobra.Command{
		Use:   "replay TRACE",
		Short: "Decide again what a trace recorded, and compare",
		Long: `Replay drives a new scheduler through everything that the recorded one was told, and compares each
decision and the digest over all that was decided with what was recorded.

A trace from a scheduler's beginning, or from its state in the middle, is replayed exactly. One that
begins with a snapshot lacks what the scheduler remembered: there, only where pods were placed is
compared.
` + traceHelp + ` "orrery trace verify DIR" replays all segments.

The exit code is 1 when the trace is damaged; with --verify also when something differs or the end is missing.`,
		Example: `  orrery replay morning-rush
  orrery replay --verify incident.orrery && echo "as recorded"
  orrery replay --verify -o json incident.orrery | jq .decisions`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeTrace,
		RunE: func(c *cobra.Command, args []string) error {
			return replayTrace(c, out, args[0], play.Options{
				Adjust: func(o *engine.Options) { o.Plugins, o.NoReuse = plugins, noReuse }, Kubernetes: as.release,
			}, verify)
		},
	}
	as.addFlag(c, "by default the recorded one. What differs is what that release decides otherwise")
	c.Flags().BoolVar(&verify, "verify", false, "exit 1 if something differs or the end is missing")
	addNoReuse(c.Flags(), &noReuse, "")
	out.addFlag(c)
	return c
}

// replayTrace replays a trace; the answer is no where something differs or the end is missing, if that is asked.
func replayTrace(c *cobra.Command, out output, name string, o play.Options, verify bool) error {
	rec, err := openTrace(c, name)
	if err != nil {
		return err
	}
	defer rec.Close()
	p := newProgress(c, "replaying "+rec.name)
	e, report, err := play.Replay(p.reading(rec, rec.size), o)
	p.done()
	if err != nil {
		return fmt.Errorf("replaying %s: %w", rec.name, err)
	}
	doc := newReplay(rec.name, e, report)
	if err := out.print(c, doc, doc.text); err != nil {
		return err
	}
	return exitFor(doc.Damage.harmless() && (!verify || doc.Same && doc.Damage == nil))
}

// replayDocument is the result of replay.
type replayDocument struct {
	envelope
	Trace string `json:"trace"`
	// Kubernetes is the release that was decided as.
	Kubernetes modelled.Release `json:"kubernetes,omitzero"`
	Exact      bool             `json:"exact"`
	// Same says that no decision in the readable part differs.
	Same      bool           `json:"same"`
	Records   uint64         `json:"records"`
	Inputs    uint64         `json:"inputs"`
	Refused   uint64         `json:"refusedInputs"`
	Decisions decisionCounts `json:"decisions"`
	// Made counts the decisions of the replay, by verdict.
	Made            map[string]uint64   `json:"decisionsByVerdict"`
	Digest          string              `json:"digest"`
	DigestDiffers   bool                `json:"digestDiffers"`
	FirstDifference *differenceDocument `json:"firstDifference,omitempty"`
	Damage          *damageDocument     `json:"damage,omitempty"`
}

type decisionCounts struct {
	Recorded   uint64 `json:"recorded"`
	Same       uint64 `json:"same"`
	Different  uint64 `json:"different"`
	Missing    uint64 `json:"missing"`
	Unexpected uint64 `json:"unexpected"`
}

type differenceDocument struct {
	Record   uint64            `json:"record"`
	At       moment            `json:"at"`
	Recorded *decisionDocument `json:"recorded,omitempty"`
	Replayed *decisionDocument `json:"replayed,omitempty"`

	sentence string
}

// decisionDocument is a decision about a pod.
type decisionDocument struct {
	Pod       podRef `json:"pod"`
	Verdict   string `json:"verdict"`
	Node      string `json:"node,omitempty"`
	Nominated string `json:"nominatedNode,omitempty"`
	Victims   int    `json:"victims,omitempty"`
}

// damageDocument is where a trace is damaged. Everything before it was used.
type damageDocument struct {
	// Record is the number of the first entry that is lost, Offset where in the file its block begins, in bytes.
	Record uint64 `json:"record"`
	Offset int64  `json:"offset"`
	// Unfinished says that only the end is missing, as while it is still being recorded.
	Unfinished bool `json:"unfinished"`
	// Message is for people.
	Message string `json:"message"`

	lost bool // something of the last block, or after it
}

func newReplay(name string, e *engine.Engine, r *play.Report) replayDocument {
	doc := replayDocument{
		envelope: document("Replay"), Trace: name, Kubernetes: e.Features().Release(), Exact: r.Exact, Same: r.OK(),
		Records: r.Records, Inputs: r.Inputs, Refused: r.Refused,
		Decisions: decisionCounts{r.Decisions, r.Same, r.Different, r.Missing, r.Unexpected},
		Made:      map[string]uint64{}, Digest: e.Digest().String(), DigestDiffers: r.DigestDiffers, Damage: damageOf(r.Damage),
	}
	for v, n := range e.Counters().Decisions {
		doc.Made[engine.Verdict(v).String()] = n
	}
	doc.FirstDifference = differenceOf(r.First)
	return doc
}

func differenceOf(d *play.Difference) *differenceDocument {
	if d == nil {
		return nil
	}
	return &differenceDocument{d.At.Number, momentOf(d.At.At), decisionOf(d.Recorded), decisionOf(d.Replayed), d.String()}
}

func decisionOf(d *trace.Decision) *decisionDocument {
	if d == nil {
		return nil
	}
	return &decisionDocument{refOf(d.Pod), d.Verdict.String(), d.Node, d.Nominated, d.Victims}
}

func damageOf(d *trace.Damage) *damageDocument {
	if d == nil {
		return nil
	}
	whole := errors.Is(d, trace.ErrUnfinished)
	return &damageDocument{d.Record, d.Offset, whole || errors.Is(d, io.ErrUnexpectedEOF), printable.Text(d.Error()), !whole}
}

// text writes first whether the decisions are the same.
func (r replayDocument) text(w io.Writer) {
	d, name := r.Decisions, r.Trace
	if r.Damage != nil {
		r.Damage.headline(w, r.Trace)
		name = "  up to there it"
	}
	switch {
	case !r.Same && !r.Exact:
		fmt.Fprintf(w, "%s cannot be verified: it begins with a snapshot, without what the scheduler remembered\n", name)
	case !r.Same:
		fmt.Fprintf(w, "%s is decided differently: %d of %s\n", name, d.Different+d.Missing+d.Unexpected, countText(d.Recorded, "decision"))
	case !r.Exact && d.Recorded == 0:
		fmt.Fprintf(w, "%s was replayed; there are no recorded decisions to compare with\n", name)
	case !r.Exact:
		fmt.Fprintf(w, "%s is placed as recorded: the %s that are compared\n", name, countText(d.Same, "pod"))
	default:
		fmt.Fprintf(w, "%s is decided as recorded: %s, digest %s\n", name, countText(d.Recorded, "decision"), r.Digest)
	}
	if !r.Same && !r.Exact {
		fmt.Fprintf(w, "  %s of %s as recorded, %s on another node, %s not made\n",
			humanize.Comma(int64(d.Same)), countText(d.Recorded, "placement"), humanize.Comma(int64(d.Different)), humanize.Comma(int64(d.Missing)))
	}
	if r.FirstDifference != nil {
		fmt.Fprintf(w, "  first at %s\n", r.FirstDifference.sentence)
	}
	if !r.Same && r.Exact {
		fmt.Fprintf(w, "  %d same, %d different, %d missing, %d unexpected\n", d.Same, d.Different, d.Missing, d.Unexpected)
	}
	if r.Refused > 0 {
		fmt.Fprintf(w, "  the scheduler refused %s of %s\n", humanize.Comma(int64(r.Refused)), countText(r.Inputs, "input"))
	}
	if !r.Exact {
		var made uint64
		for _, n := range r.Made {
			made += n
		}
		fmt.Fprintf(w, "  %s made now%s\n", countText(made, "decision"), breakdown(r.Made))
		fmt.Fprintln(w, "  its queue, its place in the round of nodes and its random numbers are not in a snapshot: only placements are compared")
	}
	r.Damage.text(w)
}

// headline says how far a trace was read; nothing of a whole one.
func (d *damageDocument) headline(w io.Writer, name string) {
	if d != nil {
		fmt.Fprintf(w, "%s is %s: read up to record %d, and nothing after it\n", name, d.word(), d.Record)
	}
}

// harmless reports whether a trace is whole, or only lacks its end mark, as one that is still being written.
func (d *damageDocument) harmless() bool { return d == nil || !d.lost }

// word says what the damage means for the trace.
func (d *damageDocument) word() string {
	if !d.lost {
		return "unfinished"
	}
	return "damaged"
}

func (d *damageDocument) text(w io.Writer) {
	if d != nil {
		fmt.Fprintf(w, "  %s; everything before it was used\n", d.Message)
	}
}
