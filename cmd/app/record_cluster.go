package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/dustin/go-humanize"

	"orrery/core/answers/shadow"
	"orrery/core/process/observe"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/trace"
	"orrery/core/trace/play"
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
	silence  func() // of what the world logs
	shadow   *shadow.Shadow
	recorder *play.Recorder
	synced   bool
	began    time.Time // when all initial lists had arrived
	lasted   time.Duration
	flushed  time.Time
	refused  uint64 // inputs that the engine refused
	// fresh finds differences that have no mark yet, and differences are the last of those that have.
	fresh       observe.Differences
	differences []unexplainedDocument
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
	wanted := withKinds(asked, slices.Concat(extraKinds, optionalKinds, []world.Kind{world.Lease})...)
	access, err := live.CheckAccess(ctx, from.client, wanted, "")
	if err != nil {
		return nil, fmt.Errorf("looking at %s, %s: %w", from.name, from.server, orNoAnswer(err))
	}
	o.Config = guarded(o.Config, access.Unreadable)
	unread, err := unreadableOf(access.Unreadable, asked)
	return &clusterRecording{from: from, options: o, kinds: access.Kinds, unread: unread}, err
}

// record runs until a limit, a signal or an error, and returns which. It commits the file as soon as that has the
// initial lists: from then on a crash leaves a trace.
func (r *clusterRecording) record(ctx context.Context, to *counter, commit func() error, p *progress, l limits) (ended string, err error) {
	if err := r.begin(to, l.hash); err != nil {
		return "", err
	}
	loop := drive.NewRealTime(r.shadow.Engine(), recordedCluster{r.world, l.hash})
	loop.Around = r.shadow
	running, stop := context.WithCancel(ctx)
	defer stop()
	var committed bool
	var refused error
	glance := func() {
		r.markDifferences()
		ended = cmp.Or(ended, r.over(to, l))
		if r.synced && !committed && r.recorder.Flush() == nil {
			committed, refused = true, commit()
		}
		if ended != "" || refused != nil || r.recorder.Err() != nil {
			stop()
		}
		p.update(func() string { return r.soFar(to) })
	}
	loop.Observers = []drive.Observer{drive.OnInput(func(_ world.Input, err error) {
		if err != nil {
			r.refused++
		}
		glance()
	})}
	r.world.Start()
	defer func() {
		r.silence() // broken watches are expected now
		r.world.Stop()
	}()
	broken := make(chan error, 1)
	go func() {
		defer stop()
		broken <- glanceRegularly(running, loop, glance)
	}()
	err = loop.Run(running)
	stop()
	if err = errors.Join(err, <-broken); err != nil {
		return "", errors.Join(fmt.Errorf("recording %s: %w", r.from.name, err), r.recorder.Close())
	}
	glance() // a signal may have ended the loop before one
	if refused != nil {
		return "", refused
	}
	r.lasted = r.world.Now().Sub(r.began)
	if err := r.recorder.Close(); err != nil {
		return "", err
	}
	if !r.synced {
		return "", fmt.Errorf("recording %s: told to stop before there was anything to record; no list had come of %v", r.from.name, r.world.Unsynced())
	}
	return cmp.Or(ended, "signal"), nil
}

const (
	glanceEvery = 200 * time.Millisecond // time between two checks of the limits while nothing happens
	flushEvery  = 10 * time.Second       // what a crash may lose in a quiet cluster
)

// glanceRegularly checks the limits on the loop's goroutine while no input arrives, until the context ends. The error is a panic.
func glanceRegularly(ctx context.Context, loop *drive.RealTime, glance func()) error {
	ticker := time.NewTicker(glanceEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			if err := loop.Inspect(ctx, func(*engine.Engine) { glance() }); err != nil && ctx.Err() == nil {
				return err
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// recordedCluster is a cluster whose inputs are as a trace has them.
type recordedCluster struct {
	*live.Cluster
	hash *trace.NameHasher // nil if names are kept
}

func (c recordedCluster) Poll() (world.Input, bool) {
	in, ok := c.Cluster.Poll()
	in.Event = c.asRecorded(in.Event)
	return in, ok
}

func (c recordedCluster) Stamp(event world.Event) world.Input {
	return c.Cluster.Stamp(c.asRecorded(event))
}

// asRecorded returns an event as the trace has it. The engine decides by hashes where the trace has them: only so are its
// decisions those of a replay.
func (c recordedCluster) asRecorded(event world.Event) world.Event {
	event = observe.Trim(event)
	if c.hash != nil {
		event = c.hash.Event(event)
	}
	return event
}

// begin makes the parts of a recording, with an engine that starts now.
func (r *clusterRecording) begin(to io.Writer, hash *trace.NameHasher) (err error) {
	logger, silence := newQuietLogger()
	r.silence = silence
	r.world, err = live.New(live.Options{Client: r.from.client, Kinds: r.kinds, Gate: live.NewWriteGate(func() bool { return false }), Logger: logger})
	if err != nil {
		return err
	}
	r.options.Start = r.world.Now()
	o := r.options
	about := play.About{Program: "orrery " + version(), Description: "recorded from " + r.from.name}
	if hash != nil {
		about.Description, about.NamesHashed = "recorded from a cluster", true
		if o.Config, err = hashedConfiguration(o, hash); err != nil {
			return err
		}
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

// hashedConfiguration returns the configuration with the names in it replaced as those of objects are.
func hashedConfiguration(o engine.Options, hash *trace.NameHasher) (*config.Configuration, error) {
	header, err := play.HeaderOf(o)
	if err != nil {
		return nil, err
	}
	if header.Configuration, err = hash.Configuration(header.Configuration); err != nil {
		return nil, err
	}
	hashed, err := play.OptionsOf(header)
	return hashed.Config, err
}

// over notices when the initial lists have arrived, writes out what is recorded from time to time, and returns the limit
// that has ended the recording, if any.
func (r *clusterRecording) over(to *counter, l limits) string {
	now := r.world.Now()
	if now.Sub(r.flushed) > flushEvery {
		r.flushed = now
		_ = r.recorder.Flush() // the recorder keeps the error
	}
	if !r.synced {
		select {
		case <-r.world.Synced():
			r.synced, r.began = true, now
		default:
			return ""
		}
	}
	switch {
	case l.duration > 0 && now.Sub(r.began) >= l.duration:
		return "for"
	case l.maxBytes > 0 && to.bytes >= l.maxBytes:
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
	e, counters := r.shadow.Engine(), r.shadow.Comparator().Counters()
	var decisions uint64
	for _, n := range e.Counters().Decisions {
		decisions += n
	}
	return &recordDocument{
		envelope: document("Recording"), File: file, Cluster: r.from.name, Server: r.from.server, Start: momentOf(r.began),
		Seconds: rounded(r.lasted.Seconds()), Bytes: bytes, Inputs: e.Counters().Inputs, Refused: r.refused, Refusals: refusals(e.Refusals()), Decisions: decisions, Ended: ended,
		Agreement: agreementDocument{counters.Agreed, counters.Explained, counters.Differs, counters.NotCompared}, Differences: r.differences, Digest: e.Digest().String(), Unread: r.unread,
	}
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
