package serving

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
)

// arrivals is a listener whose connections come from the addresses in it, and then no more.
type arrivals struct {
	net.Listener
	from []string
}

type arrival struct {
	net.Conn
	from   string
	closed bool
}

func (a *arrivals) Accept() (net.Conn, error) {
	if len(a.from) == 0 {
		return nil, io.EOF
	}
	c := &arrival{from: a.from[0]}
	a.from = a.from[1:]
	return c, nil
}

func (c *arrival) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(c.from))
}

func (c *arrival) Close() error {
	c.closed = true
	return nil
}

func (c *arrival) Read(p []byte) (int, error)  { return len(p), nil }
func (c *arrival) Write(p []byte) (int, error) { return len(p), nil }

// accept returns the next connections, of the addresses.
func accept(t *testing.T, l *connections, from ...string) (all []*connection) {
	t.Helper()
	l.Listener = &arrivals{from: from}
	for {
		c, err := l.Accept()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c.(*connection))
	}
}

// openOf returns how many of the connections are open.
func openOf(all []*connection) (open int) {
	for _, c := range all {
		if !c.Conn.(*arrival).closed {
			open++
		}
	}
	return open
}

func times(n int, address string) (all []string) {
	for range n {
		all = append(all, address)
	}
	return all
}

const flooding, other = "10.0.0.7:4711", "10.0.0.8:4711"

func TestConnections_BoundOneAddressAndNoOther(t *testing.T) {
	l := newConnections(nil)
	first := accept(t, l, other)
	flood := accept(t, l, times(3*maxConnectionsOfAddress, flooding)...)
	if len(flood) != 3*maxConnectionsOfAddress || openOf(flood) != maxConnectionsOfAddress || openOf(flood[2*maxConnectionsOfAddress:]) != maxConnectionsOfAddress {
		t.Errorf("%d connections are taken, %d are open, want the newest %d", len(flood), openOf(flood), maxConnectionsOfAddress)
	}
	if openOf(first) != 1 {
		t.Error("the connection of another address is closed")
	}
	if refused := testutil.ToFloat64(l.refused); refused != 2*maxConnectionsOfAddress {
		t.Errorf("%v are counted as closed, want %d", refused, 2*maxConnectionsOfAddress)
	}
	for _, c := range flood {
		_ = c.Close()
	}
	if len(l.open) != 1 || len(l.byAddress) != 1 {
		t.Errorf("%d connections of %d addresses are counted after the others are closed", len(l.open), len(l.byAddress))
	}
}

// At the bound of all, the connections of the address that has the most make room.
func TestConnections_BoundAll(t *testing.T) {
	l := newConnections(nil)
	var few []*connection
	var floods [][]*connection
	for i := range maxConnections/maxConnectionsOfAddress + 3 {
		few = append(few, accept(t, l, fmt.Sprintf("10.1.0.%d:1", i))...)
		floods = append(floods, accept(t, l, times(2*maxConnectionsOfAddress, fmt.Sprintf("10.2.0.%d:1", i))...))
	}
	if len(l.open) != maxConnections {
		t.Errorf("%d connections are open, want %d", len(l.open), maxConnections)
	}
	if openOf(few) != len(few) {
		t.Errorf("%d of %d connections that are their address's only one are open", openOf(few), len(few))
	}
	for i, flood := range floods {
		if openOf(flood) == 0 {
			t.Errorf("flood %d has no connection, and others have many", i)
		}
	}
}

// Those without a user's request make room, the oldest first, then those that have had one, and those that serve one never.
func TestConnections_ThatServeUsersStay(t *testing.T) {
	l := newConnections(nil)
	serving := accept(t, l, times(2, flooding)...)
	var ends []func()
	for _, c := range serving {
		ends = append(ends, c.serve())
	}
	known := accept(t, l, times(2, flooding)...)
	for _, c := range known {
		c.serve()()
	}
	accept(t, l, times(10*maxConnectionsOfAddress, flooding)...)
	if openOf(serving) != 2 || openOf(known) != 2 {
		t.Errorf("a flood closed %d of 2 that serve a user and %d of 2 that have served one", 2-openOf(serving), 2-openOf(known))
	}
	for range maxConnectionsOfAddress - 2 {
		accept(t, l, flooding)[0].serve()
	}
	if late := accept(t, l, flooding); len(late) != 0 || openOf(known) != 0 {
		t.Error("a connection is taken where each of its address's serves a user")
	}
	ends[0]()
	if late := accept(t, l, flooding); len(late) != 1 || openOf(serving) != 1 {
		t.Errorf("once a request is answered its connection does not make room")
	}
}

// On a busy machine handshakes take their time: connections that have had theirs make room for one that waits for it, or that has just come.
func TestConnections_ThatWaitForTheServerStay(t *testing.T) {
	l := newConnections(nil)
	waiting, active := accept(t, l, flooding)[0], accept(t, l, flooding)[0]
	active.setActive(true)
	active.setReading(true) // a server reads on while a request is answered
	flood := func(n int) {
		for range n {
			accept(t, l, flooding)[0].setReading(true)
		}
	}
	flood(3 * maxConnectionsOfAddress)
	silent := accept(t, l, flooding)[0]
	silent.setReading(true)
	flood(maxConnectionsOfAddress / 2)
	if open := openOf([]*connection{waiting, active, silent}); open != 3 {
		t.Errorf("%d of 2 that wait for the server and one that has just come are open", open)
	}
	active.setActive(false)
	if flood(1); openOf([]*connection{waiting}) != 1 || openOf([]*connection{active}) != 0 {
		t.Error("the oldest that waits for its client does not make room")
	}
}

// A host of IPv6 has a whole network of addresses, and one of IPv4 two forms of one.
func TestConnections_CountHosts(t *testing.T) {
	for name, row := range map[string]struct {
		one, other string
		same       bool
	}{
		"another port":             {"10.0.0.7:1", "10.0.0.7:2", true},
		"another address":          {"10.0.0.7:1", "10.0.0.8:1", false},
		"an IPv4 address in IPv6":  {"10.0.0.7:1", "[::ffff:10.0.0.7]:1", true},
		"one network of IPv6":      {"[2001:db8::1]:1", "[2001:db8::ffff:2]:1", true},
		"another network of IPv6":  {"[2001:db8::1]:1", "[2001:db8:0:1::1]:1", false},
		"another interface's link": {"[fe80::1%eth0]:1", "[fe80::2%eth1]:1", true},
	} {
		one, other := (&arrival{from: row.one}).RemoteAddr(), (&arrival{from: row.other}).RemoteAddr()
		if same := hostOf(one) == hostOf(other); same != row.same {
			t.Errorf("%s: %v and %v are of one host: %v, want %v", name, one, other, same, row.same)
		}
	}
}

// Probes are answered beside a flood of connections from their own address, wherever those stop.
func TestServer_AnswersProbesBesideFloodOfTheirAddress(t *testing.T) {
	for name, begin := range map[string]func(net.Conn){
		"that says nothing":      func(net.Conn) {},
		"that begins handshakes": func(c net.Conn) { write(c, "\x16\x03\x01\x02\x00") },
		"that ends in a handshake": func(c net.Conn) {
			_ = tls.Client(halfDeaf{c}, &tls.Config{InsecureSkipVerify: true}).Handshake()
		},
		"that sends no request": func(c net.Conn) {
			_ = tls.Client(c, &tls.Config{InsecureSkipVerify: true}).Handshake()
		},
	} {
		t.Run(name, func(t *testing.T) {
			address := serve(t)
			for i := range 24 {
				for range maxConnectionsOfAddress / 4 {
					c, err := net.Dial("tcp", address)
					if err != nil {
						t.Fatal(err)
					}
					defer c.Close()
					begin(c)
				}
				if code := get(t, address, []string{"/livez", "/readyz", "/healthz"}[i%3], nil, nil); code != http.StatusOK {
					t.Errorf("probe %d: %d", i, code)
				}
			}
		})
	}
}

// halfDeaf is a client's connection that sends and then hears nothing.
type halfDeaf struct{ net.Conn }

func (halfDeaf) Read([]byte) (int, error) { return 0, io.EOF }
