package reader

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/evict/pressure"
	"orrery/core/operator/actions"
	"orrery/core/operator/usage"
	"orrery/core/testing/mk"
)

// summaryText is a kubelet's summary, as package usage parses it.
var summaryText = func() string {
	text, err := os.ReadFile("../testdata/summary.json")
	if err != nil {
		panic(err)
	}
	return string(text)
}()

// served serves a metrics API that has one of the two pods.
func served(s *stub) {
	s.on(metricsPath, serves(`{"kind":"APIResourceList"}`))
	s.on(metricsPath+"/nodes/n1", serves(`{"timestamp":"2026-01-01T12:00:00Z","usage":{"cpu":"1","memory":"6Gi"}}`))
	s.on(metricsPath+"/namespaces/shop/pods/cart", serves(`{"timestamp":"2026-01-01T12:00:00Z","containers":[{"name":"main","usage":{"cpu":"12n","memory":"2048Ki"}},{"name":"log","usage":{"memory":"1Mi"}}]}`))
}

func workingSet(t *testing.T, r usage.Reading, i int) uint64 {
	t.Helper()
	if r.Summary == nil || len(r.Summary.Pods) <= i {
		t.Fatalf("there is no pod %d: %s", i, r.SourceText())
	}
	return *r.Summary.Pods[i].Memory.WorkingSetBytes
}

func TestReader_QueriesKubeletFirst(t *testing.T) {
	s := newStub(t)
	s.on(summaryPath, serves(summaryText))
	s.on(configPath, serves(`{"kubeletconfig":{"evictionHard":{"memory.available":"1Gi"},"evictionPressureTransitionPeriod":"1m0s","maxPods":110}}`))
	w := newWatcher(t, s)
	if first := w.look(n1); first.Queried || first.SourceText() != "asking what is used" || first.Configuration.Hard[pressure.MemoryAvailable] != "100Mi" {
		t.Errorf("before there is an answer: %+v", first)
	}
	r := w.answered()
	if r.Source != usage.Kubelet || r.SourceText() != "usage from the kubelet's summary" || !r.At.Equal(w.now()) || len(r.MissingRules) > 0 {
		t.Errorf("the reading is %+v", r)
	}
	if got := workingSet(t, r, 0); got != 5<<30 {
		t.Errorf("the cart uses %d", got)
	}
	if !r.Configured || r.Configuration.Hard[pressure.MemoryAvailable] != "1Gi" || r.Configuration.PressureTransition != time.Minute {
		t.Errorf("the configuration is %+v", r.Configuration)
	}
	if o, ok := r.Summary.Observe(pressure.PIDAvailable); !ok || o.Available.Value() != 32368 {
		t.Errorf("process IDs: %+v %v", o, ok)
	}
	if s.times(metricsPath) > 0 {
		t.Error("the metrics API was asked although the kubelet had answered")
	}
}

func TestReader_FallsBackToMetricsAPI(t *testing.T) {
	s := newStub(t)
	s.on(summaryPath, forbids)
	served(s)
	w := newWatcher(t, s)
	r := w.answered()
	if r.Source != usage.Metrics || r.SourceText() != "memory only, from the metrics API: may not get nodes/proxy" {
		t.Errorf("it says %q", r.SourceText())
	}
	if want := []actions.Rule{proxyRule}; !slices.Equal(r.MissingRules, want) {
		t.Errorf("missing is %v, want %v", r.MissingRules, want)
	}
	if len(r.Summary.Pods) != 1 || r.Summary.Pods[0].PodRef.UID != "uid-cart" || workingSet(t, r, 0) != 3<<20 {
		t.Errorf("the pods are %+v", r.Summary.Pods)
	}
	if o, ok := r.Summary.Observe(pressure.MemoryAvailable); !ok || o.Available.Value() != 2<<30 || o.Capacity.Value() != 8<<30 {
		t.Errorf("of the node's memory %v of %v are left, %v", o.Available, o.Capacity, ok)
	}
	if _, ok := r.Summary.Observe(pressure.NodeFsAvailable); ok {
		t.Error("the metrics API is said to know of disks")
	}
	if r.Configured || r.WhyDefaults != "may not get nodes/proxy" {
		t.Errorf("the thresholds are %v, as %q", r.Configured, r.WhyDefaults)
	}
}

func TestReader_ProblemTexts(t *testing.T) {
	tests := []struct {
		name string
		play func(*stub)
		want string
		miss []actions.Rule
	}{
		{
			"nothing may be read and nothing is served", func(s *stub) { s.on(summaryPath, forbids) },
			"no usage data: may not get nodes/proxy, and no metrics API is served",
			[]actions.Rule{proxyRule},
		},
		{"neither may be read", func(s *stub) {
			s.on(summaryPath, forbids)
			served(s)
			s.on(metricsPath+"/nodes/n1", forbids)
			s.on(metricsPath+"/namespaces/shop/pods/search", forbids)
		}, "no usage data: may not get nodes/proxy, and may not get pods.metrics.k8s.io", []actions.Rule{proxyRule, nodeMetricsRule, podMetricsRule}},
		{"the kubelet itself refuses", func(s *stub) {
			s.on(summaryPath, refuses(403, "Forbidden (user=kube-apiserver, verb=get, resource=nodes, subresource=stats)\n"))
		}, "no usage data: the kubelet refuses the API server: Forbidden (user=kube-apiserver, verb=get, resource=nodes, subresource=stats), and no metrics API is served", nil},
		{
			"the kubelet has no summary", func(s *stub) { s.on(summaryPath, refuses(404, "404 page not found\n")) },
			"no usage data: the kubelet does not serve its summary, and no metrics API is served", nil,
		},
		{"the kubelet cannot be reached", func(s *stub) {
			s.on(summaryPath, refuses(503, `{"kind":"Status","message":"error trying to reach service: dial tcp 10.0.0.1:10250: connect: connection refused"}`))
		}, "no usage data: the kubelet's summary: 503: error trying to reach service: dial tcp 10.0.0.1:10250: connect: connection refused, and no metrics API is served", nil},
		{
			"no JSON", func(s *stub) { s.on(summaryPath, serves("<html>\x1b[31mlog in\x07</html>")) },
			"no usage data: the kubelet's summary: reading the kubelet's summary: invalid character '<' looking for beginning of value, and no metrics API is served", nil,
		},
		{
			"a refusal that wants to be seen", func(s *stub) { s.on(summaryPath, refuses(500, "\x1b]0;owned\x07"+strings.Repeat("x", 1<<20))) },
			`no usage data: the kubelet's summary: 500: \x1b]0;owned\x07xxx`, nil,
		},
		{
			"another node's", func(s *stub) { s.on(summaryPath, serves(`{"node":{"nodeName":"n2"}}`)) },
			`no usage data: the kubelet's summary: the kubelet's summary is about node "n2" and not about "n1", and no metrics API is served`, nil,
		},
		{"too much", func(s *stub) {
			s.on(summaryPath, serves(strings.Replace(summaryText, "1073741824", "18446744073709551615", 1)))
		}, "no usage data: the kubelet's summary: the kubelet's summary makes no sense: the node's memory is said to be 18446744073709551615, and no metrics API is served", nil},
		{
			"less than nothing", func(s *stub) { s.on(summaryPath, serves(strings.Replace(summaryText, "1073741824", "-1", 1))) },
			"no usage data: the kubelet's summary: reading the kubelet's summary: json: cannot unmarshal number -1 into Go struct field MemoryStats.node.NodeStats.memory.availableBytes of type uint64", nil,
		},
		{
			"no number", func(s *stub) { s.on(summaryPath, serves(strings.Replace(summaryText, "1073741824", "NaN", 1))) },
			"no usage data: the kubelet's summary: reading the kubelet's summary: invalid character 'N' looking for beginning of value, and no metrics API is served", nil,
		},
		{"an answer without end", func(s *stub) {
			s.on(summaryPath, func(w http.ResponseWriter, _ *http.Request) {
				for range 17 {
					_, _ = w.Write([]byte(strings.Repeat(" ", 1<<20)))
				}
			})
		}, "no usage data: the kubelet's summary: the answer is longer than 16 MiB, and no metrics API is served", nil},
		{"metrics that make no sense", func(s *stub) {
			s.on(summaryPath, forbids)
			served(s)
			s.on(metricsPath+"/namespaces/shop/pods/search", serves(`{"containers":[{"usage":{"memory":"1e999999999"}}]}`))
		}, `no usage data: may not get nodes/proxy, and the metrics API: shop/search: reading the metrics of a pod: "1e999999999" is no amount of memory`, []actions.Rule{proxyRule}},
		{"the metrics server is down", func(s *stub) {
			s.on(summaryPath, forbids)
			s.on(metricsPath, refuses(503, "service unavailable"))
		}, "no usage data: may not get nodes/proxy, and the metrics API: 503: service unavailable", []actions.Rule{proxyRule}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStub(t)
			tt.play(s)
			r := newWatcher(t, s).answered()
			if got := r.SourceText(); !strings.HasPrefix(got, tt.want) || len(got) > 600 || strings.ContainsAny(got, "\x1b\x07\n") {
				t.Errorf("it says %q\nwant     %q", got, tt.want)
			}
			if !slices.Equal(r.MissingRules, tt.miss) {
				t.Errorf("missing is %v, want %v", r.MissingRules, tt.miss)
			}
		})
	}
}

func TestReader_TimesOut(t *testing.T) {
	s := newStub(t)
	s.on(summaryPath, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	w := newWatcher(t, s)
	w.timeout = 50 * time.Millisecond
	// The metrics API may or may not respond in time, depending on the machine.
	want := "no usage data: the kubelet's summary: no answer within 50ms, and "
	if got := w.answered().SourceText(); !strings.HasPrefix(got, want) {
		t.Errorf("it says %q, want it to begin with %q", got, want)
	}
}

func TestReader_ReportsUnknownConfiguration(t *testing.T) {
	for _, tt := range []struct {
		answer http.HandlerFunc
		want   string
	}{
		{refuses(404, "404 page not found"), "404: 404 page not found"},
		{serves(`{}`), "the kubelet's answer to /configz has no kubeletconfig"},
		{serves(`{"kubeletconfig":{"evictionHard":{"memory.available":"lots"}}}`), "reading the eviction thresholds: reading lots of memory.available"},
		{serves(`[`), "reading the kubelet's configuration: unexpected end of JSON input"},
	} {
		s := newStub(t)
		s.on(summaryPath, serves(summaryText))
		s.on(configPath, tt.answer)
		r := newWatcher(t, s).answered()
		if r.Configured || !strings.HasPrefix(r.WhyDefaults, tt.want) || r.Configuration.Hard[pressure.MemoryAvailable] != "100Mi" {
			t.Errorf("configured %v, as %q; want %q", r.Configured, r.WhyDefaults, tt.want)
		}
		if r.Source != usage.Kubelet || r.Problem != "" {
			t.Errorf("usage is from %v, with %q", r.Source, r.Problem)
		}
	}
}

func TestReader_QueriesAtInterval(t *testing.T) {
	s := newStub(t)
	s.on(summaryPath, serves(summaryText))
	s.on(configPath, serves(`{"kubeletconfig":{}}`))
	w := newWatcher(t, s)
	w.answered()
	for range 50 {
		w.look(n1)
	}
	w.pass(14 * time.Second)
	w.look(n1)
	if n := s.times(summaryPath); n != 1 {
		t.Fatalf("it was asked %d times within a quarter of a minute", n)
	}
	w.pass(time.Second)
	w.answered()
	w.pass(time.Hour) // without a Read
	if n := s.times(summaryPath); n != 2 {
		t.Errorf("it was asked %d times in two quarters of a minute", n)
	}
	if n := s.times(configPath); n != 1 {
		t.Errorf("its configuration was asked for %d times", n)
	}
	w.answered()
	if n := s.times(configPath); n != 2 {
		t.Errorf("its configuration was asked for %d times, an hour later", n)
	}
}

func TestReader_KeepsStaleReading(t *testing.T) {
	s := newStub(t)
	s.on(summaryPath, serves(summaryText))
	w := newWatcher(t, s)
	at := w.answered().At
	s.on(summaryPath, refuses(500, "boo"))
	w.pass(20 * time.Second)
	r := w.answered()
	if want := "usage from the kubelet's summary, and none newer: the kubelet's summary: 500: boo, and no metrics API is served"; r.SourceText() != want || !r.At.Equal(at) {
		t.Errorf("it says %q of %v, want %q of %v", r.SourceText(), r.At, want, at)
	}
	w.pass(3 * time.Minute)
	if r = w.answered(); r.Summary != nil {
		t.Errorf("after minutes it still says %q", r.SourceText())
	}
}

func TestReader_BoundsNodes(t *testing.T) {
	s := newStub(t)
	release := make(chan struct{})
	hold := func(http.ResponseWriter, *http.Request) { <-release }
	var nodes []*v1.Node
	for i := range 100 {
		node := mk.Node(fmt.Sprint("node-", i)).Obj()
		nodes = append(nodes, node)
		s.on("/api/v1/nodes/"+node.Name+"/proxy/stats/summary", hold)
	}
	w := newWatcher(t, s)
	for _, node := range nodes {
		w.pass(time.Millisecond)
		w.look(node)
	}
	w.mu.Lock()
	kept, busy := len(w.nodes), w.running
	w.mu.Unlock()
	if kept != maxNodes || busy != maxConcurrentNodes {
		t.Errorf("%d nodes are kept and %d are asked, want %d and %d", kept, busy, maxNodes, maxConcurrentNodes)
	}
	close(release)
	w.queries.Wait()
	if n := len(s.paths()); n < maxConcurrentNodes || n > 2*maxConcurrentNodes {
		t.Errorf("%d requests were made", n)
	}
}

func TestReader_CloseCancelsQueries(t *testing.T) {
	s := newStub(t)
	began := make(chan struct{})
	s.on(summaryPath, func(_ http.ResponseWriter, r *http.Request) {
		close(began)
		<-r.Context().Done()
	})
	w := newWatcher(t, s)
	w.look(n1)
	<-began
	w.Close()
	w.pass(time.Hour)
	w.look(n1)
	if n := s.times(summaryPath); n != 1 {
		t.Errorf("it was asked %d times, and once after it was closed", n)
	}
}

func TestReader_RejectsInvalidNames(t *testing.T) {
	s := newStub(t)
	w := newWatcher(t, s)
	hostile := mk.Node("x").Obj()
	hostile.Name = "../../api/v1/secrets?"
	w.look(hostile)
	w.queries.Wait()
	if r := w.look(hostile); !strings.HasPrefix(r.SourceText(), `no usage data: the kubelet's summary: "../../api/v1/secrets?" is no name that could be asked for`) {
		t.Errorf("it says %q", r.SourceText())
	}
	for _, path := range s.paths() {
		if strings.Contains(path, "secrets") {
			t.Errorf("%s was asked for", path)
		}
	}
}
