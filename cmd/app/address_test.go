package app

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/rest"
)

func TestMoveCredentials_OutOfTheAddress(t *testing.T) {
	for _, tt := range []struct{ host, want, user, password, token string }{
		{"https://host:6443/api", "https://host:6443/api", "", "", "t"},
		{"host:6443", "host:6443", "", "", "t"},
		{"https://host/a@b", "https://host/a@b", "", "", "t"},
		{"https://me:s3cret@host:6443/path?q=1", "https://host:6443/path?q=1", "me", "s3cret", ""},
		{"https://me:s%40%2F@host", "https://host", "me", "s@/", ""},
		{"https://me@[::1]:6443", "https://[::1]:6443", "me", "", ""},
		{"me:s3cret@host:6443", "host:6443", "me", "s3cret", ""},
		{"me:s3cret@host:6443/path", "host:6443/path", "me", "s3cret", ""},
	} {
		k := &rest.Config{Host: tt.host, BearerToken: "t"}
		if err := moveCredentials(k); err != nil || k.Host != tt.want || k.Username != tt.user || k.Password != tt.password || k.BearerToken != tt.token {
			t.Errorf("%q became %q of %q, password %q, token %q: %v", tt.host, k.Host, k.Username, k.Password, k.BearerToken, err)
		}
	}
	for _, host := range []string{"https://me:s3/cret@host", "https://me:s3 cret@host", "https://me:s3%zzcret@host", "me:s3\x7fcret@host", "https://me:s3cret@"} {
		err := moveCredentials(&rest.Config{Host: host})
		if err == nil || strings.Contains(err.Error(), "s3") || !strings.Contains(err.Error(), "HOST:PORT") {
			t.Errorf("%q: %v", host, err)
		}
	}
}

func TestHideCredentials_OfEveryAddress(t *testing.T) {
	for text, want := range map[string]string{
		`Get "https://me:***@host/api": refused`:                    `Get "https://host/api": refused`,
		`"http://me:a/b@proxy" and "https://me@host", not me@there`: `"http://proxy" and "https://host", not me@there`,
		`https://host: user me@there may not`:                       `https://host: user me@there may not`,
	} {
		if got := hideCredentials(errors.New(text)); got != want {
			t.Errorf("%s became %s", text, got)
		}
	}
}

// TestCommands_DoNotPrintPasswords runs commands with passwords in addresses.
func TestCommands_DoNotPrintPasswords(t *testing.T) {
	const password = "c4n4ry"
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, sent, _ := r.BasicAuth(); sent == password {
			asked.Add(1)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"metadata":{"resourceVersion":"1"},"items":[]}`))
	}))
	defer server.Close()
	of := func(host string) string { return "http://me:" + password + "@" + host }
	there, gone := of(strings.TrimPrefix(server.URL, "http://")), of("127.0.0.1:1")
	file := func(name, fields string) string {
		path := filepath.Join(t.TempDir(), name)
		text := "{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: c, user: u}}], users: [{name: u, user: {token: t}}], clusters: [{name: c, cluster: {" + fields + "}}]}"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Setenv("KUBECONFIG", file("there", "server: "+strconv.Quote(there)))
	t.Chdir(t.TempDir())
	for _, args := range [][]string{
		{"whatif", "scale ReplicaSet a to 1"},
		{"whatif", "drain a", "-o", "json"},
		{"explain", "a", "--server", there},
		{"explain", "a", "--server", gone},
		{"record", "--server", gone},
		{"record", "--server", strings.TrimPrefix(gone, "http://")},
		{"record", "--server", of("127.0.0.1 :1")},
		{"record", "--server", "http://127.0.0.1:/" + password + "@127.0.0.1"},
		{"record", gone},
		{"record", "--kubeconfig", file("proxy", "server: http://127.0.0.1:1, proxy-url: "+strconv.Quote("ftp://me:"+password+"@proxy"))},
		{"record", "--kubeconfig", file("gone", "server: "+strconv.Quote(gone))},
		{"run", gone},
		{"run", "--master", gone, "--secure-port=0", "--controllers=unknown", "-v=1"},
	} {
		stdout, stderr := runMain(t, args)
		if text := stdout + stderr; text == "" || strings.Contains(text, password) || strings.Contains(text, "me:") {
			t.Errorf("orrery %q prints\n%s", args, text)
		}
	}
	if asked.Load() == 0 {
		t.Error("nothing was asked with the password")
	}
}

func TestConnection_RepeatsAddressWithoutPassword(t *testing.T) {
	t.Setenv("KUBECONFIG", "")
	o, _, err := clustersOf(t, "--server=https://me:c4n4ry@host:6443")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := o.Again("cluster"), "--server https://host:6443 "; got != want {
		t.Errorf("the cluster is found again by %q, want %q", got, want)
	}
}
