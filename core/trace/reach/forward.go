package reach

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/transport/spdy"
	"k8s.io/streaming/pkg/httpstream"

	"orrery/core/safe/panics"
	"orrery/core/safe/printable"
)

// forwardRule is the right that a port-forward takes: websockets are opened by GET, and what is done is a create.
const forwardRule = "create and get pods/portforward"

// forwarder opens connections to a port of a pod through the API server. They have no local port, which other programs of this machine
// could use.
type forwarder struct {
	config  *rest.Config
	address *url.URL
	pod     Pod
	port    int
}

// dialer speaks SPDY over websockets, and by itself to servers that know no other way. It opens one connection.
func (f *forwarder) dialer() (httpstream.Dialer, error) {
	transport, upgrader, err := spdy.RoundTripperFor(f.config)
	if err != nil {
		return nil, err
	}
	overWebsocket, err := portforward.NewSPDYOverWebsocketDialerForStreaming(f.address, f.config)
	if err != nil {
		return nil, err
	}
	direct := spdy.NewDialerForStreaming(upgrader, &http.Client{Transport: transport}, http.MethodPost, f.address)
	return portforward.NewFallbackDialerForStreaming(overWebsocket, direct, func(err error) bool {
		return httpstream.IsUpgradeFailure(err) || httpstream.IsHTTPSProxyError(err)
	}), nil
}

// dial opens a connection. A dialer of client-go takes no context: one that is given up ends by itself.
func (f *forwarder) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	type result struct {
		conn net.Conn
		err  error
	}
	opened := make(chan result, 1)
	go func() {
		var r result
		defer func() { opened <- r }()
		defer panics.Recover("opening a port-forward", &r.err)
		r.conn, r.err = f.open()
	}()
	select {
	case r := <-opened:
		return r.conn, r.err
	case <-ctx.Done():
		go func() {
			if r := <-opened; r.err == nil {
				r.conn.Close()
			}
		}()
		return nil, ctx.Err()
	}
}

func (f *forwarder) open() (net.Conn, error) {
	dialer, err := f.dialer()
	if err != nil {
		return nil, fmt.Errorf("preparing a port-forward to %s: %w", f.pod, err)
	}
	connection, _, err := dialer.Dial(portforward.PortForwardProtocolV1Name)
	if err != nil {
		return nil, fmt.Errorf("opening a port-forward to %s: %w", f.pod, missing(err, forwardRule, f.pod.Namespace))
	}
	headers := http.Header{}
	headers.Set(v1.PortHeader, strconv.Itoa(f.port))
	headers.Set(v1.PortForwardRequestIDHeader, "0")
	headers.Set(v1.StreamType, v1.StreamTypeError)
	problems, err := connection.CreateStream(headers)
	if err == nil {
		err = problems.Close() // nothing is written to it
	}
	headers.Set(v1.StreamType, v1.StreamTypeData)
	var data httpstream.Stream
	if err == nil {
		data, err = connection.CreateStream(headers)
	}
	if err != nil {
		connection.Close()
		return nil, fmt.Errorf("opening a port-forward to %s: %w", f.pod, err)
	}
	c := &forwarded{Stream: data, connection: connection, reported: make(chan struct{})}
	go c.listen(problems)
	return c, nil
}

// maxProblem bounds what a kubelet says of a port that it cannot reach, in bytes.
//
//orrery:limit readers; what a kubelet says of a port, in bytes; the rest is not read
const maxProblem = 1024

// forwarded is a connection through the API server.
type forwarded struct {
	httpstream.Stream
	connection httpstream.Connection
	reported   chan struct{} // closed when problem is complete
	problem    string
	closed     sync.Once
}

// listen reads what the kubelet says instead of connecting.
func (c *forwarded) listen(problems io.Reader) {
	text, _ := io.ReadAll(io.LimitReader(problems, maxProblem)) // it ends with the connection
	c.problem = strings.TrimSpace(string(text))
	close(c.reported)
	if c.problem != "" {
		_ = c.Close()
	}
}

// Read reads what the scheduler sends.
func (c *forwarded) Read(p []byte) (int, error) {
	n, err := c.Stream.Read(p)
	return n, c.reason(err)
}

// Write sends to the scheduler.
func (c *forwarded) Write(p []byte) (int, error) {
	n, err := c.Stream.Write(p)
	return n, c.reason(err)
}

// reason replaces the end of a connection that was refused by what the kubelet says.
func (c *forwarded) reason(err error) error {
	if err == nil {
		return nil
	}
	select {
	case <-c.reported:
		if c.problem != "" {
			return errors.New("the node says: " + printable.Line(c.problem, 300))
		}
	default:
	}
	return err
}

// Close closes the streams and the connection below them.
func (c *forwarded) Close() (err error) {
	c.closed.Do(func() {
		_ = c.Reset()
		err = c.connection.Close()
	})
	return err
}

// tunnelAddress is the address of both ends, which have none of their own.
type tunnelAddress struct{}

func (tunnelAddress) Network() string { return "portforward" }
func (tunnelAddress) String() string  { return "portforward" }

func (c *forwarded) LocalAddr() net.Addr  { return tunnelAddress{} }
func (c *forwarded) RemoteAddr() net.Addr { return tunnelAddress{} }

// Deadlines are not supported: the requests' contexts end them.
func (c *forwarded) SetDeadline(time.Time) error      { return nil }
func (c *forwarded) SetReadDeadline(time.Time) error  { return nil }
func (c *forwarded) SetWriteDeadline(time.Time) error { return nil }
