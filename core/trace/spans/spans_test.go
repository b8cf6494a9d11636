package spans_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"orrery/core/scheduler/engine"
	"orrery/core/trace/journey"
	"orrery/core/trace/play"
	"orrery/core/trace/spans"
	"orrery/demo"
)

// collector is an OTLP collector that keeps what it receives.
type collector struct {
	coltracepb.UnimplementedTraceServiceServer
	mu       sync.Mutex
	requests []*coltracepb.ExportTraceServiceRequest
}

func (c *collector) Export(_ context.Context, r *coltracepb.ExportTraceServiceRequest) (*coltracepb.ExportTraceServiceResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests = append(c.requests, r)
	return &coltracepb.ExportTraceServiceResponse{}, nil
}

// traces are all received spans by trace.
func (c *collector) traces() map[string][]*tracepb.Span {
	all := map[string][]*tracepb.Span{}
	for _, r := range c.requests {
		for _, of := range r.ResourceSpans {
			for _, scope := range of.ScopeSpans {
				for _, s := range scope.Spans {
					all[string(s.TraceId)] = append(all[string(s.TraceId)], s)
				}
			}
		}
	}
	return all
}

func (c *collector) batch(all []*tracepb.ResourceSpans) error {
	_, err := c.Export(context.Background(), &coltracepb.ExportTraceServiceRequest{ResourceSpans: all})
	return err
}

// serve starts a collector on a free port.
func serve(t *testing.T) (*collector, string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c, server := &collector{}, grpc.NewServer()
	coltracepb.RegisterTraceServiceServer(server, c)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return c, "http://" + listener.Addr().String()
}

// kept keeps the pods that a tracker reports, beside another sink.
type kept struct {
	journey.Sink
	pods []*journey.Pod
}

func (k *kept) Pod(p *journey.Pod) {
	k.pods = append(k.pods, p)
	k.Sink.Pod(p)
}

func export(t *testing.T, trace string, rules spans.Rules, to spans.Batch) (spans.Counts, []*journey.Pod) {
	t.Helper()
	from, err := demo.Open(trace)
	if err != nil {
		t.Fatal(err)
	}
	w := spans.New(rules, "v0", to)
	k := &kept{Sink: w}
	tracker := journey.New(k)
	if _, _, err := tracker.Read(from, play.Options{}, time.Time{}); err != nil {
		t.Fatal(err)
	}
	tracker.Finish()
	counts, err := w.Close()
	if err != nil {
		t.Fatal(err)
	}
	return counts, k.pods
}

// TestSpans_AddUpToJourneys sends every built-in recording to a collector over gRPC, by OpenTelemetry's exporter, and compares the spans of every pod with the
// pod's journey.
func TestSpans_AddUpToJourneys(t *testing.T) {
	pods := 0
	for _, built := range demo.Traces() {
		c, url := serve(t)
		e, err := spans.Dial(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		counts, all := export(t, built.Name, spans.Rules{}, e.Send(t.Context()))
		if err := e.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		traces, ids := c.traces(), map[string]bool{}
		if len(traces) != counts.Traces {
			t.Errorf("%s: %d traces were received of %d", built.Name, len(traces), counts.Traces)
		}
		for _, p := range all {
			if p.OnNode {
				continue
			}
			pods++
			id, err := hex.DecodeString(strings.ReplaceAll(string(p.UID), "-", ""))
			if err != nil {
				t.Fatal(err)
			}
			checkTrace(t, p, traces[string(id)], ids)
		}
	}
	if pods < 1000 {
		t.Errorf("the recordings have %d pods", pods)
	}
}

// checkTrace checks that a pod's spans are well-formed, and follow each other from the pod's creation until it ran.
func checkTrace(t *testing.T, p *journey.Pod, all []*tracepb.Span, ids map[string]bool) {
	t.Helper()
	if len(all) == 0 {
		t.Errorf("%s has no trace", p.PodRef)
		return
	}
	root, within := all[0], map[string]*tracepb.Span{}
	var want time.Duration
	for s, in := range p.In {
		if journey.State(s) != journey.Running {
			want += in
		}
	}
	var sum, steps int64
	at := root.StartTimeUnixNano
	for _, s := range all {
		if len(s.TraceId) != 16 || len(s.SpanId) != 8 || ids[string(s.SpanId)] || s.Name == "" || s.EndTimeUnixNano < s.StartTimeUnixNano {
			t.Fatalf("%s: a span is not well-formed: %v", p.PodRef, s)
		}
		ids[string(s.SpanId)], within[string(s.SpanId)] = true, s
		if s == root {
			continue
		}
		parent := within[string(s.ParentSpanId)]
		if parent == nil || s.StartTimeUnixNano < parent.StartTimeUnixNano || s.EndTimeUnixNano > parent.EndTimeUnixNano {
			t.Fatalf("%s: the span %v is not within its parent", p.PodRef, s)
		}
		if parent != root {
			steps++
			continue
		}
		if s.StartTimeUnixNano != at {
			t.Fatalf("%s: the span %v begins %d ns after the one before", p.PodRef, s, int64(s.StartTimeUnixNano-at))
		}
		at, sum = s.EndTimeUnixNano, sum+int64(s.EndTimeUnixNano-s.StartTimeUnixNano)
	}
	if len(root.ParentSpanId) != 0 || int64(root.StartTimeUnixNano) != p.Created.UnixNano() || at != root.EndTimeUnixNano || sum != int64(want) {
		t.Errorf("%s: the stages take %s of a journey of %s, by the tracker %s", p.PodRef, time.Duration(sum), time.Duration(root.EndTimeUnixNano-root.StartTimeUnixNano), want)
	}
	if p.In[journey.Binding] > 0 && steps == 0 {
		t.Errorf("%s was bound without a step", p.PodRef)
	}
}

func TestRules_ChoosePods(t *testing.T) {
	const trace = "morning-rush"
	all, pods := export(t, trace, spans.Rules{}, (&collector{}).batch)
	slow, failed := 0, map[string]bool{}
	for _, p := range pods {
		if p.OnNode {
			continue
		}
		bound := p.Bound
		if bound.IsZero() {
			failed[string(p.UID)] = true
			bound = p.Created
			for _, in := range p.In {
				bound = bound.Add(in)
			}
		}
		if bound.Sub(p.Created) > 5*time.Second {
			slow++
		}
	}
	got, _ := export(t, trace, spans.Rules{Slow: 5 * time.Second}, (&collector{}).batch)
	if got.Traces != slow || slow == 0 || slow == all.Traces {
		t.Errorf("%d slow pods have traces, want %d of %d", got.Traces, slow, all.Traces)
	}
	got, _ = export(t, trace, spans.Rules{Failed: true}, (&collector{}).batch)
	if got.Traces < len(failed) || got.Traces == all.Traces || got.Traces == 0 {
		t.Errorf("%d failed pods have traces, of %d", got.Traces, all.Traces)
	}
	c := &collector{}
	if got, _ = export(t, trace, spans.Rules{Owners: []string{"no/deployment/such"}}, c.batch); got.Traces != 0 || len(c.requests) != 0 {
		t.Errorf("%d pods have an owner that is not there", got.Traces)
	}
}

// TestToFile_HoldsWhatIsSent reads a file of spans back, whose IDs are hexadecimal, and compares two exports.
func TestToFile_HoldsWhatIsSent(t *testing.T) {
	var first, second bytes.Buffer
	c := &collector{}
	export(t, "stateful-rollout", spans.Rules{}, spans.ToFile(&first))
	export(t, "stateful-rollout", spans.Rules{}, spans.ToFile(&second))
	export(t, "stateful-rollout", spans.Rules{}, c.batch)
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the file differs from export to export")
	}
	names, want := map[string]int{}, map[string]int{}
	for line := range bytes.Lines(first.Bytes()) {
		var of struct {
			ResourceSpans []struct {
				ScopeSpans []struct {
					Spans []struct{ TraceID, SpanID, Name, StartTimeUnixNano string }
				}
			}
		}
		if err := json.Unmarshal(line, &of); err != nil {
			t.Fatal(err)
		}
		for _, s := range of.ResourceSpans[0].ScopeSpans[0].Spans {
			trace, err := hex.DecodeString(s.TraceID)
			if err != nil || len(trace) != 16 {
				t.Fatalf("the trace ID %q is not one", s.TraceID)
			}
			names[string(trace)+s.SpanID+s.Name+s.StartTimeUnixNano]++
		}
	}
	for trace, all := range c.traces() {
		for _, s := range all {
			want[trace+hex.EncodeToString(s.SpanId)+s.Name+json.Number(uintText(s.StartTimeUnixNano)).String()]++
		}
	}
	if len(names) != len(want) || len(want) == 0 {
		t.Errorf("the file has %d spans, %d were sent", len(names), len(want))
	}
	for key := range want {
		if names[key] != 1 {
			t.Fatalf("the span %q is not in the file", key)
		}
	}
}

func uintText(n uint64) string {
	text, _ := json.Marshal(n)
	return string(text)
}

// FuzzSpans_HostileTexts reads texts of a cluster that become spans.
//
//orrery:reads core/trace/spans
func FuzzSpans_HostileTexts(f *testing.F) {
	f.Add("ns", "pod\x1b[31m", "6d4e\xff", "no\u202etext", "a,b")
	f.Fuzz(func(t *testing.T, namespace, name, uid, message, plugin string) {
		c := &collector{}
		w := spans.New(spans.Rules{}, "v0", c.batch)
		p := hostilePod(namespace, name, uid)
		d := &engine.Decision{Message: message, Verdict: engine.Failed, Rejections: []engine.Rejection{{Plugin: plugin, Reason: message, Nodes: 1}}}
		w.Stage(p, &journey.Stage{Number: 1, State: journey.Attempt, Begin: p.Created, End: p.Created, Decision: d, Event: message, Plugins: []string{plugin}})
		w.Pod(p)
		if _, err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := proto.Marshal(c.requests[0]); err != nil {
			t.Fatalf("the spans cannot be sent: %v", err)
		}
		var b bytes.Buffer
		if err := spans.ToFile(&b)(c.requests[0].ResourceSpans); err != nil {
			t.Fatal(err)
		}
		if !utf8.Valid(b.Bytes()) || bytes.Count(b.Bytes(), []byte("\n")) != 1 || bytes.ContainsRune(b.Bytes(), 0x1b) {
			t.Errorf("the line is %q", b.Bytes())
		}
	})
}
