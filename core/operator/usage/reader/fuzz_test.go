package reader

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"testing"

	"orrery/core/testing/fuzz"
)

// FuzzStatus reads refusals, of the API server and of what it passes requests on to.
//
//orrery:reads core/operator/usage/reader
func FuzzStatus(f *testing.F) {
	f.Add(uint16(403), []byte(`{"kind":"Status","message":"nodes \"n1\" is forbidden\u001b[2J"}`))
	f.Add(uint16(500), []byte("the kubelet\xff says \x1b[2J no"))
	f.Add(uint16(301), []byte(`{"kind":"Status","message":""}`))
	f.Fuzz(func(t *testing.T, code uint16, body []byte) {
		c := apiClient{base: &url.URL{Scheme: "https", Host: "api"}, timeout: requestTimeout, http: &http.Client{Transport: answers(201+int(code)%399, body)}}
		fuzz.Cost(t, len(body), func() {
			answer, err := c.get(t.Context(), "api", "v1", "nodes")
			if answer != nil || err == nil {
				t.Fatalf("%q and error %v", answer, err)
			}
			fuzz.Error(t, err)
		})
	})
}

// answers answers every request alike, without a network.
func answers(code int, body []byte) roundTrip {
	return func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: code, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body)), Request: r}, nil
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
