package soak

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"k8s.io/klog/v2"

	"orrery/core/scheduler/engine"
	"orrery/core/trace/play"
	"orrery/core/trace/segments"
)

// rolling is the recording of a replica in segments: each of its processes records into one directory, as long as it runs.
type rolling struct {
	replica  *replica
	disk     *rollingDisk
	limits   segments.Limits
	hangs    time.Time          // until when the disk does not answer
	recorder *segments.Recorder // of the present process
}

const (
	// rollEvery is the time between two steps of the recorder.
	rollEvery = 10 * time.Second
	// leastSegments and mostSegments bound the bytes of a directory.
	leastSegments, mostSegments = 2 << 20, 16 << 20
)

func (r *run) newRolling(of *replica) *rolling {
	draw := drawing(r.plan.Seed + uint64(of.number))
	w := &rolling{replica: of, limits: segments.Limits{
		MaxBytes: leastSegments + draw.Int64N(mostSegments-leastSegments), MaxAge: time.Duration(1+draw.IntN(5)) * time.Hour,
	}}
	w.disk = &rollingDisk{now: r.cluster.Now, local: func() time.Time { return of.elector.Now() }, draw: draw}
	r.at(r.start, w.step)
	return w
}

// Subscribe implements segments.Source.
func (w *rolling) Subscribe(_ context.Context, o play.SubscriptionOptions) (*play.Subscriber, error) {
	return w.replica.feed.Subscribe(o), nil
}

// Unsubscribe implements segments.Source.
func (w *rolling) Unsubscribe(_ context.Context, s *play.Subscriber) error {
	w.replica.feed.Unsubscribe(s)
	return nil
}

// begin begins to record a process.
func (w *rolling) begin() {
	w.disk.troubled = false
	w.recorder = segments.NewRecorder(segments.Options{
		Directory: "simulated", Limits: w.limits, Program: "soak", Logger: klog.Logger{}, Disk: w.disk,
	}, w)
}

func (w *rolling) step() {
	run := w.replica.run
	if w.replica.engine != nil && !w.replica.elector.Paused() && !run.cluster.Now().Before(w.hangs) {
		w.recorder.Step(context.Background(), w.replica.elector.Now())
	}
	run.after(rollEvery, w.step)
}

// end ends the recording with its process, every second time in order.
func (w *rolling) end() {
	finishes := w.replica.started%2 == 0
	if finishes {
		w.recorder.Finish(w.replica.elector.Now())
	}
	w.disk.inUse = false // as a lock that ends with its process
	w.check(finishes)
	w.recorder = nil
}

// check: every segment replays, one that was ended to its end. Where no call failed, each follows on the one before, and those of a process
// that ended in order have all that it was told.
func (w *rolling) check(finished bool) {
	var ended struct {
		Segments []struct {
			Name  string
			Bytes int
		}
	}
	whole := map[string]bool{}
	if json.Unmarshal(w.disk.index, &ended) == nil {
		for _, s := range ended.Segments {
			whole[fmt.Sprint(s.Name, s.Bytes)] = true
		}
	}
	var before *rollingFile
	for _, f := range w.disk.files {
		if !f.finished {
			continue
		}
		if f.verified != len(f.text) {
			f.verified = len(f.text)
			f.summary = w.replica.checkSegment(f.text, whole[fmt.Sprint(f.name, len(f.text))])
		}
		if f.summary.Seed != w.replica.options.Seed {
			continue
		}
		if before != nil && !w.disk.troubled && !f.summary.Follows(&before.summary) {
			w.replica.ledger.fail("replay", "between two segments, %+v and %+v, something is missing although the disk was there", before.summary, f.summary)
		}
		before = f
	}
	if ledger := w.replica.ledger; before != nil && finished && !w.disk.troubled && before.summary.Counted && before.summary.Begin.Inputs+before.summary.Inputs != ledger.inputs {
		ledger.fail("replay", "the segments end with input %d of %d", before.summary.Begin.Inputs+before.summary.Inputs, ledger.inputs)
	}
}

// checkSegment is checkTrace for a segment, of which the engine is further by now.
func (r *replica) checkSegment(text []byte, whole bool) (read play.Summary) {
	r.run.checked("replay")
	_, report, err := play.Replay(bytes.NewReader(text), play.Options{Adjust: func(o *engine.Options) { o.Plugins = r.options.Plugins }})
	switch {
	case err != nil:
		r.ledger.fail("replay", "a segment of %d bytes cannot be replayed: %v", len(text), err)
		return read
	case !report.Exact:
	case !report.OK():
		r.ledger.fail("replay", "the replay of a segment differs: %v", report.First)
	case whole && report.Damage != nil:
		r.ledger.fail("replay", "a segment that was ended is damaged: %v", report.Damage)
	}
	return report.Summary
}
