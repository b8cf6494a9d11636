package segments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/klog/v2"

	"orrery/core/safe/panics"
	"orrery/core/trace/play"
)

// Source is a scheduler whose records can be had. Both calls end with the context at the latest.
type Source interface {
	Subscribe(ctx context.Context, o play.SubscriptionOptions) (*play.Subscriber, error)
	Unsubscribe(ctx context.Context, s *play.Subscriber) error
}

// Options configure a Recorder.
type Options struct {
	Directory string
	Limits    Limits
	// Program is in the headers of the segments.
	Program string
	Logger  klog.Logger
	// Disk is written to in place of the directory, unless it is nil.
	Disk Disk
}

const (
	// waitingBytes bounds the records that wait for the disk.
	//
	//orrery:limit recordings; records that wait for the disk, in bytes; the recording has a gap and begins again with a state; scheduling goes on
	waitingBytes = 64 << 20
	// retryEvery is the time between two tries to record again; up to eight times that where there is room and they fail all the same.
	retryEvery = 10 * time.Second
	// leastRoom is how much has to be free at least for a try.
	leastRoom = 1 << 20
)

// Recorder writes a scheduler's records into a directory. [Recorder.Run] calls Step on one goroutine, to which everything belongs but the status; a loop in
// virtual time calls Step and Finish itself.
type Recorder struct {
	guardedStatus
	options Options
	disk    Disk
	source  Source

	opened bool
	ended  []Segment // oldest first
	index  map[string]indexEntry
	// mayExpire is how many segments may go by their age until the next one ends.
	mayExpire    int
	withoutIndex bool // and it was said
	current      *open
	next         *open // that replaces current, once it is on the disk
	state        int64 // the size of the last one
	// left is when the process before this one last wrote to the directory; zero once the first segment says so, and if there was none.
	left time.Time
	// ticks has the times at which the current segment is written while the next one is begun; nil for never.
	ticks <-chan time.Time
	outage
}

// outage is a time without a recording. It is zero while there is one.
type outage struct {
	why     error
	since   time.Time // when records last reached the disk; zero if they never did
	retryAt time.Time
	// tries counts those that found room on the disk and failed all the same.
	tries int
	// withoutPast says that what was not recorded cannot be.
	withoutPast bool
}

// NewRecorder returns a recorder that is to be run.
func NewRecorder(o Options, from Source) *Recorder {
	if o.Disk == nil {
		o.Disk = &directory{path: o.Directory}
	}
	return &Recorder{options: o, source: from, disk: o.Disk}
}

// Status returns how the recording does. It may be called at any time.
func (r *Recorder) Status() Status { return r.get() }

// Step does what is due: it writes what was recorded since the last one, and begins, ends and removes segments.
func (r *Recorder) Step(ctx context.Context, now time.Time) {
	if r.current == nil && now.Before(r.retryAt) {
		return
	}
	if err := r.record(ctx, now); err != nil {
		r.stop(ctx, now, err)
	}
}

func (r *Recorder) record(ctx context.Context, now time.Time) (err error) {
	defer panics.Recover("recording", &err)
	if r.current == nil {
		if err := r.begin(ctx, now); err != nil {
			return err
		}
	}
	if err := r.write(now); err != nil {
		return err
	}
	if r.next == nil && r.current.due(now) {
		var err error
		if r.next, err = r.subscribe(ctx, play.SubscriptionOptions{Replaces: r.current.subscriber}); err != nil {
			return err
		}
		if err := r.write(now); err != nil { // up to where the next one begins
			return err
		}
	}
	return r.removeExpired(now)
}

// write writes the current segment, and goes on with the next one from where that begins.
func (r *Recorder) write(now time.Time) error {
	err := r.current.write(r.disk, now)
	if errors.Is(err, play.ErrReplaced) {
		err = r.replace(now)
	}
	if err == nil {
		r.flushed(now)
	}
	return err
}

// replace puts the next segment in the place of the current one, which is written until the next one is on the disk: making and writing
// the state of a large cluster takes a second. What is written to both is in both.
func (r *Recorder) replace(now time.Time) error {
	begun := make(chan error, 1)
	go func() {
		var err error
		defer func() { begun <- err }()
		defer panics.Recover("recording", &err)
		err = r.next.write(r.disk, now)
	}()
	var failed error
	for {
		select {
		case err := <-begun:
			if err := cmp.Or(failed, err); err != nil {
				return err
			}
			if err := r.end(); err != nil {
				return err
			}
			r.current, r.next = r.next, nil
			return nil
		case at, more := <-r.ticks:
			switch {
			case !more:
				r.ticks = nil
			case failed == nil:
				if failed = r.current.write(r.disk, at); failed == nil {
					r.flushed(at)
				}
			}
		}
	}
}

// begin begins to record, or to record again.
func (r *Recorder) begin(ctx context.Context, now time.Time) (err error) {
	if !r.opened {
		ended, index, err := r.disk.Open()
		if err != nil {
			return err
		}
		r.opened, r.ended, r.index = true, ended, parseIndex(index)
		if n := len(ended); n > 0 && r.get().Flushed.IsZero() {
			r.left = ended[n-1].Modified
		}
	}
	if err := r.removeExpired(now); err != nil {
		return err
	}
	if err := r.disk.Probe(max(leastRoom, r.state)); err != nil {
		return err
	}
	var o play.SubscriptionOptions
	if !r.withoutPast {
		o.Since = r.since
	}
	r.tries++
	if r.current, err = r.subscribe(ctx, o); err == nil {
		r.current.notBefore = o.Since
	}
	return err
}

func (r *Recorder) subscribe(ctx context.Context, o play.SubscriptionOptions) (*open, error) {
	o.MaxBytes = waitingBytes
	o.About = play.About{Program: r.options.Program, Description: "recorded as it was decided"}
	if r.why != nil && !r.since.IsZero() {
		o.About.Description += fmt.Sprintf("; the recording had stopped at %s: %v", r.since.UTC().Format(time.RFC3339), r.why)
	}
	if !r.left.IsZero() {
		o.About.Description += fmt.Sprintf("; the process before this one wrote until %s, and nothing is recorded from then on until this begins", r.left.UTC().Format(time.RFC3339))
	}
	s, err := r.source.Subscribe(ctx, o)
	if err != nil {
		return nil, err
	}
	return &open{subscriber: s, limits: r.options.Limits}, nil
}

// flushed notes that records have reached the disk.
func (r *Recorder) flushed(now time.Time) {
	if r.current.name == "" { // the scheduler is in the middle of something
		return
	}
	r.state = r.current.state
	if !r.get().Recording {
		r.options.Logger.Info("Recording", "directory", r.options.Directory, "segment", r.current.name)
	}
	r.outage = outage{}
	written := r.current.takeWritten()
	var missing time.Duration
	if !r.left.IsZero() {
		if missing = max(r.current.start.Sub(r.left), 0); missing > 0 {
			r.options.Logger.Info("Nothing is recorded of the time between the process before this one and this one",
				"directory", r.options.Directory, "from", r.left.UTC(), "to", r.current.start.UTC())
		}
		r.left = time.Time{}
	}
	r.update(func(s *Status) {
		s.Recording, s.Flushed, s.Why = true, now, nil
		s.Written += uint64(written)
		s.Missing += missing
	})
}

// end ends the current segment.
func (r *Recorder) end() error {
	c := r.current
	if err := c.close(); err != nil || c.name == "" {
		return err
	}
	summary, _ := c.subscriber.Begun()
	r.index = addTo(r.index, indexEntry{Name: c.name, Bytes: c.bytes, Summary: summary})
	r.ended = append(r.ended, c.segment())
	r.mayExpire = expiredPerSegment
	r.writeIndex()
	return nil
}

func addTo(entries map[string]indexEntry, e indexEntry) map[string]indexEntry {
	if entries == nil {
		entries = map[string]indexEntry{}
	}
	entries[e.Name] = e
	return entries
}

// writeIndex ignores errors of the disk: without an index the segments are read, and a disk that fails will say so elsewhere.
func (r *Recorder) writeIndex() {
	var entries []indexEntry
	for _, s := range r.ended {
		if e, ok := r.index[s.Name]; ok && e.Bytes == s.Bytes {
			entries = append(entries, e)
		}
	}
	if err := r.disk.WriteIndex(marshalIndex(entries)); errors.Is(err, errForeignIndex) && !r.withoutIndex {
		r.withoutIndex = true
		r.options.Logger.Error(err, "Recording without an index, which makes a recording slower to open", "directory", r.options.Directory)
	}
}

func (r *Recorder) removeExpired(now time.Time) error {
	var current Segment
	if r.current != nil {
		current = r.current.segment()
	}
	expired, aged := r.options.Limits.expired(r.ended, current.Bytes, now, r.mayExpire)
	for range expired {
		oldest := r.ended[0].Name
		if err := r.disk.Remove(oldest); err != nil {
			return err
		}
		delete(r.index, oldest)
		r.ended = r.ended[1:]
	}
	r.mayExpire -= aged
	if expired > 0 {
		r.writeIndex()
	}
	r.update(func(s *Status) {
		if s.Segments, s.Bytes = len(r.ended), sizeOf(r.ended)+current.Bytes; r.current != nil {
			s.Segments++
		}
	})
	return nil
}

// stop ends the recording after an error, until the next try.
func (r *Recorder) stop(ctx context.Context, now time.Time, err error) {
	for _, o := range []*open{r.current, r.next} {
		if o == nil {
			continue
		}
		_ = r.source.Unsubscribe(ctx, o.subscriber) // fails if the scheduler has ended
		if o.abandon(r.disk); o.name != "" {
			r.ended = append(r.ended, o.segment())
		}
	}
	r.current, r.next = nil, nil
	r.retryAt = now.Add(retryEvery << min(max(r.tries-1, 0), 3))
	if errors.Is(err, play.ErrFellBehind) {
		r.retryAt = now
	} else {
		r.closeDisk()
	}
	if refused := (*recordError)(nil); errors.As(err, &refused) {
		r.withoutPast = true
	}
	if r.why != nil && causeOf(r.why) == causeOf(err) || ctx.Err() != nil {
		return
	}
	if r.why == nil {
		r.since = r.get().Flushed
	}
	r.why = err
	r.options.Logger.Error(err, "Nothing is recorded; scheduling goes on", "directory", r.options.Directory, "recordedUpTo", r.since)
	r.update(func(s *Status) {
		if s.Recording {
			s.Gaps++
		}
		s.Recording, s.Why = false, err
	})
}

// causeOf returns the innermost text of an error: around it are what was done and the name of a file, which are others at the next try.
func causeOf(err error) string {
	for {
		var inner error
		switch e := err.(type) {
		case interface{ Unwrap() error }:
			inner = e.Unwrap()
		case interface{ Unwrap() []error }:
			inner = e.Unwrap()[0]
		}
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

// closeDisk gives up the directory and its lock, so that the next try opens what is there by then: after a remount it is another directory.
func (r *Recorder) closeDisk() {
	if r.opened {
		r.disk.Close()
	}
	r.opened = false
}

// Finish ends the recording with the process. The scheduler has ended, so that there are no more records.
func (r *Recorder) Finish(now time.Time) {
	if !r.opened {
		return
	}
	defer r.closeDisk()
	if r.current == nil {
		return
	}
	if err := cmp.Or(r.write(now), r.end()); err != nil {
		r.options.Logger.Error(err, "The end of the recording is missing")
	}
}

func sizeOf(all []Segment) int64 {
	var sum int64
	for _, s := range all {
		sum += s.Bytes
	}
	return sum
}
