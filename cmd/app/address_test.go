package app

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

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
		stdout, stderr := outputOf(t, args)
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
	if got, want := o.Again("cluster"), "orrery whatif --server https://host:6443 "; got != want {
		t.Errorf("the cluster is found again by %q, want %q", got, want)
	}
}
