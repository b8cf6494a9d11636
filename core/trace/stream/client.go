package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"time"

	"orrery/core/safe/address"
	"orrery/core/safe/printable"
)

// ErrStalled ends a stream of which nothing comes any more: the connection is lost, or the scheduler's process stands still.
var ErrStalled = errors.New("nothing has come from the scheduler for 15 s")

// Stream is what a scheduler sends: a trace, to be read with trace.NewReader. The reader's last error tells how the stream ended:
//
//	io.EOF          the scheduler ended it, and EndReason says why
//	*trace.Damage   it broke off; the cause is ErrStalled, the context's error, or that of the connection
type Stream struct {
	Speaker
	response *http.Response
	ctx      context.Context
	cancel   context.CancelCauseFunc
	stalled  *time.Timer
}

// Open begins to read the stream of the scheduler at a base URL, such as https://10.0.0.7:10259. The stream begins earlier by since, as far
// as the scheduler's past reaches. The client has the credentials, as rest.HTTPClientFor makes it. The error is a *Refusal if the scheduler
// answered. The stream ends with the context, and has to be closed.
func Open(ctx context.Context, client *http.Client, base string, since time.Duration) (*Stream, error) {
	from, err := urlOf(base, since)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	s := &Stream{ctx: ctx, cancel: cancel}
	s.stalled = time.AfterFunc(stalledAfter, func() { cancel(ErrStalled) })
	if err := s.request(client, from); err != nil {
		s.stalled.Stop()
		cancel(nil)
		return nil, err
	}
	s.stalled.Stop()
	return s, nil
}

func urlOf(base string, since time.Duration) (string, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return "", fmt.Errorf("%q is no URL of a scheduler, such as https://10.0.0.7:10259", printable.Line(address.WithoutCredentials(base), maxText))
	}
	u = u.JoinPath(Path)
	if since > 0 {
		u.RawQuery = url.Values{sinceParameter: {since.String()}}.Encode()
	}
	return u.String(), nil
}

func (s *Stream) request(client *http.Client, from string) error {
	request, err := http.NewRequestWithContext(s.ctx, http.MethodGet, from, nil)
	if err != nil {
		return fmt.Errorf("asking the scheduler for its stream: %w", err)
	}
	request.Header.Set("Accept", ContentType)
	request.Header.Set("Accept-Encoding", "identity") // blocks of a trace are packed
	once := *client
	once.Timeout = 0 // it would end the stream, too
	once.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	response, err := once.Do(request)
	if err != nil {
		return fmt.Errorf("asking the scheduler for its stream: %w", s.cause(err))
	}
	if err := checkResponse(response); err != nil {
		_ = response.Body.Close()
		return err
	}
	s.response, s.Speaker = response, speakerOf(response.Header)
	return nil
}

// checkResponse returns why an answer is no stream.
func checkResponse(r *http.Response) error {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case r.StatusCode != http.StatusOK:
		return refusalOf(r)
	case kind != ContentType:
		return &Refusal{Status: http.StatusNotFound, Text: fmt.Sprintf("the answer is of the type %q", printable.Line(kind, maxText))}
	}
	return nil
}

// Read reads the trace. The error is io.EOF if the scheduler ended the stream.
func (s *Stream) Read(p []byte) (int, error) {
	s.stalled.Reset(stalledAfter)
	n, err := s.response.Body.Read(p)
	s.stalled.Stop()
	if err != nil && !errors.Is(err, io.EOF) {
		err = s.cause(err)
	}
	return n, err
}

// cause replaces the error of a request that was cancelled by the reason for that.
func (s *Stream) cause(err error) error {
	if cause := context.Cause(s.ctx); cause != nil {
		return cause
	}
	return err
}

// EndReason is why the scheduler ended the stream, once Read has returned io.EOF; empty if it did not say so.
func (s *Stream) EndReason() string {
	return printable.Line(s.response.Trailer.Get(endTrailer), maxText)
}

// Close ends the stream. It may be called during a Read, on another goroutine.
func (s *Stream) Close() error {
	s.cancel(errClosed)
	return s.response.Body.Close()
}

var errClosed = errors.New("the stream was closed")
