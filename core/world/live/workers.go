package live

import (
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"orrery/core/world"
)

// workers carry effects out. There are as many as there is work for, up to a bound; plugins, which may take their time,
// do not count.
type workers struct {
	cluster *Cluster
	most    int

	mu      sync.Mutex
	lanes   map[string]*lane
	ready   []*lane // those whose oldest job can be carried out, in the order of their turn
	working int
	waiting int
	plugins int // at work, or about to be
	stopped bool
	group   sync.WaitGroup
}

func newWorkers(c *Cluster) *workers {
	return &workers{cluster: c, most: c.options.Calls, lanes: map[string]*lane{}}
}

// take queues an effect.
func (w *workers) take(e world.Effect) {
	ref := regards(e.Act)
	j := &job{effects: []world.EffectID{e.ID}, act: e.Act}
	if _, patch := e.Act.(world.PatchStatus); patch {
		j.pod = w.cluster.known(ref)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped {
		return
	}
	if _, plugin := e.Act.(world.Run); plugin {
		w.plugins++
	}
	key := laneOf(ref)
	l := w.lanes[key]
	if l == nil {
		l = &lane{key: key}
		w.lanes[key] = l
	}
	had := len(l.waiting)
	needless := l.add(j)
	w.waiting += len(l.waiting) - had
	if len(l.waiting) == had {
		w.cluster.count.overtaken.Add(1)
	}
	w.answerLater(needless, errOvertaken)
	switch {
	case had == 0 && l.running == nil:
		w.enqueue(l)
	case l.pause != nil && l.waiting[0] == j: // what the pause was for is needless
		l.pause.Stop()
		l.pause = nil
		w.enqueue(l)
	}
}

// enqueue gives a lane its turn, and a worker if there are too few.
func (w *workers) enqueue(l *lane) {
	w.ready = append(w.ready, l)
	if w.working < w.most {
		w.working++
		w.group.Go(w.work)
	}
}

// work carries out whatever is ready until nothing is.
func (w *workers) work() {
	for {
		l, j := w.next()
		if j == nil {
			return
		}
		if run, ok := j.act.(world.Run); ok {
			go func() { w.finish(l, j, w.call(run, l, j), 0) }() // it may outlive a stop: nobody can make a plugin return
			continue
		}
		outcome, again := w.cluster.carryOut(j)
		w.finish(l, j, outcome, again)
	}
}

func (w *workers) next() (*lane, *job) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.ready) == 0 || w.stopped {
		w.working--
		return nil, nil
	}
	l := w.ready[0]
	w.ready[0] = nil
	if w.ready = w.ready[1:]; len(w.ready) == 0 {
		w.ready = nil
	}
	l.running, l.waiting = l.waiting[0], l.waiting[1:]
	w.waiting--
	return l, l.running
}

// call runs a plugin. Its context ends when the pod is to be deleted, or when everything does.
func (w *workers) call(run world.Run, l *lane, j *job) world.Outcome {
	ctx, cancel := context.WithCancel(w.cluster.ctx)
	defer cancel()
	w.mu.Lock()
	j.cancel = cancel
	for _, later := range l.waiting {
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

// finish ends a try: the job is answered, or waits for the next one.
func (w *workers) finish(l *lane, j *job, outcome world.Outcome, again time.Duration) {
	if again == 0 {
		w.cluster.answer(j, outcome) // before the next on the same pod begins, so that outcomes have an order, too
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	l.running = nil
	if w.stopped {
		return
	}
	if again > 0 {
		had := len(l.waiting)
		needless := l.putBack(j)
		w.waiting += len(l.waiting) - had
		if len(l.waiting) == had {
			w.cluster.count.overtaken.Add(1)
		}
		w.answerLater(needless, errOvertaken)
		if l.waiting[0] == j {
			l.pause = time.AfterFunc(wait.Jitter(again, 0.2), func() { w.resume(l) })
			return
		}
	}
	if len(l.waiting) > 0 {
		w.enqueue(l)
		return
	}
	delete(w.lanes, l.key)
}

// resume ends a pause.
func (w *workers) resume(l *lane) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if l.pause == nil || w.stopped {
		return
	}
	l.pause = nil
	w.enqueue(l)
}

var errOvertaken = errors.New("not done: a newer wish for the same pod came before its turn")

// answerLater answers a job that will not be carried out. Whoever calls it holds the lock and may be the engine, so it
// must not wait for room in the inbox.
func (w *workers) answerLater(j *job, why error) {
	if j == nil {
		return
	}
	select {
	case w.cluster.inbox <- ended(j.effects[0], outcomeOf(why)):
		j.effects = j.effects[1:]
	default:
	}
	if len(j.effects) > 0 {
		w.group.Go(func() { w.cluster.answer(j, outcomeOf(why)) })
	}
}

// stop lets what is under way end; what waits is forgotten.
func (w *workers) stop() {
	w.mu.Lock()
	w.stopped = true
	for _, l := range w.lanes {
		if l.pause != nil {
			l.pause.Stop()
		}
	}
	w.mu.Unlock()
	w.group.Wait()
}

func (w *workers) load() (waiting, running, plugins int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.waiting, w.working, w.plugins
}

func (w *workers) pending(name func(world.Act) string) map[string]int {
	count := map[string]int{}
	note := func(j *job) {
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
		for _, j := range l.waiting {
			note(j)
		}
	}
	return count
}

// idle tells whether every effect has been answered.
func (w *workers) idle() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.lanes) == 0
}

// answer tells how an effect ended, and those that became one with it.
func (c *Cluster) answer(j *job, outcome world.Outcome) {
	for _, id := range j.effects {
		_ = c.put(c.ctx, ended(id, outcome)) // fails only when nobody listens any more
	}
}

func ended(id world.EffectID, outcome world.Outcome) world.Event {
	return world.Ended{Effect: id, Outcome: outcome}
}
