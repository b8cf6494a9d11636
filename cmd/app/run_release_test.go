package app

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/klog/v2/ktesting"

	modelled "orrery/core/scheduler/release"
)

func TestLogServerVersion(t *testing.T) {
	for name, tt := range map[string]struct {
		decides  modelled.Release
		status   int
		version  string
		answered bool
		logs     string
	}{
		"the same release": {modelled.V136, http.StatusOK, `{"major": "1", "minor": "36", "gitVersion": "v1.36.3"}`, true, ""},
		"another one": {
			modelled.V135, http.StatusOK, `{"major": "1", "minor": "36", "gitVersion": "v1.36.3"}`, true,
			`Decisions follow another release of Kubernetes than the API server's decidesAs="1.35" server="v1.36.3" nearest="--emulated-version=1.36"`,
		},
		"a newer one than is known": {
			modelled.V137, http.StatusOK, `{"major": "1", "minor": "41", "gitVersion": "v1.41.0\u001b[2J"}`, true,
			`decidesAs="1.37" server="v1.41.0\\x1b[2J" nearest="--emulated-version=1.37"`,
		},
		"a server that does not say":          {modelled.V135, http.StatusForbidden, `{}`, true, "The version of the API server cannot be read"},
		"a server that does not answer yet":   {modelled.V135, http.StatusServiceUnavailable, `{}`, false, ""},
		"an answer that is no version at all": {modelled.V135, http.StatusOK, `<html>`, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, client := versionServer(t, tt.status, tt.version)
			log := &ktesting.BufferTL{}
			logger, compared := ktesting.NewLogger(log, ktesting.NewConfig()), ""
			for range 2 { // what has been compared is not logged again
				if answered := logServerVersion(t.Context(), client, tt.decides, &compared, logger); answered != tt.answered {
					t.Errorf("it has its answer: %v", answered)
				}
			}
			if n := strings.Count(log.String(), "decidesAs"); n > 1 {
				t.Errorf("it is logged %d times", n)
			}
			compared = "v1.30.0" // until an upgrade
			logServerVersion(t.Context(), client, tt.decides, &compared, logger)
			if n := strings.Count(log.String(), "decidesAs"); n != 0 && n != 2 {
				t.Errorf("after an upgrade it has been logged %d times, want 2", n)
			}
			if got := log.String(); (got == "") != (tt.logs == "") || !strings.Contains(got, tt.logs) {
				t.Errorf("the log is %q, want %q", got, tt.logs)
			}
		})
	}
}

// The question is asked beside everything else, and its end does not wait for an answer.
func TestOnServerVersion(t *testing.T) {
	asked, hang := make(chan struct{}, 1), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked <- struct{}{}
		<-hang
	}))
	defer server.Close()
	defer close(hang)
	stop, err := onServerVersion(t.Context(), &rest.Config{Host: server.URL}, modelled.V135, ktesting.NewLogger(&ktesting.BufferTL{}, ktesting.NewConfig()))
	if err != nil {
		t.Fatal(err)
	}
	<-asked
	stop()
}
