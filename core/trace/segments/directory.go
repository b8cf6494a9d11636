package segments

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sort"
	"strings"
	"time"

	"orrery/core/safe/printable"
)

// maxEntries bounds the entries of a directory that are looked at: a recording has some thousands.
//
//orrery:limit recordings; entries of a directory that is recorded into; refused
const maxEntries = 200_000

// Segment is a trace in a directory.
type Segment struct {
	Name  string
	Start time.Time
	Bytes int64
	// Modified is when it was last written to.
	Modified time.Time
}

// Directory is a recording in segments, as they were when it was opened.
type Directory struct {
	root *os.Root
	// Segments are at least one, oldest first.
	Segments []Segment
}

// ErrNoSegments is the error of a directory that holds no recording.
var ErrNoSegments = errors.New("it is a directory that holds no recording: \"orrery run --record-dir\" makes one")

// Open finds the segments of a directory. Close has to be called.
func Open(path string) (*Directory, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("opening a recording: %w", err)
	}
	d := &Directory{root: root}
	if d.Segments, _, err = list(root); err == nil && len(d.Segments) == 0 {
		err = ErrNoSegments
	}
	if err != nil {
		_ = root.Close()
		return nil, fmt.Errorf("opening %q: %w", path, err)
	}
	return d, nil
}

// Close ends the use of a directory.
func (d *Directory) Close() error { return d.root.Close() }

// list returns the segments in a directory, oldest first, and the names of partial ones. Only regular files count.
func list(root *os.Root) (all []Segment, partial []string, err error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, nil, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(maxEntries)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, err
	}
	if len(entries) == maxEntries {
		return nil, nil, fmt.Errorf("it has %d entries or more: give the recording a directory of its own", maxEntries)
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		if isPartial(e.Name()) {
			partial = append(partial, e.Name())
		}
		start, is := ParseName(e.Name())
		if !is {
			continue
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) { // it has just gone
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		all = append(all, Segment{Name: e.Name(), Start: start, Bytes: info.Size(), Modified: info.ModTime()})
	}
	slices.SortFunc(all, func(a, b Segment) int { return strings.Compare(a.Name, b.Name) })
	return all, partial, nil
}

// Last returns the latest segment.
func (d *Directory) Last() Segment { return d.Segments[len(d.Segments)-1] }

// End returns the time of the last record. It may read the last segment: a file may be written to for long after its beginning, where that is
// the scheduler's past, and its own time may be that of a copy.
func (d *Directory) End() time.Time {
	last := Directory{root: d.root, Segments: d.Segments[len(d.Segments)-1:]}
	s := last.Summaries(nil)[0]
	if s.Summary.End.Before(s.Segment.Start) {
		return s.Segment.Start
	}
	return s.Summary.End
}

// At returns the segment that a time is in: the last that begins no later. It returns false for a time before all.
func (d *Directory) At(t time.Time) (Segment, bool) {
	i := sort.Search(len(d.Segments), func(i int) bool { return d.Segments[i].Start.After(t) })
	if i == 0 {
		return Segment{}, false
	}
	return d.Segments[i-1], true
}

// Next returns the segment after another one, if there is one.
func (d *Directory) Next(s Segment) (Segment, bool) {
	i := slices.IndexFunc(d.Segments, func(other Segment) bool { return other.Name > s.Name })
	if i < 0 {
		return Segment{}, false
	}
	return d.Segments[i], true
}

// Bytes is the size of all segments.
func (d *Directory) Bytes() int64 { return sizeOf(d.Segments) }

// File opens a segment.
func (d *Directory) File(s Segment) (*os.File, error) {
	info, err := d.root.Lstat(s.Name)
	if err != nil {
		return nil, fmt.Errorf("opening a segment: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("opening a segment: %s is not a file any more", printable.Line(s.Name, 60))
	}
	return d.root.Open(s.Name)
}
