package live_test

import (
	"net"
	"path/filepath"
	"sync"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
)

// line is one client's own connection to the API server. It can fail for that client alone.
type line struct {
	net.Listener
	to string

	mu    sync.Mutex
	state lineState
	heard *sync.Cond // the state has changed
	ends  []net.Conn
}

type lineState int

const (
	lineWorks lineState = iota
	lineCut             // what there was is broken, and nobody is let in
	lineDead            // whatever is said goes nowhere, and nobody says so
)

// newLine leads to the API server until the test ends.
func newLine(t *testing.T) *line {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &line{Listener: listener, to: server.Config(scheduler).Host[len("https://"):]}
	l.heard = sync.NewCond(&l.mu)
	go l.accept()
	t.Cleanup(func() {
		_ = listener.Close()
		l.be(lineCut)
	})
	return l
}

func (l *line) accept() {
	for {
		here, err := l.Accept()
		if err != nil {
			return
		}
		there, err := net.Dial("tcp", l.to)
		if err != nil || !l.took(here, there) {
			_ = here.Close()
			if there != nil {
				_ = there.Close()
			}
			continue
		}
		go l.carry(here, there)
		go l.carry(there, here)
	}
}

func (l *line) took(here, there net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state == lineCut {
		return false
	}
	l.ends = append(l.ends, here, there)
	return true
}

// carry brings bytes from one end to the other, and holds them back while the line is dead.
func (l *line) carry(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	piece := make([]byte, 32<<10)
	for {
		n, err := from.Read(piece)
		l.mu.Lock()
		for l.state == lineDead {
			l.heard.Wait()
		}
		l.mu.Unlock()
		if _, failed := to.Write(piece[:n]); failed != nil || err != nil {
			return
		}
	}
}

// be changes what the line is like. What was said into a dead line is lost with it.
func (l *line) be(state lineState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if state != lineDead {
		for _, end := range l.ends {
			_ = end.Close()
		}
		l.ends = nil
	}
	l.state = state
	l.heard.Broadcast()
}

// kubeconfig is a user's, by way of the line.
func (l *line) kubeconfig(t *testing.T, user string) string {
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
