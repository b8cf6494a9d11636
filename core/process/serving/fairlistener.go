package serving

import (
	"net"
	"net/netip"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/time/rate"
	"k8s.io/klog/v2"
)

// Bounds of what one address may open. Probes, Prometheus and those who attach take few connections, and keep them.
const (
	//orrery:limit readers; new connections of one address, in a second; they are closed at once
	maxNewConnections = 20
	//orrery:limit readers; new connections of one address at once, after a while without; they are closed at once
	maxNewAtOnce = 100
	//orrery:limit readers; addresses whose connections are counted; all are forgotten and may open as many at once anew
	maxAddresses = 4096
	// complaintsEvery is how often it is logged that connections were refused.
	complaintsEvery = time.Minute
)

// fairListener refuses the connections of an address that opens too many, before anything is done for them: the TLS of a connection takes
// a thousand times what opening it takes a client, and would take it from scheduling. Accept is called on one goroutine.
type fairListener struct {
	net.Listener
	now       func() time.Time
	atOnce    int // maxNewAtOnce; tests open more
	addresses map[netip.Addr]*rate.Limiter
	refused   prometheus.Counter
	complain  *rate.Limiter
}

func newFairListener(l net.Listener) *fairListener {
	return &fairListener{
		Listener: l, now: time.Now, atOnce: maxNewAtOnce, addresses: map[netip.Addr]*rate.Limiter{}, complain: rate.NewLimiter(rate.Every(complaintsEvery), 1),
		refused: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "orrery_connections_refused_total", Help: "Connections to the HTTPS port that were closed at once, as their address had opened too many.",
		}),
	}
}

// Accept implements net.Listener.
func (l *fairListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil || l.admits(c.RemoteAddr()) {
			return c, err
		}
		l.refuse(c)
	}
}

// admits counts a connection, and reports whether its address may open one more.
func (l *fairListener) admits(from net.Addr) bool {
	address := hostOf(from)
	limit := l.addresses[address]
	if limit == nil {
		if len(l.addresses) >= maxAddresses {
			clear(l.addresses)
		}
		limit = rate.NewLimiter(maxNewConnections, l.atOnce)
		l.addresses[address] = limit
	}
	return limit.AllowN(l.now(), 1)
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

// refuse closes a connection without the state that the system would keep of it.
func (l *fairListener) refuse(c net.Conn) {
	l.refused.Inc()
	if l.complain.AllowN(l.now(), 1) {
		klog.InfoS("Connections are refused: their address has opened too many", "address", hostOf(c.RemoteAddr()), "perSecond", maxNewConnections)
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Close()
}
