package soak

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"time"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/world"
)

// observers are those of one process. Recordings begin and end while it runs.
type observers struct {
	all        drive.Observers
	recordings []*recording
}

var _ drive.Observer = (*observers)(nil)

// Applied implements drive.Observer.
func (o *observers) Applied(in world.Input, err error) {
	o.all.Applied(in, err)
	for _, one := range o.recordings {
		one.recorder.Applied(in, err)
	}
}

// Stepped implements drive.Observer.
func (o *observers) Stepped(d *engine.Decision) {
	o.all.Stepped(d)
	for _, one := range o.recordings {
		one.recorder.Stepped(d)
	}
}

// Emitted implements drive.Observer.
func (o *observers) Emitted(e world.Effect) {
	o.all.Emitted(e)
	for _, one := range o.recordings {
		one.recorder.Emitted(e)
	}
	o.recordings = slices.DeleteFunc(o.recordings, func(one *recording) bool {
		ends := one.due && !one.engine.Settled()
		if ends {
			one.check(true)
		}
		return ends
	})
}

// end ends the recordings as the end of the process does: in the middle.
func (o *observers) end() {
	for _, one := range o.recordings {
		one.check(false)
	}
	o.recordings = nil
}

// disk is a file on a disk of so many bytes; none is a disk without a bound.
type disk struct {
	bytes.Buffer
	most int
}

var errFull = errors.New("no space left on device")

func (d *disk) Write(p []byte) (int, error) {
	if left := d.most - d.Len(); d.most > 0 && len(p) > left {
		n, _ := d.Buffer.Write(p[:max(0, left)])
		return n, errFull
	}
	return d.Buffer.Write(p)
}

// recording is what a process records for some time.
type recording struct {
	of       *replica
	engine   *engine.Engine
	recorder *play.Recorder
	disk     *disk
	hashed   bool // it is replayed with hashed names
	due      bool // it ends when the engine is in the middle of something next, or after cycleWithin
}

// cycleWithin is how long a recording that is due waits for a cycle that asks extenders, to be closed in the middle of it.
const cycleWithin = 10 * time.Second

// record records the leader for some time, on a disk that may be full before.
func (r *run) record(s Step) {
	one := r.leader()
	if one == nil {
		return
	}
	rec := &recording{of: one, engine: one.engine, disk: &disk{}}
	if s.N%2 == 0 {
		rec.disk.most = s.Count
	}
	recorder, err := play.NewRecorder(rec.disk, one.engine, one.options, play.About{Program: "soak"})
	if errors.Is(err, errFull) {
		return
	}
	if err != nil {
		one.ledger.fail("replay", "a recording cannot begin: %v", err)
		return
	}
	rec.recorder = recorder
	observers := one.observers
	observers.recordings = append(observers.recordings, rec)
	r.after(time.Duration(s.For), func() { rec.due = true })
	r.after(time.Duration(s.For)+cycleWithin, func() {
		if i := slices.Index(observers.recordings, rec); i >= 0 {
			observers.recordings = slices.Delete(observers.recordings, i, i+1)
			rec.check(true)
		}
	})
}

// recordFromStart records a process as long as it runs.
func (o *observers) recordFromStart(of *replica) {
	rec := &recording{of: of, engine: of.engine, disk: &disk{}, hashed: true}
	var err error
	if rec.recorder, err = play.NewRecorder(rec.disk, of.engine, of.options, play.About{Program: "soak"}); err != nil {
		of.ledger.fail("hashed", "a recording cannot begin: %v", err)
		return
	}
	o.recordings = append(o.recordings, rec)
}

// leader is the replica that schedules, or nil.
func (r *run) leader() *replica {
	for _, one := range r.replicas {
		if one.leads() {
			return one
		}
	}
	return nil
}

// check: a recording replays to the same decisions, as far as there was room for it, and to the same digest if it was closed.
func (r *recording) check(closed bool) {
	if r.hashed {
		r.checkHashed()
		return
	}
	whole := false
	if closed {
		err := r.recorder.Close()
		if whole = err == nil && r.engine.Settled(); err != nil && !errors.Is(err, errFull) {
			r.of.ledger.fail("replay", "the recording cannot be closed: %v", err)
		}
	}
	r.of.checkTrace(r.disk.Bytes(), whole)
}

// checkTrace: what was written replays to the same decisions; a whole trace has no damage, and ends in the digest of the engine.
func (r *replica) checkTrace(text []byte, whole bool) {
	r.run.checked("replay")
	o := play.Options{Adjust: func(o *engine.Options) { o.Plugins = r.options.Plugins }}
	again, report, err := play.Replay(bytes.NewReader(text), o)
	switch {
	case err != nil && whole:
		r.ledger.fail("replay", "the trace of %d bytes cannot be replayed: %v", len(text), err)
	case err != nil: // not even its beginning was written
	case !report.Exact: // the state of another's plugin cannot be written, so the trace began with a snapshot
	case !report.OK():
		r.ledger.fail("replay", "the replay differs: %v", report.First)
	case whole && report.Damage != nil:
		r.ledger.fail("replay", "the trace is damaged: %v", report.Damage)
	case whole && again.Digest() != r.engine.Digest():
		r.ledger.fail("replay", "the replay ends in digest %v instead of %v", again.Digest(), r.engine.Digest())
	}
}

// checkHashed: a recording whose names are hashed replays to the same decisions, of the same inputs.
func (r *recording) checkHashed() {
	of := r.of
	of.run.checked("hashed")
	hash, err := trace.NewNameHasher([]byte("a salt of the soak"))
	if err == nil {
		err = r.recorder.Close()
	}
	if err != nil {
		of.ledger.fail("hashed", "the recording cannot be closed: %v", err)
		return
	}
	var hashed bytes.Buffer
	if err := trace.HashNames(bytes.NewReader(r.disk.Bytes()), &hashed, hash); err != nil {
		of.ledger.fail("hashed", "names cannot be hashed: %v", err)
		return
	}
	_, report, err := play.Replay(&hashed, play.Options{})
	switch {
	case err != nil:
		of.ledger.fail("hashed", "the trace with hashed names cannot be replayed: %v", err)
	case !report.OK():
		of.ledger.fail("hashed", "with hashed names %d of %d decisions differ: %v", report.Different+report.Missing, report.Decisions, report.First)
	case report.Refused != of.engine.Counters().Refused:
		of.ledger.fail("hashed", "with hashed names %d inputs are refused, not %d", report.Refused, of.engine.Counters().Refused)
	}
}

// saveFlight saves what the leader's flight recorder holds.
func (r *run) saveFlight(Step) {
	one := r.leader()
	if one == nil || one.flight == nil {
		return
	}
	var to disk
	if err := one.flight.Save(&to, play.About{Program: "soak"}); err != nil {
		one.ledger.fail("replay", "what the flight recorder holds cannot be saved: %v", err)
		return
	}
	one.checkTrace(to.Bytes(), one.engine.Settled())
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
