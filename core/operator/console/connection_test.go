package console_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"orrery/core/operator/console"
)

// answers is an API server that answers all requests with a status.
type answers struct {
	code   int
	status string
}

func (a *answers) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: a.code, Status: a.status, Body: http.NoBody}, nil
}

func TestConnection_CountsListsAndWatches(t *testing.T) {
	const pods = "https://api.example/api/v1/pods"
	var api answers
	observed, lost := console.ObserveRequests(&api)
	for _, step := range []struct {
		url, status string
		code        int
		want        string
	}{
		{pods + "/web", "503 Service Unavailable", 503, ""},
		{pods + "/web", "401 Unauthorized", 401, ""},
		{"https://api.example/readyz", "500 Internal Server Error", 500, ""},
		{pods, "429 Too Many Requests", 429, ""},
		{pods, "503 no \x1b[2Jbackend", 503, `the API server answers 503 no \x1b[2Jbackend`},
		{pods + "/web", "500 Internal Server Error", 500, `the API server answers 503 no \x1b[2Jbackend`},
		{pods + "?watch=true", "401 Unauthorized", 401, "the API server rejects the credentials: log in again"},
		{pods, "200 OK", 200, ""},
		{pods + "?watch=true", "504 Gateway Timeout", 504, "the API server answers 504 Gateway Timeout"},
		{pods + "/web", "200 OK", 200, ""},
	} {
		api.code, api.status = step.code, step.status
		response, err := observed.RoundTrip(httptest.NewRequest(http.MethodGet, step.url, nil))
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		got := ""
		if why := lost(); why != nil {
			got = why.Error()
		}
		if got != step.want {
			t.Errorf("after %s of %s it says %q, want %q", step.status, step.url, got, step.want)
		}
	}
}
