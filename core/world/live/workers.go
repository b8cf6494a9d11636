package live

import (
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"orrery/core/world"
)

// workers carry out effects. Their number follows the load up to a bound; plugin calls, which may take long, do not count.
type workers struct {
	cluster    *Cluster
	maxWorkers int

	mu      sync.Mutex
	lanes   map[string]*podEffects
	ready   []*podEffects // those whose oldest task can run, in order
	active  int
	waiting int
	plugins int // running, or about to
	stopped bool
	group   sync.WaitGroup
}

func newWorkers(c *Cluster) *workers {
	return &workers{cluster: c, maxWorkers: c.options.Calls, lanes: map[string]*podEffects{}}
}

// add queues an effect.
func (w *workers) add(e world.Effect) {
	ref := world.PodOf(e.Action)
	j := &task{effects: []world.EffectID{e.ID}, act: e.Action}
	if _, patch := e.Action.(world.PatchStatus); patch {
		j.knownPod = w.cluster.knownPod(ref)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped {
		return
	}
	if _, plugin := e.Action.(world.RunPlugin); plugin {
		w.plugins++
	}
	key := podKey(ref)
	l := w.lanes[key]
	if l == nil {
		l = &podEffects{key: key}
		w.lanes[key] = l
	}
	had := len(l.pending)
	superseded := l.add(j)
	w.waiting += len(l.pending) - had
	if len(l.pending) == had {
		w.cluster.count.superseded.Add(1)
	}
	w.reportSuperseded(superseded, errSuperseded)
	switch {
	case had == 0 && l.running == nil:
		w.enqueue(l)
	case l.retryTimer != nil && l.pending[0] == j: // the task to retry was superseded
		l.retryTimer.Stop()
		l.retryTimer = nil
		w.enqueue(l)
	}
}

// enqueue schedules a pod's next task, and starts a worker if there are too few.
func (w *workers) enqueue(l *podEffects) {
	w.ready = append(w.ready, l)
	if w.active < w.maxWorkers {
		w.active++
		w.cluster.spawn(&w.group, "a call to the API server", w.work)
	}
}

// work runs ready tasks until there are none.
func (w *workers) work() {
	for {
		l, j := w.next()
		if j == nil {
			return
		}
		if run, ok := j.act.(world.RunPlugin); ok {
			// It may outlive Stop: a plugin cannot be forced to return.
			go w.cluster.guard("running a plugin", func() { w.finish(l, j, w.runPlugin(run, l, j), 0) })
			continue
		}
		outcome, again := w.cluster.attempt(j)
		w.finish(l, j, outcome, again)
	}
}

func (w *workers) next() (*podEffects, *task) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.ready) == 0 || w.stopped {
		w.active--
		return nil, nil
	}
	l := w.ready[0]
	w.ready[0] = nil
	if w.ready = w.ready[1:]; len(w.ready) == 0 {
		w.ready = nil
	}
	l.running, l.pending = l.pending[0], l.pending[1:]
	w.waiting--
	return l, l.running
}

// runPlugin calls a plugin. Its context ends when the pod is to be deleted, or at Stop.
func (w *workers) runPlugin(run world.RunPlugin, l *podEffects, j *task) world.Outcome {
	ctx, cancel := context.WithCancel(w.cluster.ctx)
	defer cancel()
	w.mu.Lock()
	j.cancel = cancel
	for _, later := range l.pending {
		if _, deletes := later.act.(world.Delete); deletes {
			cancel()
		}
	}
	w.mu.Unlock()
	status := run.Call(ctx)
	w.mu.Lock()
	w.plugins--
	w.mu.Unlock()
	return world.Outcome{Code: status.Code(), Message: status.Message()}
}

// finish reports a task's outcome, or schedules a retry.
func (w *workers) finish(l *podEffects, j *task, outcome world.Outcome, again time.Duration) {
	if again == 0 {
		w.cluster.reportOutcome(j, outcome) // before the pod's next task, so that outcomes are in order, too
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	l.running = nil
	if w.stopped {
		return
	}
	if again > 0 {
		had := len(l.pending)
		superseded := l.requeue(j)
		w.waiting += len(l.pending) - had
		if len(l.pending) == had {
			w.cluster.count.superseded.Add(1)
		}
		w.reportSuperseded(superseded, errSuperseded)
		if l.pending[0] == j {
			l.retryTimer = time.AfterFunc(wait.Jitter(again, 0.2), func() { w.resume(l) })
			return
		}
	}
	if len(l.pending) > 0 {
		w.enqueue(l)
		return
	}
	delete(w.lanes, l.key)
}

// resume ends a retry delay.
func (w *workers) resume(l *podEffects) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if l.retryTimer == nil || w.stopped {
		return
	}
	l.retryTimer = nil
	w.enqueue(l)
}

var errSuperseded = errors.New("superseded by a newer effect on the same pod")

// reportSuperseded reports a task that will not be carried out. The caller holds the lock and may be the engine, so it must
// not wait for room in the inbox.
func (w *workers) reportSuperseded(j *task, why error) {
	if j == nil {
		return
	}
	select {
	case w.cluster.inbox <- effectDone(j.effects[0], outcomeOf(why)):
		w.cluster.progress.put(time.Now())
		j.effects = j.effects[1:]
	default:
	}
	if len(j.effects) > 0 {
		w.cluster.spawn(&w.group, "reporting an outcome", func() { w.cluster.reportOutcome(j, outcomeOf(why)) })
	}
}

// stop waits for running calls; pending tasks are dropped.
func (w *workers) stop() {
	w.mu.Lock()
	w.stopped = true
	for _, l := range w.lanes {
		if l.retryTimer != nil {
			l.retryTimer.Stop()
		}
	}
	w.mu.Unlock()
	w.group.Wait()
}

func (w *workers) counts() (waiting, running, plugins int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.waiting, w.active, w.plugins
}

func (w *workers) pending(name func(world.Action) string) map[string]int {
	count := map[string]int{}
	note := func(j *task) {
		if n := name(j.act); n != "" {
			count[n]++
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.lanes {
		if l.running != nil {
			note(l.running)
		}
		for _, j := range l.pending {
			note(j)
		}
	}
	return count
}

// idle reports whether every effect has an outcome.
func (w *workers) idle() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.lanes) == 0
}

// reportOutcome reports the outcome of a task for all its effects.
func (c *Cluster) reportOutcome(j *task, outcome world.Outcome) {
	for _, id := range j.effects {
		_ = c.enqueue(c.ctx, effectDone(id, outcome)) // fails only after Stop
	}
}

func effectDone(id world.EffectID, outcome world.Outcome) world.Event {
	return world.EffectDone{Effect: id, Outcome: outcome}
}
