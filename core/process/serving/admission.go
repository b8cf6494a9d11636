package serving

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"k8s.io/apiserver/pkg/authentication/authenticator"
)

// Bounds of requests of which it is not yet known whose they are: each holds its headers until the API server has reviewed its token and
// rights, which takes 10 s and more where that hangs. Probes need no review, and so wait for none.
const (
	//orrery:limit readers; requests that wait for authentication and authorization; refused with 429
	maxReviews = 64
	//orrery:limit readers; requests of one address that wait for authentication and authorization; refused with 429
	maxReviewsOfAddress = 16
	// reviewedAgain is when a request that is refused may be made again.
	reviewedAgain = time.Second
)

// reviews counts the requests that wait for authentication and authorization.
type reviews struct {
	mu        sync.Mutex
	all       int
	byAddress map[netip.Addr]int
}

func newReviews() *reviews { return &reviews{byAddress: map[netip.Addr]int{}} }

// begin counts a request of an address until the function that it returns is called the first time; it returns nil if there are too many.
func (v *reviews) begin(of netip.Addr) (end func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.all >= maxReviews || v.byAddress[of] >= maxReviewsOfAddress {
		return nil
	}
	v.all++
	v.byAddress[of]++
	return sync.OnceFunc(func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.all--
		if v.byAddress[of]--; v.byAddress[of] == 0 {
			delete(v.byAddress, of)
		}
	})
}

// probed are the paths of probes.
var probed = map[string]bool{"/healthz": true, "/livez": true, "/readyz": true}

// needsReview reports whether the API server is asked about a request, unless the flags take the paths of probes from those that are
// allowed to all.
func needsReview(r *http.Request) bool {
	return !probed[r.URL.Path] || r.Header.Get("Authorization") != "" || r.Header.Get("Sec-Websocket-Protocol") != ""
}

// reviewKey is the key of the function that ends a request's review, in its context.
type reviewKey struct{}

// withReviews refuses requests while too many wait for a review.
func (s *Server) withReviews(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !needsReview(r) {
			next.ServeHTTP(w, r)
			return
		}
		end := s.reviews.begin(r.Context().Value(connectionKey{}).(*connection).address)
		if end == nil {
			w.Header().Set("Retry-After", strconv.Itoa(int(reviewedAgain.Seconds())))
			http.Error(w, fmt.Sprintf("too many requests wait for authentication, %d of one address and %d in all at the most: try again", maxReviewsOfAddress, maxReviews),
				http.StatusTooManyRequests)
			return
		}
		defer end()
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), reviewKey{}, end)))
	})
}

// authorized serves requests that have passed authorization. Their connections stay open, except for those of probes.
func authorized(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if end, reviewed := r.Context().Value(reviewKey{}).(func()); reviewed && !probed[r.URL.Path] {
			end()
			defer r.Context().Value(connectionKey{}).(*connection).serve()()
		}
		next.ServeHTTP(w, r)
	})
}

// untilReviewed authenticates without regard to whether the client is still there: the token is in memory until the API server has
// reviewed it, so that the request counts as long.
func untilReviewed(authn authenticator.Request) authenticator.Request {
	return authenticator.RequestFunc(func(r *http.Request) (*authenticator.Response, bool, error) {
		return authn.AuthenticateRequest(r.WithContext(context.WithoutCancel(r.Context())))
	})
}
