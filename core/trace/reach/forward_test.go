package reach_test

import (
	"bufio"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	gorilla "github.com/gorilla/websocket"
	v1 "k8s.io/api/core/v1"
	constants "k8s.io/apimachinery/pkg/util/portforward"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/streaming/pkg/httpstream/spdy"

	"orrery/core/trace/reach"
)

// apiServer forwards ports of one pod to a scheduler, as an API server does.
type apiServer struct {
	t          *testing.T
	scheduler  string // host:port; empty if nothing listens there
	websockets bool
	forbidden  bool
	overSPDY   atomic.Int32 // connections that were not over websockets
}

func (s *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/api/v1/namespaces/kube-system/pods/orrery-7d/portforward" || r.Header.Get("Authorization") != "Bearer mine" {
		s.t.Errorf("%s %s by %q", r.Method, r.URL.Path, r.Header.Get("Authorization"))
	}
	if s.forbidden {
		http.Error(w, `pods "orrery-7d" is forbidden`, http.StatusForbidden)
		return
	}
	if !gorilla.IsWebSocketUpgrade(r) {
		s.overSPDY.Add(1)
		if _, err := httpstream.Handshake(r, w, []string{portforward.PortForwardProtocolV1Name}); err != nil {
			s.t.Error(err)
		}
		streams := make(chan httpstream.Stream, 2)
		connection := spdy.NewResponseUpgrader().UpgradeResponse(w, r, gather(streams))
		s.forward(connection, streams)
		return
	}
	if !s.websockets {
		http.Error(w, "websockets are not spoken here", http.StatusBadRequest)
		return
	}
	upgrader := gorilla.Upgrader{Subprotocols: []string{constants.WebsocketsSPDYTunnelingPrefix + portforward.PortForwardProtocolV1Name}}
	socket, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		s.t.Error(err)
		return
	}
	streams := make(chan httpstream.Stream, 2)
	connection, err := spdy.NewServerConnection(portforward.NewTunnelingConnection("server", socket), gather(streams))
	if err != nil {
		s.t.Error(err)
		return
	}
	s.forward(connection, streams)
}

func gather(streams chan httpstream.Stream) httpstream.NewStreamHandler {
	return func(stream httpstream.Stream, sent <-chan struct{}) error {
		go func() {
			<-sent
			streams <- stream
		}()
		return nil
	}
}

// forward connects the data stream with the scheduler, or says on the other that it cannot.
func (s *apiServer) forward(connection httpstream.Connection, streams <-chan httpstream.Stream) {
	defer connection.Close()
	byType := map[string]httpstream.Stream{}
	for range 2 {
		stream := <-streams
		if port := stream.Headers().Get(v1.PortHeader); port != "10259" {
			s.t.Errorf("port %s", port)
		}
		byType[stream.Headers().Get(v1.StreamType)] = stream
	}
	if s.scheduler == "" {
		_, _ = io.WriteString(byType[v1.StreamTypeError], "connection refused")
		byType[v1.StreamTypeError].Close()
		<-connection.CloseChan()
		return
	}
	to, err := net.Dial("tcp", s.scheduler)
	if err != nil {
		s.t.Error(err)
		return
	}
	defer to.Close()
	go func() { _, _ = io.Copy(to, byType[v1.StreamTypeData]) }()
	go func() { _, _ = io.Copy(byType[v1.StreamTypeData], to) }()
	<-connection.CloseChan()
}

// start returns a client of the pod through the API server.
func (s *apiServer) start() *reach.Client {
	server := httptest.NewServer(s)
	s.t.Cleanup(server.CloseClientConnections)
	config := &rest.Config{Host: server.URL, BearerToken: "mine"}
	client, err := clientset.NewForConfig(config)
	if err != nil {
		s.t.Fatal(err)
	}
	c, err := reach.ThroughPod(config, client, reach.Pod{Namespace: "kube-system", Name: "orrery-7d"}, 10259)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(c.Close)
	return c
}

// scheduler answers with who asks.
func scheduler(t *testing.T) *httptest.Server {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
			_, _ = io.WriteString(w, "certificate ")
		}
		_, _ = io.WriteString(w, r.Header.Get("Authorization"))
	}))
	server.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

func get(c *reach.Client) (string, error) {
	answer, err := c.Get(c.URL.String() + "/debug/orrery/stream")
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := bufio.NewReader(answer.Body).ReadString('\n')
	if err == io.EOF {
		err = nil
	}
	return text, err
}

func TestThroughPod_ForwardsByWebsocketOrSPDY(t *testing.T) {
	for _, websockets := range []bool{true, false} {
		s := &apiServer{t: t, websockets: websockets, scheduler: scheduler(t).Listener.Addr().String()}
		text, err := get(s.start())
		if err != nil || text != "Bearer mine" {
			t.Errorf("websockets %v: %q, %v", websockets, text, err)
		}
		if fellBack := s.overSPDY.Load() > 0; fellBack == websockets {
			t.Errorf("websockets %v, and over SPDY alone %v", websockets, fellBack)
		}
	}
}

func TestThroughPod_SaysWhatFails(t *testing.T) {
	for want, s := range map[string]*apiServer{
		"the node says: connection refused":                                              {t: t, websockets: true},
		`the rule "create and get pods/portforward" in namespace kube-system is missing`: {t: t, websockets: true, forbidden: true},
	} {
		_, err := get(s.start())
		check(t, err, want)
	}
}

// A token goes only where the server's certificate was verified; a client certificate goes everywhere.
func TestAt_KeepsTheToken(t *testing.T) {
	secure := scheduler(t)
	plain := httptest.NewServer(secure.Config.Handler)
	t.Cleanup(plain.Close)
	certificate, key := keyPair(t)
	for name, c := range map[string]struct {
		to            string
		tls           rest.TLSClientConfig
		want, problem string
	}{
		"verified":     {to: secure.URL, tls: rest.TLSClientConfig{CAData: authority(secure)}, want: "certificate Bearer mine"},
		"not verified": {to: secure.URL, tls: rest.TLSClientConfig{Insecure: true}, want: "certificate "},
		"unknown":      {to: secure.URL, problem: "certificate"},
		"without TLS":  {to: plain.URL, want: ""},
	} {
		t.Run(name, func(t *testing.T) {
			config := &rest.Config{Host: "https://api.example.com", BearerToken: "mine", TLSClientConfig: c.tls}
			config.CertData, config.KeyData = certificate, key
			client, err := reach.At(config, c.to)
			if err != nil {
				t.Fatal(err)
			}
			text, err := get(client)
			check(t, err, c.problem)
			if sent := strings.HasSuffix(text, "mine"); text != c.want || c.problem == "" && sent == client.Withheld {
				t.Errorf("the server saw %q, want %q; withheld %v", text, c.want, client.Withheld)
			}
		})
	}
}

func TestAt_RefusesWhatIsNoAddress(t *testing.T) {
	for to, want := range map[string]string{
		"orrery:10259":                      "is no address",
		"https://":                          "is no address",
		"https://me:secret@localhost:10259": `"https://localhost:10259" has more than a host and a port`,
		"https://localhost:10259/debug":     "has more than a host and a port",
	} {
		_, err := reach.At(&rest.Config{}, to)
		check(t, err, want)
	}
	_, err := reach.At(&rest.Config{Impersonate: rest.ImpersonationConfig{UserName: "jane"}}, "https://localhost:10259")
	check(t, err, "impersonates no users")
}
