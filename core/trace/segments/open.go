package segments

import (
	"cmp"
	"errors"
	"time"

	"orrery/core/trace/play"
)

// open is a segment that is being written. Its file is made with its first record.
type open struct {
	subscriber *play.Subscriber
	limits     Limits
	// notBefore is the end of the segment before it, where it begins with records that this one has, too.
	notBefore time.Time
	file      File
	partial   string // the name that the file gets once the state is on the disk
	name      string // the name of the file; empty until then
	start     time.Time
	began     time.Time
	modified  time.Time
	bytes     int64
	written   int64 // of bytes, not taken yet
	failed    error // of the file
	state     int64 // of bytes, those of the state
}

// write writes what was recorded, to the disk itself. The error is play.ErrReplaced once, where the records of the next segment begin.
func (o *open) write(d Disk, now time.Time) error {
	if o.file == nil {
		summary, begun := o.subscriber.Begun()
		if !begun {
			_, err := o.subscriber.Copy(o) // which says why it will not
			return err
		}
		if o.start = summary.Start; o.notBefore.After(o.start) {
			o.start = o.notBefore
		}
		name := newName(o.start)
		f, err := d.Create(name)
		if err != nil {
			return err
		}
		o.file, o.partial, o.began = f, name, now
	}
	_, ended := o.subscriber.Copy(o)
	if ended != nil && !errors.Is(ended, play.ErrReplaced) {
		if o.failed == nil && !errors.Is(ended, play.ErrFellBehind) {
			return &recordError{ended}
		}
		return ended
	}
	if err := cmp.Or(o.subscriber.Flush(), o.file.Sync()); err != nil {
		return err
	}
	o.modified = now
	if o.name == "" {
		if err := o.limits.fits(o.bytes); err != nil {
			return &recordError{err}
		}
		if err := d.Finish(o.partial); err != nil {
			return err
		}
		o.name, o.state = o.partial, o.bytes
	}
	return ended
}

// Write writes to the file, for the subscriber.
func (o *open) Write(p []byte) (int, error) {
	n, err := o.file.Write(p)
	o.bytes += int64(n)
	o.written += int64(n)
	o.failed = err
	return n, err
}

// recordError is the error of a record that no trace can have: another try with the same records would fail as well.
type recordError struct{ error }

func (e *recordError) Unwrap() error { return e.error }

func (o *open) takeWritten() int64 {
	n := o.written
	o.written = 0
	return n
}

// due reports whether the next segment is to begin.
func (o *open) due(now time.Time) bool {
	return o.name != "" && o.limits.rotates(o.state, o.bytes, now.Sub(o.began))
}

func (o *open) segment() Segment {
	return Segment{Name: o.name, Start: o.start, Bytes: o.bytes, Modified: o.modified}
}

// close writes the end mark, and leaves out what was not written yet.
func (o *open) close() error {
	o.subscriber.Stop()
	if o.file == nil {
		return nil
	}
	defer o.file.Close() // all is on the disk by then
	return cmp.Or(o.subscriber.Close(), o.file.Sync())
}

// abandon leaves the file as it is, for it is read up to where it ends; unless it does not even have its state.
func (o *open) abandon(d Disk) {
	if o.file == nil {
		return
	}
	_ = o.file.Close() // it has failed already
	if o.name == "" {
		_ = d.Discard(o.partial)
	}
}
