package faultproxy_test

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/rest"

	"orrery/core/parity/faultproxy"
)

// An event that the API server sends after Set reaches no client, however late the proxy notices that the watch has ended.
func TestSet_NoEventAfterIt(t *testing.T) {
	var set atomic.Bool
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			event := "before\n"
			if set.Load() {
				event = "after\n"
			}
			_, _ = io.WriteString(w, event)
			_ = http.NewResponseController(w).Flush()
		}
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	proxy, err := faultproxy.New(&rest.Config{Host: server.URL, TLSClientConfig: rest.TLSClientConfig{Insecure: true}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer proxy.Close()
	client, err := rest.HTTPClientFor(proxy.Config("user"))
	if err != nil {
		t.Fatal(err)
	}
	for range 200 {
		set.Store(false)
		proxy.Set(faultproxy.Faults{})
		response, err := client.Get(proxy.Config("").Host + "/api/v1/pods?watch=true")
		if err != nil {
			t.Fatal(err)
		}
		events := bufio.NewScanner(response.Body)
		if !events.Scan() || events.Text() != "before" {
			t.Fatalf("the watch begins with %q: %v", events.Text(), events.Err())
		}
		proxy.Set(faultproxy.Faults{Blind: true})
		set.Store(true)
		for events.Scan() {
			if events.Text() == "after" {
				t.Fatal("the client got an event that was sent after the watch had ended")
			}
		}
		if err := response.Body.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
