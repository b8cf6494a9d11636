package app

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"orrery/core/scheduler/engine"
	"orrery/core/trace"
	"orrery/core/trace/journey"
	"orrery/core/trace/play"
	"orrery/core/trace/segments"
)

// series is a recording in one or more parts: a trace, or the segments of a directory.
type series struct {
	arg, name string
	directory *segments.Directory
	chosen    []segments.Segment // of the directory
	trace     *recording
}

// openSeries opens a trace or a directory with all of its segments.
func openSeries(c *cobra.Command, arg string) (*series, error) {
	if !isDirectory(arg) {
		rec, err := openTrace(c, arg)
		if err != nil {
			return nil, err
		}
		return &series{arg: arg, name: rec.name, trace: rec}, nil
	}
	d, err := segments.Open(arg)
	if err != nil {
		return nil, err
	}
	return &series{arg: arg, name: directoryName(arg), directory: d, chosen: d.Segments}, nil
}

// Close closes what is open.
func (s *series) Close() error {
	if s.directory != nil {
		return s.directory.Close()
	}
	return s.trace.Close()
}

// within leaves out the segments that have nothing of a time range.
func (s *series) within(from, to time.Time) {
	for len(s.chosen) > 1 && !s.chosen[1].Start.After(from) {
		s.chosen = s.chosen[1:]
	}
	for len(s.chosen) > 1 && s.chosen[len(s.chosen)-1].Start.After(to) {
		s.chosen = s.chosen[:len(s.chosen)-1]
	}
}

// part is a part of a series that is open, until the next one begins; zero for the last.
type part struct {
	*recording
	until time.Time
}

// parts calls a function with each part, opened at its beginning.
func (s *series) parts(do func(part) error) error {
	if s.directory == nil {
		return do(part{recording: s.trace})
	}
	for i, segment := range s.chosen {
		f, err := s.directory.File(segment)
		if err != nil {
			return err
		}
		p := part{recording: &recording{name: s.name + "/" + segment.Name, size: segment.Bytes, ReadCloser: f}}
		if i+1 < len(s.chosen) {
			p.until = s.chosen[i+1].Start
		}
		if err := errors.Join(do(p), f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// tracking is how a series is replayed.
type tracking struct {
	sink    journey.Sink
	options play.Options
	// until, unless it is zero, ends what the sink is told.
	until time.Time
	// begins and ends, if not nil, are called with each part.
	begins func(trace.Header)
	ends   func(*engine.Engine, *play.Report) error
}

// track replays all parts for a sink, and reports whether one of them is damaged. It returns the engine as of the end.
func (s *series) track(c *cobra.Command, t tracking) (e *engine.Engine, damaged bool, err error) {
	tracker := journey.New(t.sink)
	err = s.parts(func(rec part) error {
		p := newProgress(c, "replaying "+rec.name)
		defer p.done()
		header, whole, err := headerOf(p.reading(rec, rec.size))
		if err != nil {
			return fmt.Errorf("reading %s: %w", rec.name, err)
		}
		if t.begins != nil {
			t.begins(header)
		}
		until := rec.until
		if until.IsZero() {
			until = t.until
		}
		var report *play.Report
		if e, report, err = tracker.Read(whole, t.options, until); err != nil {
			return fmt.Errorf("reading %s: %w", rec.name, err)
		}
		p.done()
		if d := damageOf(report.Damage); !d.harmless() {
			damaged = true
			warn(c, rec.name+": "+d.Message+"; everything before it is used")
		}
		if t.ends != nil {
			return t.ends(e, report)
		}
		return nil
	})
	if err == nil {
		tracker.Finish()
	}
	return e, damaged, err
}

// rewindable makes a trace one that can be read again; one that comes on a pipe is kept in memory.
func (s *series) rewindable() error {
	if s.directory != nil {
		return nil
	}
	again, err := seekable(s.trace)
	if err != nil {
		return err
	}
	s.trace = &recording{name: s.trace.name, size: s.trace.size, opening: s.trace.opening, ReadCloser: rewound{again, s.trace}}
	return nil
}

// rewound is a trace that can be read again.
type rewound struct {
	io.ReadSeeker
	io.Closer
}

// rewind goes back to the beginning.
func (s *series) rewind() error {
	if r, ok := s.trace.ReadCloser.(rewound); ok {
		_, err := r.Seek(0, io.SeekStart)
		return err
	}
	return nil
}

// span returns the times between which there is something in the series.
func (s *series) span() (start, end time.Time, err error) {
	if s.directory != nil {
		return s.directory.Segments[0].Start, s.directory.End(), nil
	}
	summary, _, err := play.Summarize(s.trace)
	if err != nil {
		return start, end, fmt.Errorf("reading %s: %w", s.name, err)
	}
	return summary.Start, summary.End, s.rewind()
}

// moment parses a time of the series.
func (s *series) moment(text string, start, end time.Time) (time.Time, error) {
	if s.directory != nil {
		return momentIn(start, func() time.Time { return end }, text)
	}
	return parseMoment(text, start)
}
