package stream

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"orrery/core/trace/play"
)

// gatherFor is how long records are gathered into a block.
const gatherFor = 200 * time.Millisecond

// ending is why a stream ends. With drop, the label of a metric, the reader was dropped.
type ending struct{ text, drop string }

var (
	readerLeft = ending{text: "the reader left"}
	fellBehind = ending{text: "the reader fell behind by more records than may wait", drop: dropFellBehind}
	stalled    = ending{text: "the reader took more than 10 s for a part", drop: dropStalled}
	failed     = ending{text: "writing the stream failed; the scheduler's log says why", drop: dropFailed}
)

// reader writes a subscription to a reader.
type reader struct {
	server *Server
	from   *play.Subscriber
	to     *sink
}

// write writes a subscription to a reader until one of both ends, and returns how many bytes it sent.
func (s *Server) write(w http.ResponseWriter, r *http.Request, from *play.Subscriber) (sent int64, why ending) {
	x := &reader{s, from, &sink{server: s, to: w, control: http.NewResponseController(w)}}
	h := w.Header()
	Speaker{Identity: s.source.Identity(), Leading: s.source.Leading(), Observing: s.source.Observing(), Version: s.version}.setHeaders(h)
	h.Set("Content-Type", ContentType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Trailer", endTrailer)
	if r.ProtoMajor == 1 {
		h.Set("Connection", "close") // the write deadline would stay with it
	}
	s.encoding <- struct{}{}
	defer func() { <-s.encoding }()
	why = x.run(r.Context())
	h.Set(endTrailer, why.text)
	return x.to.sent, why
}

// run copies the records as they come, and ends the trace if the reader still takes it.
func (x *reader) run(ctx context.Context) (why ending) {
	defer func() {
		if caught := recover(); caught != nil {
			x.server.logger.Error(fmt.Errorf("%v", caught), "Writing the stream panicked", "stack", string(debug.Stack()))
			why = failed
		}
	}()
	err := x.to.flush() // the reader learns who speaks
	for err == nil && why == (ending{}) {
		if err = x.copy(); err == nil {
			why = x.wait(ctx)
		}
	}
	if why == readerLeft {
		return why
	}
	if err == nil {
		err = x.copy()
	}
	if err == nil || errors.Is(err, play.ErrFellBehind) {
		err = errors.Join(err, x.from.Close())
	}
	if err != nil {
		return x.endingOf(err)
	}
	return why
}

// copy writes the records that there are, or a heart-beat.
func (x *reader) copy() error {
	if _, err := x.from.Copy(x.to); err != nil {
		return err
	}
	if err := x.from.Heartbeat(); err != nil {
		return err
	}
	return x.to.flush()
}

// wait waits for records, which it gathers, or for the time of a heart-beat; it returns why the stream ends meanwhile, if it does.
func (x *reader) wait(ctx context.Context) (why ending) {
	x.server.withoutEncoding(func() {
		timer := time.NewTimer(heartbeatEvery)
		defer timer.Stop()
		ready := x.from.Ready()
		for {
			select {
			case <-ready:
				timer.Reset(gatherFor)
				ready = nil
				continue
			case <-timer.C:
			case <-x.server.ended:
				why.text = x.server.endReason()
			case <-ctx.Done():
				why = readerLeft
			}
			return
		}
	})
	return why
}

func (x *reader) endingOf(err error) ending {
	switch {
	case errors.Is(err, errStalled):
		return stalled
	case errors.Is(err, errLeft):
		return readerLeft
	case errors.Is(err, play.ErrFellBehind):
		return fellBehind
	}
	x.server.logger.Error(err, "Writing the stream failed")
	return failed
}

// withoutEncoding lets other readers encode while f waits.
func (s *Server) withoutEncoding(f func()) {
	<-s.encoding
	defer func() { s.encoding <- struct{}{} }()
	f()
}
