package live

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"
)

// ErrNotLeading refuses a write of a scheduler that does not lead.
var ErrNotLeading = errors.New("not sent: this scheduler does not lead any more")

// WriteGate lets the writes of a scheduler pass while it leads, and knows those under way, so that they can be cut off
// before another scheduler leads.
type WriteGate struct {
	leads    func() bool
	cut      context.Context // ends when everything under way is cut off
	cutOff   context.CancelFunc
	mu       sync.Mutex
	underway int
	none     chan struct{} // closed when nothing is under way; nil without a call of Await
}

// NewWriteGate returns a gate that asks leads before every write.
func NewWriteGate(leads func() bool) *WriteGate {
	g := &WriteGate{leads: leads}
	g.cut, g.cutOff = context.WithCancel(context.Background())
	return g
}

// Guard makes the gate the last step of a client's requests before the connection: after the rate limit, retries, credentials, and what
// else wraps its transport.
func (g *WriteGate) Guard(c *rest.Config) {
	c.WrapTransport = transport.Wrappers(func(next http.RoundTripper) http.RoundTripper { return gatedTransport{g, next} }, c.WrapTransport)
}

// CutOff cancels the writes that are under way, and refuses all others from now on. It does not wait.
func (g *WriteGate) CutOff() { g.cutOff() }

// Await waits until no write is under way, and reports whether that was so in time.
func (g *WriteGate) Await(limit time.Duration) bool {
	g.mu.Lock()
	if g.underway == 0 {
		g.mu.Unlock()
		return true
	}
	if g.none == nil {
		g.none = make(chan struct{})
	}
	none := g.none
	g.mu.Unlock()
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	select {
	case <-none:
		return true
	case <-timeout.C:
		return false
	}
}

// open reports whether a write may be sent.
func (g *WriteGate) open() bool { return g.cut.Err() == nil && g.leads() }

// enter begins a write, whose context ends when it is cut off. The caller calls sent when the write was answered or has failed, and
// release when the context is not needed any more, after the answer was read.
func (g *WriteGate) enter(ctx context.Context) (within context.Context, sent, release func(), err error) {
	if !g.leads() {
		return nil, nil, nil, ErrNotLeading
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.cut.Err() != nil { // under the lock, so that Await after CutOff counts every write that is sent
		return nil, nil, nil, ErrNotLeading
	}
	g.underway++
	within, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(g.cut, cancel)
	return within, sync.OnceFunc(g.leave), func() { stop(); cancel() }, nil
}

func (g *WriteGate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.underway--; g.underway == 0 && g.none != nil {
		close(g.none)
		g.none = nil
	}
}

// gatedTransport sends reads, and writes that the gate lets pass.
type gatedTransport struct {
	gate *WriteGate
	next http.RoundTripper
}

// WrappedRoundTripper implements client-go's RoundTripperWrapper.
func (t gatedTransport) WrappedRoundTripper() http.RoundTripper { return t.next }

// RoundTrip implements http.RoundTripper.
func (t gatedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return t.next.RoundTrip(r)
	}
	ctx, sent, release, err := t.gate.enter(r.Context())
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, err
	}
	defer sent()
	response, err := t.next.RoundTrip(t.gate.checkBody(r.WithContext(ctx)))
	if err != nil {
		release()
		return nil, err
	}
	response.Body = releasingBody{response.Body, release}
	return response, nil
}

// checkBody has the gate asked again when the body is sent. Before that the connection may have to be made, or another request may have
// to end; a request without its whole body is not carried out.
func (g *WriteGate) checkBody(r *http.Request) *http.Request {
	if r.Body == nil || r.Body == http.NoBody {
		return r
	}
	r.Body = gatedBody{r.Body, g}
	if again := r.GetBody; again != nil {
		r.GetBody = func() (io.ReadCloser, error) {
			body, err := again()
			return gatedBody{body, g}, err
		}
	}
	return r
}

type gatedBody struct {
	io.ReadCloser
	gate *WriteGate
}

func (b gatedBody) Read(to []byte) (int, error) {
	if !b.gate.open() {
		return 0, ErrNotLeading
	}
	return b.ReadCloser.Read(to)
}

// releasingBody ends the context of a request with the body of its response.
type releasingBody struct {
	io.ReadCloser
	release func()
}

func (b releasingBody) Close() error {
	defer b.release()
	return b.ReadCloser.Close()
}
