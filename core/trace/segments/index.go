package segments

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"orrery/core/safe/panics"
	"orrery/core/safe/printable"
	"orrery/core/trace/play"
)

const (
	indexName    = "index.json"
	indexVersion = 1
	// maxIndexBytes bounds the index that is read. An entry has some 300 bytes.
	//
	//orrery:limit recordings; the index of a directory, in bytes; the rest is not read, and the segments themselves are
	maxIndexBytes = maxEntries * 512
)

// index is the file beside the segments: what is in those that were ended.
type index struct {
	Version  int          `json:"version"`
	Segments []indexEntry `json:"segments"`
}

type indexEntry struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	play.Summary
}

// errForeignIndex is the error of a file that has the index's name and was written by another program, or by another version of this one.
var errForeignIndex = errors.New(indexName + " in the directory is not an index of this version of Orrery: it is left as it is; move it away, or record into another directory")

// isOwnIndex reports whether a file of the index's name may be replaced: it is an index of this version, or empty, as a crash leaves it.
func isOwnIndex(text []byte) bool {
	var i index
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&i); err != nil || i.Version != indexVersion {
		return len(text) == 0
	}
	return !slices.ContainsFunc(i.Segments, func(e indexEntry) bool {
		_, named := ParseName(e.Name)
		return !named
	})
}

// parseIndex returns the entries of an index by name; none of a damaged one, or of another version.
func parseIndex(text []byte) map[string]indexEntry {
	var i index
	if err := json.Unmarshal(text, &i); err != nil || i.Version != indexVersion {
		return nil
	}
	entries := map[string]indexEntry{}
	for _, e := range i.Segments {
		if _, ok := ParseName(e.Name); ok && !e.End.Before(e.Start) {
			entries[e.Name] = e
		}
	}
	return entries
}

func marshalIndex(entries []indexEntry) []byte {
	text, err := json.Marshal(index{indexVersion, entries})
	if err != nil {
		panic(err) // times are recordable, which are those that JSON has
	}
	return append(text, '\n')
}

// readIndex reads the index of a directory, if there is one that can be read.
func readIndex(root *os.Root) []byte {
	info, err := root.Lstat(indexName)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := root.Open(indexName)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxIndexBytes))
	if err != nil {
		return nil
	}
	return text
}

// hasForeignIndex reports whether the directory has a file of the index's name that is not to be replaced.
func hasForeignIndex(root *os.Root) bool {
	if _, err := root.Lstat(indexName); errors.Is(err, fs.ErrNotExist) {
		return false
	}
	text := readIndex(root)
	return text == nil || !isOwnIndex(text)
}

// Summarized is a segment with its summary.
type Summarized struct {
	Segment
	play.Summary
	// Damage says why it could not be read to its end, or at all; empty if it could. Unfinished says that only its end mark is missing.
	Damage     string
	Unfinished bool
}

// Summaries returns the summaries of all segments. Those that the index does not have are read, several at a time; progress, which may be nil, is
// called with the bytes that are done with.
func (d *Directory) Summaries(progress func(done int64)) []Summarized {
	known := parseIndex(readIndex(d.root))
	all := make([]Summarized, len(d.Segments))
	d.each(progress, func(i int, s Segment, read func(n int64)) {
		all[i] = Summarized{Segment: s}
		if e, ok := known[s.Name]; ok && e.Bytes == s.Bytes {
			all[i].Summary = e.Summary
			read(s.Bytes)
			return
		}
		all[i].read(d, read)
	})
	return all
}

// read derives the summary from the file.
func (s *Summarized) read(d *Directory, read func(int64)) {
	f, err := d.File(s.Segment)
	if err == nil {
		defer f.Close()
		summary, damage, readErr := play.Summarize(&countingReader{f, read})
		s.Summary, err = summary, readErr
		if damage != nil {
			s.Damage, s.Unfinished = printable.Text(damage.Error()), isUnfinished(damage)
		}
	}
	if err != nil {
		s.Summary = play.Summary{Start: s.Segment.Start, End: s.Segment.Start}
		s.Damage = printable.Line(err.Error(), 300)
	}
}

// each calls do for every segment, on as many goroutines as there are processors.
func (d *Directory) each(progress func(done int64), do func(i int, s Segment, read func(n int64))) {
	var done atomic.Int64
	read := func(n int64) {
		if total := done.Add(n); progress != nil {
			progress(total)
		}
	}
	next := make(chan int)
	var working sync.WaitGroup
	var failed atomic.Pointer[error]
	for range min(runtime.GOMAXPROCS(0), len(d.Segments)) {
		working.Go(func() {
			for i := range next {
				if err := panics.Call("reading segment "+d.Segments[i].Name, func() { do(i, d.Segments[i], read) }); err != nil {
					failed.Store(&err)
				}
			}
		})
	}
	for i := range d.Segments {
		next <- i
	}
	close(next)
	working.Wait()
	if err := failed.Load(); err != nil {
		panic(*err) // where its caller can end in order
	}
}

// countingReader tells how much it reads.
type countingReader struct {
	from io.Reader
	read func(n int64)
}

func (c *countingReader) Read(into []byte) (int, error) {
	n, err := c.from.Read(into)
	c.read(int64(n))
	return n, err
}
