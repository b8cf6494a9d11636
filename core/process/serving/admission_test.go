package serving

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/user"
)

// While reviews hang, requests with large tokens take a bounded room, and probes of their address are answered.
func TestServer_BoundsRequestsThatWaitForReview(t *testing.T) {
	reached, proceed := make(chan struct{}), make(chan struct{})
	address := serveWith(t, endpoints(t), func(s *Server) {
		s.authn = authenticator.RequestFunc(func(r *http.Request) (*authenticator.Response, bool, error) {
			switch token := r.Header.Get("Authorization"); {
			case strings.HasPrefix(token, "Bearer slow"):
				reached <- struct{}{}
				<-proceed
				return nil, false, nil
			case token != "":
				return &authenticator.Response{User: &user.DefaultInfo{Name: "admin", Groups: []string{user.SystemPrivilegedGroup}}}, true, nil
			}
			return &authenticator.Response{User: &user.DefaultInfo{Name: user.Anonymous}}, true, nil
		})
	})
	ask := func(client *http.Client, token string) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+address+"/metrics", nil)
		if err != nil {
			t.Error(err)
			return 0
		}
		r.Header.Set("Authorization", "Bearer "+token)
		response, err := client.Do(r)
		if err != nil {
			t.Error(err)
			return 0
		}
		response.Body.Close()
		return response.StatusCode
	}
	var waiting sync.WaitGroup
	for i := range maxReviewsOfAddress {
		client := clientOf(t, i%2 == 0, nil)
		waiting.Go(func() {
			if code := ask(client, "slow"+strings.Repeat("x", 32<<10)); code != http.StatusUnauthorized {
				t.Errorf("a request that waited is answered %d", code)
			}
		})
	}
	for range maxReviewsOfAddress {
		<-reached
	}
	extra := clientOf(t, true, nil)
	for range 20 {
		if code := ask(extra, "good"); code != http.StatusTooManyRequests {
			t.Errorf("one more request is answered %d, want 429", code)
		}
		if code := get(t, address, "/livez", nil, nil); code != http.StatusOK {
			t.Errorf("a probe is answered %d", code)
		}
	}
	close(proceed)
	waiting.Wait()
	if code := ask(extra, "good"); code != http.StatusOK {
		t.Errorf("afterwards a user gets %d", code)
	}
}

// A review takes memory until it ends, whether or not its client is there.
func TestUntilReviewed_OutlastsClients(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	leave()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://x/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	var seen error
	_, _, _ = untilReviewed(authenticator.RequestFunc(func(r *http.Request) (*authenticator.Response, bool, error) {
		seen = r.Context().Err()
		return nil, false, nil
	})).AuthenticateRequest(r)
	if seen != nil {
		t.Errorf("the review ends with its client: %v", seen)
	}
}

// An HTTP/2 client is told how little may wait in a connection before it is known who it is.
func TestServer_BoundsHTTP2Connections(t *testing.T) {
	c, err := tls.Dial("tcp", serve(t), &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	write(c, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00")
	var head [9]byte
	if _, err := io.ReadFull(c, head[:]); err != nil || head[3] != 4 {
		t.Fatalf("the server begins with a frame of type %d, %v", head[3], err)
	}
	settings := make([]byte, int(head[1])<<8|int(head[2]))
	if _, err := io.ReadFull(c, settings); err != nil {
		t.Fatal(err)
	}
	got := map[uint16]uint32{}
	for s := settings; len(s) >= 6; s = s[6:] {
		got[binary.BigEndian.Uint16(s)] = binary.BigEndian.Uint32(s[2:])
	}
	const streams, window, frame, headers = 3, 4, 5, 6
	for setting, most := range map[uint16]uint32{streams: 8, window: 64 << 10, frame: 64 << 10, headers: 65 << 10} {
		if got[setting] == 0 || got[setting] > most {
			t.Errorf("setting %d is %d, want at most %d: %v", setting, got[setting], most, got)
		}
	}
}

func TestReviews_CountAddressesAndAll(t *testing.T) {
	v := newReviews()
	var ends []func()
	for i := range 2 * maxReviewsOfAddress {
		if end := v.begin(waiter(1).address); (end != nil) != (i < maxReviewsOfAddress) {
			t.Fatalf("request %d of an address: admitted %v", i, end != nil)
		} else if end != nil {
			ends = append(ends, end)
		}
	}
	for i := range 2 * maxReviews {
		if end := v.begin(waiter(byte(i + 2)).address); end != nil {
			ends = append(ends, end)
		}
	}
	if len(ends) != maxReviews {
		t.Errorf("%d requests wait at once, want %d", len(ends), maxReviews)
	}
	for _, end := range ends {
		end()
		end()
	}
	if v.all != 0 || len(v.byAddress) != 0 {
		t.Errorf("in the end %d requests of %d addresses are counted", v.all, len(v.byAddress))
	}
}

// Nothing but a probe without credentials is answered without a review.
func TestNeedsReview_OfAllButProbes(t *testing.T) {
	_, paths := everything(t)
	for _, path := range paths {
		r, err := http.NewRequest(http.MethodGet, "https://x"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		probe := path == "/healthz" || path == "/livez" || path == "/readyz"
		if needsReview(r) == probe {
			t.Errorf("%s needs a review: %v", path, needsReview(r))
		}
		for _, header := range []string{"Authorization", "Sec-WebSocket-Protocol"} {
			with := r.Clone(t.Context())
			with.Header.Set(header, "x")
			if !needsReview(with) {
				t.Errorf("%s with %s needs no review", path, header)
			}
		}
	}
}
