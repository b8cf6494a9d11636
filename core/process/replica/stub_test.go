package replica

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"orrery/core/testing/mk"
	"orrery/core/world"
)

// stub is an API server with two nodes and two pods, good and bad, which keeps leases and bindings.
type stub struct {
	mu     sync.Mutex
	lease  *coordinationv1.Lease
	taken  bool     // another holds the lease: writes are conflicts
	bound  []string // pods
	logged string
	// afterLease are the events that a watch of a kind tells once the lease was read by its holder, which is then at version 7.
	afterLease map[string][]any
	leaseRead  chan struct{}
	readOnce   sync.Once
	changed    chan struct{}
	ended      chan struct{} // closed to end all watches
}

// newStub serves until the test ends.
func newStub(t *testing.T) (*stub, *rest.Config) {
	t.Helper()
	s := &stub{changed: make(chan struct{}), ended: make(chan struct{}), leaseRead: make(chan struct{})}
	server := httptest.NewServer(s)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return s, &rest.Config{Host: server.URL, QPS: -1, ContentConfig: rest.ContentConfig{ContentType: "application/json"}}
}

var stubObjects = map[string][]world.Object{
	"nodes": {mk.Node("n1").CPU("4").Pods("10").Obj(), mk.Node("n2").CPU("4").Pods("10").Obj()},
	"pods":  {mk.Pod("bad").UID("bad").CPU("1").Obj(), mk.Pod("good").UID("good").CPU("1").Obj()},
}

func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	resource := parts[len(parts)-1]
	switch {
	case strings.Contains(r.URL.Path, "/leases"):
		s.serveLease(w, r)
	case resource == "binding":
		s.change(func() { s.bound = append(s.bound, parts[len(parts)-2]) })
		_ = json.NewEncoder(w).Encode(metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess})
	case r.Method != http.MethodGet:
		_ = json.NewEncoder(w).Encode(v1.Pod{TypeMeta: metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"}})
	case r.URL.Query().Get("sendInitialEvents") != "":
		refuse(w, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid)
	case r.URL.Query().Get("watch") != "":
		w.(http.Flusher).Flush()
		s.serveWatch(w, r, resource)
	default:
		i := slices.IndexFunc(world.Kinds(), func(k world.Kind) bool { return k.Resource().Resource == resource })
		if i < 0 { // the API of events
			refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound)
			return
		}
		kind := world.Kinds()[i]
		items := append([]world.Object{}, stubObjects[resource]...)
		_ = json.NewEncoder(w).Encode(map[string]any{
			"kind": string(kind) + "List", "apiVersion": kind.Resource().GroupVersion().String(),
			"metadata": map[string]any{"resourceVersion": "1"}, "items": items,
		})
	}
}

func (s *stub) serveWatch(w http.ResponseWriter, r *http.Request, resource string) {
	tells := s.leaseRead
	for {
		select {
		case <-tells:
			for _, event := range s.afterLease[resource] {
				_ = json.NewEncoder(w).Encode(event)
			}
			w.(http.Flusher).Flush()
			tells = nil
		case <-r.Context().Done():
			return
		case <-s.ended:
			return
		}
	}
}

func (s *stub) serveLease(w http.ResponseWriter, r *http.Request) {
	var sent coordinationv1.Lease
	if r.Method != http.MethodGet {
		_ = json.NewDecoder(r.Body).Decode(&sent)
		s.change(func() {
			if !s.taken {
				s.lease = &sent
			}
		})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken && r.Method != http.MethodGet {
		refuse(w, http.StatusConflict, metav1.StatusReasonConflict)
		return
	}
	if s.lease == nil {
		refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound)
		return
	}
	lease := *s.lease
	lease.ResourceVersion = "1" // as the lists
	if s.afterLease != nil {
		lease.ResourceVersion = "7"
		if r.Method == http.MethodGet {
			s.readOnce.Do(func() { close(s.leaseRead) })
		}
	}
	_ = json.NewEncoder(w).Encode(lease)
}

func refuse(w http.ResponseWriter, code int, reason metav1.StatusReason) {
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Code: int32(code), Reason: reason,
	})
}

func (s *stub) change(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do()
	close(s.changed)
	s.changed = make(chan struct{})
}

// takeLease gives the lease to another replica.
func (s *stub) takeLease() {
	s.change(func() {
		taken, another := s.lease.DeepCopy(), "another"
		taken.Spec.HolderIdentity = &another
		s.lease, s.taken = taken, true
	})
}

// log is what a logger writes to.
func (s *stub) log(prefix, args string) { s.change(func() { s.logged += prefix + " " + args + "\n" }) }

// await waits until a condition holds.
func (s *stub) await(t *testing.T, is func() bool) {
	t.Helper()
	for {
		s.mu.Lock()
		ok, changed := is(), s.changed
		s.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-t.Context().Done():
			t.Fatal("the test ended before")
		}
	}
}

// holder is who holds the lease; empty if it was released.
func (s *stub) holder(t *testing.T) string {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lease == nil {
		t.Fatal("there is no lease")
	}
	return *s.lease.Spec.HolderIdentity
}
