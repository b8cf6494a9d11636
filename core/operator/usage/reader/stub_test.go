package reader

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"

	"orrery/core/operator/usage"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// stub is an API server with a kubelet and a metrics API behind it.
type stub struct {
	*httptest.Server
	mu      sync.Mutex
	answers map[string]http.HandlerFunc // by path
	asked   []string
}

const (
	summaryPath = "/api/v1/nodes/n1/proxy/stats/summary"
	configPath  = "/api/v1/nodes/n1/proxy/configz"
	metricsPath = "/apis/metrics.k8s.io/v1beta1"
)

func newStub(t *testing.T) *stub {
	s := &stub{answers: map[string]http.HandlerFunc{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// ServeHTTP responds as configured, and with 404 otherwise.
func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	answer := s.answers[r.URL.Path]
	s.asked = append(s.asked, r.URL.Path)
	s.mu.Unlock()
	if answer == nil {
		answer = refuses(404, `{"kind":"Status","message":"the server could not find the requested resource"}`)
	}
	answer(w, r)
}

func (s *stub) on(path string, answer http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[path] = answer
}

// times returns the number of requests of a path.
func (s *stub) times(path string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.asked {
		if p == path {
			n++
		}
	}
	return n
}

func (s *stub) paths() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

func serves(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(text)) }
}

func refuses(code int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		_, _ = w.Write([]byte(text))
	}
}

var forbids = refuses(403, `{"kind":"Status","reason":"Forbidden","message":"nodes \"n1\" is forbidden: User \"jane\" cannot get resource \"nodes/proxy\""}`)

// watcher reads a node through a reader with a controlled clock.
type watcher struct {
	*Reader
	clock sync.Mutex
	at    time.Time
}

func newWatcher(t *testing.T, s *stub) *watcher {
	w := &watcher{at: time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)}
	r, err := New(Options{KubeConfig: &rest.Config{Host: s.URL}, Now: w.now})
	if err != nil {
		t.Fatal(err)
	}
	w.Reader = r
	w.timeout = 5 * time.Minute // a loaded machine may take more than the default
	t.Cleanup(r.Close)
	return w
}

func (w *watcher) now() time.Time {
	w.clock.Lock()
	defer w.clock.Unlock()
	return w.at
}

func (w *watcher) pass(d time.Duration) {
	w.clock.Lock()
	defer w.clock.Unlock()
	w.at = w.at.Add(d)
}

var n1 = mk.Node("n1").Memory("8Gi").Obj()

func onN1() []world.PodRef {
	return []world.PodRef{{Namespace: "shop", Name: "cart", UID: "uid-cart"}, {Namespace: "shop", Name: "search", UID: "uid-search"}}
}

// look reads the node.
func (w *watcher) look(node *v1.Node) usage.Reading { return w.Read(node, onN1) }

// answered reads n1, waits for its query, and reads again.
func (w *watcher) answered() usage.Reading {
	w.look(n1)
	w.queries.Wait()
	return w.look(n1)
}
