package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
)

// The messages from the loop to the screen.
type (
	// frameMsg means that the mailbox holds a frame.
	frameMsg struct{}
	// sayMsg is a sentence for the status line.
	sayMsg struct{ text string }
	// failedMsg is why what was asked for failed.
	failedMsg struct{ err error }
)

// request is work for the loop, run between two advances.
type request func(*loop)

// loop owns a source: only the loop calls it and reads its engine.
type loop struct {
	source Source
	// playback or live is the source too, or both are nil.
	playback Playback
	live     LiveSource
	// clusters are those that the source is one of, or that it is the list of; nil for other sources.
	clusters  *Clusters
	collector *collect.Collector
	query     collect.Query
	mailbox   mailbox
	requests  chan request
	send      func(tea.Msg)
	// clock is monotonic real time; after is the timer that wait uses.
	clock    func() time.Duration
	interval time.Duration
	// blurred means that the terminal does not have the focus.
	blurred bool

	lastAdvanced time.Duration // when Advance was last called
	lastBuilt    time.Duration // when the last frame was built
	stale        bool          // something has changed since
	played       time.Duration // the real time in which the source moved
	// partial means that the last model was one.
	partial bool

	// watched are the pods that the screen watches.
	watched []world.PodRef

	// preview is what was last asked to be seen beside a list, and previewSince since when.
	preview      collect.Preview
	previewSince time.Duration

	// afterHold runs once the engine is released: it changes the source.
	afterHold func()
	// spawn runs long work off the loop's goroutine.
	spawn func(func())
}

// blurredInterval is the frame interval while the terminal does not have the focus.
const blurredInterval = 500 * time.Millisecond

// maxElapsed limits the real time of one advance: a program that was stopped, or a machine that slept, resumes where it
// was.
const maxElapsed = time.Second

// requestBuffer is how many requests may wait, more than a person types while one runs.
const requestBuffer = 256

func newLoop(s Source, fps int, clock func() time.Duration, tell func(tea.Msg)) *loop {
	p := &loop{requests: make(chan request, requestBuffer), send: tell, clock: clock, interval: time.Second / time.Duration(fps)}
	p.use(s)
	return p
}

// use shows a source from now on.
func (p *loop) use(s Source) {
	p.source = s
	p.playback, _ = s.(Playback)
	p.live, _ = s.(LiveSource)
	p.collector = collect.New(collect.Options{Source: s.Name(), Mode: s.Mode(), History: s.History(), NewerServer: newerServer(s), Shadows: p.shadows()})
}

// newerServer returns the version of a cluster's API server that is newer than all releases that are modelled.
func newerServer(s Source) string {
	if l, ok := s.(*Live); ok {
		return l.NewerServer
	}
	return ""
}

// shadows reports whether the engine only decides.
func (p *loop) shadows() bool { return p.live != nil && p.live.Shadows() }

// run advances, serves requests and builds frames until the context ends.
func (p *loop) run(ctx context.Context) {
	p.lastAdvanced = p.clock()
	p.withEngine(p.build)
	for {
		timer, wait := p.wait()
		select {
		case <-ctx.Done():
			return
		case o := <-p.requests:
			p.serve(o)
		case <-p.wakes():
			p.stale = true
		case <-wait:
			p.tick()
		}
		if timer != nil {
			timer.Stop()
		}
	}
}

// wakes returns the channel of a source that announces its changes; nil for others.
func (p *loop) wakes() <-chan struct{} {
	if s, ok := p.source.(announcing); ok {
		return s.Wake()
	}
	return nil
}

// withEngine runs do while the engine stands still, then afterHold.
func (p *loop) withEngine(do func()) {
	if p.live != nil {
		p.live.Hold(do)
	} else {
		do()
	}
	if then := p.afterHold; then != nil {
		p.afterHold = nil
		then()
		p.withEngine(p.build)
	}
}

// wakingInterval is how often the loop looks at a source that announces its changes.
const wakingInterval = time.Second

// wait returns a channel that fires when to work on: never while nothing moves, at once while the source is behind.
func (p *loop) wait() (*time.Timer, <-chan time.Time) {
	if !p.source.Moving() && !p.partial {
		return nil, nil
	}
	beat := p.interval
	if p.wakes() != nil && !p.stale && !p.partial {
		beat = wakingInterval
	}
	if p.blurred {
		beat = blurredInterval
	}
	if p.playback != nil && p.playback.Behind() && !p.blurred {
		beat = 0
	}
	timer := time.NewTimer(max(p.lastAdvanced+beat-p.clock(), 0))
	return timer, timer.C
}

// tick advances the source. It builds a frame of the change if the last one was taken and an interval has passed, and
// always when the source comes to rest.
func (p *loop) tick() {
	if p.advance() || p.partial {
		p.stale = true
	}
	if p.stale && (!p.source.Moving() || (p.lastAdvanced-p.lastBuilt >= p.interval && !p.mailbox.full())) {
		p.withEngine(p.build)
	}
}

func (p *loop) advance() bool {
	now := p.clock()
	passed := min(now-p.lastAdvanced, maxElapsed)
	p.lastAdvanced = now
	if !p.source.Moving() {
		return false
	}
	p.played += passed
	return p.source.Advance(passed)
}

// serve runs a request and all that are queued by now, then builds one frame. Time stands still meanwhile, so that
// requests act on what the screen shows.
func (p *loop) serve(o request) {
	if !p.source.Moving() {
		p.lastAdvanced = p.clock()
	}
	p.withEngine(func() {
		for {
			o(p)
			select {
			case o = <-p.requests:
			default:
				p.build()
				return
			}
		}
	})
}

// build builds the frame of the open pane.
func (p *loop) build() {
	p.lastBuilt, p.stale = p.lastAdvanced, false
	query := p.query
	if p.playback != nil {
		query.Timeline, query.Past = p.playback.Timeline(), p.playback
	}
	if source, ok := p.source.(measuring); ok && query.Open == views.PressurePane {
		query.Usage = source.Usage(query.Node)
	}
	var previewWaits bool
	query.Preview, previewWaits = p.duePreview(query.Preview)
	f := &Frame{Query: p.query, Now: p.source.Now(), Moving: p.source.Moving(), Played: p.played}
	p.collector.SetHistory(p.source.History())
	f.Model = p.collector.Model(p.source.Engine(), query)
	p.source.Annotate(f.Model, p.query)
	p.addCommands(f.Model.Explain)
	if (query.Open == views.WhatIfPane || query.Open == views.OrreryPane) && query.WhatIf != nil && !query.WhatIf.Moments || f.Model.Explain != nil && f.Model.Explain.Hypothetical() {
		f.Model.Header.Mode = views.WhatIfMode
	}
	_, f.Attached = p.source.(*Attached)
	if p.live != nil {
		f.Context = p.source.Name()
	}
	f.HasList = p.live != nil && p.clusters.several()
	f.Watched = p.watchedNow()
	f.ReadOnly = p.readOnlyReason()
	f.Model.Header.Acts = f.ReadOnly == "" && f.Model.Header.Mode != views.WhatIfMode
	f.NotScheduler = p.live != nil && p.live.Executor().Activate == nil
	p.partial = f.Model.Partial() || previewWaits
	if p.playback != nil {
		f.Playing, f.Loop = p.playback.Playing(), p.playback.Loop()
	}
	if p.mailbox.put(f) {
		p.send(frameMsg{})
	}
}

// In a cluster of more than promptPods, the cursor rests on a row for previewDelay before what it opens is read: explaining a pod may
// take longer than the next key.
const (
	promptPods   = 2000
	previewDelay = 80 * time.Millisecond
)

// duePreview returns the preview to be read now, and whether it is to be read later instead.
func (p *loop) duePreview(of collect.Preview) (due collect.Preview, later bool) {
	if now := p.clock(); of != p.preview {
		p.preview, p.previewSince = of, now
	}
	few := p.source.Engine().Store().Len(world.Pod) <= promptPods
	if of == (collect.Preview{}) || few || p.clock()-p.previewSince >= previewDelay {
		return of, false
	}
	return collect.Preview{}, true
}

// submit queues a request. It refuses when the queue is full, which only a stuck loop causes.
func (p *loop) submit(o request) bool {
	select {
	case p.requests <- o:
		return true
	default:
		return false
	}
}

// takeFrame returns the latest frame; nil if it was taken already.
func (p *loop) takeFrame() *Frame { return p.mailbox.take() }

// reportError shows an error, if there is one.
func (p *loop) reportError(err error) {
	if err != nil {
		p.send(failedMsg{err})
	}
}
