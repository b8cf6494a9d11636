package apiserver

import (
	"fmt"
	"net"
	"sync"
)

// door is where connections come in. It can be shut, which breaks those that are there: to a client that is a server that
// went down, or a line that was cut.
type door struct {
	net.Listener

	mu   sync.Mutex
	shut bool
	open map[*visitor]bool
}

type visitor struct {
	net.Conn
	door *door
}

func newDoor(port int) (*door, error) {
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, fmt.Errorf("listening for the API server: %w", err)
	}
	return &door{Listener: l, open: map[*visitor]bool{}}, nil
}

// Accept lets the next connection in, turning away those that come while the door is shut.
func (d *door) Accept() (net.Conn, error) {
	for {
		c, err := d.Listener.Accept()
		if err != nil {
			return nil, err
		}
		v := &visitor{c, d}
		if d.enter(v) {
			return v, nil
		}
		_ = c.Close()
	}
}

func (d *door) enter(v *visitor) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.shut {
		return false
	}
	d.open[v] = true
	return true
}

func (v *visitor) Close() error {
	v.door.mu.Lock()
	delete(v.door.open, v)
	v.door.mu.Unlock()
	return v.Conn.Close()
}

func (d *door) setShut(shut bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.shut = shut
	for v := range d.open {
		if shut {
			_ = v.Conn.Close()
		}
	}
}
