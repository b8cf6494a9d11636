package apiserver

import (
	"fmt"
	"net"
	"sync"
)

// pausableListener is where connections come in. It can be shut, which breaks those that are there: to a client that is a server that
// went down, or a line that was cut.
type pausableListener struct {
	net.Listener

	mu     sync.Mutex
	closed bool
	open   map[*trackedConn]bool
}

type trackedConn struct {
	net.Conn
	listener *pausableListener
}

func listen(port int) (*pausableListener, error) {
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, fmt.Errorf("listening for the API server: %w", err)
	}
	return &pausableListener{Listener: l, open: map[*trackedConn]bool{}}, nil
}

// Accept lets the next connection in, turning away those that come while the door is shut.
func (d *pausableListener) Accept() (net.Conn, error) {
	for {
		c, err := d.Listener.Accept()
		if err != nil {
			return nil, err
		}
		v := &trackedConn{c, d}
		if d.track(v) {
			return v, nil
		}
		_ = c.Close()
	}
}

func (d *pausableListener) track(v *trackedConn) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return false
	}
	d.open[v] = true
	return true
}

func (v *trackedConn) Close() error {
	v.listener.mu.Lock()
	delete(v.listener.open, v)
	v.listener.mu.Unlock()
	return v.Conn.Close()
}

func (d *pausableListener) setClosed(shut bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = shut
	for v := range d.open {
		if shut {
			_ = v.Conn.Close()
		}
	}
}
