package usage

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"

	"orrery/core/evict/pressure"
	"orrery/core/world"
)

// How often a node that is looked at is asked, and after how long its kubelet is asked for its configuration again; how many
// nodes are asked at once, and of how many the last answer is kept; and for how long an old answer is better than none.
const (
	askEvery      = 15 * time.Second
	settingsEvery = 10 * time.Minute
	nodesAtOnce   = 4
	nodesKept     = 64
	staleMost     = 2 * time.Minute
)

// Options are what a reader is made with.
type Options struct {
	KubeConfig *rest.Config
	// Now is what time it is; nil is the wall clock.
	Now func() time.Time
}

// Reader asks about nodes that somebody looks at. Its methods may be called from any goroutine.
type Reader struct {
	caller
	now func() time.Time

	until context.Context
	stop  context.CancelFunc
	under sync.WaitGroup

	mu    sync.Mutex
	nodes map[string]*watched
	busy  int
}

// watched is a node that was looked at.
type watched struct {
	reading Reading
	// looked is when it was looked at last, asked when it was asked last, and set when its kubelet's configuration was.
	looked, asked, set time.Time
	asking             bool
}

// New is a reader that has asked nobody yet.
func New(o Options) (*Reader, error) {
	c, err := newCaller(o.KubeConfig)
	if err != nil {
		return nil, err
	}
	r := &Reader{caller: c, now: o.Now, nodes: map[string]*watched{}}
	if r.now == nil {
		r.now = time.Now
	}
	r.until, r.stop = context.WithCancel(context.Background())
	return r, nil
}

// Close gives up what is asked, and returns when nobody asks any more.
func (r *Reader) Close() {
	r.mu.Lock()
	r.stop()
	r.mu.Unlock()
	r.under.Wait()
}

// Look is what is known of a node, and has it asked if that is too long ago. Who goes on looking sees the answer. Pods are
// those on the node; they are only asked for when the node is.
func (r *Reader) Look(node *v1.Node, pods func() []world.Ref) Reading {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	w := r.nodes[node.Name]
	if w == nil {
		w = &watched{reading: Reading{Node: node.Name, Configuration: pressure.DefaultConfiguration(systemOf(node))}}
		r.nodes[node.Name] = w
	}
	w.looked = now
	if due := w.asked.IsZero() || now.Sub(w.asked) >= askEvery; due && !w.asking && r.busy < nodesAtOnce && r.until.Err() == nil {
		r.begin(w, now, question{caller: r.caller, node: node, pods: pods(), was: w.reading, now: r.now})
	}
	r.forget()
	return w.reading
}

// begin asks about a node beside the caller.
func (r *Reader) begin(w *watched, now time.Time, q question) {
	w.asking, w.asked = true, now
	q.settings = w.set.IsZero() || now.Sub(w.set) >= settingsEvery
	r.busy++
	r.under.Go(func() {
		answer := q.ask(r.until)
		r.mu.Lock()
		w.asking, w.reading = false, answer
		if q.settings && answer.Configured {
			w.set = now
		}
		r.busy--
		r.mu.Unlock()
	})
}

// forget drops the nodes that were looked at longest ago, if there are too many.
func (r *Reader) forget() {
	if len(r.nodes) <= nodesKept {
		return
	}
	oldest := slices.SortedFunc(maps.Keys(r.nodes), func(a, b string) int {
		return r.nodes[a].looked.Compare(r.nodes[b].looked)
	})
	for _, name := range oldest[:len(oldest)-nodesKept] {
		delete(r.nodes, name)
	}
}
