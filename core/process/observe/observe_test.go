package observe_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/prometheus/client_golang/prometheus"
	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/shadow"
	"orrery/core/process/contact"
	"orrery/core/process/observe"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/apistub"
	"orrery/core/testing/mk"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/trace/segments"
	"orrery/core/world"
)

// observed is an observer that runs.
type observed struct {
	*observe.Observer
	t     *testing.T
	moved chan struct{} // receives after each input, and once a second
	end   context.CancelFunc
	once  sync.Once
	// halvings is how often what is optional is halved.
	halvings atomic.Int64
	ended    chan error
}

// options observe a server of two nodes.
func options(api *apistub.Server) observe.Options {
	api.Put(mk.Node("small").CPU("1").Pods("10").Obj(), mk.Node("large").CPU("8").Pods("10").Obj())
	return observe.Options{KubeConfig: api.KubeConfig(), Config: config.Default(config.DefaultFeatures()), Identity: "observer-0", Seed: 1}
}

// start opens and runs an observer until the test ends, or until stop.
func start(t *testing.T, o observe.Options, prepare ...func(*observe.Observer)) *observed {
	t.Helper()
	x := &observed{t: t, moved: make(chan struct{}, 1), ended: make(chan error, 1)}
	move := func() {
		select {
		case x.moved <- struct{}{}:
		default:
		}
	}
	o.Instruments = observe.Instruments{
		Observer: func(*engine.Engine) drive.Observer {
			return shrinking{drive.OnInput(func(world.Input, error) { move() }), &x.halvings}
		},
		Refresh: func(*engine.Engine, *shadow.Comparator) { move() },
	}
	b, err := observe.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range prepare {
		of(b)
	}
	ctx, end := context.WithCancel(t.Context())
	x.Observer, x.end = b, end
	go func() { x.ended <- b.Run(ctx) }()
	t.Cleanup(x.stop)
	x.await("the lists", func() bool { return b.Synced() == nil })
	return x
}

// stop ends the observer and waits for it.
func (x *observed) stop() {
	x.end()
	x.once.Do(func() {
		if err := <-x.ended; err != nil {
			x.t.Errorf("it ended with %v", err)
		}
	})
}

// await waits until something is the case, which is looked at after each input and once a second.
func (x *observed) await(what string, is func() bool) {
	x.t.Helper()
	for !is() {
		select {
		case err := <-x.ended:
			x.t.Fatalf("waiting for %s, it ended: %v", what, err)
		case <-x.t.Context().Done():
			x.t.Fatalf("the test ended while it waits for %s", what)
		case <-x.moved:
		}
	}
}

// compared returns the counts of real decisions.
func (x *observed) compared() (c shadow.Counters) {
	_ = x.Agreement(x.t.Context(), func(j *shadow.Comparator) { c = j.Counters() })
	return c
}

func pod(name string) *mk.PodBuilder { return mk.Pod(name).UID(name).CPU("2") }

// place has the server's own scheduler decide about a pod, which the observer is to see first.
func (x *observed) place(api *apistub.Server, name, node string) {
	x.t.Helper()
	one := pod(name).Obj()
	api.Put(one)
	x.await("the pod "+name, func() (there bool) {
		_ = x.Inspect(x.t.Context(), func(e *engine.Engine) { there = e.Store().Pod(one.Namespace, one.Name) != nil })
		return there
	})
	placed := one.DeepCopy()
	placed.Spec.NodeName = node
	placed.Status.Conditions = []v1.PodCondition{{Type: v1.PodScheduled, Status: v1.ConditionTrue}}
	api.Put(placed)
}

// gathered returns the value of each series of an observer, by its name and labels' values.
func (x *observed) gathered() map[string]float64 {
	x.t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(x.Collectors()...)
	all, err := registry.Gather()
	if err != nil {
		x.t.Fatal(err)
	}
	values := map[string]float64{}
	for _, f := range all {
		for _, m := range f.Metric {
			name := f.GetName()
			for _, l := range m.Label {
				name += " " + l.GetValue()
			}
			values[name] = m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	return values
}

// It compares, tells readers of differences by marks, and writes nothing.
func TestObserver_ComparesAndWritesNothing(t *testing.T) {
	api := apistub.New(t)
	x := start(t, options(api))
	x.place(api, "good", "large")
	x.await("agreement", func() bool { return x.compared().Agreed == 1 })
	s, err := x.Subscribe(t.Context(), play.SubscriptionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	x.place(api, "bad", "small") // it does not fit there
	x.await("a difference", func() bool { return x.compared().Differs == 1 })
	var kept strings.Builder
	x.await("its mark", func() bool {
		_, _ = s.Copy(&kept)
		_ = s.Flush()
		r, err := trace.NewReader(strings.NewReader(kept.String()))
		for err == nil {
			var record trace.Record
			if record, err = r.Next(); err == nil {
				if m, is := record.Body.(trace.Mark); is && m.Kind == trace.Difference {
					return strings.Contains(m.Text, "default/bad bound to small, and Orrery chooses large")
				}
			}
		}
		return false
	})
	if writes := api.Written(); len(writes) > 0 {
		t.Errorf("it wrote %v", writes)
	}
	if !x.Observing() || x.Leading() || x.Identity() != "observer-0" {
		t.Errorf("it observes: %t, leads: %t, is %q", x.Observing(), x.Leading(), x.Identity())
	}
}

// Two observers of one cluster see the same, and neither is seen by the other.
func TestObserver_TwoDoNotDisturbEachOther(t *testing.T) {
	api := apistub.New(t)
	o := options(api)
	a, b := start(t, o), start(t, o)
	for i := range 3 {
		a.place(api, fmt.Sprintf("web-%d", i), "large")
	}
	for _, x := range []*observed{a, b} {
		x.await("three decisions", func() bool { return x.compared().Compared() == 3 })
		if c := x.compared(); c.Differs != 0 {
			t.Errorf("compared: %+v", c)
		}
	}
	if writes := api.Written(); len(writes) > 0 {
		t.Errorf("they wrote %v", writes)
	}
}

// An API server that is away costs what happens meanwhile, and no more: the observer goes on when it is back.
func TestObserver_OutlivesTheAPIServer(t *testing.T) {
	api := apistub.New(t)
	x := start(t, options(api))
	x.await("being up", func() bool { return x.gathered()["orrery_observe_up"] == 1 })
	watches := x.gathered()["orrery_watches_total"]
	up := api.Down()
	up()
	x.await("new watches", func() bool { return x.gathered()["orrery_watches_total"] > watches })
	x.place(api, "late", "large")
	x.await("a decision", func() bool { c := x.compared(); return c.Compared()+c.NotCompared == 1 })
	if err := x.Health(); err != nil {
		t.Errorf("its health is %v", err)
	}
}

// Without the pods or the nodes there is nothing to compare, and it says which right is missing.
func TestOpen_NeedsPodsAndNodes(t *testing.T) {
	for _, resource := range []string{"pods", "nodes"} {
		api := apistub.New(t)
		o := options(api)
		api.Forbid("list "+resource, true)
		if _, err := observe.Open(t.Context(), o); err == nil || !strings.HasPrefix(err.Error(), resource+" cannot be read") || !strings.Contains(err.Error(), "manifests --observe") {
			t.Errorf("without %s: %v", resource, err)
		}
	}
}

// What may not be read is named, and the rest is observed.
func TestOpen_GoesOnWithoutOtherKinds(t *testing.T) {
	api := apistub.New(t)
	o := options(api)
	api.Forbid("watch leases", true)
	api.Forbid("list persistentvolumes", true)
	x := start(t, o)
	var left []world.Kind
	for _, u := range x.Unreadable() {
		left = append(left, u.Kind)
	}
	if !slices.Contains(left, world.Lease) || !slices.Contains(left, world.PersistentVolume) {
		t.Errorf("it leaves out %v", left)
	}
	x.place(api, "good", "large")
	x.await("agreement", func() bool { return x.compared().Agreed == 1 })
}

// A second process goes on in the directory of the first, and names the time between the two.
func TestObserver_NamesTheGapOfARestart(t *testing.T) {
	if !segments.Supported {
		t.Skip("this platform records nothing to directories")
	}
	api := apistub.New(t)
	o := options(api)
	var log strings.Builder
	var mu sync.Mutex // what it logs comes from several goroutines
	o.Logger = funcr.New(func(prefix, args string) {
		mu.Lock()
		defer mu.Unlock()
		log.WriteString(prefix + args + "\n")
	}, funcr.Options{})
	o.Record = segments.Options{Directory: t.TempDir(), Limits: segments.Limits{MaxBytes: 1 << 30, MaxAge: time.Hour}, Program: "orrery observe", Logger: o.Logger}
	first := start(t, o)
	first.place(api, "good", "large")
	first.await("a record on disk", func() bool { s, _ := first.Status(); return s.Recording })
	first.stop()
	o.Seed = 2 // as each process has another
	second := start(t, o)
	second.await("a record on disk", func() bool { s, _ := second.Status(); return s.Recording })
	s, _ := second.Status()
	if v := second.gathered()["orrery_recording_missing_seconds"]; s.Missing <= 0 || v != s.Missing.Seconds() {
		t.Errorf("%v is missing, and the metric says %v", s.Missing, v)
	}
	second.stop()
	if !strings.Contains(log.String(), "Nothing is recorded of the time between the process before this one and this one") {
		t.Errorf("the log says %s", log.String())
	}
	d, err := segments.Open(o.Record.Directory)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	all := d.Summaries(func(int64) {})
	gaps := segments.Gaps(all)
	if len(all) != 2 || len(gaps) != 1 || !gaps[0].Restart || !gaps[0].To.After(gaps[0].From) {
		t.Errorf("%d segments with the gaps %+v", len(all), gaps)
	}
}

// Near its memory limit what is optional shrinks: also what hangs on the shadow and not on the loop, as the flight recorder and histories do.
func TestObserver_ShrinksNearItsMemoryLimit(t *testing.T) {
	api := apistub.New(t)
	var collections atomic.Uint64
	x := start(t, options(api), func(b *observe.Observer) {
		b.SetMemory(func() drive.Memory { return drive.Memory{Used: 90, Limit: 100, Collections: collections.Add(1)} })
	})
	x.await("shrinking", func() bool { return x.halvings.Load() > 0 && x.gathered()["orrery_optional_memory_share"] <= 0.5 })
	x.place(api, "good", "large")
	x.await("agreement", func() bool { return x.compared().Agreed == 1 })
}

// shrinking notes how far it has to shrink.
type shrinking struct {
	drive.Observer
	halvings *atomic.Int64
}

func (s shrinking) Shrink(halvings int) { s.halvings.Store(int64(halvings)) }

// requests notes what a client asks.
type requests struct {
	next http.RoundTripper
	mu   sync.Mutex
	made map[string]bool
}

func (r *requests) RoundTrip(q *http.Request) (*http.Response, error) {
	what := q.Method + " " + q.URL.Path
	if of, ok := contact.RequestOf(q); ok {
		what = of.Verb + " " + of.Group + "/" + of.Resource
	}
	r.mu.Lock()
	r.made[what] = true
	r.mu.Unlock()
	return r.next.RoundTrip(q)
}

// It lists and watches the kinds whose rights are printed, and asks for nothing else that takes a right.
func TestObserver_AsksForNoMoreThanItsKinds(t *testing.T) {
	api := apistub.New(t)
	o := options(api)
	asked := &requests{made: map[string]bool{}}
	o.KubeConfig.Wrap(func(next http.RoundTripper) http.RoundTripper {
		asked.next = next
		return asked
	})
	x := start(t, o)
	x.place(api, "good", "large")
	x.await("agreement", func() bool { return x.compared().Agreed == 1 })
	x.stop()
	kinds, err := observe.Kinds(o.Config, o.Plugins)
	if err != nil {
		t.Fatal(err)
	}
	may := map[string]bool{"GET /version": true, "list events.k8s.io/": true, "GET /apis/events.k8s.io/v1": true}
	for _, kind := range kinds {
		for _, verb := range []string{"list ", "watch "} {
			what := verb + kind.Resource().Group + "/" + kind.Resource().Resource
			served := kind != world.Workload || verb == "list " // the stub has none, which the list says
			if may[what] = true; served && !asked.made[what] {
				t.Errorf("it does not %s", what)
			}
		}
	}
	for what := range asked.made {
		if !may[what] {
			t.Errorf("it asks to %s", what)
		}
	}
}
