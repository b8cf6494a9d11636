package app

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"orrery/core/safe/printable"
	"orrery/core/trace"
)

func traceCutCommand() *cobra.Command {
	var (
		out         output
		to          outFile
		first, last string
	)
	c := &cobra.Command{
		Use:   "cut TRACE",
		Short: "Copy a part of a trace",
		Long: `Cut copies what a trace holds from one time up to and with another. Where something is left out
before it, a snapshot of all objects there were takes its place; what the scheduler remembered is
not in that. A trace that begins with the scheduler's state is cut at the last state before that
time, so that the copy is replayed exactly, and may begin earlier. Of a directory it is the segment of --from
that is cut: what comes after its end is in the next one.
` + traceHelp + `
` + momentHelp,
		Example: `  orrery trace cut incident.orrery --from +2m --to +3m30s --out minute.orrery
  orrery trace cut incident.orrery --to 09:12:00 --out until.orrery`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeTrace,
		RunE: func(c *cobra.Command, args []string) error {
			if err := to.check(c, out); err != nil {
				return err
			}
			rec, err := openTraceWith(c, args[0], first)
			if err != nil {
				return err
			}
			defer rec.Close()
			p := newProgress(c, "cutting "+rec.name)
			defer p.done()
			header, all, err := headerOf(p.reading(rec, rec.size))
			if err != nil {
				return fmt.Errorf("cutting %s: %w", rec.name, err)
			}
			from, until, err := parseSpan(rec.segment.exactly(first), last, header.Start)
			if err != nil {
				return err
			}
			if in := rec.segment; in != nil && !in.next.IsZero() && !until.Before(in.next) {
				until = time.Time{}
			}
			damage, err := to.write(c, func(w io.Writer) error { return trace.Cut(all, w, from, until) })
			p.done()
			if beyond := (*trace.BeyondEndError)(nil); errors.As(err, &beyond) {
				flag, text := "--from", first
				if beyond.At != from {
					flag, text = "--to", last
				}
				return fmt.Errorf("%s %q: %w", flag, printable.Line(text, 40), afterEnd(header.Start, beyond.End, rec.segment))
			}
			if err != nil {
				return err
			}
			return printCopied(c, out, to, "TraceCut", rec.name, damage)
		},
	}
	c.Flags().StringVar(&first, "from", "+0s", "the first `time` that stays")
	c.Flags().StringVar(&last, "to", "", "the last `time` that stays; the end if it is not given")
	to.addFlags(c)
	out.addFlag(c)
	return c
}

// parseSpan parses --from and --to for a trace with the given start. Without --to until is zero.
func parseSpan(first, last string, start time.Time) (from, until time.Time, err error) {
	if from, err = parseMoment(first, start); err != nil {
		return from, until, fmt.Errorf("--from %q: %w", first, err)
	}
	if last == "" {
		return from, until, nil
	}
	if until, err = parseMoment(last, start); err != nil {
		return from, until, fmt.Errorf("--to %q: %w", last, err)
	}
	if until.Before(from) {
		return from, until, errors.New("--to is before --from: nothing would stay")
	}
	return from, until, nil
}

type traceCopyDocument struct {
	envelope
	Trace  string          `json:"trace"`
	File   string          `json:"file"`
	Damage *damageDocument `json:"damage,omitempty"`
}

// printCopied prints the result of copying a trace, with its damage.
func printCopied(c *cobra.Command, out output, to outFile, kind, name string, damage *trace.Damage) error {
	doc := traceCopyDocument{document(kind), name, to.name, damageOf(damage)}
	var notes []string
	if doc.Damage != nil {
		notes = append(notes, doc.Damage.Message+"; everything before it was used")
	}
	if err := printWritten(c, out, to, doc, notes, func(w io.Writer) { fmt.Fprintf(w, "wrote %q\n", doc.File) }); err != nil {
		return err
	}
	return exitFor(doc.Damage.harmless())
}
