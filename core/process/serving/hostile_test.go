package serving

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apiserver/pkg/server/mux"

	"orrery/core/testing/race"
)

// everything is all endpoints that there are, and their paths.
func everything(t *testing.T) (e *Endpoints, paths []string) {
	t.Helper()
	e = endpoints(t, "ComponentFlagz=true", "ComponentStatusz=true")
	e.Stream = http.NotFoundHandler()
	return e, append(e.Handler().(*mux.PathRecorderMux).ListedPaths(), "/", "/nothing", "//configz", "/healthz/../configz", "/healthz/ping")
}

// clientOf returns a client of one version of HTTP.
func clientOf(t *testing.T, http2 bool, change func(*tls.Config)) *http.Client {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: http2}
	if change != nil {
		change(transport.TLSClientConfig)
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// Every path refuses users that may not read it, in either version of HTTP, by every verb, and health checks tell nothing more.
func TestServer_EveryPathRefuses(t *testing.T) {
	race.Alone(t)
	users, strangers := newAuthority(t), newAuthority(t)
	e, paths := everything(t)
	kubeconfig := reviewer{}.kubeconfig(t)
	address := serveAt(t, e, "--authentication-kubeconfig="+kubeconfig, "--authorization-kubeconfig="+kubeconfig, "--client-ca-file="+users.file(t))
	with := func(cert *tls.Certificate) func(*tls.Config) {
		return func(c *tls.Config) {
			c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return cert, nil }
		}
	}
	expired := users.clientUntil(t, "admin", time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC))
	for name, by := range map[string]struct {
		token string
		tls   func(*tls.Config)
		code  int
		// public says that health checks answer.
		public bool
	}{
		"nothing":                        {code: http.StatusForbidden, public: true},
		"a wrong token":                  {token: "bad", code: http.StatusUnauthorized},
		"an expired token":               {token: "expired", code: http.StatusUnauthorized},
		"no token after its scheme":      {token: " ", code: http.StatusForbidden, public: true},
		"a user without rights":          {token: "guest", code: http.StatusForbidden, public: true},
		"a certificate of another CA":    {tls: with(strangers.client(t, "admin")), code: http.StatusUnauthorized},
		"an expired certificate":         {tls: with(expired), code: http.StatusUnauthorized},
		"a certificate of a lesser user": {tls: with(users.client(t, "guest")), code: http.StatusForbidden, public: true},
	} {
		for _, http2 := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s over HTTP/2 %v", name, http2), func(t *testing.T) {
				client := clientOf(t, http2, by.tls)
				for _, path := range paths {
					for _, verb := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions, "NONSENSE"} {
						r, err := http.NewRequestWithContext(t.Context(), verb, "https://"+address+path, strings.NewReader(""))
						if err != nil {
							t.Fatal(err)
						}
						if by.token != "" {
							r.Header.Set("Authorization", "Bearer "+by.token)
						}
						response, err := client.Do(r)
						if err != nil {
							t.Fatalf("%s %s: %v", verb, path, err)
						}
						body, _ := io.ReadAll(response.Body)
						response.Body.Close()
						if http2 != (response.ProtoMajor == 2) {
							t.Fatalf("the answer is of %s", response.Proto)
						}
						health := by.public && (path == "/healthz" || path == "/livez" || path == "/readyz")
						if health && response.StatusCode == http.StatusOK && len(body) <= len("ok") {
							continue
						}
						if response.StatusCode != by.code {
							t.Errorf("%s %s: %d, want %d: %.100s", verb, path, response.StatusCode, by.code, body)
						}
					}
				}
			})
		}
	}
}

// Requests that are too large end with an error, before their rest is read.
func TestServer_BoundsRequests(t *testing.T) {
	e, _ := everything(t)
	kubeconfig := reviewer{}.kubeconfig(t)
	address := serveAt(t, e, "--authentication-kubeconfig="+kubeconfig, "--authorization-kubeconfig="+kubeconfig)
	for _, http2 := range []bool{false, true} {
		client := clientOf(t, http2, nil)
		for name, row := range map[string]struct {
			verb, path string
			header     string
			body       io.Reader
			codes      []int // or an error of the connection
		}{
			"a header":       {http.MethodGet, "/healthz", strings.Repeat("x", maxHeader+8<<10), nil, []int{http.StatusRequestHeaderFieldsTooLarge}},
			"a body":         {http.MethodPut, "/debug/flags/v", "", endless{}, []int{http.StatusBadRequest, http.StatusRequestEntityTooLarge}},
			"a level":        {http.MethodPut, "/debug/flags/v", "", strings.NewReader("8"), []int{http.StatusBadRequest}},
			"a huge address": {http.MethodGet, "/metrics?" + strings.Repeat("x", 2<<20), "", nil, []int{http.StatusRequestHeaderFieldsTooLarge, http.StatusRequestURITooLong}},
		} {
			r, err := http.NewRequestWithContext(t.Context(), row.verb, "https://"+address+row.path, row.body)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer good")
			r.Header.Set("X-Long", row.header)
			response, err := client.Do(r)
			if err != nil {
				continue
			}
			_, _ = io.Copy(io.Discard, response.Body)
			response.Body.Close()
			if !slices.Contains(row.codes, response.StatusCode) {
				t.Errorf("HTTP/2 %v: %s that is too large: %s", http2, name, response.Status)
			}
		}
	}
	if code := get(t, address, "/healthz", nil, nil); code != http.StatusOK {
		t.Errorf("afterwards /healthz answers %d", code)
	}
}

// endless is a body without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '1'
	}
	return len(p), nil
}

// pipeListener accepts connections in memory, so that time stands still while they are read.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}
func (l *pipeListener) Close() error   { close(l.closed); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

// servePipes starts a server of connections in memory.
func servePipes(t *testing.T) (s *Server, conns chan net.Conn) {
	t.Helper()
	o := NewOptions()
	listener, err := o.Secure.secureListener()
	if err != nil {
		t.Fatal(err)
	}
	conns = make(chan net.Conn)
	listener.Listener = &pipeListener{conns, make(chan struct{})}
	s, err = o.server(listener)
	if err != nil {
		t.Fatal(err)
	}
	s.Start(endpoints(t))
	return s, conns
}

// bubbleStart is when time begins in synctest.
var bubbleStart = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// patience is how long a client may be slow at the most: longer than the server waits for headers and on idle connections.
const patience = 2 * time.Minute

// Clients that are slow lose their connection, however far they got.
func TestServer_ClosesSlowConnections(t *testing.T) {
	secured := func(t *testing.T, c net.Conn, protocol string) *tls.Conn {
		over := tls.Client(c, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{protocol}})
		if err := over.Handshake(); err != nil {
			t.Fatal(err)
		}
		return over
	}
	for name, begin := range map[string]func(*testing.T, net.Conn) net.Conn{
		"that say nothing":      func(_ *testing.T, c net.Conn) net.Conn { return c },
		"in their handshake":    func(_ *testing.T, c net.Conn) net.Conn { write(c, "\x16\x03\x01\x02\x00"); return c },
		"after their handshake": func(t *testing.T, c net.Conn) net.Conn { return secured(t, c, "http/1.1") },
		"in a header": func(t *testing.T, c net.Conn) net.Conn {
			return write(secured(t, c, "http/1.1"), "GET /healthz HTTP/1.1\r\nHost: x\r\nX-A")
		},
		"after an answer": func(t *testing.T, c net.Conn) net.Conn {
			return write(secured(t, c, "http/1.1"), "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
		},
		"before HTTP/2's preface": func(t *testing.T, c net.Conn) net.Conn { return write(secured(t, c, "h2"), "PRI * HT") },
		"after HTTP/2's preface": func(t *testing.T, c net.Conn) net.Conn {
			return write(secured(t, c, "h2"), "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00")
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, conns := servePipes(t)
				defer s.Stop()
				here, there := net.Pipe()
				defer here.Close()
				conns <- there
				client := begin(t, here)
				_ = client.SetReadDeadline(bubbleStart.Add(patience))
				_, err := io.Copy(io.Discard, bufio.NewReader(client))
				if timeout := net.Error(nil); errors.As(err, &timeout) && timeout.Timeout() {
					t.Errorf("the connection is open after %v", patience)
				}
			})
		})
	}
}

func write(to net.Conn, text string) net.Conn {
	_, _ = io.WriteString(to, text)
	return to
}
