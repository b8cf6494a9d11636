package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/klog/v2"

	"orrery/core/drive"
	"orrery/core/engine"
	"orrery/core/shadow"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/trim"
	"orrery/core/world"
	"orrery/core/world/live"
)

// clusterRecording shadows a cluster's scheduler and records the shadowing engine.
//
// The engine starts with the recording, so that the trace has all of its inputs and can be replayed exactly. It sees
// objects only as the trace has them, and no plugin gets a client.
type clusterRecording struct {
	from    *cluster
	options engine.Options
	kinds   []world.Kind
	unread  []unreadableDocument

	world    *live.Cluster
	shadow   *shadow.Shadow
	recorder *play.Recorder
	restless bool // there may be something to decide
	synced   bool
	began    time.Time // when all initial lists had arrived
	lasted   time.Duration
	flushed  time.Time
	refused  uint64 // inputs that the engine refused
}

// limits end a recording; zero means no limit.
type limits struct {
	duration time.Duration
	maxBytes int64
	hash     *trace.NameHasher
}

// newRecording checks which kinds can be read.
func newRecording(ctx context.Context, from *cluster, o engine.Options) (*clusterRecording, error) {
	e, err := engine.New(o)
	if err != nil {
		return nil, err
	}
	asked, err := e.WatchedKinds()
	if err != nil {
		return nil, err
	}
	wanted := withKinds(asked, append(extraKinds, world.Lease)...)
	sight, err := live.CheckAccess(ctx, from.client, wanted, "")
	if err != nil {
		return nil, fmt.Errorf("looking at %s, %s: %w", from.name, from.server, err)
	}
	unread, err := unreadableOf(sight.Unreadable)
	return &clusterRecording{from: from, options: o, kinds: sight.Kinds, unread: unread, restless: true}, err
}

// record runs until a limit, a signal or an error, and returns which.
func (r *clusterRecording) record(ctx context.Context, to *counter, p *progress, l limits) (ended string, err error) {
	if err := r.begin(to, l.hash); err != nil {
		return "", err
	}
	r.world.Start()
	defer func() {
		klog.SetLogger(logr.Discard()) // broken watches are expected now
		r.world.Stop()
	}()
	for ended == "" && r.recorder.Err() == nil {
		r.turn()
		ended = r.over(ctx, to, l)
		p.update(func() string { return r.soFar(to) })
	}
	r.lasted = r.world.Now().Sub(r.began)
	if err := r.recorder.Close(); err != nil {
		return "", fmt.Errorf("writing the recording: %w", err)
	}
	if !r.synced {
		return "", fmt.Errorf("recording %s: told to stop before there was anything to record; no list had come of %v", r.from.name, r.world.Unsynced())
	}
	return ended, nil
}

// begin makes the parts of a recording, with an engine that starts now.
func (r *clusterRecording) begin(to io.Writer, hash *trace.NameHasher) (err error) {
	r.world, err = live.New(live.Options{Client: r.from.client, Kinds: r.kinds, Allowed: func() bool { return false }})
	if err != nil {
		return err
	}
	o := r.options
	o.Start = r.world.Now()
	about := play.About{Program: "orrery " + version(), Description: "recorded from " + r.from.name, Hash: hash}
	if hash != nil {
		about.Description = "recorded from a cluster"
	}
	var refused error
	r.shadow, err = shadow.New(shadow.Options{Engine: o, Observer: func(e *engine.Engine) drive.Observer {
		r.recorder, refused = play.NewRecorder(to, e, o, about)
		if refused != nil {
			return drive.Observers{}
		}
		return r.recorder
	}})
	return errors.Join(err, refused)
}

const (
	glanceEvery   = 200 * time.Millisecond // time between two checks of the limits while nothing happens
	flushEvery    = 10 * time.Second       // what a crash may lose in a quiet cluster
	decisionsOnce = 32                     // decisions between two checks for inputs
	mayLag        = 5 * time.Millisecond   // maximum lag of the engine's clock while it decides
)

// turn applies the next input, and decides.
func (r *clusterRecording) turn() {
	wait := glanceEvery
	if r.restless && r.synced {
		wait = 50 * time.Microsecond
	}
	until := r.world.Now().Add(wait)
	wake, due := r.shadow.NextWake()
	if due && wake.Before(until) {
		until = wake
	}
	in, ok := r.world.Next(until)
	r.lookSynced()
	now := r.world.Now()
	switch {
	case ok:
		r.apply(world.Input{At: in.At, Event: asRecorded(in.Event)})
	case due && !wake.After(now), r.restless && r.synced && now.Sub(r.shadow.Engine().Now()) > mayLag:
		r.apply(world.Input{At: now, Event: world.Tick{}})
	}
	for n := 0; r.synced && r.restless && n < decisionsOnce; n++ {
		_, r.restless = r.shadow.Step()
	}
	if now.Sub(r.flushed) > flushEvery {
		r.flushed = now
		_ = r.recorder.Flush() // the recorder keeps the error
	}
}

func (r *clusterRecording) apply(in world.Input) {
	r.restless = true
	if err := r.shadow.Apply(in); err != nil {
		r.refused++
	}
}

// lookSynced checks for the end of the initial lists: no decision is made before.
func (r *clusterRecording) lookSynced() {
	if r.synced {
		return
	}
	select {
	case <-r.world.Synced():
		r.synced, r.began = true, r.world.Now()
	default:
	}
}

// over returns the limit that has ended the recording, if any.
func (r *clusterRecording) over(ctx context.Context, to *counter, l limits) string {
	switch {
	case ctx.Err() != nil:
		return "signal"
	case r.synced && l.duration > 0 && r.world.Now().Sub(r.began) >= l.duration:
		return "for"
	case r.synced && l.maxBytes > 0 && to.bytes >= l.maxBytes:
		return "max-size"
	}
	return ""
}

// soFar returns the status line.
func (r *clusterRecording) soFar(to *counter) string {
	if !r.synced {
		return fmt.Sprintf("waiting for the first lists of %v", r.world.Unsynced())
	}
	lasted, inputs := r.world.Now().Sub(r.began), r.shadow.Engine().Counters().Inputs
	rate := float64(inputs) / max(lasted.Seconds(), 1)
	return fmt.Sprintf("%s, %s, %.0f/s, %s", durationText(lasted), countText(inputs, "input"), rate, humanize.IBytes(uint64(to.bytes)))
}

func (r *clusterRecording) document(file string, bytes int64, ended string) *recordDocument {
	e, judged := r.shadow.Engine(), r.shadow.Comparator().Counters()
	var decisions uint64
	for _, n := range e.Counters().Decisions {
		decisions += n
	}
	return &recordDocument{
		envelope: document("Recording"), File: file, Cluster: r.from.name, Server: r.from.server, Start: momentOf(r.began),
		Seconds: rounded(r.lasted.Seconds()), Bytes: bytes, Inputs: e.Counters().Inputs, Refused: r.refused, Decisions: decisions, Ended: ended,
		Agreement: agreementDocument{judged.Agreed, judged.Explained, judged.Differs, judged.NotCompared}, Digest: e.Digest().String(), Unread: r.unread,
	}
}

// asRecorded returns an event as a trace has it. live.Cluster keeps the kinds that plugins write back untrimmed; a
// recording writes nothing back.
func asRecorded(event world.Event) world.Event {
	switch ev := event.(type) {
	case world.Changed:
		ev.Object = trimmed(ev.Object)
		return ev
	case world.Listed:
		for i, o := range ev.Objects { // the list is not shared
			ev.Objects[i] = trimmed(o)
		}
	}
	return event
}

func trimmed(o world.Object) world.Object {
	switch o.(type) {
	case *v1.PersistentVolume, *v1.PersistentVolumeClaim, *resourcev1.ResourceClaim, *resourcev1.DeviceClass:
		return trim.Object(o)
	}
	return o
}

// counter counts written bytes.
type counter struct {
	to    io.Writer
	bytes int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.bytes += int64(n)
	return n, err
}
