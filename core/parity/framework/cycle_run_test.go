package framework

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	upconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	upruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/profile"

	"orrery/core/parity/informers"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/release"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// cycleRecord is what became of a pod.
type cycleRecord struct {
	calls  []string // of plugins, with their times
	events []string
	end    string
}

// cycleEnds are ends of cycles and calls that the cases must reach.
var cycleEnds = []string{"bound", "rejected", "error", skipped, "work", "PreBind", "PostBind", "Unreserve"}

const skipped = "the pod is not bound: every Bind plugin skips it"

// longest is longer than any cycle: each of four plugins waits a minute for a permit, and works three times.
const longest = 6 * time.Minute

func (c bindingCast) pod() *v1.Pod { return mk.Pod("in").Obj() }

// inUpstream runs the cycle in kube-scheduler, whose plugins block.
func (c bindingCast) inUpstream() *cycleRecord {
	c.log.begin()
	registry := upruntime.Registry{"Sort": func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) { return sorter{}, nil }}
	for _, w := range c.workers {
		registry[w.name] = func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) { return w, nil }
	}
	ctx, end := context.WithCancel(context.Background())
	pod, objects, recorder := c.pod(), informers.New(), &eventLog{start: time.Now()}
	sched, err := scheduler.New(ctx, fake.NewClientset(pod), objects, nil,
		profile.RecorderFactory(func(string) events.EventRecorderLogger { return recorder }),
		scheduler.WithFrameworkOutOfTreeRegistry(registry),
		scheduler.WithProfiles(upconfig.KubeSchedulerProfile{SchedulerName: v1.DefaultSchedulerName, Plugins: internal(c.configuration())}))
	if err != nil {
		panic(err)
	}
	sched.SchedulingQueue.Run(klog.Logger{})
	objects.Set(mk.Node("n1").Obj())
	objects.Set(pod)
	synctest.Wait()
	sched.ScheduleOne(ctx)
	time.Sleep(longest)
	synctest.Wait()
	end()
	sched.SchedulingQueue.Close()
	time.Sleep(2 * time.Second) // its metrics recorders sleep for a second at a time
	return &cycleRecord{calls: c.log.take(), events: recorder.lines, end: recorder.end}
}

// inOrrery runs the cycle in Orrery's engine, whose plugins take steps or block.
func (c bindingCast) inOrrery() *cycleRecord {
	c.log.begin()
	registry := framework.Registry{"Sort": func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) { return sorter{}, nil }}
	for _, w := range c.workers {
		registry[w.name] = func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) {
			if w.steps {
				return stepper{w}, nil
			}
			return w, nil
		}
	}
	configuration := config.Default(config.FeaturesOf(release.Newest))
	configuration.Profiles = []config.Profile{{SchedulerName: v1.DefaultSchedulerName, Plugins: c.configuration()}}
	e, err := engine.New(engine.Options{Config: configuration, Plugins: registry, Start: time.Now()})
	if err != nil {
		panic(err)
	}
	o := &orreryCycle{Engine: e, events: &eventLog{start: time.Now()}, ended: make(chan world.EffectDone, 1), changes: c.log}
	o.apply(world.Changed{Op: world.Added, Object: mk.Node("n1").Obj()})
	o.apply(world.Changed{Op: world.Added, Object: c.pod()})
	e.Step()
	o.run(time.Now().Add(longest))
	return &cycleRecord{calls: c.log.take(), events: o.events.lines, end: o.events.end}
}

// orreryCycle drives an engine.
type orreryCycle struct {
	*engine.Engine
	events  *eventLog
	ended   chan world.EffectDone // of plugins that block
	changes *callLog              // knows when the object that plugins wait for changes
	version int
}

func (o *orreryCycle) apply(event world.Event) {
	if err := o.Apply(world.Input{At: time.Now(), Event: event}); err != nil {
		panic(err)
	}
}

// run carries out effects and lets time pass until the end. The object that plugins wait for changes changeAfter later.
func (o *orreryCycle) run(end time.Time) {
	for {
		o.carryOut()
		next, change := end, false
		if wake, due := o.NextWake(); due && wake.Before(next) {
			next = wake
		}
		if at, due := o.changes.next(); due && !at.After(next) {
			next, change = at, true
		}
		select {
		case done := <-o.ended:
			o.apply(done)
			continue
		case <-time.After(time.Until(next)):
		}
		if !next.Before(end) {
			return
		}
		if change {
			o.changes.reached(next)
			o.version++
			pv := mk.Volume(outcomeOf(work{})).Obj()
			pv.ResourceVersion = fmt.Sprint(o.version)
			o.apply(world.Changed{Op: world.Modified, Object: pv})
		} else {
			o.apply(world.Tick{})
		}
	}
}

func (o *orreryCycle) carryOut() {
	for effects := o.Effects(); len(effects) > 0; effects = o.Effects() {
		for _, f := range effects {
			done := world.EffectDone{Effect: f.ID}
			switch act := f.Action.(type) {
			case world.EmitEvent:
				o.events.add(act.Type, act.Reason, act.Note)
				continue
			case world.RunPlugin:
				go func() {
					status := act.Call(context.Background())
					done.Outcome = world.Outcome{Code: status.Code(), Message: status.Message()}
					o.ended <- done
				}()
				continue
			case world.SelectNode:
				if act.Claim.Name == outcomeOf(work{fails: true}) {
					done.Outcome = world.Outcome{Code: fwk.Error, Message: errWrite.Error()}
				}
			}
			o.apply(done)
		}
	}
}

// callLog is what plugins record, some on goroutines of their own, with the virtual time since the beginning.
type callLog struct {
	mu      sync.Mutex
	start   time.Time
	lines   []string
	changes []time.Time // when waits of plugins that take steps end well
}

// next returns the first change that plugins wait for.
func (l *callLog) next() (at time.Time, due bool) {
	if len(l.changes) == 0 {
		return at, false
	}
	return slices.MinFunc(l.changes, time.Time.Compare), true
}

// reached drops the changes up to a time.
func (l *callLog) reached(now time.Time) {
	l.changes = slices.DeleteFunc(l.changes, func(at time.Time) bool { return !at.After(now) })
}

func (l *callLog) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.start, l.lines, l.changes = time.Now(), nil, nil
}

func (l *callLog) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.start.IsZero() {
		line = fmt.Sprint(time.Since(l.start), " ", line)
	}
	l.lines = append(l.lines, line)
}

// take returns the lines, and begins anew.
func (l *callLog) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := l.lines
	l.lines = nil
	return lines
}

// eventLog is an event recorder.
type eventLog struct {
	start time.Time
	lines []string
	end   string
}

func (l *eventLog) add(kind, reason, note string) {
	l.lines = append(l.lines, fmt.Sprint(time.Since(l.start), " ", kind, " ", reason, ": ", note))
	switch {
	case reason == "Scheduled":
		l.end = "bound"
	case note == skipped:
		l.end = skipped
	case strings.HasPrefix(note, "running"):
		l.end = "error"
	default:
		l.end = "rejected"
	}
}

func (l *eventLog) Eventf(_, _ runtime.Object, kind, reason, _, note string, args ...any) {
	l.add(kind, reason, fmt.Sprintf(note, args...))
}

func (l *eventLog) WithLogger(klog.Logger) events.EventRecorderLogger { return l }
