package app

import (
	"fmt"
	"io"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"orrery/core/trace/segments"
)

// traceDirectoryDocument is what a recording on disk holds.
type traceDirectoryDocument struct {
	envelope
	Trace     string            `json:"trace"`
	First     moment            `json:"first"`
	Last      moment            `json:"last"`
	Seconds   float64           `json:"seconds"`
	Bytes     int64             `json:"bytes"`
	Inputs    uint64            `json:"inputs"`
	Decisions uint64            `json:"decisions"`
	Segments  []segmentDocument `json:"segments"`
	Gaps      []gapDocument     `json:"gaps"`
}

// segmentDocument is one of its files.
type segmentDocument struct {
	Name       string `json:"name"`
	Start      moment `json:"start"`
	End        moment `json:"end"`
	Bytes      int64  `json:"bytes"`
	Inputs     uint64 `json:"inputs"`
	Decisions  uint64 `json:"decisions"`
	Unfinished bool   `json:"unfinished"`
	Damage     string `json:"damage,omitempty"`
}

// gapDocument is a time between two segments of which records are missing.
type gapDocument struct {
	From    moment `json:"from"`
	To      moment `json:"to"`
	Restart bool   `json:"restart"`

	from, to time.Time
}

func directoryInfo(c *cobra.Command, out output, path string) error {
	d, err := segments.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	doc := traceDirectoryDocument{envelope: document("TraceDirectory"), Trace: directoryName(path), Bytes: d.Bytes()}
	p := newProgress(c, "reading "+doc.Trace)
	all := d.Summaries(p.ofBytes(d.Bytes()))
	p.done()
	whole := doc.add(all)
	if err := out.print(c, doc, doc.text); err != nil {
		return err
	}
	return exitFor(whole)
}

// ofBytes shows how many bytes of a number are done with.
func (p *progress) ofBytes(total int64) func(done int64) {
	return func(done int64) {
		p.update(func() string {
			return fmt.Sprintf("%d%% of %s", min(100*done/max(total, 1), 100), humanize.IBytes(uint64(total)))
		})
	}
}

// add adds the segments, and reports whether all of them can be read to their end.
func (d *traceDirectoryDocument) add(all []segments.Summarized) (whole bool) {
	whole = true
	first, last := all[0].Summary.Start, all[0].Summary.End
	for i := range all {
		s := &all[i]
		if s.Summary.End.After(last) {
			last = s.Summary.End
		}
		d.Inputs += s.Inputs
		d.Decisions += s.Decisions
		if i > 0 {
			inputs, decisions := s.Shared(&all[i-1].Summary)
			d.Inputs -= inputs
			d.Decisions -= decisions
		}
		d.Segments = append(d.Segments, segmentDocumentOf(s))
		whole = whole && (s.Damage == "" || s.Unfinished)
	}
	d.Gaps = gapDocuments(all)
	d.First, d.Last, d.Seconds = momentOf(first), momentOf(last), max(last.Sub(first), 0).Seconds()
	return whole
}

func segmentDocumentOf(s *segments.Summarized) segmentDocument {
	return segmentDocument{s.Name, momentOf(s.Summary.Start), momentOf(s.Summary.End), s.Segment.Bytes, s.Inputs, s.Decisions, s.Unfinished, s.Damage}
}

func gapDocuments(all []segments.Summarized) []gapDocument {
	gaps := []gapDocument{}
	for _, g := range segments.Gaps(all) {
		gaps = append(gaps, gapDocument{momentOf(g.From), momentOf(g.To), g.Restart, g.From, g.To})
	}
	return gaps
}

func (d traceDirectoryDocument) text(w io.Writer) {
	fmt.Fprintf(w, "%s: %s of a scheduler's life, in %s\n", d.Trace, durationText(durationOf(d.Seconds)), countText(len(d.Segments), "segment"))
	writeTable(w, "  ", [][]string{
		{"from", string(d.First)},
		{"to", string(d.Last)},
		{"files", humanize.IBytes(uint64(d.Bytes))},
		{"inputs", humanize.Comma(int64(d.Inputs))},
		{"decisions", humanize.Comma(int64(d.Decisions))},
	})
	for _, s := range d.Segments {
		s.writeDamage(w)
	}
	writeGaps(w, d.Gaps)
}

// writeDamage says what of a segment is lost; an end mark alone is no loss.
func (s *segmentDocument) writeDamage(w io.Writer) {
	if s.Damage != "" && !s.Unfinished {
		fmt.Fprintf(w, "  %s: %s; everything before it is used\n", s.Name, s.Damage)
	}
}

func writeGaps(w io.Writer, gaps []gapDocument) {
	if len(gaps) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s: nothing was recorded\n", countText(len(gaps), "gap"))
	var table [][]string
	for _, g := range gaps {
		why := "the recording stopped"
		if g.Restart {
			why = "another process went on"
		}
		table = append(table, []string{timeText(g.from), "to", timeText(g.to), durationText(max(g.to.Sub(g.from), 0)), why})
	}
	writeTable(w, "  ", table)
}
