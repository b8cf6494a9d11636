package live

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// An answer of which a byte comes now and then ends after its time; a watch of that kind goes on.
func TestBoundedTransport_AnswerHasATotalTime(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"kind":"PodList","items":[`)
		if r.URL.Query().Get("watch") != "" {
			return
		}
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	client := http.Client{Transport: boundedTransport{through: http.DefaultTransport, timeout: 50 * time.Millisecond}}
	answer, err := client.Get(server.URL + "/api/v1/pods")
	if err == nil {
		answer.Body.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "the API server's answer took more than 50ms") {
		t.Errorf("the error is %v", err)
	}
	client.Transport = boundedTransport{through: http.DefaultTransport, timeout: time.Nanosecond}
	watch, err := client.Get(server.URL + "/api/v1/pods?watch=1")
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Body.Close()
	if text, err := io.ReadAll(watch.Body); err != nil || len(text) == 0 {
		t.Errorf("the watch was cut off: %q, %v", text, err)
	}
}
