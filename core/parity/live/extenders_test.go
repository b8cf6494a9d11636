package live_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"orrery/core/parity/apiserver"
	"orrery/core/process/replica"
)

// extenderServer is an extender that refuses the nodes of odd numbers. It can be slow, die, and come back at its address.
type extenderServer struct {
	t       *testing.T
	address string

	mu     sync.Mutex
	server *http.Server
	takes  time.Duration
	asked  map[string]int // requests, by verb
}

func newExtenderServer(t *testing.T) *extenderServer {
	x := &extenderServer{t: t, address: "127.0.0.1:0", asked: map[string]int{}}
	x.start()
	t.Cleanup(x.die)
	return x
}

// start serves at the address, which is that of the first time.
func (x *extenderServer) start() {
	listener, err := net.Listen("tcp", x.address)
	if err != nil {
		x.t.Fatal(err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.address, x.server = listener.Addr().String(), &http.Server{Handler: x}
	go func(s *http.Server) { _ = s.Serve(listener) }(x.server)
}

// die closes all connections, also those with a request.
func (x *extenderServer) die() {
	x.mu.Lock()
	defer x.mu.Unlock()
	_ = x.server.Close()
}

func (x *extenderServer) slow(takes time.Duration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.takes = takes
}

func (x *extenderServer) count(verb string) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.asked[verb]
}

func (x *extenderServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	verb := strings.TrimPrefix(r.URL.Path, "/")
	x.mu.Lock()
	x.asked[verb]++
	takes := x.takes
	x.mu.Unlock()
	select {
	case <-time.After(takes):
	case <-r.Context().Done():
		return
	}
	if verb == "preempt" {
		answer(w, r, evenVictims)
		return
	}
	answer(w, r, evenNodes)
}

func answer[Q, A any](w http.ResponseWriter, r *http.Request, of func(Q) A) {
	var question Q
	if err := json.NewDecoder(r.Body).Decode(&question); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	_ = json.NewEncoder(w).Encode(of(question))
}

func odd(node string) bool { return (node[len(node)-1]-'0')%2 == 1 }

func evenNodes(q extenderv1.ExtenderArgs) extenderv1.ExtenderFilterResult {
	left, failed := slices.Clone(*q.NodeNames), extenderv1.FailedNodesMap{}
	left = slices.DeleteFunc(left, func(node string) bool {
		if odd(node) {
			failed[node] = "its number is odd"
		}
		return odd(node)
	})
	return extenderv1.ExtenderFilterResult{NodeNames: &left, FailedNodes: failed}
}

// evenVictims keeps the even node of the highest number.
func evenVictims(q extenderv1.ExtenderPreemptionArgs) extenderv1.ExtenderPreemptionResult {
	best := ""
	for node := range q.NodeNameToMetaVictims {
		if !odd(node) {
			best = max(best, node)
		}
	}
	left := map[string]*extenderv1.MetaVictims{}
	if best != "" {
		left[best] = q.NodeNameToMetaVictims[best]
	}
	return extenderv1.ExtenderPreemptionResult{NodeNameToMetaVictims: left}
}

// ask configures the extender.
func (x *extenderServer) ask(o *replica.Options) {
	withoutLease(o)
	o.Config.Extenders = []configv1.Extender{{
		URLPrefix: "http://" + x.address, FilterVerb: "filter", PreemptVerb: "preempt", NodeCacheCapable: true,
		HTTPTimeout: metav1.Duration{Duration: 500 * time.Millisecond},
	}}
}

// An extender refuses odd nodes, takes longer than its timeout, dies with requests on their way, and comes back. No pod is lost or
// bound twice, and all are on even nodes.
func TestExtender_DiesAndComesBack(t *testing.T) {
	pods := count(t, 300)
	s := newFixture(t, nodesFor(2*pods)...)
	watches := s.watchBindings()
	x := newExtenderServer(t)
	r := s.start(x.ask)
	created := 0
	more := func(name string) {
		s.pods(pods/3, name, "80m")
		created += pods / 3
	}
	more("well")
	s.bound(created)

	x.slow(2 * time.Second)
	asked := x.count("filter")
	more("slow")
	s.eventually(func() error {
		if x.count("filter") < asked+3 {
			return fmt.Errorf("the slow extender was asked %d times only", x.count("filter")-asked)
		}
		return nil
	})
	x.die()
	more("dead")
	s.eventually(func() error { return s.failedWith("connection refused") })
	x.slow(time.Millisecond)
	x.start()
	for node := range s.bound(created) {
		if odd(node) {
			t.Errorf("%s has pods, and the extender refuses it", node)
		}
	}
	s.checkCache(r)
	s.checkBindings(watches)
	t.Logf("%d pods; the extender was asked %d times", created, x.count("filter"))
}

// failedWith checks that the condition of a pod tells of an extender's failure.
func (s *fixture) failedWith(text string) error {
	for _, pod := range s.list() {
		for _, c := range pod.Status.Conditions {
			if c.Reason == "SchedulerError" && strings.Contains(c.Message, text) {
				return nil
			}
		}
	}
	return fmt.Errorf("no pod's scheduling failed with %q", text)
}

// An extender is asked which of the nodes that preemption has found is left; Orrery preempts there.
func TestExtender_Preempts(t *testing.T) {
	s := newFixture(t, threeNodes()...)
	go func() { _ = apiserver.Kubelet(s.ctx, s.client) }()
	x := newExtenderServer(t)
	s.start(x.ask)
	s.pods(4, "low", "4")
	for node, n := range s.bound(4) {
		if odd(node) || n != 2 {
			t.Fatalf("%d pods are on %s", n, node)
		}
	}
	pod := apiserver.Pod("high", "4", "16Mi")
	pod.Spec.PriorityClassName = "system-cluster-critical"
	if _, err := s.create(pod); err != nil {
		t.Fatal(err)
	}
	s.eventually(func() error {
		high, err := s.client.CoreV1().Pods(v1.NamespaceDefault).Get(s.ctx, "high", metav1.GetOptions{})
		if err == nil && high.Spec.NodeName != "node-2" {
			err = fmt.Errorf("the preemptor is on %q", high.Spec.NodeName)
		}
		return err
	})
	if left, asked := len(s.list()), x.count("preempt"); left != 4 || asked == 0 {
		t.Errorf("%d pods are left, want 4; the extender was asked %d times about victims", left, asked)
	}
}
