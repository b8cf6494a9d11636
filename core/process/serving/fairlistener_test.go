package serving

import (
	"fmt"
	"io"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
)

// arrivals is a listener whose connections come from the addresses in it, and then no more.
type arrivals struct {
	net.Listener
	from   []string
	closed int
}

type arrival struct {
	net.Conn
	from string
	at   *arrivals
}

func (a *arrivals) Accept() (net.Conn, error) {
	if len(a.from) == 0 {
		return nil, io.EOF
	}
	c := &arrival{from: a.from[0], at: a}
	a.from = a.from[1:]
	return c, nil
}

func (c *arrival) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(c.from))
}

func (c *arrival) Close() error {
	c.at.closed++
	return nil
}

// accepted returns how many of the connections of each address are accepted.
func (a *arrivals) accepted(t *testing.T, l *fairListener) map[string]int {
	t.Helper()
	all := map[string]int{}
	for {
		c, err := l.Accept()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all[c.(*arrival).from]++
	}
}

func TestFairListener_BoundsOneAddressAndNoOther(t *testing.T) {
	const flooding, prometheus = "10.0.0.7:4711", "10.0.0.8:4711"
	a, now := &arrivals{}, time.Unix(1000, 0)
	l := newFairListener(a)
	l.now = func() time.Time { return now }
	flood := func() {
		for range 3 * maxNewAtOnce {
			a.from = append(a.from, flooding)
		}
	}
	flood()
	a.from = append(a.from, prometheus)
	if got := a.accepted(t, l); got[flooding] != maxNewAtOnce || got[prometheus] != 1 {
		t.Errorf("accepted at once: %v, want %d of the first and the one of the other", got, maxNewAtOnce)
	}
	if refused := testutil.ToFloat64(l.refused); a.closed != 2*maxNewAtOnce || refused != float64(a.closed) {
		t.Errorf("%d are closed and %v counted, want %d", a.closed, refused, 2*maxNewAtOnce)
	}
	now = now.Add(time.Second)
	flood()
	if got := a.accepted(t, l); got[flooding] != maxNewConnections {
		t.Errorf("accepted a second later: %v, want %d", got, maxNewConnections)
	}
	now = now.Add(time.Minute)
	flood()
	if got := a.accepted(t, l); got[flooding] != maxNewAtOnce {
		t.Errorf("accepted after a quiet minute: %v, want %d", got, maxNewAtOnce)
	}
}

// A host of IPv6 has a whole network of addresses, and one of IPv4 two forms of one.
func TestFairListener_CountsHosts(t *testing.T) {
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

func TestFairListener_RemembersSoManyAddresses(t *testing.T) {
	a := &arrivals{}
	for i := range maxAddresses + 1 {
		a.from = append(a.from, fmt.Sprintf("10.1.%d.%d:1", i/256, i%256))
	}
	l := newFairListener(a)
	if got := a.accepted(t, l); len(got) != maxAddresses+1 {
		t.Errorf("the first connections of %d addresses are accepted, want %d", len(got), maxAddresses+1)
	}
	if len(l.addresses) != 1 {
		t.Errorf("%d addresses are remembered, want the last", len(l.addresses))
	}
}
