package spans

import (
	"slices"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"orrery/core/objects/owners"
	"orrery/core/scheduler/engine"
	"orrery/core/trace/journey"
)

// Rules say which pods have a trace. Each that is given adds pods; without any it is all.
type Rules struct {
	// Slow, unless it is zero, takes pods that were not bound within that time of their creation.
	Slow time.Duration
	// Failed takes pods with an attempt or a binding that failed, and those that end, or are there at the end, without a node.
	Failed bool
	// Owners takes pods of these owners, as "deployment/web" or "shop/deployment/web".
	Owners []string
}

func (r *Rules) all() bool { return r.Slow == 0 && !r.Failed && len(r.Owners) == 0 }

// takes reports whether a pod has a trace.
func (r *Rules) takes(j *podJourney, until time.Time) bool {
	p := j.pod
	if r.all() {
		return true
	}
	bound := p.Bound
	if bound.IsZero() {
		bound = until
	}
	if r.Slow > 0 && bound.Sub(p.Created) > r.Slow {
		return true
	}
	if r.Failed && (j.failed || p.Failed > 0 || p.Bound.IsZero()) {
		return true
	}
	owner := owners.Of(p.Object)
	return slices.Contains(r.Owners, owner) || slices.Contains(r.Owners, p.Namespace+"/"+owner)
}

// Batch is what takes the finished traces.
type Batch func([]*tracepb.ResourceSpans) error

// Journeys makes traces of what a tracker finds. It is a journey.Sink.
type Journeys struct {
	rules   Rules
	version string
	send    Batch
	open    map[*journey.Pod]*podJourney
	spans   []*tracepb.Span
	counts  Counts
	err     error
}

// Counts is what was exported.
type Counts struct {
	// Pods are those whose journey is in the recording, Traces those that the rules took, Spans all of these.
	Pods, Traces, Spans int
}

// podJourney are a pod's stages until it runs.
type podJourney struct {
	pod    *journey.Pod
	stages []journey.Stage
	merged int // stages that are part of the last one
	failed bool
	sent   bool
}

// The bounds of what is kept.
const (
	//orrery:limit recordings; stages of a pod's trace; later ones are one span
	maxStages = 1000
	//orrery:limit recordings; spans that are sent at once, but for those of one pod; the others follow
	batchSpans = 1000
)

var _ journey.Sink = (*Journeys)(nil)

// New returns the traces of the pods that the rules take. version is the program's.
func New(rules Rules, version string, send Batch) *Journeys {
	return &Journeys{rules: rules, version: version, send: send, open: map[*journey.Pod]*podJourney{}}
}

// Decided implements journey.Sink.
func (*Journeys) Decided(*journey.Pod, *engine.Decision) {}

// Node implements journey.Sink.
func (*Journeys) Node(*journey.Node) {}

// Stage implements journey.Sink. With the end of its start, a pod's journey is complete.
func (w *Journeys) Stage(p *journey.Pod, s *journey.Stage) {
	if p.OnNode || s.State == journey.Running {
		return
	}
	j := w.open[p]
	if j == nil {
		j = &podJourney{pod: p}
		w.open[p] = j
	}
	if s.Decision != nil && s.Decision.Verdict != engine.Placed {
		j.failed = true
	}
	if len(j.stages) == maxStages {
		j.stages[maxStages-1].End = s.End
		j.merged++
	} else {
		j.stages = append(j.stages, *s)
	}
	if s.State == journey.Starting && !p.Running.IsZero() {
		w.finish(j, s.End)
	}
}

// Pod implements journey.Sink.
func (w *Journeys) Pod(p *journey.Pod) {
	if j := w.open[p]; j != nil && len(j.stages) > 0 && !j.sent {
		w.finish(j, j.stages[len(j.stages)-1].End)
	}
	delete(w.open, p)
}

// finish makes the spans of a journey. The pod stays known while it runs, so that nothing of it is sent twice.
func (w *Journeys) finish(j *podJourney, end time.Time) {
	w.counts.Pods++
	if w.err == nil && w.rules.takes(j, end) {
		made := spansOf(j)
		w.counts.Traces++
		w.counts.Spans += len(made)
		w.spans = append(w.spans, made...)
		if len(w.spans) >= batchSpans {
			w.flush()
		}
	}
	j.stages, j.sent = nil, true
}

func (w *Journeys) flush() {
	if w.err == nil && len(w.spans) > 0 {
		w.err = w.send([]*tracepb.ResourceSpans{resourceSpans(w.version, w.spans)})
	}
	w.spans = nil
}

// Err returns the first error of a batch.
func (w *Journeys) Err() error { return w.err }

// Close sends the rest, and returns what was exported and the first error.
func (w *Journeys) Close() (Counts, error) {
	w.flush()
	return w.counts, w.err
}
