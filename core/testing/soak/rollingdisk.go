package soak

import (
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"orrery/core/trace/play"
	"orrery/core/trace/segments"
)

// rollingDisk is a directory for segments that stays when a process ends. For some time it may be full, or fail now and then.
type rollingDisk struct {
	now        func() time.Time // of the run, and of the process that writes
	local      func() time.Time
	files      []*rollingFile // in the order in which they were made
	index      []byte
	inUse      bool
	fullUntil  time.Time
	failsUntil time.Time
	draw       *rand.Rand
	troubled   bool // a call has failed
}

// rollingFile is a segment, once it is finished.
type rollingFile struct {
	disk     *rollingDisk
	name     string
	finished bool
	text     []byte
	modified time.Time
	// Of the bytes that were replayed: how many, and what they sum up to.
	verified int
	summary  play.Summary
}

var (
	_ segments.Disk = (*rollingDisk)(nil)
	_ segments.File = (*rollingFile)(nil)
)

var errDisk = errors.New("input/output error")

// trouble is the error of a call, if it fails.
func (d *rollingDisk) trouble(writes bool) (err error) {
	switch now := d.now(); {
	case writes && now.Before(d.fullUntil):
		err = errFull
	case now.Before(d.failsUntil) && d.draw.IntN(3) == 0:
		err = errDisk
	}
	d.troubled = d.troubled || err != nil
	return err
}

func (d *rollingDisk) find(name string) int {
	return slices.IndexFunc(d.files, func(f *rollingFile) bool { return f.name == name })
}

// Open implements segments.Disk.
func (d *rollingDisk) Open() (all []segments.Segment, index []byte, err error) {
	if d.inUse {
		return nil, nil, segments.ErrInUse
	}
	if err := d.trouble(false); err != nil {
		return nil, nil, err
	}
	d.inUse = true
	d.files = slices.DeleteFunc(d.files, func(f *rollingFile) bool { return !f.finished })
	for _, f := range d.files {
		start, _ := segments.ParseName(f.name)
		all = append(all, segments.Segment{Name: f.name, Start: start, Bytes: int64(len(f.text)), Modified: f.modified})
	}
	slices.SortStableFunc(all, func(a, b segments.Segment) int { return a.Start.Compare(b.Start) })
	return all, d.index, nil
}

// Probe implements segments.Disk.
func (d *rollingDisk) Probe(int64) error { return d.trouble(true) }

// Create implements segments.Disk.
func (d *rollingDisk) Create(name string) (segments.File, error) {
	if err := d.trouble(true); err != nil {
		return nil, err
	}
	f := &rollingFile{disk: d, name: name, modified: d.local()}
	d.files = append(d.files, f)
	return f, nil
}

// Finish implements segments.Disk.
func (d *rollingDisk) Finish(name string) error {
	if err := d.trouble(true); err != nil {
		return err
	}
	d.files[d.find(name)].finished = true
	return nil
}

// Discard implements segments.Disk.
func (d *rollingDisk) Discard(name string) error { return d.Remove(name) }

// Remove implements segments.Disk.
func (d *rollingDisk) Remove(name string) error {
	if err := d.trouble(false); err != nil {
		return err
	}
	if i := d.find(name); i >= 0 {
		d.files = slices.Delete(d.files, i, i+1)
	}
	return nil
}

// WriteIndex implements segments.Disk.
func (d *rollingDisk) WriteIndex(index []byte) error {
	if err := d.trouble(true); err != nil {
		return err
	}
	d.index = index
	return nil
}

// Close implements segments.Disk.
func (d *rollingDisk) Close() { d.inUse = false }

func (f *rollingFile) Write(p []byte) (int, error) {
	err := f.disk.trouble(true)
	if err != nil {
		p = p[:len(p)/2]
	}
	f.text = append(f.text, p...)
	f.modified = f.disk.local()
	return len(p), err
}

func (f *rollingFile) Sync() error  { return f.disk.trouble(false) }
func (f *rollingFile) Close() error { return f.disk.trouble(false) }
