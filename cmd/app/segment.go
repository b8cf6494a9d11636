package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"orrery/core/safe/printable"
	"orrery/core/trace/segments"
)

// segmentPlace is where a recording on disk was opened.
type segmentPlace struct {
	file string
	// at is the time that was asked for; zero if none was.
	at time.Time
	// next is when the segment after this one begins; zero if there is none.
	next time.Time
}

func isDirectory(arg string) bool {
	info, err := os.Stat(arg)
	return err == nil && info.IsDir()
}

// openSegment opens the segment of a time in a directory, as --at and --from give it. Without a time, or with a number of records, it opens the
// last one.
func openSegment(path, at string) (*recording, error) {
	d, err := segments.Open(path)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	s, place := d.Last(), &segmentPlace{}
	if at != "" && !strings.HasPrefix(at, "@") {
		if place.at, err = momentIn(d.Segments[0].Start, d.End, at); err != nil {
			return nil, fmt.Errorf("at %q: %w", at, err)
		}
		found := false
		if s, found = d.At(place.at); !found {
			return nil, fmt.Errorf("at %q: the recording begins only at %s", at, timeText(d.Segments[0].Start))
		}
	}
	if next, ok := d.Next(s); ok {
		place.next = next.Start
	}
	place.file = filepath.Join(path, s.Name)
	f, err := d.File(s)
	if err != nil {
		return nil, err
	}
	return &recording{name: directoryName(path) + "/" + s.Name, size: s.Bytes, segment: place, ReadCloser: f}, nil
}

// directoryName is the name of a directory in output.
func directoryName(path string) string { return printable.Line(filepath.Base(path), 120) }

// momentIn parses a time of a recording on disk, from its first time to its end. A time of day is the last one in it: days may be recorded, and the latest is asked about.
func momentIn(first time.Time, end func() time.Time, text string) (time.Time, error) {
	for _, layout := range clocks[:2] {
		ofDay, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		last := end()
		t := last.UTC().Truncate(24 * time.Hour).Add(ofDay.Sub(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)))
		if t.Sub(last) > time.Second {
			t = t.Add(-24 * time.Hour)
		}
		return t, nil
	}
	return parseMoment(text, first)
}

// exactly is what --at takes for the time that was asked for, or what was given where it is no segment's.
func (p *segmentPlace) exactly(at string) string {
	if p == nil || p.at.IsZero() {
		return at
	}
	return p.at.UTC().Format(time.RFC3339Nano)
}
