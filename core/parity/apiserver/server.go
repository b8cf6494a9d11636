package apiserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// startTimeout limits how long a component may take to start or to stop.
const startTimeout = 3 * time.Minute

// Options configure a server.
type Options struct {
	// Dir holds all files: certificates, etcd's data.
	Dir string
	// Users are the names of the users besides the administrator. Each has a token of that name, and only the rights that
	// RBAC grants.
	Users []string
	// Flags are further flags of kube-apiserver.
	Flags []string
	// Port is the port to listen on; zero selects a free one.
	Port int
	// Tainted creates nodes with the not-ready taint, as kube-apiserver does, for a node lifecycle controller to remove.
	// Without one it would stay.
	Tainted bool
	// Program is the file of the kube-apiserver that runs, as a process. Without one it is that of this program's own release, in this process.
	Program string
}

// Server is an API server that can be stopped and started.
type Server struct {
	options  Options
	port     int
	etcd     *embed.Etcd
	listener *pausableListener
	stop     context.CancelFunc
	ended    chan error
}

// New starts etcd, and an API server on it.
func New(o Options) (*Server, error) {
	listener, err := listen(o.Port) // before etcd starts, or another process could take the port
	if err != nil {
		return nil, err
	}
	s := &Server{options: o, port: listener.Addr().(*net.TCPAddr).Port, listener: listener}
	if err := s.startAll(); err != nil {
		_ = listener.Close()
		return nil, err
	}
	return s, nil
}

func (s *Server) startAll() (err error) {
	if err := s.writeFiles(); err != nil {
		return err
	}
	if s.etcd, err = startEtcd(s.options.Dir); err != nil {
		return err
	}
	if err = s.start(); err != nil {
		s.etcd.Close()
	}
	return err
}

// Close stops the API server and etcd for good.
func (s *Server) Close() error {
	err := s.Stop()
	s.etcd.Close()
	return err
}

// Cut breaks all connections and refuses new ones, or accepts them again. The server itself keeps running.
func (s *Server) Cut(cut bool) { s.listener.setClosed(cut) }

// Stop stops the API server without draining requests; etcd keeps running.
func (s *Server) Stop() error {
	if s.stop == nil {
		return nil
	}
	s.listener.setClosed(true)
	s.stop()
	s.stop = nil
	select {
	case err := <-s.ended:
		return err
	case <-time.After(startTimeout):
		return errors.New("stopping the API server: it did not exit")
	}
}

// Start starts the API server, always on the same port, and returns when it is ready.
func (s *Server) Start() (err error) {
	if s.listener, err = listen(s.port); err != nil {
		return err
	}
	return s.start()
}

// Upgrade makes another kube-apiserver the one that Start starts, on the same data.
func (s *Server) Upgrade(program string) { s.options.Program = program }

// start starts the API server on its listener.
func (s *Server) start() error {
	ctx, cancel := context.WithCancel(context.Background())
	s.stop, s.ended = cancel, make(chan error, 1)
	prepare := s.prepare
	if s.options.Program != "" {
		prepare = s.prepareProgram
	}
	run, err := prepare(ctx)
	if err != nil {
		cancel()
		s.stop = nil
		return fmt.Errorf("starting the API server: %w", err)
	}
	go func() { s.ended <- run(ctx) }()
	return s.ready(ctx)
}

// flags are those of kube-apiserver, with the port that clients reach it at, or another one that is behind it.
func (s *Server) flags(port int) []string {
	key := s.path("service-account.key")
	without := "ServiceAccount,TaintNodesByCondition"
	if s.options.Tainted {
		without = "ServiceAccount"
	}
	return append([]string{
		"--etcd-servers=" + s.etcd.Clients[0].Addr().String(),
		"--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", port), "--cert-dir=" + s.path("certs"),
		"--service-cluster-ip-range=10.0.0.0/16", "--endpoint-reconciler-type=none",
		"--service-account-issuer=https://orrery.invalid", "--service-account-key-file=" + key, "--service-account-signing-key-file=" + key,
		"--client-ca-file=" + s.path("ca.crt"), "--requestheader-client-ca-file=" + s.path("ca.crt"), "--requestheader-allowed-names=front-proxy",
		"--token-auth-file=" + s.path("tokens.csv"), "--authorization-mode=RBAC",
		"--disable-admission-plugins=" + without,
		"--max-requests-inflight=4000", "--max-mutating-requests-inflight=4000", "--delete-collection-workers=8",
	}, s.options.Flags...)
}

// ready waits until /readyz reports ok.
func (s *Server) ready(ctx context.Context) error {
	var last error
	for until := time.Now().Add(startTimeout); time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
		select {
		case err := <-s.ended:
			return fmt.Errorf("starting the API server: it exited at once: %w", err)
		default:
		}
		client, err := s.Client(Admin) // a process may not have written its certificate yet
		if err == nil {
			_, err = client.CoreV1().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		}
		if last = err; last == nil {
			return nil
		}
	}
	return fmt.Errorf("starting the API server: it was not ready after %s: %w", startTimeout, last)
}

// Client returns a client for a user, without client-side rate limits.
func (s *Server) Client(user string) (kubernetes.Interface, error) {
	return kubernetes.NewForConfig(s.Config(user))
}

// Port returns the port that the server listens on.
func (s *Server) Port() int { return s.port }

// Config returns a user's client configuration.
func (s *Server) Config(user string) *rest.Config {
	return &rest.Config{
		Host: fmt.Sprintf("https://127.0.0.1:%d", s.port), BearerToken: user, QPS: -1,
		TLSClientConfig: rest.TLSClientConfig{CAFile: s.path("certs", "apiserver.crt")},
	}
}

func (s *Server) path(names ...string) string {
	return filepath.Join(append([]string{s.options.Dir}, names...)...)
}

func (s *Server) writeFiles() error {
	key, authority, err := newKeys()
	if err != nil {
		return err
	}
	var tokens strings.Builder
	fmt.Fprintf(&tokens, "%s,%s,%s,\"system:masters\"\n", Admin, Admin, Admin)
	for _, user := range s.options.Users {
		fmt.Fprintf(&tokens, "%s,%s,%s\n", user, user, user)
	}
	return errors.Join(
		os.WriteFile(s.path("service-account.key"), key, 0o600),
		os.WriteFile(s.path("ca.crt"), authority, 0o600),
		os.WriteFile(s.path("tokens.csv"), []byte(tokens.String()), 0o600),
	)
}
