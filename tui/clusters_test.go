package tui

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"orrery/core/operator/actions"
	"orrery/core/operator/usage"
	"orrery/views"
	"orrery/views/collect"
)

// watchedStub is an open cluster of a list, which can lose its connection and end.
type watchedStub struct {
	staticSource
	name string

	mu     sync.Mutex
	blind  string
	ended  error
	closed bool
	busy   chan struct{} // Hold waits for it; nil for an engine that does nothing
}

func (w *watchedStub) Name() string                { return w.name }
func (w *watchedStub) Wake() <-chan struct{}       { return nil }
func (w *watchedStub) Usage(string) *usage.Reading { return nil }
func (w *watchedStub) ReadOnlyReason() string      { return "read-only: a test" }
func (w *watchedStub) Shadows() bool               { return true }
func (w *watchedStub) Access() string              { return "" }
func (w *watchedStub) PodNamespace() string        { return "" }
func (w *watchedStub) Contexts() []string          { return nil }
func (w *watchedStub) Executor() actions.Executor  { return actions.Executor{} }

func (w *watchedStub) Dial(context.Context, string, string) (func() func(), error) {
	return nil, errors.New("a test dials nothing")
}

func (w *watchedStub) set(change func(*watchedStub)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change(w)
}

func (w *watchedStub) Hold(do func()) {
	w.mu.Lock()
	busy := w.busy
	w.mu.Unlock()
	if busy != nil {
		<-busy
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	do()
}

func (w *watchedStub) Ended() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ended
}

func (w *watchedStub) Close() { w.set(func(w *watchedStub) { w.closed = true }) }

func (w *watchedStub) Annotate(m *views.Model, _ collect.Query) {
	m.Header.Source, m.Header.Mode = w.name, views.Shadow
	m.Header.Compared, m.Header.AgreementRate = 2000, 0.996
	if w.blind != "" {
		m.Header.Blind, m.Header.AsOf, m.Header.BlindReason, m.Header.Alert = true, start, w.blind, "the connection is lost"
	}
}

// fleet is a list of clusters whose time and connections a test controls.
type fleet struct {
	t *testing.T
	*Clusters
	mu    sync.Mutex
	at    time.Time
	ticks chan time.Time
	open  map[string]func(context.Context) (watchedSource, error)
}

func newFleet(t *testing.T, open map[string]func(context.Context) (watchedSource, error)) *fleet {
	f := &fleet{t: t, at: start, ticks: make(chan time.Time), open: open}
	var contexts []string
	for _, name := range []string{"east", "west", "hangs", "refuses", "new\x1b[31m\u202e\nname", "界" + strings.Repeat("x", 300)} {
		if open[name] != nil {
			contexts = append(contexts, name)
		}
	}
	connect := func(ctx context.Context, name string) (watchedSource, error) {
		f.mu.Lock()
		of := f.open[name]
		f.mu.Unlock()
		return of(ctx)
	}
	c, err := newClusters(contexts, "", connect, f.now, func(time.Duration) <-chan time.Time { return f.ticks })
	if err != nil {
		t.Fatal(err)
	}
	f.Clusters = c
	t.Cleanup(c.Close)
	return f
}

func (f *fleet) now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.at
}

func (f *fleet) pass(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at = f.at.Add(d)
}

// await waits until a row is in a state, and lets those that wait for their next turn go on meanwhile.
func (f *fleet) await(name string, want views.ClusterState) views.ClusterRow {
	f.t.Helper()
	late := time.After(20 * time.Second)
	for {
		for _, m := range f.all() {
			if r := m.rowNow(); r.Key == name && r.State == want {
				return r
			}
		}
		select {
		case f.ticks <- f.now():
		case <-f.wakes:
		case <-late:
			f.t.Fatalf("cluster %q is not %s: %+v", name, want.Word(), f.rows())
		}
	}
}

func (f *fleet) rows() (rows []views.ClusterRow) {
	for _, m := range f.all() {
		rows = append(rows, m.rowNow())
	}
	return rows
}

func opens(w *watchedStub) func(context.Context) (watchedSource, error) {
	return func(context.Context) (watchedSource, error) { return w, nil }
}

// hangs ignores even the end of its context, as a credential plugin that waits for a person does.
func hangs(until <-chan struct{}) func(context.Context) (watchedSource, error) {
	return func(context.Context) (watchedSource, error) {
		<-until
		return nil, errors.New("released")
	}
}

func refuses(context.Context) (watchedSource, error) {
	return nil, fmt.Errorf("checking access: %w", &url.Error{Op: "Get", URL: "https://jane:secret@10.0.0.1:6443/api", Err: errors.New("connect: connection refused")})
}

func stub(t *testing.T, name string, pods ...string) *watchedStub {
	s := manyPods(t, 3, pods...)
	for more := true; more; {
		_, more = s.engine.Step()
	}
	return &watchedStub{staticSource: s, name: name}
}

// newSick is a list of clusters of which one hangs, one refuses, and one dies in the middle.
func newSick(t *testing.T) (f *fleet, east, west *watchedStub) {
	released := make(chan struct{})
	t.Cleanup(func() { close(released) })
	east, west = stub(t, "east"), stub(t, "west", "one", "two")
	f = newFleet(t, map[string]func(context.Context) (watchedSource, error){"east": opens(east), "west": opens(west), "hangs": hangs(released), "refuses": refuses})
	if err := f.Add("east", "west", "hangs", "refuses", "east"); err != nil {
		t.Fatal(err)
	}
	return f, east, west
}

func TestClusters_SickOneHoldsUpNothing(t *testing.T) {
	f, east, west := newSick(t)
	f.await("east", views.ClusterHealthy)
	r := f.await("west", views.ClusterTroubled)
	if r.Pending != 2 || len(r.Causes) != 1 || r.Causes[0].Name != "NodeResourcesFit" && r.Causes[0].Name != "Insufficient cpu" || r.AgreementRate != 0.996 {
		t.Errorf("of west is known %+v", r)
	}
	r = f.await("refuses", views.ClusterUnreachable)
	if !strings.Contains(r.Note, "connection refused; tried again every 10s") || strings.Contains(r.Note, "secret") || !r.Since.Equal(start) || r.Read {
		t.Errorf("of the one that refuses is known %+v", r)
	}
	f.pass(7 * time.Second)
	if r = f.await("hangs", views.ClusterConnecting); !r.Since.Equal(start) {
		t.Errorf("the one that hangs has connected since %s, want %s", r.Since, start)
	}
	west.set(func(w *watchedStub) { w.blind = "connection reset" })
	if r = f.await("west", views.ClusterLost); r.Note != "connection reset" || !r.Since.Equal(start) || r.Pending != 2 {
		t.Errorf("of the one that died is known %+v", r)
	}
	east.set(func(w *watchedStub) { w.ended = errors.New("the engine panicked") })
	if r = f.await("east", views.ClusterLost); !strings.Contains(r.Note, "the engine panicked") {
		t.Errorf("of the one that ended is known %+v", r)
	}
	again := stub(t, "east")
	f.mu.Lock()
	f.open["east"] = opens(again)
	f.mu.Unlock()
	f.await("east", views.ClusterHealthy)
	if !east.closed {
		t.Error("the session that ended was not closed")
	}
	f.Close()
	if !west.closed {
		t.Error("a session is open after the list was closed")
	}
}

// A row whose engine works for long says so; the others go on.
func TestClusters_BusyEngineSaysSo(t *testing.T) {
	east, west := stub(t, "east"), stub(t, "west")
	f := newFleet(t, map[string]func(context.Context) (watchedSource, error){"east": opens(east), "west": opens(west)})
	if err := f.Add("east", "west"); err != nil {
		t.Fatal(err)
	}
	f.await("east", views.ClusterHealthy)
	f.await("west", views.ClusterHealthy)
	busy := make(chan struct{})
	east.set(func(w *watchedStub) { w.busy = busy })
	f.pass(quietAfter)
	if r := f.await("east", views.ClusterReading); r.Note != "the engine is still working" || !r.Since.Equal(start) {
		t.Errorf("of the busy one is known %+v", r)
	}
	f.await("west", views.ClusterHealthy)
	close(busy)
	east.set(func(w *watchedStub) { w.busy = nil })
	f.await("east", views.ClusterHealthy)
}

func TestClusters_AddRefuses(t *testing.T) {
	f := newFleet(t, map[string]func(context.Context) (watchedSource, error){"east": refuses, "west": refuses})
	if err := f.Add("east", "n\x1bowhere"); err == nil || err.Error() != `there is no context "n\\x1bowhere"; there are east, west` || len(f.all()) != 0 {
		t.Errorf("it adds %d clusters, and says %v", len(f.all()), err)
	}
	var many []string
	for i := range maxClusters + 1 {
		many = append(many, fmt.Sprint("cluster-", i))
	}
	f.contexts = many
	if err := f.Add(many...); err == nil || !strings.Contains(err.Error(), "33 clusters are more than one console watches, which is 32") || len(f.all()) != 0 {
		t.Errorf("it adds %d clusters, and says %v", len(f.all()), err)
	}
	f.oneOnly = "this console schedules"
	if err := f.Add(many[:2]...); err == nil || err.Error() != f.oneOnly {
		t.Errorf("it says %v", err)
	}
}

func TestClusters_EnterAndLeave(t *testing.T) {
	f, east, _ := newSick(t)
	f.await("east", views.ClusterHealthy)
	f.await("west", views.ClusterTroubled)
	f.await("refuses", views.ClusterUnreachable)
	s := watchWith(t, Options{Source: f.Clusters, Clusters: f.Clusters}, 140, 40)
	s.shows("4 clusters", "⊗ 1 of 4 clusters unreachable: refuses", "✓ healthy", "✗ trouble", "⊗ unreachable", "◌ connecting", "enter go in")
	for _, key := range []string{"2", "0", "tab", "shift+tab"} {
		s.keys(key).shows(enterFirst)
	}
	s.keys("z", "z").lacks("1-9 panes").lacks("0 orrery").lacks("tab next pane")
	s.keys("esc").shows("this is the list of clusters; q quits")
	s.keys("c").lacks("This changes")
	s.keys(":").typeText("access").keys("enter").shows(":access: " + enterFirst)
	s.keys("esc", "?").shows("Navigation").keys("esc")
	s.keys("down", "down", "enter").shows("cluster hangs is not connected yet")
	s.keys("up", "enter").shows("watching west", "2 Queue").keys("2", "esc").shows("esc clusters")
	s.keys("2").shows("default/one").keys("esc", "esc").shows("watching 4 clusters", "▌ ✗ trouble")
	s.keys("enter").shows("watching west").keys(":").typeText("ctx east").keys("enter").shows("watching east")
	s.keys(":").typeText("ctx west").keys("enter").shows("watching west")
	s.keys(":").typeText("ctx nowhere").keys("enter").shows(`cluster nowhere is not in the list; ":clusters nowhere" adds it`)
	s.keys("esc", ":").typeText("clusters nowhere").keys("enter").shows(`there is no context "nowhere"`)
	s.keys("esc", ":").typeText("clusters").keys("enter").shows("watching 4 clusters", "▌ ✗ trouble")
	s.keys("g", "enter").shows("watching east")
	east.set(func(w *watchedStub) { w.ended = errors.New("the engine panicked") })
	f.await("east", views.ClusterLost)
	if east.closed {
		t.Fatal("the session that the screen shows was closed")
	}
	s.keys("esc").shows("watching 4 clusters")
	f.await("east", views.ClusterLost)
}

// A console of one cluster has no list above its overview until another cluster is added.
func TestClusters_AddedToOne(t *testing.T) {
	east, west := stub(t, "east"), stub(t, "west")
	f := newFleet(t, map[string]func(context.Context) (watchedSource, error){"east": opens(east), "west": opens(west)})
	f.members = append(f.members, &member{of: f.Clusters, name: "east", source: east, entered: true})
	s := watchWith(t, Options{Source: east, Clusters: f.Clusters}, 140, 40)
	s.keys("esc").shows("this is the overview; q quits").lacks("esc clusters")
	s.keys(":").typeText("clusters west").keys("enter")
	f.await("west", views.ClusterHealthy)
	f.await("east", views.ClusterHealthy)
	s.advance(2*time.Second).shows("2 clusters", "▌ ✓ healthy", "west")
	s.keys("enter").shows("watching east").keys("2", "esc").shows("esc clusters").keys("esc").shows("watching 2 clusters")
	recording := newSession(t, 140, 30)
	recording.keys(":").typeText("clusters").keys("enter").shows(":clusters: this is no console, and has no contexts")
}

func TestClusters_HostileNames(t *testing.T) {
	open := map[string]func(context.Context) (watchedSource, error){}
	for _, name := range []string{"new\x1b[31m\u202e\nname", "界" + strings.Repeat("x", 300)} {
		open[name] = opens(stub(t, name))
	}
	f := newFleet(t, open)
	if err := f.Add(f.contexts...); err != nil {
		t.Fatal(err)
	}
	for _, name := range f.contexts {
		f.await(name, views.ClusterHealthy)
	}
	s := watchWith(t, Options{Source: f.Clusters, Clusters: f.Clusters}, 80, 24)
	for _, key := range []string{"", "down", "y", "d", "enter", "esc", "enter", "2", "esc", "esc"} {
		if key != "" {
			s.keys(key)
		}
		checkSize(t, s)
		if plain := s.plain(); strings.ContainsAny(plain, "\x1b\u202e\r") {
			t.Fatalf("after %q the screen has a control character: %q", key, plain)
		}
	}
}

// TestClusters_EveryKey presses every key on the list: none opens a pane of no cluster, and none breaks the screen.
func TestClusters_EveryKey(t *testing.T) {
	f, _, _ := newSick(t)
	f.await("east", views.ClusterHealthy)
	for _, way := range keyPaths() {
		s := watchWith(t, Options{Source: f.Clusters, Clusters: f.Clusters}, 80, 24)
		s.keys(way...)
		checkSize(t, s)
		if top := s.screen.top(); s.screen.onClusters() && top.pane != views.ClustersPane && top.pane != views.HelpPane && top.page == nil {
			t.Errorf("%q opens %q of no cluster", way, top.pane)
		}
		f.leaveAllBut(nil)
	}
}
