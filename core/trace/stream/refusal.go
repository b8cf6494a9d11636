package stream

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"orrery/core/safe/printable"
)

// The kinds of refusals; errors.Is finds them in a *Refusal.
var (
	ErrUnauthenticated = errors.New("the scheduler does not accept the credentials")
	ErrForbidden       = errors.New("the user may not read the scheduler's stream")
	ErrNotServed       = errors.New("no stream is served there: it is another program than Orrery, or an older version")
	ErrTooManyReaders  = errors.New("as many readers are attached to the scheduler as may be")
	ErrUnavailable     = errors.New("the scheduler has no stream now")
)

var refusals = map[int]error{
	http.StatusUnauthorized:       ErrUnauthenticated,
	http.StatusForbidden:          ErrForbidden,
	http.StatusNotFound:           ErrNotServed,
	http.StatusTooManyRequests:    ErrTooManyReaders,
	http.StatusServiceUnavailable: ErrUnavailable,
}

// Refusal is the answer of a scheduler, or of a proxy before it, that sends no stream.
type Refusal struct {
	Status int
	// Text is what it says, in one line; it may be empty.
	Text string
	// RetryAfter is when to ask again; zero if it did not say so.
	RetryAfter time.Duration
}

func (r *Refusal) Error() string {
	kind := r.Unwrap()
	switch {
	case kind == nil:
		return fmt.Sprintf("asking the scheduler for its stream: it answers %d %s", r.Status, cmp.Or(r.Text, http.StatusText(r.Status)))
	case r.Text == "":
		return kind.Error()
	}
	return kind.Error() + ": " + r.Text
}

// Unwrap returns the kind of refusal, or nil.
func (r *Refusal) Unwrap() error { return refusals[r.Status] }

const (
	//orrery:limit readers; a refusal that is read, in bytes; the rest is not read
	maxRefusalBytes = 4 << 10
	//orrery:limit readers; the wait that a refusal asks for; it counts as so long
	maxRetryAfter = time.Hour
)

func refusalOf(r *http.Response) error {
	refusal := &Refusal{Status: r.StatusCode}
	body, _ := io.ReadAll(io.LimitReader(r.Body, maxRefusalBytes)) // without a text, the status says enough
	var status struct{ Message string }
	if json.Unmarshal(body, &status) == nil && status.Message != "" {
		body = []byte(status.Message)
	}
	refusal.Text = printable.Line(strings.TrimSpace(string(body)), maxText)
	if seconds, err := strconv.ParseUint(r.Header.Get("Retry-After"), 10, 32); err == nil {
		refusal.RetryAfter = min(time.Duration(seconds)*time.Second, maxRetryAfter)
	}
	return refusal
}
