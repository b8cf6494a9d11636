package stream

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// takeTimeout is how long a reader may take for what is written to it at once, a block of at most 128 KiB.
//
//orrery:limit readers; how long a reader may take for a block; the reader is dropped
const takeTimeout = 10 * time.Second

var (
	errStalled = errors.New("the reader takes nothing")
	errLeft    = errors.New("the reader left")
)

// sink is a reader's connection. While it waits for the reader, others may encode.
type sink struct {
	server  *Server
	to      http.ResponseWriter
	control *http.ResponseController
	sent    int64
}

// Write implements io.Writer.
func (s *sink) Write(p []byte) (n int, err error) {
	err = s.send(func() (err error) {
		n, err = s.to.Write(p)
		return err
	})
	s.sent += int64(n)
	s.server.metrics.bytes.Add(float64(n))
	return n, err
}

func (s *sink) flush() error { return s.send(s.control.Flush) }

// send sends within takeTimeout.
func (s *sink) send(how func() error) (err error) {
	s.server.withoutEncoding(func() {
		began := time.Now()
		if err = s.control.SetWriteDeadline(began.Add(takeTimeout)); err == nil {
			err = how()
			// HTTP/2 would end the stream at the deadline although nothing is being written then.
			_ = s.control.SetWriteDeadline(time.Time{})
		}
		switch {
		case err == nil, errors.Is(err, http.ErrNotSupported):
		case time.Since(began) >= takeTimeout:
			err = fmt.Errorf("%w: %w", errStalled, err)
		default:
			err = fmt.Errorf("%w: %w", errLeft, err)
		}
	})
	return err
}
