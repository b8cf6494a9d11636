package stream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"orrery/core/trace/stream"
)

func serve(t *testing.T, handle http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	return server
}

func TestOpen_TellsWhoSpeaksAndWhyItEnded(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.String() != "/proxy/debug/orrery/stream?since=10m0s" || r.Header.Get("Accept-Encoding") != "identity" {
			t.Errorf("asked for %s, encoded as %q", r.URL, r.Header.Get("Accept-Encoding"))
		}
		h := w.Header()
		h.Set("Content-Type", stream.ContentType)
		h.Set("Orrery-Identity", "scheduler-0_\u202e7")
		h.Set("Orrery-Leading", "true")
		h.Set("Orrery-Version", "v1.2.3")
		h.Set("Trailer", "Orrery-End")
		fmt.Fprint(w, "a trace")
		h.Set("Orrery-End", "the scheduler stops")
	})
	client := server.Client()
	client.Timeout = time.Nanosecond // is for requests that end
	s, err := stream.Open(t.Context(), client, server.URL+"/proxy", 10*time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	body, err := io.ReadAll(s)
	if string(body) != "a trace" || err != nil || s.EndReason() != "the scheduler stops" {
		t.Errorf("read %q, %v; it ended as %q", body, err, s.EndReason())
	}
	if want := (stream.Speaker{Identity: `scheduler-0_\u202e7`, Leading: true, Version: "v1.2.3"}); s.Speaker != want {
		t.Errorf("it speaks as %+v, want %+v", s.Speaker, want)
	}
}

func TestOpen_TellsRefusalsApart(t *testing.T) {
	for name, c := range map[string]struct {
		status     int
		kind, body string
		want       error
		text       string
	}{
		"a token that is not accepted":       {401, "application/json", `{"kind":"Status","message":"Unauthorized"}`, stream.ErrUnauthenticated, "the scheduler does not accept the credentials: Unauthorized"},
		"a user without the right":           {403, "application/json", `{"message":"User \"jane\" cannot get path"}`, stream.ErrForbidden, `the user may not read the scheduler's stream: User "jane" cannot get path`},
		"an older version or kube-scheduler": {404, "text/plain", "404 page not found\n", stream.ErrNotServed, "no stream is served there: it is another program than Orrery, or an older version: 404 page not found"},
		"another page":                       {200, "text/html", "<html>", stream.ErrNotServed, `no stream is served there: it is another program than Orrery, or an older version: the answer is of the type "text/html"`},
		"too many readers":                   {429, "text/plain", "8 readers are attached\n", stream.ErrTooManyReaders, "as many readers are attached to the scheduler as may be: 8 readers are attached"},
		"a scheduler that stops":             {503, "text/plain", "it stops", stream.ErrUnavailable, "the scheduler has no stream now: it stops"},
		"another refusal":                    {500, "text/plain", "", nil, "asking the scheduler for its stream: it answers 500 Internal Server Error"},
		"a redirection is not followed":      {302, "text/plain", "to \x1b[2J", nil, `asking the scheduler for its stream: it answers 302 to \x1b[2J`},
		"an endless answer":                  {503, "text/plain", strings.Repeat("x", 1<<20), stream.ErrUnavailable, "the scheduler has no stream now: " + strings.Repeat("x", 299) + "…"},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", c.kind)
				w.Header().Set("Location", "/elsewhere")
				w.Header().Set("Retry-After", "30")
				w.WriteHeader(c.status)
				fmt.Fprint(w, c.body)
			})
			_, err := stream.Open(t.Context(), server.Client(), server.URL, 0)
			if err == nil || err.Error() != c.text || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("the error is %q, want %q", err, c.text)
			}
			var refusal *stream.Refusal
			if !errors.As(err, &refusal) || c.status != 200 && (refusal.Status != c.status || refusal.RetryAfter != 30*time.Second) {
				t.Errorf("the refusal is %+v", refusal)
			}
		})
	}
}

func TestOpen_RefusesWhatIsNoURL(t *testing.T) {
	for _, base := range []string{"", "10.0.0.7:10259", "ftp://host", "http://", "https://x:\x7f", "//me:secret@host"} {
		if _, err := stream.Open(t.Context(), http.DefaultClient, base, 0); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", base, err)
		}
	}
}

// roundTrip answers requests without a network, so that they can be made in virtual time.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// silent answers with a stream that ends with the request.
func silent(r *http.Request) (*http.Response, error) {
	out, in := io.Pipe()
	context.AfterFunc(r.Context(), func() { in.CloseWithError(r.Context().Err()) })
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {stream.ContentType}}, Body: out}, nil
}

// A stream of which nothing comes is lost, however long its reader looked elsewhere before.
func TestStream_EndsWhenNothingComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := stream.Open(t.Context(), &http.Client{Transport: roundTrip(silent)}, "http://scheduler", 0)
		if err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Minute)
		began := time.Now()
		if _, err := s.Read(make([]byte, 1)); !errors.Is(err, stream.ErrStalled) || time.Since(began) != 15*time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	})
}

func TestOpen_EndsWhenNoAnswerComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		never := func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}
		_, err := stream.Open(t.Context(), &http.Client{Transport: roundTrip(never)}, "http://scheduler", 0)
		if !errors.Is(err, stream.ErrStalled) {
			t.Errorf("the error is %v", err)
		}
	})
}

func TestStream_EndsWithItsContextAndByClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s, err := stream.Open(ctx, &http.Client{Transport: roundTrip(silent)}, "http://scheduler", 0)
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		if _, err := s.Read(make([]byte, 1)); !errors.Is(err, context.Canceled) {
			t.Errorf("after the context: %v", err)
		}
		if s, err = stream.Open(t.Context(), &http.Client{Transport: roundTrip(silent)}, "http://scheduler", 0); err != nil {
			t.Fatal(err)
		}
		s.Close()
		if n, err := s.Read(make([]byte, 1)); n != 0 || err == nil || errors.Is(err, io.EOF) {
			t.Errorf("after Close: %d bytes, %v", n, err)
		}
	})
}
