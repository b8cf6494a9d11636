package app

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"k8s.io/client-go/rest"

	"orrery/core/scheduler/config"
	modelled "orrery/core/scheduler/release"
	"orrery/core/world/live"
)

func TestReleaseFlag(t *testing.T) {
	var f releaseFlag
	recorded, err := config.ParseFeatureFlag("GenericWorkload=true,GangScheduling=true,SchedulerPopFromBackoffQ=false")
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	c := &cobra.Command{}
	c.SetErr(&stderr)
	was := config.Default(recorded)
	if is, err := f.in(c, was); err != nil || is != was {
		t.Errorf("without the flag the configuration is another one: %v", err)
	}
	if err := f.Set("1.34"); err == nil || f.String() != "" {
		t.Errorf("1.34 is taken: %s, %v", &f, err)
	}
	if err := f.Set("v1.37"); err != nil || f.String() != "1.37" {
		t.Fatalf("v1.37 is read as %s: %v", &f, err)
	}
	is, err := f.in(c, was)
	if err != nil {
		t.Fatal(err)
	}
	if got := is.Features; got.Release() != modelled.V137 || strings.Join(got.Changed(), " ") != "SchedulerPopFromBackoffQ=false" {
		t.Errorf("the configuration is of %v with %v", got.Release(), got.Changed())
	}
	if want := "Kubernetes 1.37 does not take the feature gates [GangScheduling=true GenericWorkload=true], which are at its defaults"; !strings.Contains(stderr.String(), want) {
		t.Errorf("the warnings are %q, want %q", &stderr, want)
	}
}

// versionServer is an API server that is asked for its version only, and a client of it.
func versionServer(t *testing.T, status int, version string) (*httptest.Server, live.Client) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/version" {
			t.Errorf("%s is asked for", r.URL.Path)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, version)
	}))
	t.Cleanup(server.Close)
	client, err := live.NewClient(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	return server, client
}

func TestConnection_DecidesAsServer(t *testing.T) {
	for name, tt := range map[string]struct {
		status  int
		version string
		want    modelled.Release
		warning string
	}{
		"the release of the server":          {http.StatusOK, `{"major": "1", "minor": "36", "gitVersion": "v1.36.3"}`, modelled.V136, ""},
		"a server newer than what is known":  {http.StatusOK, `{"major": "1", "minor": "41+", "gitVersion": "v1.41.0\u001b[2J"}`, modelled.V137, `the API server is Kubernetes v1.41.0\x1b[2J, newer than all that is modelled: this decides as 1.37`},
		"a server that does not say":         {http.StatusForbidden, `{}`, modelled.V135, "the version of the API server cannot be read: this decides as Kubernetes 1.35, unless --kubernetes names another"},
		"a server that is not Kubernetes'":   {http.StatusNotFound, `{}`, modelled.V135, ""},
		"an older server, decided as oldest": {http.StatusOK, `{"major": "1", "minor": "30"}`, modelled.V135, ""},
	} {
		t.Run(name, func(t *testing.T) {
			server, client := versionServer(t, tt.status, tt.version)
			var stderr bytes.Buffer
			c := &cobra.Command{}
			c.SetErr(&stderr)
			c.SetContext(t.Context())
			var n connection
			from := &cluster{name: "the cluster", server: server.URL, client: client}
			if got, err := n.releaseOf(c, from); err != nil || got != tt.want {
				t.Errorf("it decides as %v: %v; want %v", got, err, tt.want)
			}
			if got := stderr.String(); (got == "") != (tt.warning == "") || !strings.Contains(got, tt.warning) {
				t.Errorf("the warning is %q, want %q", got, tt.warning)
			}
			var text bytes.Buffer
			(&sourceDocument{Cluster: from.name, NewerServer: from.newer, decides: tt.want}).text(&text)
			if is, want := strings.Contains(text.String(), "API server     Kubernetes v1.41.0\\x1b[2J, newer than all that is modelled: this decides as 1.37, and may differ from its scheduler"),
				strings.Contains(tt.warning, "newer than"); is != want {
				t.Errorf("an answer says that the server is newer: %v, want %v\n%s", is, want, &text)
			}
			if err := n.kubernetes.Set("1.36"); err != nil {
				t.Fatal(err)
			}
			newer := from.newer
			stderr.Reset()
			if got, err := n.releaseOf(c, from); err != nil || got != modelled.V136 || from.newer != newer || strings.Contains(stderr.String(), "decides as 1.36") != (newer != "") {
				t.Errorf("with --kubernetes 1.36 it decides as %v: %v; it warns: %q", got, err, &stderr)
			}
			server.Close()
			if got, err := n.releaseOf(c, from); err != nil || got != modelled.V136 {
				t.Errorf("with --kubernetes 1.36 it decides as %v: %v", got, err)
			}
		})
	}
}
