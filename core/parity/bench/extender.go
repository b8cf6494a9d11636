package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	configv1 "k8s.io/kube-scheduler/config/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	upconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"

	"orrery/core/testing/mk/kinds"
	"orrery/core/world/live"
)

// extenderRows are pods about which an extender is asked.
var extenderRows = []row{{name: "an extender", extender: true, pod: kinds.Plain, pods: 500}}

// extenderThinks is how long the extender takes for an answer.
const extenderThinks = time.Millisecond

// extenderServer is an extender on a socket, that leaves all nodes.
type extenderServer struct {
	server http.Server
	prefix string

	mu    sync.Mutex
	began map[net.Conn]time.Time // of requests that are not answered yet
	spent time.Duration          // from the first byte of requests until their answers were sent
}

// newExtenderServer returns a server for a row with an extender, and nil for another one.
func newExtenderServer(r row) (*extenderServer, error) {
	if !r.extender {
		return nil, nil
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("starting the extender: %w", err)
	}
	x := &extenderServer{prefix: "http://" + listener.Addr().String(), began: map[net.Conn]time.Time{}}
	x.server.Handler, x.server.ConnState = x, x.observe
	go func() { _ = x.server.Serve(listener) }()
	return x, nil
}

func (x *extenderServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var args extenderv1.ExtenderArgs
	if err := json.NewDecoder(r.Body).Decode(&args); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	<-time.After(extenderThinks)
	_ = json.NewEncoder(w).Encode(extenderv1.ExtenderFilterResult{NodeNames: args.NodeNames})
}

// observe measures how long the server takes for a request: for reading it and sending the answer, too.
func (x *extenderServer) observe(c net.Conn, state http.ConnState) {
	x.mu.Lock()
	defer x.mu.Unlock()
	began, busy := x.began[c]
	switch {
	case state == http.StateActive:
		x.began[c] = time.Now()
	case busy:
		x.spent += time.Since(began)
		delete(x.began, c)
	}
}

// answering is how long the extender took so far; nothing if there is none.
func (x *extenderServer) answering() time.Duration {
	if x == nil {
		return 0
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.spent
}

func (x *extenderServer) close() {
	if x != nil {
		_ = x.server.Close()
	}
}

// upstream is the extender in kube-scheduler's configuration.
func (x *extenderServer) upstream() []upconfig.Extender {
	if x == nil {
		return nil
	}
	return []upconfig.Extender{{URLPrefix: x.prefix, FilterVerb: "filter", NodeCacheCapable: true}}
}

// orrery is the extender in Orrery's configuration.
func (x *extenderServer) orrery() []configv1.Extender {
	if x == nil {
		return nil
	}
	return []configv1.Extender{{URLPrefix: x.prefix, FilterVerb: "filter", NodeCacheCapable: true}}
}

// client returns the client of core/world/live.
func (x *extenderServer) client() (*live.ExtenderClient, error) {
	if x == nil {
		return nil, nil
	}
	return live.NewExtenderClient(&x.orrery()[0])
}
