package stream_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"k8s.io/klog/v2"

	"orrery/core/testing/fuzz"
	"orrery/core/trace/stream"
)

// FuzzOpen reads the answers of what serves a stream, or should.
//
//orrery:reads core/trace/stream
func FuzzOpen(f *testing.F) {
	f.Add(uint16(0), stream.ContentType, "scheduler-0\u202e", "v1\x1b[2J", "", "the scheduler stops", []byte("ORRERYT\x01"))
	f.Add(uint16(200), "application/json", "", "", "30", "", []byte(`{"kind":"Status","message":"as many readers\u001b as may be"}`))
	f.Add(uint16(303), "text/html; charset=\xff", "", "", "18446744073709551615", "", []byte("<html>"))
	f.Add(uint16(0), "a/b/c;;", "", "", "-1", "", []byte{})
	f.Fuzz(func(t *testing.T, code uint16, kind, identity, version, retryAfter, end string, body []byte) {
		through := roundTrip(func(r *http.Request) (*http.Response, error) {
			header := http.Header{"Content-Type": {kind}, "Orrery-Identity": {identity}, "Orrery-Version": {version}, "Retry-After": {retryAfter}}
			return &http.Response{
				StatusCode: 200 + int(code)%400, Header: header, Trailer: http.Header{"Orrery-End": {end}}, Body: io.NopCloser(bytes.NewReader(body)), Request: r,
			}, nil
		})
		fuzz.Cost(t, len(body), func() {
			s, err := stream.Open(t.Context(), &http.Client{Transport: through}, "http://scheduler", time.Minute)
			if err != nil {
				fuzz.Error(t, err)
				var refusal *stream.Refusal
				if errors.As(err, &refusal) && (refusal.RetryAfter < 0 || refusal.RetryAfter > time.Hour) {
					t.Errorf("it is to be asked again after %v", refusal.RetryAfter)
				}
				return
			}
			defer s.Close()
			if got, err := io.ReadAll(s); err != nil || !bytes.Equal(got, body) {
				t.Errorf("%d bytes are read, %v", len(got), err)
			}
			fuzz.Output(t, s.Identity+s.Version+s.EndReason())
		})
	})
}

// FuzzServe reads the requests of what would read a stream.
//
//orrery:reads core/trace/stream
func FuzzServe(f *testing.F) {
	server := stream.NewServer(&scheduler{t: f}, "v1", 0, klog.Logger{}) // without readers, which would go on
	for _, query := range []string{"", "since=10m", "since=-1s", "since=9999999h&since=1", "since=%1b%5b2J", "%zz"} {
		f.Add(http.MethodGet, query)
	}
	f.Add("PO\x1bST", "")
	f.Fuzz(func(t *testing.T, method, query string) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Method, r.URL = method, &url.URL{Path: stream.Path, RawQuery: query}
		answer := httptest.NewRecorder()
		fuzz.Cost(t, len(query), func() { server.ServeHTTP(answer, r) })
		if answer.Code < 400 {
			t.Errorf("the answer is %d", answer.Code)
		}
		fuzz.Output(t, answer.Body.String())
	})
}
