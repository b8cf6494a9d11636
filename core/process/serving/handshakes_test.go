package serving

import (
	"crypto/tls"
	"net"
	"net/netip"
	"testing"
	"testing/synctest"
)

func waiter(address byte) *connection {
	return &connection{address: netip.AddrFrom4([4]byte{10, 0, 0, address}), closed: make(chan struct{})}
}

// Addresses take turns, however many connections of one wait.
func TestHandshakes_AddressesTakeTurns(t *testing.T) {
	h := newHandshakes()
	var computing []*connection
	for range maxHandshakes {
		c := waiter(1)
		if h.enqueue(c) != nil {
			t.Fatal("waits although no other computes")
		}
		computing = append(computing, c)
	}
	var order []byte
	all := map[*connection]byte{}
	wait := func(address byte) *connection {
		c := waiter(address)
		if h.enqueue(c) == nil {
			t.Fatal("does not wait")
		}
		all[c] = address
		return c
	}
	for range 30 {
		wait(1)
	}
	wait(2)
	wait(2)
	gone := wait(3)
	h.leave(gone)
	wait(3)
	for len(computing) > 0 {
		h.end(computing[0])
		computing = computing[1:]
		for c, address := range all {
			if c.turn.held {
				order = append(order, address)
				computing = append(computing, c)
				delete(all, c)
			}
		}
	}
	if len(order) != 33 || string(order[:6]) != string([]byte{1, 2, 3, 1, 2, 1}) {
		t.Errorf("the addresses' turns are %v, want 1 2 3 1 2 1 ...", order)
	}
	if h.free != maxHandshakes || len(h.waiting) != 0 {
		t.Errorf("in the end %d turns are free and %d wait", h.free, len(h.waiting))
	}
}

// Clients that are slow in their handshake keep no turn.
func TestHandshakes_SlowClientsKeepNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, conns := servePipes(t)
		var dialed []net.Conn
		defer func() { // the end of a connection is said to its client, and these do not listen
			for _, c := range dialed {
				_ = c.Close()
			}
			s.Stop()
		}()
		dial := func() net.Conn {
			here, there := net.Pipe()
			dialed = append(dialed, here)
			conns <- there
			return here
		}
		for range 2 * maxHandshakes {
			deaf := dial()
			go func() { _ = tls.Client(halfDeaf{deaf}, &tls.Config{InsecureSkipVerify: true}).Handshake() }()
			write(dial(), "\x16\x03\x01\x02\x00")
		}
		synctest.Wait()
		if err := tls.Client(dial(), &tls.Config{InsecureSkipVerify: true}).Handshake(); err != nil {
			t.Errorf("a client beside slow ones: %v", err)
		}
		synctest.Wait()
		s.conns.handshakes.mu.Lock()
		defer s.conns.handshakes.mu.Unlock()
		if s.conns.handshakes.free != maxHandshakes {
			t.Errorf("%d of %d turns are free while clients are waited for", s.conns.handshakes.free, maxHandshakes)
		}
	})
}

// A connection that is closed while it waits for its turn computes nothing.
func TestHandshakes_ClosedConnectionsComputeNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newConnections(nil)
		l.handshakes.free = 0
		c := accept(t, l, flooding)[0]
		read := make(chan error)
		go func() {
			_, err := c.Read(make([]byte, 1))
			read <- err
		}()
		synctest.Wait()
		_ = c.Close()
		if err := <-read; err == nil {
			t.Error("it reads on")
		}
	})
}
