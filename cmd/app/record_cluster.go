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

	"orrery/core/engine"
	"orrery/core/shadow"
	"orrery/core/store"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/world"
	"orrery/core/world/live"
)

// clusterRecording is an engine in the shadow of a cluster's scheduler, and who writes down what it is told.
//
// Its engine begins with the recording, so that the trace has its whole life and can be replayed exactly. Everything it
// knows is in the trace: it is told of objects as they are recorded, and no plugin gets a client.
type clusterRecording struct {
	from    *cluster
	options engine.Options
	kinds   []world.Kind
	unread  []unreadDocument

	world    *live.Cluster
	shadow   *shadow.Shadow
	recorder *play.Recorder
	restless bool // there may be something to decide
	synced   bool
	began    time.Time // when everything had been listed
	lasted   time.Duration
	flushed  time.Time
	refused  uint64 // inputs, by the engine
}

// limits end a recording.
type limits struct {
	lasting time.Duration // zero is for ever
	most    int64         // bytes; zero is as many as it takes
	hash    *trace.Hash
}

// newRecording finds out what can be read.
func newRecording(ctx context.Context, from *cluster, o engine.Options) (*clusterRecording, error) {
	e, err := engine.New(o)
	if err != nil {
		return nil, err
	}
	asked, err := live.Watched(e)
	if err != nil {
		return nil, err
	}
	wanted := with(asked, append(beside, world.Lease)...)
	sight, err := live.Reachable(ctx, from.client, wanted, "")
	if err != nil {
		return nil, fmt.Errorf("looking at %s, %s: %w", from.name, from.server, err)
	}
	unread, err := unreadOf(sight.Unread)
	return &clusterRecording{from: from, options: o, kinds: sight.Kinds, unread: unread, restless: true}, err
}

// record goes on until a limit, a signal or an error ends it, and says which.
func (r *clusterRecording) record(ctx context.Context, to *counter, p *progress, l limits) (ended string, err error) {
	if err := r.begin(to, l.hash); err != nil {
		return "", err
	}
	r.world.Start()
	defer func() {
		klog.SetLogger(logr.Discard()) // that watches are broken off now is no news
		r.world.Stop()
	}()
	for ended == "" && r.recorder.Err() == nil {
		r.turn()
		ended = r.over(ctx, to, l)
		p.say(func() string { return r.soFar(to) })
	}
	r.lasted = r.world.Now().Sub(r.began)
	if err := r.recorder.Close(); err != nil {
		return "", fmt.Errorf("writing the recording: %w", err)
	}
	if !r.synced {
		return "", fmt.Errorf("recording %s: told to stop before there was anything to record; no list had come of %v", r.from.name, r.world.Missing())
	}
	return ended, nil
}

// begin makes everything that a recording needs, for a life that begins now.
func (r *clusterRecording) begin(to io.Writer, hash *trace.Hash) (err error) {
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
	r.shadow, err = shadow.New(shadow.Options{Engine: o, Witness: func(e *engine.Engine) engine.Witness {
		r.recorder, refused = play.NewRecorder(to, e, o, about)
		if refused != nil {
			return play.Witnesses{}
		}
		return r.recorder
	}})
	return errors.Join(err, refused)
}

const (
	glanceEvery   = 200 * time.Millisecond // how often limits are looked at when nothing happens
	flushEvery    = 10 * time.Second       // how much of a quiet cluster a crash may cost
	decisionsOnce = 32                     // made between two looks at what has happened
	mayLag        = 5 * time.Millisecond   // by how much the engine's time may be behind while it decides
)

// turn takes in what comes next, and decides.
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
		r.apply(world.Input{At: now, Event: world.Passed{}})
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

// lookSynced notices that everything was listed: before that there is nothing to decide.
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

// over says what has ended the recording, if anything has.
func (r *clusterRecording) over(ctx context.Context, to *counter, l limits) string {
	switch {
	case ctx.Err() != nil:
		return "signal"
	case r.synced && l.lasting > 0 && r.world.Now().Sub(r.began) >= l.lasting:
		return "for"
	case r.synced && l.most > 0 && to.bytes >= l.most:
		return "max-size"
	}
	return ""
}

// soFar is how far it has come, for people.
func (r *clusterRecording) soFar(to *counter) string {
	if !r.synced {
		return fmt.Sprintf("waiting for the first lists of %v", r.world.Missing())
	}
	lasted, inputs := r.world.Now().Sub(r.began), r.shadow.Engine().Tally().Inputs
	rate := float64(inputs) / max(lasted.Seconds(), 1)
	return fmt.Sprintf("%s, %s, %.0f/s, %s", since(lasted), counted(inputs, "input"), rate, humanize.IBytes(uint64(to.bytes)))
}

func (r *clusterRecording) document(file string, bytes int64, ended string) *recordDocument {
	e, judged := r.shadow.Engine(), r.shadow.Judge().Tally()
	var decisions uint64
	for _, n := range e.Tally().Decisions {
		decisions += n
	}
	return &recordDocument{
		envelope: document("Recording"), File: file, Cluster: r.from.name, Server: r.from.server, Start: momentOf(r.began),
		Seconds: rounded(r.lasted.Seconds()), Bytes: bytes, Inputs: e.Tally().Inputs, Refused: r.refused, Decisions: decisions, Ended: ended,
		Agreement: agreementDocument{judged.Agreed, judged.Explained, judged.Differs, judged.Missed}, Digest: e.Digest().String(), Unread: r.unread,
	}
}

// asRecorded is an event as a trace has it. What comes from a cluster is trimmed but for the kinds that plugins write back,
// and here nothing is written back.
func asRecorded(event world.Event) world.Event {
	switch ev := event.(type) {
	case world.Changed:
		ev.Object = trimmed(ev.Object)
		return ev
	case world.Listed:
		for i, o := range ev.Objects { // nobody else has this list
			ev.Objects[i] = trimmed(o)
		}
	}
	return event
}

func trimmed(o world.Object) world.Object {
	switch o.(type) {
	case *v1.PersistentVolume, *v1.PersistentVolumeClaim, *resourcev1.ResourceClaim, *resourcev1.DeviceClass:
		return store.Trim(o)
	}
	return o
}

// counter counts what is written.
type counter struct {
	to    io.Writer
	bytes int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.bytes += int64(n)
	return n, err
}
