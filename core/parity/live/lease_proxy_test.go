package live_test

import (
	"net"
	"path/filepath"
	"sync"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
)

// tcpProxy is a proxy between one client and the API server, whose connections can fail for that client alone.
type tcpProxy struct {
	net.Listener
	to string

	mu      sync.Mutex
	state   proxyState
	changed *sync.Cond // the state has changed
	ends    []net.Conn
}

type proxyState int

const (
	proxyWorks  proxyState = iota
	proxyClosed            // connections are closed, and new ones refused
	proxyHangs             // connections stay open, but no data arrives
)

// newTCPProxy starts a proxy to the API server until the test ends.
func newTCPProxy(t *testing.T) *tcpProxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &tcpProxy{Listener: listener, to: server.Config(scheduler).Host[len("https://"):]}
	l.changed = sync.NewCond(&l.mu)
	go l.accept()
	t.Cleanup(func() {
		_ = listener.Close()
		l.set(proxyClosed)
	})
	return l
}

func (l *tcpProxy) accept() {
	for {
		client, err := l.Accept()
		if err != nil {
			return
		}
		upstream, err := net.Dial("tcp", l.to)
		if err != nil || !l.track(client, upstream) {
			_ = client.Close()
			if upstream != nil {
				_ = upstream.Close()
			}
			continue
		}
		go l.forward(client, upstream)
		go l.forward(upstream, client)
	}
}

func (l *tcpProxy) track(client, upstream net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state == proxyClosed {
		return false
	}
	l.ends = append(l.ends, client, upstream)
	return true
}

// forward copies bytes from one connection to the other, and holds them back while the proxy hangs.
func (l *tcpProxy) forward(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		l.mu.Lock()
		for l.state == proxyHangs {
			l.changed.Wait()
		}
		l.mu.Unlock()
		if _, failed := to.Write(buffer[:n]); failed != nil || err != nil {
			return
		}
	}
}

// set changes the state. Bytes that were held back are lost with their connections.
func (l *tcpProxy) set(state proxyState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if state != proxyHangs {
		for _, end := range l.ends {
			_ = end.Close()
		}
		l.ends = nil
	}
	l.state = state
	l.changed.Broadcast()
}

// kubeconfig writes a user's kubeconfig for the proxy.
func (l *tcpProxy) kubeconfig(t *testing.T, user string) string {
	t.Helper()
	direct, err := server.Kubeconfig(user)
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.LoadFromFile(direct)
	if err != nil {
		t.Fatal(err)
	}
	for _, cluster := range config.Clusters {
		cluster.Server = "https://" + l.Addr().String()
	}
	file := filepath.Join(t.TempDir(), user+".kubeconfig")
	if err := clientcmd.WriteToFile(*config, file); err != nil {
		t.Fatal(err)
	}
	return file
}
