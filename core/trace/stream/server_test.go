package stream_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"orrery/core/trace"
	"orrery/core/trace/stream"
)

// counted returns the values of the server's metrics.
func counted(t testing.TB, of *stream.Server) map[string]float64 {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(of)
	all, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, f := range all {
		for _, m := range f.Metric {
			name := strings.TrimPrefix(f.GetName(), "orrery_stream_")
			for _, l := range m.Label {
				name += " " + l.GetValue()
			}
			values[name] = m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	return values
}

func TestServer_MetricsAreDocumented(t *testing.T) {
	docs, err := os.ReadFile("../../../docs/running.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range counted(t, serverOf(newScheduler(t, 1), 1)) {
		if name, _, _ = strings.Cut(name, " "); !strings.Contains(string(docs), "`orrery_stream_"+name+"`") {
			t.Errorf("docs/running.md does not describe orrery_stream_%s", name)
		}
	}
}

// Readers attach before the first input, later, and into the past, over both versions of HTTP; each makes the scheduler's decisions.
func TestServer_ReadersFollowExactly(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		t.Run(fmt.Sprintf("HTTP/2 %v", http2), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScheduler(t, 5)
				server := serverOf(s, 8)
				client := host(t, server, http2)
				var streams []*stream.Stream
				var readers []<-chan replayed
				for _, since := range []time.Duration{0, 2 * time.Second, time.Hour} {
					one := attach(t, client, since)
					streams, readers = append(streams, one), append(readers, follow(one))
					s.run(5, 20)
				}
				if v := counted(t, server); v["readers"] != 3 || v["bytes_total"] == 0 {
					t.Errorf("the metrics are %v", v)
				}
				server.End("the scheduler lost its lease")
				for i, reader := range readers {
					got := <-reader
					checkExact(t, got, s)
					if why := streams[i].EndReason(); why != "the scheduler lost its lease" {
						t.Errorf("reader %d ended as %q", i, why)
					}
				}
				if want := (stream.Speaker{Identity: "scheduler-0_7", Leading: true, Version: "v1.2.3"}); streams[0].Speaker != want {
					t.Errorf("it speaks as %+v", streams[0].Speaker)
				}
				synctest.Wait()
				if v := counted(t, server); v["readers"] != 0 || v["readers_dropped_total failed"] != 0 {
					t.Errorf("the metrics are %v after all left", v)
				}
			})
		})
	}
}

// A record is there 250 ms after it was made.
func TestServer_SendsRecordsSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScheduler(t, 2)
		r, err := trace.NewReader(attach(t, host(t, serverOf(s, 8), false), 0))
		if err != nil {
			t.Fatal(err)
		}
		if first, err := r.Next(); err != nil {
			t.Fatalf("the stream begins with %T, %v", first.Body, err)
		}
		for range 3 {
			<-time.After(time.Second)
			s.drive(1, 100*time.Millisecond)
			made := time.Now()
			for {
				record, err := r.Next()
				if err != nil {
					t.Fatal(err)
				}
				if _, last := record.Body.(trace.Checkpoint); last {
					break
				}
			}
			if took := time.Since(made); took > 250*time.Millisecond {
				t.Errorf("the records came after %v", took)
			}
		}
	})
}

// While nothing happens, and no checkpoint comes either, the reader hears that the server is there.
func TestServer_QuietStreamIsAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScheduler(t, 2)
		server := serverOf(s, 8)
		reader := follow(attach(t, host(t, server, false), 0))
		<-time.After(time.Hour)
		s.drive(3, time.Second)
		server.End("it was enough")
		checkExact(t, <-reader, s)
	})
}

// A reader that takes nothing is dropped after 10 s, and one that falls behind when too many records wait. Others go on.
func TestServer_DropsSlowReaders(t *testing.T) {
	for name, c := range map[string]struct {
		http2      bool
		maxPending int64
		after      int
		metric     string
	}{
		"it takes nothing":                   {false, 1 << 30, 15, "readers_dropped_total stalled"},
		"more records wait than may":         {false, 10_000, 5, "readers_dropped_total fell_behind"},
		"more records wait than may, HTTP/2": {true, 10_000, 5, "readers_dropped_total fell_behind"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScheduler(t, 2)
				server := serverOf(s, 8)
				client := host(t, server, c.http2)
				server.SetMaxPending(c.maxPending)
				slow := attach(t, client, 0)
				synctest.Wait()
				server.SetMaxPending(1 << 30)
				quick := follow(attach(t, host(t, server, false), 0))
				s.run(c.after, 10)
				if c.maxPending < 1<<30 {
					if _, err := io.Copy(io.Discard, slow); err != nil || !strings.Contains(slow.EndReason(), "fell behind") {
						t.Errorf("the slow reader's end: %v, %q", err, slow.EndReason())
					}
				}
				s.run(15, 10)
				if v := counted(t, server); v[c.metric] != 1 || v["readers"] != 1 {
					t.Errorf("the metrics are %v, want %s", v, c.metric)
				}
				server.End("it was enough")
				checkExact(t, <-quick, s)
			})
		})
	}
}

// Encoding may take longer than a reader may take for what is written to it: it is not the reader that is slow.
func TestServer_EncodingMayTakeLong(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		t.Run(fmt.Sprint("http2=", http2), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScheduler(t, 2)
				server := serverOf(s, 8)
				reader := follow(attach(t, host(t, server, http2), 0))
				s.run(2, 10)
				release := server.HoldEncoding()
				s.run(12, 10)
				release()
				s.run(2, 10)
				server.End("it was enough")
				checkExact(t, <-reader, s)
			})
		})
	}
}

func TestServer_AdmitsSoManyReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScheduler(t, 2)
		server := serverOf(s, 3)
		client := host(t, server, false)
		var open []*stream.Stream
		for range 3 {
			open = append(open, attach(t, client, 0))
		}
		_, err := stream.Open(t.Context(), client, "http://scheduler", 0)
		var refusal *stream.Refusal
		if !errors.Is(err, stream.ErrTooManyReaders) || !errors.As(err, &refusal) || refusal.RetryAfter != 10*time.Second {
			t.Fatalf("the fourth reader: %v", err)
		}
		_ = open[1].Close()
		synctest.Wait()
		follow(attach(t, client, 0))
	})
}

func TestServer_RefusesWithAReason(t *testing.T) {
	for name, c := range map[string]struct {
		readers int
		before  func(*scheduler, *stream.Server)
		method  string
		query   string
		status  int
		text    string
	}{
		"streams are off":                 {readers: 0, status: 503, text: "the stream is off (--stream-max-readers=0)"},
		"the scheduler has ended":         {readers: 1, before: func(_ *scheduler, s *stream.Server) { s.End("the scheduler was told to stop"); s.End("again") }, status: 503, text: "the scheduler was told to stop"},
		"its loop does not run":           {readers: 1, before: func(s *scheduler, _ *stream.Server) { s.stopped = true }, status: 503, text: "the scheduler is busy, or does not follow the cluster yet"},
		"another method":                  {readers: 1, method: http.MethodPost, status: 405, text: "the stream is only read"},
		"a moment instead of a duration":  {readers: 1, query: "?since=12:00", status: 400, text: `since="12:00" is no duration from 0 to 8760h0m0s, such as 10m`},
		"a duration that goes forward":    {readers: 1, query: "?since=-1s", status: 400, text: `since="-1s" is no duration from 0 to 8760h0m0s, such as 10m`},
		"a duration beyond all recorders": {readers: 1, query: "?since=2000000h", status: 400, text: `since="2000000h" is no duration from 0 to 8760h0m0s, such as 10m`},
		"control characters":              {readers: 1, query: "?since=%1b[2J", status: 400, text: `since="\\x1b[2J" is no duration from 0 to 8760h0m0s, such as 10m`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScheduler(t, 1)
				server := serverOf(s, c.readers)
				if c.before != nil {
					c.before(s, server)
				}
				w := httptest.NewRecorder()
				server.ServeHTTP(w, httptest.NewRequest(c.method, stream.Path+c.query, nil))
				if w.Code != c.status || strings.TrimSpace(w.Body.String()) != c.text {
					t.Errorf("%d %q, want %d %q", w.Code, w.Body, c.status, c.text)
				}
				if v := counted(t, server); v["readers"] != 0 {
					t.Errorf("it counts as a reader: %v", v)
				}
			})
		})
	}
}

// panicking is a connection whose writes panic.
type panicking struct{ *httptest.ResponseRecorder }

func (panicking) Write([]byte) (int, error)        { panic("planted") }
func (panicking) SetWriteDeadline(time.Time) error { return nil }

func TestServer_SurvivesPanics(t *testing.T) {
	s := newScheduler(t, 1)
	server := serverOf(s, 1)
	for range 2 {
		server.ServeHTTP(panicking{httptest.NewRecorder()}, httptest.NewRequest(http.MethodGet, stream.Path, nil))
	}
	if v := counted(t, server); v["readers"] != 0 || v["readers_dropped_total failed"] != 2 {
		t.Errorf("the metrics are %v", v)
	}
}

// A connection without deadlines could hold a reader's place for ever.
func TestServer_TakesDeadlines(t *testing.T) {
	server := serverOf(newScheduler(t, 1), 1)
	server.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, stream.Path, nil))
	if v := counted(t, server); v["readers_dropped_total failed"] != 1 {
		t.Errorf("the metrics are %v", v)
	}
}
