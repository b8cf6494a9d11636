package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/klog/v2"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/framework"
	modelled "orrery/core/scheduler/release"
	"orrery/tui"
)

// oneClusterFlagNames are the flags that hold for one cluster only.
var oneClusterFlagNames = []string{
	"cluster", "user", "server", "token", "tls-server-name", "insecure-skip-tls-verify", "certificate-authority", "client-certificate", "client-key",
}

// scheduleOneOnly is why a console that schedules watches no second cluster.
const scheduleOneOnly = "a console with --schedule is the scheduler of one cluster: watch several without it"

// contexts returns the contexts of --context if there are several. A context whose name has commas is one.
func (f *consoleFlags) contexts(c *cobra.Command) ([]string, error) {
	given := f.flags.overrides.CurrentContext
	if !strings.Contains(given, ",") {
		return nil, nil
	}
	raw, err := f.flags.load().RawConfig()
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig: %w", err)
	}
	if _, one := raw.Contexts[given]; one {
		return nil, nil
	}
	names := contextNames(given)
	for _, name := range names {
		if _, known := raw.Contexts[name]; !known {
			return nil, fmt.Errorf("--context: there is no context %q in the kubeconfig; there are %s", name, printable.Line(strings.Join(slices.Sorted(maps.Keys(raw.Contexts)), ", "), 300))
		}
	}
	for _, flag := range oneClusterFlagNames {
		if c.Flags().Changed(flag) && len(names) > 1 {
			return nil, fmt.Errorf("--%s and several contexts: it holds for one cluster: leave it to the kubeconfig", flag)
		}
	}
	if f.schedule && len(names) > 1 {
		return nil, errors.New(scheduleOneOnly)
	}
	if len(names) == 1 { // as in "a," or "a,a"
		f.flags.overrides.CurrentContext = names[0]
	}
	return names, nil
}

// contextNames are the names in a list with commas, each once.
func contextNames(given string) []string {
	var names []string
	for _, name := range strings.Split(given, ",") {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// several adds the list of the clusters of contexts as the source. None of them is waited for.
func (f *consoleFlags) several(c *cobra.Command, plugins framework.Registry, o tui.Options, contexts []string) (tui.Options, error) {
	newest := modelled.Newest // a release of each API server is asked for later; what is wrong in all is said now
	if asked := f.kubernetes.release; asked != nil {
		newest = *asked
	}
	if _, err := f.schedulerIn(newest); err != nil {
		return o, err
	}
	klog.SetLogger(klog.Logger{}) // keep client-go's log off the screen
	clusters, _, err := f.clusters(c, nil, "", plugins)
	if err != nil {
		return o, err
	}
	if o.Clusters, err = f.list(clusters); err != nil {
		return o, err
	}
	o.Source = o.Clusters
	return o, o.Clusters.Add(contexts...)
}

// list returns an empty list of clusters that are opened as those of the console.
func (f *consoleFlags) list(clusters tui.LiveOptions) (*tui.Clusters, error) {
	o := tui.ClustersOptions{Contexts: clusters.Contexts, Open: func(ctx context.Context, name string) (*tui.Live, error) {
		opened, err := clusters.Open(ctx, name, f.flags.overrides.Context.Namespace)
		if err != nil {
			return nil, err
		}
		return tui.NewLive(opened, clusters), nil
	}}
	if f.schedule {
		o.OneOnly = scheduleOneOnly
	}
	return tui.NewClusters(o)
}
