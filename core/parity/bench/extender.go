package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	configv1 "k8s.io/kube-scheduler/config/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	upconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"

	"orrery/core/extender"
	"orrery/core/mk/kinds"
	"orrery/core/world"
)

// extenderRows are pods about which an extender is asked.
var extenderRows = []row{{name: "an extender", extender: true, pod: kinds.Plain, pods: 500}}

// extenderThinks is how long the extender takes for an answer.
const extenderThinks = time.Millisecond

// extenderServer is an extender on a socket, that leaves all nodes.
type extenderServer struct {
	server http.Server
	prefix string
	spent  atomic.Int64 // from requests to their answers, in nanoseconds
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
	x := &extenderServer{prefix: "http://" + listener.Addr().String()}
	x.server.Handler = x
	go func() { _ = x.server.Serve(listener) }()
	return x, nil
}

func (x *extenderServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	defer func() { x.spent.Add(int64(time.Since(began))) }()
	var args extenderv1.ExtenderArgs
	if err := json.NewDecoder(r.Body).Decode(&args); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	<-time.After(extenderThinks)
	_ = json.NewEncoder(w).Encode(extenderv1.ExtenderFilterResult{NodeNames: args.NodeNames})
}

// answering is how long the extender took so far; nothing if there is none.
func (x *extenderServer) answering() time.Duration {
	if x == nil {
		return 0
	}
	return time.Duration(x.spent.Load())
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

// ask carries out a call as core/world/live does.
func (x *extenderServer) ask(call world.CallExtender) (*world.ExtenderAnswer, error) {
	body, err := extender.RequestBody(call)
	if err != nil {
		return nil, err
	}
	response, err := http.Post(call.URL, "application/json", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return extender.Answer(call, response.Body)
}
