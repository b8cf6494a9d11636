package app

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"orrery/core/scheduler/framework"
	"orrery/tui"
)

// consoleOf parses a command line of console.
func consoleOf(t *testing.T, args ...string) (*consoleFlags, *cobra.Command) {
	t.Helper()
	f, c := &consoleFlags{}, &cobra.Command{Use: "orrery"}
	f.connection.addFlags(c, true)
	c.Flags().BoolVar(&f.schedule, "schedule", false, "")
	if err := c.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	return f, c
}

// severalFiles is a KUBECONFIG with the contexts one, two and "a,b", of which two permits one namespace only.
func severalFiles(t *testing.T) (one, two *emptyCluster) {
	one, two = &emptyCluster{}, &emptyCluster{only: "team-b"}
	files := []string{one.kubeconfig(t, "one", "", true), two.kubeconfig(t, "two", "team-b", false), (&emptyCluster{}).kubeconfig(t, "a,b", "", false)}
	t.Setenv("KUBECONFIG", strings.Join(files, string(filepath.ListSeparator)))
	return one, two
}

func TestConsole_ContextsOfFlag(t *testing.T) {
	severalFiles(t)
	for _, tt := range []struct {
		args []string
		want []string
		err  string
	}{
		{[]string{"--context=one"}, nil, ""},
		{[]string{"--context=a,b"}, nil, ""}, // a context may be called so
		{[]string{"--context=one,two"}, []string{"one", "two"}, ""},
		{[]string{"--context=two,,one,two"}, []string{"two", "one"}, ""},
		{[]string{"--context=one,", "--schedule", "--token=x"}, []string{"one"}, ""},
		{[]string{"--context=one,th\x1bree"}, nil, `--context: there is no context "th\x1bree" in the kubeconfig; there are a,b, one, two`},
		{[]string{"--context=one,two", "--server=https://10.0.0.1"}, nil, "--server and several contexts: it holds for one cluster: leave it to the kubeconfig"},
		{[]string{"--context=one,two", "--token=x"}, nil, "--token and several contexts: it holds for one cluster: leave it to the kubeconfig"},
		{[]string{"--context=one,two", "--schedule"}, nil, scheduleOneOnly},
	} {
		f, c := consoleOf(t, tt.args...)
		got, err := f.contexts(c)
		if err != nil && err.Error() != tt.err || err == nil && tt.err != "" || !slices.Equal(got, tt.want) {
			t.Errorf("%q: the contexts are %q, and the error %v; want %q and %q", tt.args, got, err, tt.want, tt.err)
		}
	}
}

// The list is there at once, and a bad configuration is refused before.
func TestConsole_SourceOfSeveral(t *testing.T) {
	one, two := severalFiles(t)
	f, c := consoleOf(t, "--context=one,two", "--as=jane")
	o, err := f.source(c, framework.Registry{}, tui.Options{})
	if err != nil || o.Source != tui.Source(o.Clusters) || o.Clusters.Name() != "2 clusters" {
		t.Fatalf("the source is %v: %v", o.Source, err)
	}
	o.Clusters.Close()
	for context, e := range map[string]*emptyCluster{"one": one, "two": two} {
		for _, who := range e.visitors() {
			if who != "jane of " {
				t.Errorf("%s was asked by %q", context, who)
			}
		}
	}
	f, c = consoleOf(t, "--context=one,two", "--config=/nowhere.yaml")
	if _, err = f.source(c, framework.Registry{}, tui.Options{}); err == nil || !strings.Contains(err.Error(), "/nowhere.yaml") {
		t.Errorf("a configuration that is not there: %v", err)
	}
}

// Each context is decided as its own API server's release, within its own bound.
func TestConsole_OtherContextsHangAlone(t *testing.T) {
	severalFiles(t)
	f, c := consoleOf(t, "--context=one")
	clusters, _, err := f.clusters(c, nil, "", framework.Registry{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	k, err := f.flags.restConfig()
	if err != nil {
		t.Fatal(err)
	}
	k.Host = silent(t)
	if _, _, err := f.schedulerOfOther(ctx, k); err == nil || !strings.Contains(err.Error(), "asking the API server for its version: ") {
		t.Errorf("of a server that hangs: %v", err)
	}
	two := opened(t, clusters, "two", "")
	if got := two.Session.Engine().Features().Release(); got.String() != "1.35" || two.NewerServer != "" {
		t.Errorf("it decides as %v, newer is %q", got, two.NewerServer)
	}
}
