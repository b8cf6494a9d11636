package replica

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/safe/panics"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/plugintest"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/trace/segments"
	"orrery/core/world"
)

// crash is a replica of which a part is to panic, on a stub.
type crash struct {
	t       *testing.T
	replica *Replica
	server  *stub
	dir     string
	armed   chan struct{} // closed from when on it panics
}

// newCrash makes a replica that records.
func newCrash(t *testing.T, change func(*crash, *Options)) *crash {
	t.Helper()
	server, kubeConfig := newStub(t)
	c := &crash{t: t, server: server, dir: t.TempDir(), armed: make(chan struct{})}
	o := options()
	o.KubeConfig, o.Logger = kubeConfig, funcr.New(server.log, funcr.Options{})
	o.Record = segments.Options{Directory: c.dir, Limits: segments.Limits{MaxBytes: 1 << 30, MaxAge: time.Hour}, Logger: o.Logger}
	if change != nil {
		change(c, &o)
	}
	var err error
	if c.replica, err = New(o); err != nil {
		t.Fatal(err)
	}
	return c
}

// start runs the replica until it has bound a pod and begun to record.
func (c *crash) start() (cancel context.CancelFunc, ended chan error) {
	c.t.Helper()
	ctx, cancel := context.WithCancel(c.t.Context())
	ended = make(chan error, 1)
	go func() { ended <- c.replica.Run(ctx) }()
	c.await(`"msg"="Recording"`)
	c.server.await(c.t, func() bool { return slices.Contains(c.server.bound, "good") })
	return cancel, ended
}

// await waits until something was logged.
func (c *crash) await(text string) {
	c.t.Helper()
	c.server.await(c.t, func() bool { return strings.Contains(c.server.logged, text) })
}

// meet panics once the crash is armed.
func (c *crash) meet() {
	select {
	case <-c.armed:
		panic("planted")
	default:
	}
}

// checkLeft checks what a replica leaves that has ended: the lease is free, and what was recorded can be replayed.
func (c *crash) checkLeft() {
	c.t.Helper()
	if holder := c.server.holder(c.t); holder != "" {
		c.t.Errorf("the lease is still held by %q", holder)
	}
	var flight bytes.Buffer
	if err := c.replica.FlightRecorder().Save(&flight, play.About{}); err != nil {
		c.t.Errorf("saving the flight recorder: %v", err)
	}
	if info, err := trace.ReadInfo(&flight); err != nil || info.Objects < 4 {
		c.t.Errorf("the flight recorder has %d objects, %v", info.Objects, err)
	}
	d, err := segments.Open(c.dir)
	if err != nil {
		c.t.Fatal(err)
	}
	defer d.Close()
	for _, one := range d.Verify(play.Options{Adjust: func(o *engine.Options) { o.Plugins = c.replica.options.Plugins }}, nil) {
		if one.Damage != "" || one.Begin.Inputs+one.Inputs == 0 {
			c.t.Errorf("the recording has %+v", one)
		}
	}
}

// A panic of a plugin ends nothing, at whatever extension point it is, and the log names it.
func TestPanic_OfPluginEndsNothing(t *testing.T) {
	for _, at := range plugintest.ExtensionPoints() {
		t.Run(string(at), func(t *testing.T) {
			t.Parallel()
			c := newCrash(t, func(_ *crash, o *Options) {
				var err error
				if o.Config, o.Plugins, err = (&plugintest.Fragile{At: at}).Configured(); err != nil {
					t.Fatal(err)
				}
			})
			cancel, ended := c.start()
			c.await(fmt.Sprintf("plugin Fragile panicked at %s of pod default/", at))
			cancel()
			if err := <-ended; err != nil {
				t.Errorf("the replica ended with %v", err)
			}
			c.checkLeft()
		})
	}
}

// controller panics in one of its calls.
type controller struct {
	*crash
	in string
}

func (c controller) meet(in string) {
	if c.in == in {
		c.crash.meet()
	}
}
func (c controller) Apply(world.Input)           { c.meet("Apply") }
func (c controller) Effects() []world.Effect     { c.meet("Effects"); return nil }
func (c controller) NextWake() (time.Time, bool) { c.meet("NextWake"); return time.Time{}, false }

// transport panics over requests of one kind.
type transport struct {
	*crash
	next http.RoundTripper
	is   func(*crash, *http.Request) bool
}

func (x transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if x.is(x.crash, r) {
		x.meet()
	}
	return x.next.RoundTrip(r)
}

// A panic of any other part ends the replica in order.
func TestPanic_OfOtherPartEndsInOrder(t *testing.T) {
	over := func(is func(*crash, *http.Request) bool) func(*crash, *Options) {
		return func(c *crash, o *Options) {
			o.KubeConfig.Wrap(func(next http.RoundTripper) http.RoundTripper { return transport{c, next, is} })
		}
	}
	controlled := func(in string) func(*crash) {
		return func(c *crash) {
			c.replica.driver.Controllers = func() []drive.Controller { return []drive.Controller{controller{c, in}} }
		}
	}
	for name, tt := range map[string]struct {
		options func(*crash, *Options)
		replica func(*crash)
		trigger func(*crash)
		want    string
	}{
		"an observer": {
			options: func(c *crash, o *Options) {
				o.Instruments.Observer = func(*engine.Engine) drive.Observer { return drive.OnInput(func(world.Input, error) { c.meet() }) }
			},
			want: "the scheduling loop panicked: planted",
		},
		"a controller that is told":     {replica: controlled("Apply"), want: "the scheduling loop panicked: planted"},
		"a controller that acts":        {replica: controlled("Effects"), want: "the scheduling loop panicked: planted"},
		"a controller that has a timer": {replica: controlled("NextWake"), want: "the scheduling loop panicked: planted"},
		"what updates metrics": {
			options: func(c *crash, o *Options) {
				o.Instruments.Refresh = func(*engine.Engine, func(func(world.Action) string) map[string]int) { c.meet() }
			},
			want: "reading the scheduler's state panicked: planted",
		},
		"a reader of the cluster": {
			options: over(func(_ *crash, r *http.Request) bool {
				return r.URL.Query().Get("watch") != "" && strings.HasSuffix(r.URL.Path, "/pods")
			}),
			trigger: func(c *crash) { close(c.server.ended) },
			want:    "reading objects of kind Pod panicked: planted",
		},
		"a writer to the cluster": {
			options: over(func(c *crash, r *http.Request) bool {
				if !strings.HasSuffix(r.URL.Path, "/bad/binding") {
					return false
				}
				<-c.armed
				return true
			}),
			trigger: func(*crash) {},
			want:    "a call to the API server panicked: planted",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCrash(t, tt.options)
			if tt.replica != nil {
				tt.replica(c)
			}
			_, ended := c.start()
			close(c.armed)
			if tt.trigger != nil {
				tt.trigger(c)
			} else {
				// The error is one of the end, which another input may already have set off.
				_ = c.replica.Activate(t.Context(), types.NamespacedName{Namespace: "default", Name: "bad"})
			}
			var panicked *panics.Error
			if err := <-ended; !errors.As(err, &panicked) || err.Error() != tt.want {
				t.Errorf("the replica ended with %v, want %s", err, tt.want)
			}
			if !strings.Contains(c.server.logged, "The scheduler panicked") || !strings.Contains(c.server.logged, "crash).meet") {
				t.Errorf("the log has no stack of it:\n%s", c.server.logged)
			}
			c.checkLeft()
		})
	}
}
