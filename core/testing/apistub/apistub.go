// Package apistub is an API server for tests: it lists and watches what a test puts into it, forbids what the test forbids, breaks and comes
// back, and notes every write, of which it carries out none.
package apistub

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"orrery/core/world"
)

// Server lists and watches objects of any kind, and forbids the configured requests.
type Server struct {
	server *httptest.Server

	mu      sync.Mutex
	version int
	objects map[string][]world.Object // by resource
	log     []event
	changed chan struct{}
	forbids map[string]bool // "verb resource", and "verb resource in namespace"
	answers int             // the code of all answers; zero for the usual ones
	writes  []string

	unreachable bool
}

type event struct {
	version        int
	kind, resource string
	object         world.Object
}

// New returns a server that ends with the test.
func New(t *testing.T) *Server {
	s := &Server{version: 100, objects: map[string][]world.Object{}, changed: make(chan struct{}), forbids: map[string]bool{}}
	s.server = httptest.NewServer(s)
	t.Cleanup(s.close)
	return s
}

// close breaks all connections, also new ones: an open watch would block it forever.
func (s *Server) close() {
	closed := make(chan struct{})
	go func() {
		s.server.Close()
		close(closed)
	}()
	for {
		s.server.CloseClientConnections()
		select {
		case <-closed:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// KubeConfig is a connection to the server, as anybody.
func (s *Server) KubeConfig() *rest.Config {
	return &rest.Config{Host: s.server.URL, QPS: -1, ContentConfig: rest.ContentConfig{ContentType: "application/json"}}
}

// Forbid forbids a verb on a resource, or permits it again.
func (s *Server) Forbid(what string, forbidden bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forbids[what] = forbidden
}

// Answer answers all requests with a code; zero ends that.
func (s *Server) Answer(code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers = code
}

// Put adds objects, or changes them.
func (s *Server) Put(objects ...world.Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range objects {
		o = o.DeepCopyObject().(world.Object)
		kinds, _, err := scheme.Scheme.ObjectKinds(o)
		if err != nil {
			panic(err)
		}
		o.GetObjectKind().SetGroupVersionKind(kinds[0])
		s.version++
		o.SetResourceVersion(strconv.Itoa(s.version))
		resource := strings.ToLower(kinds[0].Kind) + "s"
		kind := "ADDED"
		others := s.objects[resource][:0]
		for _, old := range s.objects[resource] {
			if old.GetName() == o.GetName() && old.GetNamespace() == o.GetNamespace() {
				kind = "MODIFIED"
				continue
			}
			others = append(others, old)
		}
		s.objects[resource] = append(others, o)
		s.log = append(s.log, event{s.version, kind, resource, o})
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

// Written returns the requests that would have changed something.
func (s *Server) Written() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.writes...)
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	resource, group, namespace := parts[len(parts)-1], "", ""
	if parts[0] == "apis" {
		group = parts[1]
	}
	scope := "at the cluster scope"
	if len(parts) > 2 && parts[len(parts)-3] == "namespaces" {
		namespace = parts[len(parts)-2]
		scope = `in the namespace "` + namespace + `"`
	}
	watch := r.URL.Query().Get("watch") != ""
	verb := "list"
	if watch {
		verb = "watch"
	}
	s.mu.Lock()
	what := verb + " " + resource
	if namespace != "" {
		what += " in " + namespace
	}
	forbidden, code, unreachable := s.forbids[what], s.answers, s.unreachable
	if r.Method != http.MethodGet {
		s.writes = append(s.writes, r.Method+" "+r.URL.Path)
	}
	s.mu.Unlock()
	switch {
	case unreachable:
		panic(http.ErrAbortHandler)
	case code != 0:
		http.Error(w, "<html>from a load balancer</html>", code)
	case r.Method != http.MethodGet:
		refuse(w, http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed, schema.GroupResource{}, "the stub is read-only")
	case forbidden:
		refuse(w, http.StatusForbidden, metav1.StatusReasonForbidden, schema.GroupResource{Group: group, Resource: resource},
			resource+` is forbidden: User "jane" cannot `+verb+` resource "`+resource+`" in API group "`+group+`" `+scope)
	case resource == "workloads":
		refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound, schema.GroupResource{}, "the server could not find the requested resource")
	case watch && r.URL.Query().Get("sendInitialEvents") != "":
		refuse(w, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, schema.GroupResource{}, "sendInitialEvents is unknown")
	case watch:
		s.watch(w, r, resource, namespace)
	default:
		s.mu.Lock()
		defer s.mu.Unlock()
		items := []world.Object{}
		for _, o := range s.objects[resource] {
			if namespace == "" || o.GetNamespace() == namespace {
				items = append(items, o)
			}
		}
		reply(w, http.StatusOK, map[string]any{"metadata": map[string]any{"resourceVersion": strconv.Itoa(s.version)}, "items": items})
	}
}

func (s *Server) watch(w http.ResponseWriter, r *http.Request, resource, namespace string) {
	since, _ := strconv.Atoi(r.URL.Query().Get("resourceVersion"))
	w.Header().Set("Content-Type", "application/json")
	for {
		s.mu.Lock()
		events, changed := s.log, s.changed
		s.mu.Unlock()
		for _, e := range events {
			if e.version > since && e.resource == resource && (namespace == "" || e.object.GetNamespace() == namespace) {
				since = e.version
				_ = json.NewEncoder(w).Encode(map[string]any{"type": e.kind, "object": e.object})
			}
		}
		w.(http.Flusher).Flush()
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

// Delete removes an object.
func (s *Server) Delete(o world.Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kinds, _, err := scheme.Scheme.ObjectKinds(o)
	if err != nil {
		panic(err)
	}
	resource := strings.ToLower(kinds[0].Kind) + "s"
	for i, old := range s.objects[resource] {
		if old.GetName() == o.GetName() && old.GetNamespace() == o.GetNamespace() {
			s.version++
			gone := old.DeepCopyObject().(world.Object)
			gone.SetResourceVersion(strconv.Itoa(s.version))
			s.objects[resource] = append(s.objects[resource][:i:i], s.objects[resource][i+1:]...)
			s.log = append(s.log, event{s.version, "DELETED", resource, gone})
			break
		}
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

// Break ends all connections; clients connect again.
func (s *Server) Break() { s.server.CloseClientConnections() }

// Down breaks all connections, and new ones at their first request, so that the address stays the stub's.
func (s *Server) Down() (up func()) {
	s.setUnreachable(true)
	s.server.CloseClientConnections()
	return func() { s.setUnreachable(false) }
}

func (s *Server) setUnreachable(unreachable bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unreachable = unreachable
}

func reply(w http.ResponseWriter, code int, o any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(o)
}

func refuse(w http.ResponseWriter, code int, reason metav1.StatusReason, about schema.GroupResource, message string) {
	reply(w, code, metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Code: int32(code), Reason: reason,
		Message: message, Details: &metav1.StatusDetails{Group: about.Group, Kind: about.Resource},
	})
}
