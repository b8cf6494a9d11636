package replica

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/component-base/metrics/legacyregistry"
	_ "k8s.io/component-base/metrics/prometheus/clientgo/leaderelection"
)

// gathered returns the value of each series without labels, or with only the label name.
func gathered(t *testing.T, from prometheus.Gatherer) map[string]float64 {
	t.Helper()
	all, err := from.Gather()
	if err != nil {
		t.Fatal(err)
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

func TestCollector_HasEveryDocumentedFamily(t *testing.T) {
	o := options()
	o.Record.Directory = t.TempDir()
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(r.Collectors()...)
	r.process.Refresh(r.engine)
	values := gathered(t, registry)
	docs, err := os.ReadFile("../../../docs/running.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range values {
		if !strings.Contains(string(docs), "`"+name+"`") {
			t.Errorf("docs/running.md does not describe %s", name)
		}
	}
	if values["orrery_leading"] != 0 || values["orrery_recording_up"] != 0 || values["orrery_inputs_total"] != 0 {
		t.Errorf("leading %v, recording %v and inputs %v before the start", values["orrery_leading"], values["orrery_recording_up"], values["orrery_inputs_total"])
	}
	for _, name := range []string{"orrery_leading", "orrery_recording_up", "orrery_inputs_total"} {
		if _, there := values[name]; !there {
			t.Errorf("there is no %s", name)
		}
	}
}

// A replica that does not record has no metrics of a recording, on which an alert would go off.
func TestCollector_SaysNothingOfNoRecording(t *testing.T) {
	r, err := New(options())
	if err != nil {
		t.Fatal(err)
	}
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(r.Collectors()...)
	for name := range gathered(t, registry) {
		if strings.HasPrefix(name, "orrery_recording") {
			t.Errorf("there is %s without a recording", name)
		}
	}
}

const leaderStatus = "leader_election_master_status kube-scheduler"

// A standby reports 0 from its first scrape on, so that alerts on the sum find a cluster without a leader.
// Shows LEAD-23 and CONF-18.
func TestRun_LeaderMetricIsZeroBeforeElection(t *testing.T) {
	reading := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
		if strings.Contains(r.URL.Path, "/leases/") {
			select {
			case reading <- struct{}{}:
			default:
			}
		}
	}))
	defer server.Close()
	o := options()
	o.KubeConfig.Host = server.URL
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- r.Run(ctx) }()
	<-reading // the lease is being read: there is no leader yet
	value, there := gathered(t, legacyregistry.DefaultGatherer)[leaderStatus]
	if !there || value != 0 {
		t.Errorf("%s is %v (there: %v), want 0", leaderStatus, value, there)
	}
	cancel()
	if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// The API server has no Lease, takes a new one and its renewals, and answers nothing else.
// Shows LEAD-29 and CONF-18.
func TestRun_LeaderMetricIsOneWhileLeading(t *testing.T) {
	renewed := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", r.Header.Get("Content-Type"))
		switch {
		case !strings.Contains(r.URL.Path, "/leases"):
			w.WriteHeader(http.StatusServiceUnavailable)
		case r.Method == http.MethodGet:
			w.WriteHeader(http.StatusNotFound)
		default:
			_, _ = io.Copy(w, r.Body)
		}
		if r.Method == http.MethodPut {
			select {
			case renewed <- struct{}{}:
			default:
			}
		}
	}))
	defer server.Close()
	o := options()
	o.KubeConfig.Host = server.URL
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- r.Run(ctx) }()
	<-renewed
	if value := gathered(t, legacyregistry.DefaultGatherer)[leaderStatus]; value != 1 {
		t.Errorf("%s is %v after a renewal, want 1", leaderStatus, value)
	}
	cancel()
	if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// The replica reads that another holds its lease.
// Shows LEAD-32.
func TestRun_LostLeaseEndsTheWork(t *testing.T) {
	server, kubeConfig := newStub(t)
	o := options()
	o.KubeConfig, o.Logger = kubeConfig, funcr.New(server.log, funcr.Options{})
	election := &o.Config.LeaderElection
	election.RetryPeriod.Duration, election.RenewDeadline.Duration, election.LeaseDuration.Duration = 10*time.Millisecond, time.Minute, 2*time.Minute
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- r.Run(t.Context()) }()
	server.await(t, func() bool { return slices.Contains(server.bound, "good") })
	if value := gathered(t, legacyregistry.DefaultGatherer)[leaderStatus]; value != 1 {
		t.Errorf("%s is %v after a binding, want 1", leaderStatus, value)
	}
	server.takeLease()
	if err := <-ended; !errors.Is(err, ErrLostLease) || r.Leading() {
		t.Errorf("Run returned %v, and the replica leads: %t", err, r.Leading())
	}
	server.await(t, func() bool { return strings.Contains(server.logged, "Leaderelection lost") })
	for gathered(t, legacyregistry.DefaultGatherer)[leaderStatus] != 0 { // the elector ends beside Run
		runtime.Gosched()
	}
}
