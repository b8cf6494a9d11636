package app

import (
	"fmt"
	"io"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/trace/play"
	"orrery/core/trace/segments"
)

func traceVerifyCommand(plugins framework.Registry) *cobra.Command {
	var (
		out     output
		noReuse bool
	)
	c := &cobra.Command{
		Use:   "verify DIR|TRACE",
		Short: "Decide again all that a recording on disk holds, and compare",
		Long: `Verify replays all segments in the directory of a recording, several at a time, and compares each decision with what was
recorded. Of a TRACE that is a file it does what "orrery replay --verify" does.

The exit code is 1 when something differs or is damaged. In a directory a segment may lack its end mark: what
recorded it was stopped, or is still recording.`,
		Example: `  orrery trace verify recording
  orrery trace verify recording -o json | jq .gaps`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeTrace,
		RunE: func(c *cobra.Command, args []string) error {
			o := play.Options{Adjust: func(o *engine.Options) { o.Plugins, o.NoReuse = plugins, noReuse }}
			if isDirectory(args[0]) {
				return verifyDirectory(c, out, args[0], o)
			}
			return replayTrace(c, out, args[0], o, true)
		},
	}
	addNoReuse(c.Flags(), &noReuse, "")
	out.addFlag(c)
	return c
}

// traceVerificationDocument is the result of verify for a directory.
type traceVerificationDocument struct {
	envelope
	Trace     string             `json:"trace"`
	Same      bool               `json:"same"`
	Whole     bool               `json:"whole"`
	Bytes     int64              `json:"bytes"`
	Inputs    uint64             `json:"inputs"`
	Decisions decisionCounts     `json:"decisions"`
	Segments  []verifiedDocument `json:"segments"`
	Gaps      []gapDocument      `json:"gaps"`
}

// verifiedDocument is a segment that was replayed.
type verifiedDocument struct {
	segmentDocument
	Exact           bool                `json:"exact"`
	Same            bool                `json:"same"`
	Digest          string              `json:"digest,omitempty"`
	FirstDifference *differenceDocument `json:"firstDifference,omitempty"`
}

func verifyDirectory(c *cobra.Command, out output, path string, o play.Options) error {
	d, err := segments.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	doc := traceVerificationDocument{
		envelope: document("TraceVerification"), Trace: directoryName(path), Same: true, Whole: true, Bytes: d.Bytes(),
	}
	p := newProgress(c, "replaying "+doc.Trace)
	all := d.Verify(o, p.ofBytes(d.Bytes()))
	p.done()
	var summaries []segments.Summarized
	for i := range all {
		doc.add(&all[i])
		summaries = append(summaries, all[i].Summarized)
	}
	doc.Gaps = gapDocuments(summaries)
	if err := out.print(c, doc, doc.text); err != nil {
		return err
	}
	return exitFor(doc.Same && doc.Whole)
}

func (d *traceVerificationDocument) add(v *segments.Verified) {
	one := verifiedDocument{segmentDocument: segmentDocumentOf(&v.Summarized), Same: v.Same()}
	if r := v.Report; r != nil {
		one.Exact, one.Digest = r.Exact, v.Digest.String()
		d.Inputs += r.Inputs
		d.Decisions.Recorded += r.Decisions
		d.Decisions.Same += r.Same
		d.Decisions.Different += r.Different
		d.Decisions.Missing += r.Missing
		d.Decisions.Unexpected += r.Unexpected
		one.FirstDifference = differenceOf(r.First)
	}
	d.Same = d.Same && (v.Report == nil || v.Same())
	d.Whole = d.Whole && v.Whole()
	d.Segments = append(d.Segments, one)
}

func (d traceVerificationDocument) text(w io.Writer) {
	of := fmt.Sprintf("%s in %s", countText(d.Decisions.Recorded, "decision"), countText(len(d.Segments), "segment"))
	if n := d.Decisions; d.Same {
		fmt.Fprintf(w, "%s is decided as recorded: %s, %s\n", d.Trace, of, humanize.IBytes(uint64(d.Bytes)))
	} else {
		fmt.Fprintf(w, "%s is decided differently: %s of %s\n", d.Trace, humanize.Comma(int64(n.Different+n.Missing+n.Unexpected)), of)
	}
	for _, s := range d.Segments {
		s.writeDamage(w)
		if s.FirstDifference != nil {
			fmt.Fprintf(w, "  %s: first at %s\n", s.Name, s.FirstDifference.sentence)
		}
	}
	writeGaps(w, d.Gaps)
}
