package serving

import (
	"cmp"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/time/rate"
	"k8s.io/klog/v2"
)

// Bounds of connections. A new one is always taken, so that no flood keeps a probe out: at a bound it replaces an older one that serves no
// user at that moment. Probes and Prometheus take few, and readers of the stream are few.
const (
	//orrery:limit readers; connections to the HTTPS port; one without a user's request, of the address that has the most, is closed for a new one
	maxConnections = 256
	//orrery:limit readers; connections of one address; one without a user's request is closed for a new one
	maxConnectionsOfAddress = 64
	// fewConnections are what an address may have without being taken for one of a flood: those of a kubelet that probes.
	fewConnections = 4
	// complaintsEvery is how often it is logged that connections were closed.
	complaintsEvery = time.Minute
)

// connections is a listener that bounds the connections that are open, by address and in all, and their TLS handshakes.
type connections struct {
	net.Listener
	handshakes *handshakes
	refused    prometheus.Counter
	complain   *rate.Limiter

	mu        sync.Mutex
	open      map[*connection]bool
	byAddress map[netip.Addr]int
	arrived   uint64 // connections so far
}

func newConnections(l net.Listener) *connections {
	return &connections{
		Listener: l, handshakes: newHandshakes(), open: map[*connection]bool{}, byAddress: map[netip.Addr]int{},
		complain: rate.NewLimiter(rate.Every(complaintsEvery), 1),
		refused: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "orrery_connections_refused_total", Help: "Connections to the HTTPS port that were closed as too many were open.",
		}),
	}
}

// Accept implements net.Listener.
func (l *connections) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c := &connection{Conn: conn, listener: l, address: hostOf(conn.RemoteAddr()), closed: make(chan struct{})}
		replaced := l.add(c)
		if replaced != nil {
			l.refuse(replaced)
		}
		if replaced != c {
			return c, nil
		}
	}
}

// add counts a connection, and returns the one that has to be closed for it, if one has to. That is c itself if users' requests are
// served on all others.
func (l *connections) add(c *connection) (replaced *connection) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.arrived++
	c.number = l.arrived
	own := l.byAddress[c.address] >= maxConnectionsOfAddress
	if own || len(l.open) >= maxConnections {
		for other := range l.open {
			if (!own || other.address == c.address) && other.serving == 0 && (replaced == nil || l.compare(other, replaced) < 0) {
				replaced = other
			}
		}
		if replaced == nil {
			return c
		}
		l.remove(replaced)
	}
	l.open[c] = true
	l.byAddress[c.address]++
	return replaced
}

// compare orders connections by which of them is closed first: without a user's request so far, of the address that has the most, waiting
// for the client and not for this server, the oldest. So on a busy machine a probe that waits for its handshake is not closed for a flood
// that has had its own. Whether the client has said anything does not matter: a probe on such a machine is silent for a while, too.
func (l *connections) compare(a, b *connection) int {
	share := func(c *connection) int { return max(fewConnections, l.byAddress[c.address]) }
	return cmp.Or(order(a.known, b.known), cmp.Compare(share(b), share(a)), order(!a.reading || a.active, !b.reading || b.active), cmp.Compare(a.number, b.number))
}

// order has false before true.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// remove no longer counts a connection.
func (l *connections) remove(c *connection) {
	if !l.open[c] {
		return
	}
	delete(l.open, c)
	if l.byAddress[c.address]--; l.byAddress[c.address] == 0 {
		delete(l.byAddress, c.address)
	}
}

// refuse closes a connection without the state that the system would keep of it.
func (l *connections) refuse(c *connection) {
	l.refused.Inc()
	if l.complain.Allow() {
		klog.InfoS("Connections are closed: too many are open", "address", c.address, "maxOfAddress", maxConnectionsOfAddress, "max", maxConnections)
	}
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Close()
}

// hostOf is the address of a client's host: of IPv6, the network in which a host may have any number of addresses.
func hostOf(from net.Addr) netip.Addr {
	tcp, ok := from.(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	address := tcp.AddrPort().Addr().Unmap()
	if address.Is4() {
		return address
	}
	const host = 64
	network, _ := address.WithZone("").Prefix(host) // of an IPv6 address there is one
	return network.Addr()
}

// connection is one of connections.
type connection struct {
	net.Conn
	listener *connections
	address  netip.Addr
	number   uint64 // in order of arrival
	closed   chan struct{}
	once     sync.Once

	// These are guarded by connections.mu.
	known   bool // it has sent a request that was authorized
	serving int  // requests that are authorized and not yet answered
	reading bool // it waits for bytes from the client
	active  bool // it has a request that is not yet answered

	turn turn
}

// Read implements net.Conn. During the handshake it returns only when it is the connection's turn to compute.
func (c *connection) Read(p []byte) (int, error) {
	c.listener.handshakes.end(c)
	c.setReading(true)
	n, err := c.Conn.Read(p)
	c.setReading(false)
	if n > 0 && !c.listener.handshakes.begin(c) {
		return 0, net.ErrClosed
	}
	return n, err
}

// Write implements net.Conn.
func (c *connection) Write(p []byte) (int, error) {
	c.listener.handshakes.end(c) // a client that does not read keeps nothing
	return c.Conn.Write(p)
}

// Close implements net.Conn.
func (c *connection) Close() error {
	c.once.Do(func() {
		close(c.closed)
		c.listener.handshakes.leave(c)
		c.listener.mu.Lock()
		defer c.listener.mu.Unlock()
		c.listener.remove(c)
	})
	return c.Conn.Close()
}

func (c *connection) setReading(reading bool) {
	c.listener.mu.Lock()
	defer c.listener.mu.Unlock()
	c.reading = reading
}

func (c *connection) setActive(active bool) {
	c.listener.mu.Lock()
	defer c.listener.mu.Unlock()
	c.active = active
}

// serve counts a user's request, for which the connection stays open, until the function that it returns is called.
func (c *connection) serve() (end func()) {
	c.count(1)
	return func() { c.count(-1) }
}

func (c *connection) count(requests int) {
	c.listener.mu.Lock()
	defer c.listener.mu.Unlock()
	c.known = true
	c.serving += requests
}

// connectionOf returns the connection below TLS.
func connectionOf(c net.Conn) *connection { return c.(*tls.Conn).NetConn().(*connection) }

// connectionKey is the key of a request's connection in its context.
type connectionKey struct{}

// withConnection is an http.Server's ConnContext.
func withConnection(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, connectionOf(c))
}

// onState is an http.Server's ConnState. Before its first request a connection's handshake has ended.
func onState(c net.Conn, state http.ConnState) {
	switch state {
	case http.StateActive:
		of := connectionOf(c)
		of.listener.handshakes.leave(of)
		of.setActive(true)
	case http.StateIdle:
		connectionOf(c).setActive(false)
	}
}
