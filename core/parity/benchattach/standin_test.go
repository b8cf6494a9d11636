package benchattach

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"orrery/core/world"
)

// The users of the stand-in, each with a token of its name. All others are refused.
const (
	admin    = "admin"
	noRights = "no-rights"
)

const protobufType = "application/vnd.kubernetes.protobuf"

// standIn is an API server as far as a scheduler needs one, for pods, nodes and whatever else there is none of.
type standIn struct {
	b       testing.TB
	server  *httptest.Server
	media   runtime.SerializerInfo
	onBound func(pod *v1.Pod)

	mu      sync.Mutex
	version int
	pods    map[string]*v1.Pod
	nodes   []*v1.Node
	watches map[*podWatch]bool
}

// podWatch is a watch of pods that has begun.
type podWatch struct {
	mu     sync.Mutex
	frames [][]byte
	more   chan struct{}
}

func newStandIn(b testing.TB, nodes []*v1.Node) *standIn {
	s := &standIn{b: b, version: 1, pods: map[string]*v1.Pod{}, nodes: nodes, watches: map[*podWatch]bool{}, onBound: func(*v1.Pod) {}}
	media, found := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), protobufType)
	if !found {
		b.Fatal("client-go has no protocol buffers")
	}
	s.media = media
	for _, node := range nodes {
		node.ResourceVersion = s.nextVersion()
	}
	s.server = httptest.NewUnstartedServer(s)
	s.server.EnableHTTP2 = true
	s.server.StartTLS()
	b.Cleanup(func() {
		s.server.CloseClientConnections()
		s.server.Close()
	})
	return s
}

func (s *standIn) nextVersion() string {
	s.version++
	return fmt.Sprint(s.version)
}

// kubeconfig writes a kubeconfig of a user.
func (s *standIn) kubeconfig(user string) string {
	file := filepath.Join(s.b.TempDir(), "kubeconfig")
	authority := pemOf("CERTIFICATE", s.server.Certificate().Raw)
	err := clientcmd.WriteToFile(clientcmdapi.Config{
		CurrentContext: "c", Clusters: map[string]*clientcmdapi.Cluster{"c": {Server: s.server.URL, CertificateAuthorityData: authority}},
		Contexts: map[string]*clientcmdapi.Context{"c": {Cluster: "c", AuthInfo: "u"}}, AuthInfos: map[string]*clientcmdapi.AuthInfo{"u": {Token: user}},
	}, file)
	if err != nil {
		s.b.Fatal(err)
	}
	return file
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	resource := parts[len(parts)-1]
	kind := slices.IndexFunc(world.Kinds(), func(k world.Kind) bool { return k.Resource().Resource == resource })
	switch {
	case r.Method == http.MethodPost && resource == "binding":
		s.bind(w, r, parts[len(parts)-2])
	case r.Method == http.MethodPost && resource == "tokenreviews":
		review := &authenticationv1.TokenReview{}
		s.read(r, review)
		if user := review.Spec.Token; user == admin || user == noRights {
			review.Status = authenticationv1.TokenReviewStatus{Authenticated: true, User: authenticationv1.UserInfo{Username: user}}
		}
		s.write(w, http.StatusCreated, review)
	case r.Method == http.MethodPost && resource == "subjectaccessreviews":
		review := &authorizationv1.SubjectAccessReview{}
		s.read(r, review)
		review.Status.Allowed = review.Spec.User == admin
		s.write(w, http.StatusCreated, review)
	case r.Method == http.MethodPost && resource == "events":
		w.Header().Set("Content-Type", protobufType)
		w.WriteHeader(http.StatusCreated)
		_, _ = io.Copy(w, r.Body)
	case r.Method != http.MethodGet || kind < 0:
		s.refuse(w, http.StatusForbidden, metav1.StatusReasonForbidden)
	case r.URL.Query().Get("watch") == "":
		s.refuse(w, http.StatusForbidden, metav1.StatusReasonForbidden) // all is watched from the beginning
	default:
		s.watch(w, r, world.Kinds()[kind])
	}
}

func (s *standIn) read(r *http.Request, into runtime.Object) {
	body, err := io.ReadAll(r.Body)
	if err == nil {
		_, _, err = scheme.Codecs.UniversalDeserializer().Decode(body, nil, into)
	}
	if err != nil {
		s.b.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
	}
}

func (s *standIn) write(w http.ResponseWriter, code int, o runtime.Object) {
	w.Header().Set("Content-Type", protobufType)
	w.WriteHeader(code)
	_, _ = w.Write(s.encode(o))
}

func (s *standIn) refuse(w http.ResponseWriter, code int, reason metav1.StatusReason) {
	s.write(w, code, &metav1.Status{Status: metav1.StatusFailure, Code: int32(code), Reason: reason, Message: "the stand-in serves no such request"})
}

// encode encodes an object with its envelope.
func (s *standIn) encode(o runtime.Object) []byte {
	kinds, _, err := scheme.Scheme.ObjectKinds(o)
	version := schema.GroupVersion{Version: "v1"}
	if err == nil && len(kinds) > 0 && kinds[0].Group != "" {
		version = kinds[0].GroupVersion()
	}
	var text bytes.Buffer
	if err := scheme.Codecs.EncoderForVersion(s.media.Serializer, version).Encode(o, &text); err != nil {
		s.b.Errorf("encoding a %T: %v", o, err)
	}
	return text.Bytes()
}

// frame encodes an event of a watch.
func (s *standIn) frame(event string, o runtime.Object) []byte {
	var text bytes.Buffer
	to := s.media.StreamSerializer.Framer.NewFrameWriter(&text)
	err := s.media.StreamSerializer.Serializer.Encode(&metav1.WatchEvent{Type: event, Object: runtime.RawExtension{Raw: s.encode(o)}}, to)
	if err != nil {
		s.b.Errorf("encoding an event of a %T: %v", o, err)
	}
	return text.Bytes()
}

// watch sends what there is, a bookmark, and, of pods, what comes.
func (s *standIn) watch(w http.ResponseWriter, r *http.Request, kind world.Kind) {
	w.Header().Set("Content-Type", protobufType+";stream=watch")
	flush := w.(http.Flusher).Flush
	s.mu.Lock()
	var all []runtime.Object
	switch kind {
	case world.Pod:
		for _, pod := range s.pods {
			all = append(all, pod)
		}
	case world.Node:
		for _, node := range s.nodes {
			all = append(all, node)
		}
	}
	at := s.nextVersion()
	follower := &podWatch{more: make(chan struct{}, 1)}
	if kind == world.Pod {
		s.watches[follower] = true
	}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.watches, follower)
	}()
	for _, o := range all {
		if _, err := w.Write(s.frame("ADDED", o)); err != nil {
			return
		}
	}
	_, _ = w.Write(s.frame("BOOKMARK", s.bookmark(kind, at)))
	flush()
	for {
		select {
		case <-follower.more:
		case <-r.Context().Done():
			return
		}
		follower.mu.Lock()
		frames := follower.frames
		follower.frames = nil
		follower.mu.Unlock()
		for _, f := range frames {
			if _, err := w.Write(f); err != nil {
				return
			}
		}
		flush()
	}
}

// bookmark ends the initial events of a watch.
func (s *standIn) bookmark(kind world.Kind, at string) runtime.Object {
	version := kind.Resource().GroupVersion()
	o, err := scheme.Scheme.New(version.WithKind(string(kind)))
	if err != nil {
		s.b.Fatal(err)
	}
	object := o.(metav1.Object)
	object.SetResourceVersion(at)
	object.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	return o
}

// change applies a change to a pod and sends it to the watches.
func (s *standIn) change(event string, pod *v1.Pod) {
	s.mu.Lock()
	defer s.mu.Unlock()
	pod.ResourceVersion = s.nextVersion()
	s.pods[pod.Name] = pod
	if event == "DELETED" {
		delete(s.pods, pod.Name)
	}
	if len(s.watches) == 0 {
		return
	}
	frame := s.frame(event, pod)
	for w := range s.watches {
		w.mu.Lock()
		w.frames = append(w.frames, frame)
		w.mu.Unlock()
		select {
		case w.more <- struct{}{}:
		default:
		}
	}
}

func (s *standIn) get(name string) *v1.Pod {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pods[name]
}

func (s *standIn) bind(w http.ResponseWriter, r *http.Request, name string) {
	binding := &v1.Binding{}
	s.read(r, binding)
	pod := s.get(name)
	if pod == nil || pod.Spec.NodeName != "" {
		s.refuse(w, http.StatusConflict, metav1.StatusReasonConflict)
		return
	}
	bound := *pod
	bound.Spec.NodeName = binding.Target.Name
	bound.Status.Conditions = []v1.PodCondition{{Type: v1.PodScheduled, Status: v1.ConditionTrue, LastTransitionTime: metav1.Now()}}
	s.change("MODIFIED", &bound)
	s.write(w, http.StatusCreated, &metav1.Status{Status: metav1.StatusSuccess, Code: http.StatusCreated})
	s.onBound(&bound)
}
