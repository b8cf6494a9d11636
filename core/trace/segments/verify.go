package segments

import (
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/trace/play"
)

// Verified is a segment that was replayed.
type Verified struct {
	Summarized
	// Report is nil if it could not be replayed at all; then Damage says why.
	Report *play.Report
	Digest engine.Digest
}

// Same reports whether what is readable of a segment is decided as it was recorded.
func (v *Verified) Same() bool { return v.Report != nil && v.Report.OK() }

// Whole reports whether all of a segment could be read, but for an end mark that a process which was stopped did not write.
func (v *Verified) Whole() bool { return v.Damage == "" || v.Unfinished }

// Verify replays all segments, several at a time.
func (d *Directory) Verify(o play.Options, progress func(done int64)) []Verified {
	all := make([]Verified, len(d.Segments))
	d.each(progress, func(i int, s Segment, read func(int64)) {
		all[i].Segment = s
		if err := all[i].replay(d, o, read); err != nil {
			all[i].Report, all[i].Damage = nil, printable.Line(err.Error(), 300)
			all[i].Summary = play.Summary{Start: s.Start, End: s.Start}
		}
	})
	return all
}

func (v *Verified) replay(d *Directory, o play.Options, read func(int64)) error {
	f, err := d.File(v.Segment)
	if err != nil {
		return err
	}
	defer f.Close()
	e, report, err := play.Replay(&countingReader{f, read}, o)
	if err != nil {
		return err
	}
	v.Report, v.Digest = report, e.Digest()
	v.Summary = report.Summary
	if report.Damage != nil {
		v.Damage, v.Unfinished = printable.Text(report.Damage.Error()), isUnfinished(report.Damage)
	}
	return nil
}
