package console_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"orrery/core/operator/console"
)

const (
	watchURL = "https://api.example/api/v1/pods?watch=true"
	leaseURL = "https://api.example/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler"
)

// quietServer has a watch that says what is written to it, and answers other requests with a code, or not at all.
type quietServer struct {
	watch io.Reader
	code  int
}

func (q *quietServer) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Query().Get("watch") != "" {
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(q.watch)}, nil
	}
	if q.code == 0 {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	return &http.Response{StatusCode: q.code, Body: http.NoBody}, nil
}

// listen runs a test of a connection in virtual time, with a watch that is open. say makes the watch say something.
func listen(t *testing.T, q *quietServer, do func(state func() console.State, say func())) {
	synctest.Test(t, func(t *testing.T) {
		from, to := io.Pipe()
		q.watch = from
		ctx, cancel := context.WithCancel(t.Context())
		observed, state := console.Listen(ctx, q, func(ctx context.Context, through http.RoundTripper) {
			_, _ = through.RoundTrip(httptest.NewRequest(http.MethodGet, leaseURL, nil).WithContext(ctx))
		})
		response, err := observed.RoundTrip(httptest.NewRequest(http.MethodGet, watchURL, nil))
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = io.Copy(io.Discard, response.Body) }()
		do(state, func() { _, _ = to.Write([]byte("{}")) })
		cancel()
		_ = to.CloseWithError(errors.New("the test has ended"))
		synctest.Wait()
	})
}

func TestConnection_SilenceOfAHungServer(t *testing.T) {
	listen(t, &quietServer{}, func(state func() console.State, say func()) {
		for range 5 { // as a leader renews its lease
			pass(2 * time.Second)
			say()
		}
		synctest.Wait()
		last := time.Now()
		for time.Since(last) < 3900*time.Millisecond {
			if st := state(); st.Asking || st.Silent {
				t.Fatalf("after %v: %+v", time.Since(last), st)
			}
			pass(100 * time.Millisecond)
		}
		pass(3 * time.Second)
		synctest.Wait()
		st := state()
		if !st.Silent || !st.Asking || !st.Heard.Equal(last) || st.Lost != nil {
			t.Errorf("after %v: %+v, and it last said something at %v", time.Since(last), st, last)
		}
		if got := st.Alert(time.Now()); !strings.HasPrefix(got, "nothing heard from the API server for 6s") {
			t.Errorf("it says %q", got)
		}
		say()
		synctest.Wait()
		if st := state(); st.Silent || st.Asking || st.Alert(time.Now()) != "waiting for the initial lists" {
			t.Errorf("after an event: %+v", st)
		}
	})
}

// In a cluster where no lease is renewed all watches may be silent for long. What the server answers does not matter.
func TestConnection_QuietClusterIsNotSilent(t *testing.T) {
	for _, code := range []int{http.StatusOK, http.StatusForbidden, http.StatusNotFound, http.StatusInternalServerError} {
		listen(t, &quietServer{code: code}, func(state func() console.State, _ func()) {
			for range 300 {
				pass(200 * time.Millisecond)
				synctest.Wait()
				if st := state(); st.Silent {
					t.Fatalf("%d is no answer: %+v", code, st)
				}
			}
		})
	}
}

// When the connection breaks at last, what is shown is as old as the last event.
func TestConnection_LostSinceTheLastEvent(t *testing.T) {
	q := &quietServer{}
	listen(t, q, func(state func() console.State, _ func()) {
		last := time.Now()
		pass(time.Minute)
		broken, lost := console.ObserveRequests(failing{})
		_, _ = broken.RoundTrip(httptest.NewRequest(http.MethodGet, watchURL, nil))
		if lost() == nil {
			t.Error("a connection that broke is not lost")
		}
		if st := state(); !st.Heard.Equal(last) {
			t.Errorf("last heard at %v, want %v", st.Heard, last)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		api := &answers{code: http.StatusOK}
		observed, state := console.Listen(t.Context(), api, func(context.Context, http.RoundTripper) {})
		_, _ = observed.RoundTrip(httptest.NewRequest(http.MethodGet, watchURL, nil))
		last := time.Now()
		pass(time.Minute)
		api.code, api.status = http.StatusBadGateway, "502 Bad Gateway"
		_, _ = observed.RoundTrip(httptest.NewRequest(http.MethodGet, watchURL, nil))
		if st := state(); st.Lost == nil || !st.LostSince.Equal(last) || !strings.Contains(st.Alert(time.Now()), "the connection is lost, for 1m0s") {
			t.Errorf("%+v, want it lost since %v", st, last)
		}
	})
}

type failing struct{}

func (failing) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("connection reset")
}

// pass lets virtual time pass.
func pass(d time.Duration) { <-time.After(d) }
