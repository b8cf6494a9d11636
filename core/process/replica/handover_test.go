package replica

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// wire is the connection below everything that client-go does. It notes how requests begin and end, and holds bindings until they are
// cancelled.
type wire struct {
	http.RoundTripper
	mu    sync.Mutex
	log   []string
	binds chan struct{} // closed when a binding is under way
	bound sync.Once
}

func (w *wire) note(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = append(w.log, what)
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	switch {
	case strings.HasSuffix(r.URL.Path, "/binding"):
		w.bound.Do(func() { close(w.binds) })
		<-r.Context().Done()
		w.note("binding cut off")
		return nil, r.Context().Err()
	case strings.Contains(r.URL.Path, "/leases/") && r.Method == http.MethodPut:
		var lease struct {
			Spec struct{ HolderIdentity string }
		}
		if body, err := r.GetBody(); err == nil && json.NewDecoder(body).Decode(&lease) == nil && lease.Spec.HolderIdentity == "" {
			w.note("lease released")
		}
	}
	return w.RoundTripper.RoundTrip(r)
}

// breaking is an observer that panics when a binding is under way.
type breaking struct {
	drive.Observer
	at <-chan struct{}
}

func (b breaking) Stepped(d *engine.Decision) {
	if d != nil && d.Pod.Name == "good" {
		<-b.at
		panic("the observer breaks")
	}
}

// A scheduler that ends releases the lease, so that another leads within seconds: nothing of its own is under way by then.
func TestRun_CutsCallsOffBeforeTheRelease(t *testing.T) {
	_, kubeConfig := newStub(t)
	w := &wire{RoundTripper: http.DefaultTransport, binds: make(chan struct{})}
	kubeConfig.Transport = w
	o := options()
	o.KubeConfig = kubeConfig
	o.Instruments.Observer = func(*engine.Engine) drive.Observer { return breaking{drive.Observers{}, w.binds} }
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Run(context.Background()); err == nil || errors.Is(err, ErrLostLease) {
		t.Errorf("Run returned %v", err)
	}
	if want := []string{"binding cut off", "lease released"}; !slices.Equal(w.log, want) {
		t.Errorf("in this order: %q, want %q", w.log, want)
	}
}

// A leader that lost the lease cuts off what is under way at once, and not when all else has ended.
func TestRun_CutsCallsOffWhenTheLeaseIsLost(t *testing.T) {
	_, kubeConfig := newStub(t)
	w := &wire{RoundTripper: http.DefaultTransport, binds: make(chan struct{})}
	kubeConfig.Transport = w
	o := options()
	o.KubeConfig = kubeConfig
	o.Logger = funcr.New(func(_, args string) {
		if strings.Contains(args, "A scheduling cycle is cut off") {
			w.note("the driver was waited for")
		}
	}, funcr.Options{})
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- r.Run(context.Background()) }()
	<-w.binds
	// The driver hangs: Run waits for it, and the call must not.
	release := make(chan struct{})
	inspected := make(chan struct{})
	go func() {
		_ = r.Inspect(context.Background(), func(*engine.Engine) { close(inspected); <-release })
	}()
	<-inspected
	r.term.Load().end() // as when another holder is read
	r.gate.Await(time.Hour)
	w.mu.Lock()
	if want := []string{"binding cut off"}; !slices.Equal(slices.Compact(w.log), want) { // several may be in flight
		t.Errorf("in this order: %q, want %q", w.log, want)
	}
	w.mu.Unlock()
	close(release)
	if err := <-ended; !errors.Is(err, ErrLostLease) {
		t.Errorf("Run returned %v", err)
	}
}

// The watches tell of the last binding of the leader before only after this one has acquired the lease.
func TestRun_LeadsWithWhatTheLeaderBeforeWrote(t *testing.T) {
	for name, c := range map[string]struct {
		catchUp time.Duration
		bound   string
	}{
		"it waits for that":                          {time.Hour, "bad"},
		"but not for longer than it may, as another": {time.Nanosecond, "good"},
	} {
		t.Run(name, func(t *testing.T) {
			s, kubeConfig := newStub(t)
			s.afterLease = map[string][]any{}
			if c.catchUp == time.Hour {
				for _, kind := range world.Kinds() {
					s.afterLease[kind.Resource().Resource] = []any{map[string]any{"type": "BOOKMARK", "object": map[string]any{
						"kind": kind, "apiVersion": kind.Resource().GroupVersion().String(), "metadata": map[string]any{"resourceVersion": "7"},
					}}}
				}
				bound := mk.Pod("good").UID("good").CPU("1").Node("n1").Obj()
				bound.ResourceVersion, bound.Kind, bound.APIVersion = "6", "Pod", "v1"
				s.afterLease["pods"] = slices.Insert(s.afterLease["pods"], 0, any(map[string]any{"type": "MODIFIED", "object": bound}))
			}
			o := options()
			o.KubeConfig = kubeConfig
			r, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			r.catchUp = c.catchUp
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- r.Run(ctx) }()
			s.await(t, func() bool {
				return slices.Contains(s.bound, "bad") && (c.bound == "bad" || slices.Contains(s.bound, "good"))
			})
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
			if again := slices.Contains(s.bound, "good"); again != (c.bound == "good") {
				t.Errorf("bound: %q", s.bound)
			}
		})
	}
}
