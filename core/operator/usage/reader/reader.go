package reader

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"

	"orrery/core/evict/pressure"
	"orrery/core/operator/usage"
	"orrery/core/safe/panics"
	"orrery/core/world"
)

// queryInterval is the time between two queries of a node that is displayed, settingsInterval between two reads of its
// kubelet's configuration. maxConcurrentNodes are queried at the same time, and maxNodes kept. A reading older than
// maxStale is dropped.
const (
	queryInterval    = 15 * time.Second
	settingsInterval = 10 * time.Minute
	//orrery:limit kubelets; nodes that are asked at once; the others wait
	maxConcurrentNodes = 4
	//orrery:limit kubelets; nodes whose usage is kept; those that were not shown for the longest time go
	maxNodes = 64
	//orrery:limit kubelets; the age of a reading that is shown; it is dropped
	maxStale = 2 * time.Minute
)

// Options configure a reader.
type Options struct {
	KubeConfig *rest.Config
	// Now is the clock; nil is the wall clock.
	Now func() time.Time
}

// Reader reads the usage of nodes that are displayed. Its methods may be called from any goroutine.
type Reader struct {
	apiClient
	now func() time.Time

	until   context.Context
	stop    context.CancelFunc
	queries sync.WaitGroup

	mu      sync.Mutex
	nodes   map[string]*nodeState
	running int
}

// nodeState is the state of one node.
type nodeState struct {
	reading usage.Reading
	// lastRead is the time of the last Read, lastQuery of the last query, lastSettings of the last read of the
	// kubelet's configuration.
	lastRead, lastQuery, lastSettings time.Time
	querying                          bool
}

// New returns a reader; it makes no requests.
func New(o Options) (*Reader, error) {
	c, err := newAPIClient(o.KubeConfig)
	if err != nil {
		return nil, err
	}
	r := &Reader{apiClient: c, now: o.Now, nodes: map[string]*nodeState{}}
	if r.now == nil {
		r.now = time.Now
	}
	r.until, r.stop = context.WithCancel(context.Background())
	return r, nil
}

// Close cancels running queries and waits for them.
func (r *Reader) Close() {
	r.mu.Lock()
	r.stop()
	r.mu.Unlock()
	r.queries.Wait()
}

// Read returns the latest reading of a node, and starts a query if that is too old: later calls return its result. Read
// calls pods for the pods on the node, only for a query.
func (r *Reader) Read(node *v1.Node, pods func() []world.PodRef) usage.Reading {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	w := r.nodes[node.Name]
	if w == nil {
		w = &nodeState{reading: usage.Reading{Node: node.Name, Configuration: pressure.DefaultConfiguration(systemOf(node))}}
		r.nodes[node.Name] = w
	}
	w.lastRead = now
	if due := w.lastQuery.IsZero() || now.Sub(w.lastQuery) >= queryInterval; due && !w.querying && r.running < maxConcurrentNodes && r.until.Err() == nil {
		r.query(w, now, nodeQuery{apiClient: r.apiClient, node: node, pods: pods(), previous: w.reading, now: r.now})
	}
	r.forget()
	return w.reading
}

// query starts a query.
func (r *Reader) query(w *nodeState, now time.Time, q nodeQuery) {
	w.querying, w.lastQuery = true, now
	q.readSettings = w.lastSettings.IsZero() || now.Sub(w.lastSettings) >= settingsInterval
	r.running++
	r.queries.Go(func() {
		answer := w.reading
		if err := panics.Call("asking for usage", func() { answer = q.run(r.until) }); err != nil {
			answer.Queried, answer.Problem = true, err.Error()
		}
		r.mu.Lock()
		w.querying, w.reading = false, answer
		if q.readSettings && answer.Configured {
			w.lastSettings = now
		}
		r.running--
		r.mu.Unlock()
	})
}

// forget drops the nodes with the oldest Read if there are too many.
func (r *Reader) forget() {
	if len(r.nodes) <= maxNodes {
		return
	}
	oldest := slices.SortedFunc(maps.Keys(r.nodes), func(a, b string) int {
		return r.nodes[a].lastRead.Compare(r.nodes[b].lastRead)
	})
	for _, name := range oldest[:len(oldest)-maxNodes] {
		delete(r.nodes, name)
	}
}
