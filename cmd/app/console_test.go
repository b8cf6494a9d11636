package app

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/tui"
)

// emptyCluster is an API server without objects. It may permit only one namespace, and records its users.
type emptyCluster struct {
	only string

	mu  sync.Mutex
	who map[string]bool
}

func (e *emptyCluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	e.who[r.Header.Get("Impersonate-User")+" of "+strings.Join(r.Header.Values("Impersonate-Group"), "+")] = true
	e.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case e.only != "" && !strings.Contains(r.URL.Path, "/namespaces/"+e.only+"/"):
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403}`))
	case strings.HasSuffix(r.URL.Path, "/workloads"): // not served
		w.WriteHeader(http.StatusNotFound)
	case r.URL.Query().Get("watch") == "":
		_, _ = w.Write([]byte(`{"metadata":{"resourceVersion":"1"},"items":[]}`))
	}
}

func (e *emptyCluster) visitors() (who []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for w := range e.who {
		who = append(who, w)
	}
	return who
}

// kubeconfig writes a file with one context, and returns its name.
func (e *emptyCluster) kubeconfig(t *testing.T, context, namespace string, current bool) string {
	t.Helper()
	e.who = map[string]bool{}
	server := httptest.NewServer(e)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	k := clientcmdapi.Config{
		Clusters:  map[string]*clientcmdapi.Cluster{context: {Server: server.URL}},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{context: {}},
		Contexts:  map[string]*clientcmdapi.Context{context: {Cluster: context, AuthInfo: context, Namespace: namespace}},
	}
	if current {
		k.CurrentContext = context
	}
	file := filepath.Join(t.TempDir(), context)
	if err := clientcmd.WriteToFile(k, file); err != nil {
		t.Fatal(err)
	}
	return file
}

// clustersOf returns the clusters of a command line, and the name of the first.
func clustersOf(t *testing.T, args ...string) (tui.LiveOptions, string, error) {
	t.Helper()
	f, c := consoleFlags{}, &cobra.Command{Use: "orrery"}
	f.connection.addFlags(c, true)
	if err := c.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	return f.clusters(c, config.Default(config.DefaultFeatures()), "", framework.Registry{})
}

func opened(t *testing.T, o tui.LiveOptions, name, namespace string) *tui.Cluster {
	t.Helper()
	c, err := o.Open(t.Context(), name, namespace)
	if err != nil {
		t.Fatal(err)
	}
	c.Session.Close()
	return c
}

func TestConsole_SwitchesContextsOfSeveralFiles(t *testing.T) {
	one, two := &emptyCluster{}, &emptyCluster{only: "team-b"}
	t.Setenv("KUBECONFIG", one.kubeconfig(t, "one", "", true)+string(filepath.ListSeparator)+two.kubeconfig(t, "two", "team-b", false))
	o, first, err := clustersOf(t, "--as=jane", "--as-group=devs", "--as-group=ops")
	if err != nil || first != "one" || !slices.Equal(o.Contexts, []string{"one", "two"}) {
		t.Fatalf("the first of %q is %q: %v", o.Contexts, first, err)
	}
	if st := opened(t, o, "one", "").Session.State(); len(st.MissingRules)+len(st.MoreRules) > 0 {
		t.Errorf("of the first something is not seen: %+v", st)
	}
	if len(two.visitors()) > 0 {
		t.Errorf("the second was asked by %q", two.visitors())
	}
	if st := opened(t, o, "two", "").Session.State(); st.PodNamespace() != "team-b" {
		t.Errorf("of the second is seen %q, want the context's namespace", st.PodNamespace())
	}
	if st := opened(t, o, "two", "team-a").Session.State(); st.ShowsPodsIn("team-a") {
		t.Error("a namespace is seen that is forbidden")
	}
	for context, e := range map[string]*emptyCluster{"one": one, "two": two} {
		if got, want := e.visitors(), []string{"jane of devs+ops"}; !slices.Equal(got, want) {
			t.Errorf("%s was asked by %q, want %q", context, got, want)
		}
	}
	if got, want := o.Again("two"), "orrery whatif --as jane --as-group devs --as-group ops --context two "; got != want {
		t.Errorf("the second is found again by %q, want %q", got, want)
	}
}

func TestConsole_ClusterAndNamespaceFromFlags(t *testing.T) {
	one, two := &emptyCluster{}, &emptyCluster{only: "team-c"}
	files := one.kubeconfig(t, "one", "", true) + string(filepath.ListSeparator) + two.kubeconfig(t, "two", "team-b", false)
	t.Setenv("KUBECONFIG", files)
	o, first, err := clustersOf(t, "--context=two", "--namespace=team-c")
	if err != nil || first != "two" {
		t.Fatalf("the first is %q: %v", first, err)
	}
	if st := opened(t, o, "two", "").Session.State(); st.PodNamespace() != "team-c" {
		t.Errorf("seen is %q, want the namespace of the command line", st.PodNamespace())
	}
	opened(t, o, "one", "")
	if len(one.visitors()) == 0 {
		t.Error("the other context is not that of the other file")
	}
	if got, want := o.Again("two"), "orrery whatif --context two "; got != want {
		t.Errorf("it is found again by %q, want %q", got, want)
	}
	if _, err := o.Open(t.Context(), "three", ""); err == nil || !strings.Contains(err.Error(), `"three"`) {
		t.Errorf("a context that is not there: %v", err)
	}
}

func TestConsole_NeedsContext(t *testing.T) {
	t.Setenv("KUBECONFIG", (&emptyCluster{}).kubeconfig(t, "one", "", false))
	if _, _, err := clustersOf(t); err == nil || !strings.Contains(err.Error(), "use --context with one of one") {
		t.Errorf("it says %v", err)
	}
}
