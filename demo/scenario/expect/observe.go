package expect

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/engine"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/world"
)

// Run is a run that was observed, which can be asked at any of its moments.
type Run struct {
	pods  map[types.UID]*podRun
	order []*podRun // as they came
	// decisions are all, in order.
	decisions   []decision
	preemptions []preemption

	start, last time.Time // of the first and the last record
	length      time.Duration
	// record makes the trace of a run that was followed, and options play it; player is nil before it is needed.
	record  func(io.Writer) error
	options play.Options
	player  *play.Player
}

// podRun is what became of a pod.
type podRun struct {
	ref         world.PodRef
	labels      map[string]string
	came        time.Time
	placed      time.Time // zero without a node
	gone        time.Time // when its deletion began, or it was gone; zero before
	node        string
	attempts    int
	fromAnother bool // it had its node when it came
}

type decision struct {
	at      time.Time
	pod     world.PodRef
	verdict engine.Verdict
	node    string
}

func (d decision) String() string {
	text := fmt.Sprintf("%s is %s", d.pod, d.verdict)
	if d.node != "" {
		text += " on " + d.node
	}
	return text
}

// same ignores the UID and the time, which differ from run to run.
func (d decision) same(o decision) bool {
	return d.pod.Namespace == o.pod.Namespace && d.pod.Name == o.pod.Name && d.verdict == o.verdict && d.node == o.node
}

type preemption struct {
	at     time.Time
	by     world.PodRef
	victim *v1.Pod
}

// Observe plays a trace and notes what became of its pods.
func Observe(from io.Reader, o play.Options) (*Run, error) {
	player, err := play.NewPlayer(from, o)
	if err != nil {
		return nil, err
	}
	if d := player.Damage(); d != nil && !errors.Is(d, trace.ErrUnfinished) {
		return nil, d
	}
	r := &Run{player: player, pods: map[types.UID]*podRun{}, start: player.Start().Time, last: player.End().Time}
	seq := uint64(0)
	for i, records := 0, player.Records(); i < len(records); i++ {
		record := &records[i]
		if _, err := player.Step(); err != nil {
			return nil, err
		}
		now := record.At
		if now.Before(r.start) {
			now = r.start
		}
		switch b := record.Body.(type) {
		case trace.Input:
			r.told(now, b.Event)
		case trace.State:
			r.listed(now, b.Objects)
		}
		seq = r.decidedSince(player.Engine(), seq)
	}
	return r, nil
}

// Follow returns a run that is observed while it happens, from a start on and so long: it has to be the observer of the scheduler. Record makes the
// same run again as a trace, which takes as long again and is needed only to ask it at a moment.
func Follow(start time.Time, length time.Duration, record func(io.Writer) error, o play.Options) *Run {
	return &Run{pods: map[types.UID]*podRun{}, start: start, last: start, length: length, record: record, options: o}
}

// Applied implements drive.Observer.
func (r *Run) Applied(in world.Input, _ error) {
	if in.At.After(r.last) {
		r.last = in.At
	}
	r.told(in.At, in.Event)
}

// Stepped implements drive.Observer.
func (r *Run) Stepped(d *engine.Decision) {
	if d != nil {
		r.decided(d)
	}
}

// Emitted implements drive.Observer.
func (*Run) Emitted(world.Effect) {}

// told notes what an input says of pods.
func (r *Run) told(at time.Time, event world.Event) {
	switch ev := event.(type) {
	case world.Changed:
		if pod, is := ev.Object.(*v1.Pod); is {
			r.pod(at, pod, ev.Op == world.Deleted)
		}
	case world.Listed:
		r.listed(at, ev.Objects)
	}
}

func (r *Run) listed(at time.Time, objects []world.Object) {
	for _, o := range objects {
		if pod, is := o.(*v1.Pod); is {
			r.pod(at, pod, false)
		}
	}
}

func (r *Run) pod(at time.Time, pod *v1.Pod, deleted bool) {
	p := r.pods[pod.UID]
	if p == nil {
		p = &podRun{ref: world.PodRefOf(pod), labels: pod.Labels, came: at, fromAnother: pod.Spec.NodeName != ""}
		r.pods[pod.UID] = p
		r.order = append(r.order, p)
	}
	if pod.Spec.NodeName != "" && p.placed.IsZero() {
		p.placed, p.node = at, pod.Spec.NodeName
	}
	if deleted || pod.DeletionTimestamp != nil {
		p.gone = firstOf(p.gone, at)
	}
}

// decidedSince notes the decisions of an engine after one of them.
func (r *Run) decidedSince(e *engine.Engine, last uint64) uint64 {
	var more []*engine.Decision
	for d := range e.Decisions() {
		if d.Seq <= last {
			break
		}
		more = append(more, d)
	}
	for _, d := range slices.Backward(more) {
		last = d.Seq
		r.decided(d)
	}
	return last
}

func (r *Run) decided(d *engine.Decision) {
	r.decisions = append(r.decisions, decision{d.At, d.Pod, d.Verdict, d.Node})
	if p := r.pods[d.Pod.UID]; p != nil {
		p.attempts = max(p.attempts, d.Attempt)
	}
	if d.Preemption != nil {
		for _, victim := range d.Preemption.Victims {
			r.preemptions = append(r.preemptions, preemption{d.At, d.Pod, victim})
		}
	}
}

// Start is the run's first moment.
func (r *Run) Start() time.Time { return r.start }

// End is at the scenario's length, or at the last record.
func (r *Run) End() time.Time {
	if end := r.start.Add(r.length); end.After(r.last) {
		return end
	}
	return r.last
}

// Shown is the last moment up to one that can be shown: nothing was recorded after it.
func (r *Run) Shown(at time.Time) time.Time {
	if at.After(r.last) {
		return r.last
	}
	return at
}

// engineAt returns the engine at a moment.
func (r *Run) engineAt(at time.Time) (*engine.Engine, error) {
	if r.player == nil {
		var recorded bytes.Buffer
		if err := r.record(&recorded); err != nil {
			return nil, err
		}
		var err error
		if r.player, err = play.NewPlayer(&recorded, r.options); err != nil {
			return nil, err
		}
	}
	if err := r.player.Seek(at); err != nil {
		return nil, err
	}
	e, err := r.player.Engine().Fork()
	if err != nil || !at.After(e.Now()) {
		return e, err
	}
	return e, e.Apply(world.Input{At: at, Event: world.Tick{}})
}

// selected are the pods that an expectation is about, as they came; those that had a node when they came are of no scheduler that was
// observed.
func (r *Run) selected(x *Expectation) []*podRun {
	var all []*podRun
	for _, p := range r.order {
		if x.matches(p.ref.Namespace, p.ref.Name, p.labels) && !p.fromAnother {
			all = append(all, p)
		}
	}
	return all
}

// existing are the selected pods that exist at a moment and are not being deleted, with or without a node from elsewhere.
func (r *Run) existing(x *Expectation, at time.Time) []*podRun {
	var all []*podRun
	for _, p := range r.order {
		if x.matches(p.ref.Namespace, p.ref.Name, p.labels) && !p.came.After(at) && (p.gone.IsZero() || p.gone.After(at)) {
			all = append(all, p)
		}
	}
	return all
}

// firstOf is the first time, unless it is not set yet.
func firstOf(first, then time.Time) time.Time {
	if first.IsZero() {
		return then
	}
	return first
}

func (p *podRun) placedBy(at time.Time) bool { return !p.placed.IsZero() && !p.placed.After(at) }

// waited is how long a pod waited for its node, until it left, or until the end.
func (p *podRun) waited(end time.Time) time.Duration {
	switch {
	case !p.placed.IsZero():
		end = p.placed
	case !p.gone.IsZero():
		end = p.gone
	}
	return end.Sub(p.came)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
