package apiserver

import (
	"fmt"
	"net"
	"sync"
)

// pausableListener is a listener that can be closed and opened again. Closing it breaks the open connections: to a client
// the server has gone down, or the network has failed.
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

// Accept returns the next connection. It drops those that arrive while the listener is closed.
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

func (d *pausableListener) setClosed(closed bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = closed
	for v := range d.open {
		if closed {
			_ = v.Conn.Close()
		}
	}
}
