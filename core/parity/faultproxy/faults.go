package faultproxy

import (
	"encoding/json"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Faults are the faults that a Proxy injects. Shares are between 0 (never) and 1 (always).
type Faults struct {
	// Busy is the share of requests that are answered with 429 and Retry-After of a second.
	Busy float64
	// Slow is the longest delay of a request.
	Slow time.Duration
	// Lost is the share of writes that are carried out and whose response is lost: the client gets a 500, a 503, a 504, or a
	// broken connection, in turn.
	Lost float64
	// FirstLost loses the response of the first write to each address.
	FirstLost bool
	// WatchMost limits how long a watch lasts; zero means no limit.
	WatchMost time.Duration
	// Graceful ends those watches as the API server does, and not as a broken connection.
	Graceful bool
	// Expired is the share of watches that are answered with 410 Gone.
	Expired float64
	// Blind answers every read with 503.
	Blind bool
}

// Counts counts the faults injected.
type Counts struct{ Busy, Slow, Lost, Cut, Expired, Blind int }

// outcome is the fault of a request, if any.
type outcome struct {
	busy, expired, blind bool
	delay                time.Duration
	lost                 int // one of lostAnswers, from 1; zero if the response is passed on
	set                  int // counts the calls of Set before
}

func isWatch(r *http.Request) bool { return r.URL.Query().Get("watch") != "" }

func (p *Proxy) decide(r *http.Request) (o outcome) {
	watches, reads := isWatch(r), r.Method == http.MethodGet
	lists := r.URL.Query().Get("sendInitialEvents") != "" // as a stream
	p.mu.Lock()
	defer p.mu.Unlock()
	o.set = p.set
	hits := func(share float64, count *int) bool {
		hit := share > 0 && p.rng.Float64() < share
		if hit {
			*count++
		}
		return hit
	}
	switch {
	case p.faults.Blind && reads:
		o.blind = true
		p.counts.Blind++
		return o
	case hits(p.faults.Busy, &p.counts.Busy):
		o.busy = true
		return o
	case watches && !lists && hits(p.faults.Expired, &p.counts.Expired):
		o.expired = true
		return o
	case !reads && (p.losesFirst(r.URL.Path) || hits(p.faults.Lost, &p.counts.Lost)):
		p.turn++
		o.lost = 1 + p.turn%len(lostAnswers)
	}
	if p.faults.Slow > 0 {
		o.delay = time.Duration(p.rng.Int64N(int64(p.faults.Slow)))
		p.counts.Slow++
	}
	return o
}

// losesFirst reports whether a write to an address is the first one, and its response is lost. The caller holds the lock.
func (p *Proxy) losesFirst(address string) bool {
	if !p.faults.FirstLost || p.written[address] {
		return false
	}
	p.written[address] = true
	p.counts.Lost++
	return true
}

// lostAnswers are the responses to requests that were carried out.
var lostAnswers = []func(http.ResponseWriter){
	func(w http.ResponseWriter) {
		reject(w, http.StatusInternalServerError, metav1.StatusReasonInternalError, "injected fault: the response was lost")
	},
	func(w http.ResponseWriter) {
		reject(w, http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable, "injected fault: the response was lost")
	},
	func(w http.ResponseWriter) {
		reject(w, http.StatusGatewayTimeout, metav1.StatusReasonTimeout, "injected fault: the response was lost")
	},
	func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
}

func reject(w http.ResponseWriter, code int, reason metav1.StatusReason, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Code: int32(code), Reason: reason, Message: message,
	})
}
