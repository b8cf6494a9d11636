package serving

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"k8s.io/klog/v2"

	"orrery/core/scheduler/config"
	"orrery/core/testing/fuzz"
	"orrery/core/trace/stream"
)

// FuzzRequest reads requests to the endpoints of a scheduler, of a user who may do everything. Profiles are left out: they take the
// seconds that they are asked for.
//
//orrery:reads core/process/serving core/trace/stream
func FuzzRequest(f *testing.F) {
	features, err := config.ParseFeatureFlag("ComponentStatusz=true", "ComponentFlagz=true")
	if err != nil {
		f.Fatal(err)
	}
	e := &Endpoints{Config: config.Default(features), Leading: func() bool { return true }, Stream: stream.NewServer(nil, "v1", 0, klog.Logger{})}
	handler := e.Handler()
	for _, path := range []string{"/metrics", "/configz", "/healthz/ping", "/readyz?verbose&exclude=\x1b", "/statusz", "/debug/flags/v", stream.Path + "?since=1", "/../%2e%2e/\x1b[2J"} {
		f.Add(http.MethodGet, path, "text/plain", []byte("5"))
		f.Add(http.MethodPut, path, "application/json;as=x", []byte("5\x1b"))
	}
	f.Add(http.MethodDelete, "/metrics", "", []byte{})
	f.Fuzz(func(t *testing.T, method, target, accept string, body []byte) {
		path, query, _ := strings.Cut(target, "?")
		if strings.HasPrefix(path, "/debug/pprof") {
			return
		}
		r := httptest.NewRequest(http.MethodGet, "/", bytes.NewReader(body))
		r.Method, r.URL = method, &url.URL{Path: path, RawQuery: query}
		r.Header.Set("Accept", accept)
		answer := httptest.NewRecorder()
		fuzz.Cost(t, len(target)+len(body), func() { handler.ServeHTTP(answer, r) })
		if answer.Code == http.StatusInternalServerError {
			t.Errorf("the answer is %d: %s", answer.Code, answer.Body)
		}
	})
}
