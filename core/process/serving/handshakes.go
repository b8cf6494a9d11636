package serving

import (
	"cmp"
	"slices"
	"sync"
)

// maxHandshakes bounds how many processors handshakes take from scheduling: one takes a thousand times what asking for it takes a client.
//
//orrery:limit readers; TLS handshakes that are computed at once; the others wait, and their addresses take turns
const maxHandshakes = 2

// handshakes lets so many connections compute their handshake at once, and the addresses of those that wait take turns. A connection
// has its turn from the end of a read to its next read or write, so that no client can keep it.
type handshakes struct {
	mu      sync.Mutex
	free    int
	waiting []*connection // in order of arrival
	round   int           // of the latest turn
}

// turn is what handshakes knows of a connection. It is guarded by handshakes.mu.
type turn struct {
	held  bool
	over  bool          // the handshake has ended, or the connection
	round int           // of those that wait, the lowest is next; connections of one address have different ones
	begun chan struct{} // closed when the turn comes
}

func newHandshakes() *handshakes { return &handshakes{free: maxHandshakes} }

// begin waits for a connection's turn. It returns false if the connection is closed by then.
func (h *handshakes) begin(c *connection) bool {
	if begun := h.enqueue(c); begun != nil {
		select {
		case <-begun:
		case <-c.closed:
		}
	}
	select {
	case <-c.closed:
		return false
	default:
		return true
	}
}

// enqueue returns nil if a connection need not wait.
func (h *handshakes) enqueue(c *connection) (begun chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c.turn.over || c.turn.held {
		return nil
	}
	if h.free > 0 {
		h.free--
		c.turn.held = true
		return nil
	}
	c.turn.round, c.turn.begun = h.round, make(chan struct{})
	for _, w := range h.waiting {
		if w.address == c.address {
			c.turn.round = max(c.turn.round, w.turn.round+1)
		}
	}
	h.waiting = append(h.waiting, c)
	return c.turn.begun
}

// end hands a connection's turn to the next, if it has it.
func (h *handshakes) end(c *connection) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !c.turn.held {
		return
	}
	c.turn.held = false
	if len(h.waiting) == 0 {
		h.free++
		return
	}
	next := slices.MinFunc(h.waiting, func(a, b *connection) int { return cmp.Compare(a.turn.round, b.turn.round) }) // the first of equals
	h.remove(next)
	h.round, next.turn.held = next.turn.round, true
	close(next.turn.begun)
}

// leave ends a connection's part in this, as its handshake has ended, or the connection.
func (h *handshakes) leave(c *connection) {
	h.end(c)
	h.mu.Lock()
	defer h.mu.Unlock()
	c.turn.over = true
	h.remove(c)
}

func (h *handshakes) remove(c *connection) {
	h.waiting = slices.DeleteFunc(h.waiting, func(w *connection) bool { return w == c })
}
