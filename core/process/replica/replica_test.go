package replica

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/world/live"
)

// reader is a plugin that reads an unknown kind of object.
type reader struct{}

func (reader) Name() string { return "Reader" }

func (reader) PreEnqueue(context.Context, fwk.PodInfo) *fwk.Status { return nil }

func options() Options {
	return Options{Config: config.Default(config.DefaultFeatures()), KubeConfig: &rest.Config{Host: "http://127.0.0.1:1"}}
}

func TestNew_ReportsErrorsBeforeStart(t *testing.T) {
	for name, c := range map[string]struct {
		change func(o *Options)
		want   string
	}{
		"an unknown controller":         {func(o *Options) { o.Controllers = []string{"nonsense"} }, `running the controller "nonsense": there are "taint-eviction" and "device-taint-eviction"`},
		"a controller without its gate": {func(o *Options) { o.Controllers = []string{DeviceTaintEviction} }, "it needs --feature-gates=DRADeviceTaints=true"},
		"an invalid address":            {func(o *Options) { o.KubeConfig.Host = "://" }, "connecting to the API server"},
		"a plugin that reads an unserved kind": {func(o *Options) {
			o.Plugins = framework.Registry{}
			_ = o.Plugins.Register("Reader", func(_ context.Context, _ runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
				h.SharedInformerFactory().Core().V1().ConfigMaps().Informer()
				return reader{}, nil
			})
			c, err := config.Load([]byte("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"+
				"profiles: [{plugins: {multiPoint: {enabled: [{name: Reader}]}}}]\n"), config.DefaultFeatures())
			if err != nil {
				t.Fatal(err)
			}
			o.Config = c
		}, "v1.ConfigMap"},
	} {
		t.Run(name, func(t *testing.T) {
			o := options()
			c.change(&o)
			if _, err := New(o); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q in it", err, c.want)
			}
		})
	}
}

// Shows LEAD-16.
func TestNew_NeedsHostname(t *testing.T) {
	defer func(was func() (string, error)) { hostname = was }(hostname)
	hostname = func() (string, error) { return "", errors.New("no such file") }
	if _, err := New(options()); err == nil || err.Error() != "unable to get hostname: no such file" {
		t.Errorf("got %v", err)
	}
	o := options()
	o.Identity = "me"
	if _, err := New(o); err != nil {
		t.Errorf("with an identity of its own: %v", err)
	}
}

// Shows LEAD-16.
func TestIdentity_HostAndUUID(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for range 2 {
		r, err := New(options())
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // it is the same each time
			identity, err := r.identity()
			if id, ok := strings.CutPrefix(identity, host+"_"); err != nil || !ok || len(id) != 36 {
				t.Errorf("the identity is %q, %v", identity, err)
			}
			seen[identity] = true
		}
	}
	if len(seen) != 2 {
		t.Errorf("two replicas on one host are %v", seen)
	}
}

func TestNew_FlightRecorderStartsNow(t *testing.T) {
	before := time.Now()
	r, err := New(options())
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := r.FlightRecorder().Save(&file, play.About{}); err != nil {
		t.Fatal(err)
	}
	saved, err := trace.NewReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	if start := saved.Header().Start; start.Before(before.Round(0)) || start.After(time.Now()) {
		t.Errorf("a recorder made at %v has a trace that starts at %v", before, start)
	}
}

func TestRun_WithoutElectionEndsWithError(t *testing.T) {
	o := options()
	*o.Config.LeaderElection.LeaderElect = false
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Run(ctx); !errors.Is(err, ErrNoElection) {
		t.Errorf("got %v", err)
	}
}

func TestRun_WaitsForAPIServerUntilStopped(t *testing.T) {
	r, err := New(options())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- r.Run(ctx) }()
	if err := r.Synced(); err == nil || !strings.Contains(err.Error(), "Pod") {
		t.Errorf("in sync: %v", err)
	}
	if r.Leading() {
		t.Error("leading without a lease")
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Shows LEAD-26.
func TestWriteGate_StopsWrites(t *testing.T) {
	var sent []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { sent = append(sent, r.Method) }))
	defer server.Close()
	leading := true
	clients, err := newClients(&rest.Config{Host: server.URL}, time.Second, live.NewWriteGate(func() bool { return leading }))
	if err != nil {
		t.Fatal(err)
	}
	try := func(verb string) error {
		return clients.main.CoreV1().RESTClient().Verb(verb).AbsPath("/x").Do(t.Context()).Error()
	}
	_ = try(http.MethodPost)
	leading = false
	_ = try(http.MethodGet)
	for _, verb := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		if err := try(verb); !errors.Is(err, live.ErrNotLeading) {
			t.Errorf("%s: %v", verb, err)
		}
	}
	if got := strings.Join(sent, " "); got != "POST GET" {
		t.Errorf("sent: %s", got)
	}
}
