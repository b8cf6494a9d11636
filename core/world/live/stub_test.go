package live_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	v1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"orrery/core/world"
	"orrery/core/world/live"
)

// stub is an API server for pods, nodes and events, over HTTP and in memory, so that time stands still while it works.
type stub struct {
	t *testing.T

	mu      sync.Mutex
	version int
	objects map[string]map[string]world.Object // by resource and namespace/name
	log     map[string][]event
	oldest  int // versions before this one cannot be watched from
	changed chan struct{}
	down    bool
	conns   map[net.Conn]bool
	accept  chan net.Conn
	closed  chan struct{}
	closing sync.Once
	// fault, if not nil, is called for every request.
	fault func(r *http.Request) fault
	// requests has every write, in order; events has the emitted events.
	requests  []string
	podLists  int
	resources map[string]bool // the resources that were asked for
	events    []eventsv1.Event
	series    int // how often an event was made a series, or its count brought up to date
}

// event is a change, as watches tell of it.
type event struct {
	version int
	kind    string
	object  world.Object
}

// fault is how a request goes wrong.
type fault struct {
	code   int           // answer this instead
	header http.Header   // with these
	lost   bool          // do it, and break the connection instead of answering, or answer with the code
	cut    bool          // break the connection without doing it
	wait   chan struct{} // wait until this is closed, first
}

func newStub(t *testing.T) *stub {
	s := &stub{
		t: t, version: 100, objects: map[string]map[string]world.Object{"pods": {}, "nodes": {}}, log: map[string][]event{},
		resources: map[string]bool{}, changed: make(chan struct{}), conns: map[net.Conn]bool{}, accept: make(chan net.Conn), closed: make(chan struct{}),
	}
	server := &http.Server{Handler: http.HandlerFunc(s.serve)}
	go func() { _ = server.Serve(s) }()
	t.Cleanup(func() {
		s.setDown(true)
		_ = server.Close()
	})
	return s
}

// client is a client-go client of the stub.
func (s *stub) client() kubernetes.Interface {
	transport := &http.Transport{DialContext: s.dial, DisableKeepAlives: true}
	c, err := live.NewClient(&rest.Config{
		Host: "http://stub", Transport: transport, QPS: -1, ContentConfig: rest.ContentConfig{ContentType: "application/json"},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

func (s *stub) dial(context.Context, string, string) (net.Conn, error) {
	s.mu.Lock()
	down := s.down
	s.mu.Unlock()
	if down {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
	here, there := net.Pipe()
	s.mu.Lock()
	s.conns[there] = true
	s.mu.Unlock()
	select {
	case s.accept <- there:
		return here, nil
	case <-s.closed:
		return nil, net.ErrClosed
	}
}

// The stub is its own net.Listener.
func (s *stub) Accept() (net.Conn, error) {
	select {
	case c := <-s.accept:
		return c, nil
	case <-s.closed:
		return nil, net.ErrClosed
	}
}

func (s *stub) Close() error {
	s.closing.Do(func() { close(s.closed) })
	return nil
}

func (s *stub) Addr() net.Addr { return &net.TCPAddr{} }

// setDown breaks every connection and refuses new ones, or serves again.
func (s *stub) setDown(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
	for c := range s.conns {
		if down {
			_ = c.Close()
			delete(s.conns, c)
		}
	}
}

// breakWatches ends what is under way; new connections are welcome.
func (s *stub) breakWatches() {
	s.setDown(true)
	s.setDown(false)
}

// forget makes it impossible to go on with a watch.
func (s *stub) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	s.oldest = s.version
	s.log = map[string][]event{}
}

func resourceOf(o world.Object) string { return world.KindOf(o).Resource().Resource }

// wire is an object as it is sent.
func wire(o world.Object) any {
	if custom, ok := o.(*world.Custom); ok {
		return custom.Whole
	}
	return o
}

func keyOf(o metav1.Object) string { return o.GetNamespace() + "/" + o.GetName() }

// put stores a new state of an object and notifies the watches.
func (s *stub) put(o world.Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.store(o)
}

func (s *stub) store(o world.Object) {
	o = o.DeepCopyObject().(world.Object)
	s.version++
	o.SetResourceVersion(strconv.Itoa(s.version))
	if custom, ok := o.(*world.Custom); ok {
		custom.Whole.SetResourceVersion(strconv.Itoa(s.version))
	} else {
		version := world.KindOf(o).Resource().GroupVersion()
		o.GetObjectKind().SetGroupVersionKind(version.WithKind(string(world.KindOf(o))))
	}
	if s.objects[resourceOf(o)] == nil {
		s.objects[resourceOf(o)] = map[string]world.Object{}
	}
	kind := "MODIFIED"
	if s.objects[resourceOf(o)][keyOf(o)] == nil {
		kind = "ADDED"
	}
	s.objects[resourceOf(o)][keyOf(o)] = o
	s.tell(event{s.version, kind, o})
}

// remove deletes an object at once.
func (s *stub) remove(o world.Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(o)
}

func (s *stub) drop(o world.Object) {
	held := s.objects[resourceOf(o)][keyOf(o)]
	if held == nil {
		return
	}
	delete(s.objects[resourceOf(o)], keyOf(o))
	s.version++
	gone := held.DeepCopyObject().(world.Object)
	gone.SetResourceVersion(strconv.Itoa(s.version))
	s.tell(event{s.version, "DELETED", gone})
}

func (s *stub) tell(e event) {
	s.log[resourceOf(e.object)] = append(s.log[resourceOf(e.object)], e)
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *stub) pod(name string) *v1.Pod {
	s.mu.Lock()
	defer s.mu.Unlock()
	pod, _ := s.objects["pods"]["default/"+name].(*v1.Pod)
	return pod
}

// written are the writes so far, in order.
func (s *stub) written() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

func (s *stub) announced() []eventsv1.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.events)
}

func (s *stub) count(of *int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *of
}

func (s *stub) setFault(f func(r *http.Request) fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = f
}

func (s *stub) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	ask := s.fault
	s.mu.Unlock()
	var f fault
	if ask != nil {
		f = ask(r)
	}
	if f.wait != nil {
		select {
		case <-f.wait:
		case <-r.Context().Done():
		}
	}
	switch {
	case f.cut:
		panic(http.ErrAbortHandler)
	case f.lost && f.code != 0:
		s.answer(discard{}, r)
		refuse(w, f.code, "", "the stub was told to say so")
		return
	case f.code != 0:
		for name, values := range f.header {
			w.Header()[name] = values
		}
		refuse(w, f.code, "", "the stub was told to say so")
		return
	case f.lost:
		s.answer(discard{}, r)
		panic(http.ErrAbortHandler)
	}
	s.answer(w, r)
}

// discard is a response that is not sent.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) WriteHeader(int)             {}

func (s *stub) answer(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case r.URL.Path == "/apis/events.k8s.io/v1":
		reply(w, metav1.APIResourceList{GroupVersion: "events.k8s.io/v1", APIResources: []metav1.APIResource{{Name: "events"}}})
	case parts[0] == "apis" && parts[len(parts)-1] == "events" && r.Method == http.MethodPost:
		var e eventsv1.Event
		_ = json.NewDecoder(r.Body).Decode(&e)
		s.mu.Lock()
		s.events = append(s.events, e)
		s.mu.Unlock()
		reply(w, e)
	case parts[0] == "apis" && parts[len(parts)-2] == "events" && r.Method == http.MethodPatch:
		s.mu.Lock()
		s.series++
		s.mu.Unlock()
		reply(w, eventsv1.Event{})
	case isList(parts) && r.URL.Query().Get("watch") != "":
		s.watch(w, r, parts[len(parts)-1])
	case isList(parts):
		s.list(w, parts[len(parts)-1])
	case len(parts) >= 6 && parts[4] == "pods":
		s.onPod(w, r, parts[3]+"/"+parts[5], strings.Join(parts[6:], "/"))
	case len(parts) == 4 && parts[2] == "persistentvolumes":
		s.onVolume(w, r, parts[2], "/"+parts[3])
	case len(parts) == 6 && parts[4] == "persistentvolumeclaims":
		s.onVolume(w, r, parts[4], parts[3]+"/"+parts[5])
	case len(parts) >= 7 && parts[5] == "resourceclaims":
		s.onResourceClaim(w, r, parts[4]+"/"+parts[6], strings.Join(parts[7:], "/"))
	case len(parts) == 6 && parts[5] == "resourceclaims" && r.Method == http.MethodPost:
		s.onResourceClaim(w, r, parts[4]+"/"+newClaim, "")
	default:
		refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound, r.URL.Path)
	}
}

// isList reports whether a path is that of all objects of a kind.
func isList(parts []string) bool {
	return (parts[0] == "api" && len(parts) == 3) || (parts[0] == "apis" && len(parts) == 4)
}

// listKinds are what lists call themselves, by resource.
var listKinds = func() map[string]schema.GroupVersionKind {
	kinds := map[string]schema.GroupVersionKind{}
	for _, kind := range world.Kinds() {
		resource := kind.Resource()
		kinds[resource.Resource] = resource.GroupVersion().WithKind(string(kind) + "List")
	}
	return kinds
}()

func (s *stub) list(w http.ResponseWriter, resource string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resources[resource] = true
	if resource == "pods" {
		s.podLists++
	}
	objects := slices.SortedFunc(maps.Values(s.objects[resource]), func(a, b world.Object) int { return cmp.Compare(a.GetName(), b.GetName()) })
	items := []any{}
	for _, o := range objects {
		items = append(items, wire(o))
	}
	kind, known := listKinds[resource]
	if !known {
		kind = ticketGroup.WithKind("TicketList")
	}
	reply(w, map[string]any{
		"kind": kind.Kind, "apiVersion": kind.GroupVersion().String(),
		"metadata": map[string]any{"resourceVersion": strconv.Itoa(s.version)}, "items": items,
	})
}

// watch streams what has changed. A list as a stream is refused, as by an API server that does not know it.
func (s *stub) watch(w http.ResponseWriter, r *http.Request, resource string) {
	if r.URL.Query().Get("sendInitialEvents") != "" {
		refuse(w, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "sendInitialEvents is not known")
		return
	}
	since, _ := strconv.Atoi(r.URL.Query().Get("resourceVersion"))
	flush := w.(http.Flusher).Flush
	w.Header().Set("Content-Type", "application/json")
	flush()
	for {
		s.mu.Lock()
		gone, news, changed := since < s.oldest, s.log[resource], s.changed
		s.mu.Unlock()
		if gone {
			status := metav1.Status{Status: metav1.StatusFailure, Code: http.StatusGone, Reason: metav1.StatusReasonExpired, Message: "too old"}
			status.Kind, status.APIVersion = "Status", "v1"
			_ = json.NewEncoder(w).Encode(map[string]any{"type": "ERROR", "object": status})
			return
		}
		for _, e := range news {
			if e.version > since {
				since = e.version
				_ = json.NewEncoder(w).Encode(map[string]any{"type": e.kind, "object": wire(e.object)})
			}
		}
		flush()
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

func (s *stub) onPod(w http.ResponseWriter, r *http.Request, key, sub string) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	pod, _ := s.objects["pods"][key].(*v1.Pod)
	_, name, _ := strings.Cut(key, "/")
	if r.Method != http.MethodGet {
		s.requests = append(s.requests, strings.TrimSpace(r.Method+" "+name+" "+sub))
	}
	if pod == nil {
		refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound, fmt.Sprintf("pods %q not found", name))
		return
	}
	next, err := s.change(pod.DeepCopy(), r.Method, sub, body)
	switch {
	case err != nil:
		refuse(w, http.StatusConflict, metav1.StatusReasonConflict, err.Error())
	case r.Method == http.MethodGet:
		reply(w, pod)
	case next == nil:
		s.drop(pod)
		reply(w, pod)
	default:
		s.store(next)
		reply(w, metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess})
	}
}

// change is what a pod becomes: nil is gone.
func (s *stub) change(pod *v1.Pod, method, sub string, body []byte) (*v1.Pod, error) {
	var uid types.UID
	switch method + sub {
	case "POSTbinding":
		var b v1.Binding
		_ = json.Unmarshal(body, &b)
		if uid = b.UID; pod.Spec.NodeName != "" {
			return nil, fmt.Errorf("pod %s is already assigned to node %q", pod.Name, pod.Spec.NodeName)
		}
		pod.Spec.NodeName = b.Target.Name
	case "PATCHstatus":
		was, _ := json.Marshal(pod)
		is, err := strategicpatch.StrategicMergePatch(was, body, v1.Pod{})
		if err != nil {
			return nil, err
		}
		next := &v1.Pod{}
		if err := json.Unmarshal(is, next); err != nil {
			return nil, err
		}
		uid = next.UID
		next.UID, pod = pod.UID, next
		if uid != pod.UID {
			return nil, errors.New("the UID in the precondition is another")
		}
	case "DELETE":
		var o metav1.DeleteOptions
		_ = json.Unmarshal(body, &o)
		if o.Preconditions != nil && *o.Preconditions.UID != pod.UID {
			return nil, errors.New("the UID in the precondition is another")
		}
		return nil, nil
	}
	if uid != "" && uid != pod.UID {
		return nil, errors.New("the UID in the precondition is another")
	}
	return pod, nil
}

func reply(w http.ResponseWriter, o any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(o)
}

func refuse(w http.ResponseWriter, code int, reason metav1.StatusReason, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Code: int32(code), Reason: reason, Message: message,
	})
}
