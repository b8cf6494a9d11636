package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"

	"orrery/core/answers/change"
	"orrery/core/evict/observer"
	"orrery/core/operator/console"
	"orrery/core/operator/usage/reader"
	"orrery/core/process/leader"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/tui"
	"orrery/views/collect"
)

// consoleFlags are the flags of console.
type consoleFlags struct {
	connection
	screen          screenFlags
	schedule, allow bool
	askExtenders    bool
	noReuse         bool
}

func consoleCommand(plugins framework.Registry) *cobra.Command {
	f := consoleFlags{}
	c := &cobra.Command{
		Use:   "console",
		Short: "Watch a cluster's scheduling, and shadow its scheduler",
		Long: `Console opens a screen on a cluster. Orrery's engine reads what the cluster's scheduler reads, decides for
itself, and writes nothing. The :agreement pane shows how often the two schedulers agree, and why not where they
differ. Pass the scheduler's configuration with --config if it is not the default one.

With --schedule it takes part in leader election for the scheduler's lease, and schedules while it holds it.
With --ask-extenders it asks the configuration's extenders, which get the scheduler's calls a second time.
With --allow-actions nodes can be cordoned and drained, and pods evicted, deleted, activated and ungated.
Each action is confirmed first, next to its predicted effects.

--context takes several contexts, with commas between them: the screen then lists a row for each cluster. enter goes into
one, esc comes back, and :clusters shows the list. Each is connected to by itself: one that is slow or lost holds up
nothing. Each costs the memory of a console of its own.

It shows what you have the rights to read, and names the RBAC rules for the rest. If you may read one namespace only,
it shows that one: the namespace of -n, or of the context. :ctx switches to another cluster, :ns to one namespace.`,
		Example: `  orrery console
  orrery console --context staging -n shop
  orrery console --context east,west,staging
  orrery console --config scheduler.yaml
  orrery console --schedule --allow-actions`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c, plugins) },
	}
	f.connection.addFlags(c, true)
	_ = c.RegisterFlagCompletionFunc(clientcmd.FlagNamespace, completer{&target{connection: f.connection}, plugins}.namespaces)
	f.screen.addFlags(c)
	c.Flags().BoolVar(&f.schedule, "schedule", false, "take part in leader election for the scheduler's lease, and schedule while holding it")
	addNoReuse(c.Flags(), &f.noReuse, "")
	c.Flags().BoolVar(&f.askExtenders, "ask-extenders", false, "ask the configuration's extenders, as its scheduler does; else what they say is unknown")
	c.Flags().BoolVar(&f.allow, "allow-actions", false, "allow changes of the cluster from the screen; each is confirmed first")
	return c
}

func (f *consoleFlags) run(c *cobra.Command, plugins framework.Registry) error {
	o, err := f.screen.options()
	if err != nil {
		return err
	}
	if o.Terminal.Refusal != "" {
		return fmt.Errorf("console needs a terminal, and %s; without one, use orrery explain or orrery record", o.Terminal.Refusal)
	}
	if !f.configured(c) {
		return errNoKubeconfig
	}
	if o, err = f.source(c, plugins, o); err != nil {
		return err
	}
	defer o.Clusters.Close()
	o.Namespace = f.flags.overrides.Context.Namespace
	return tui.Run(c.Context(), o)
}

// source adds the source of the screen: the list of the clusters of several contexts, or the open cluster of one.
func (f *consoleFlags) source(c *cobra.Command, plugins framework.Registry, o tui.Options) (tui.Options, error) {
	contexts, err := f.contexts(c)
	if err != nil {
		return o, err
	}
	if len(contexts) > 1 {
		return f.several(c, plugins, o, contexts)
	}
	first, err := f.connection.open(c, answerTimeout)
	if err != nil {
		return o, err
	}
	configuration, err := f.schedulerOf(c, first)
	if err != nil {
		return o, err
	}
	clusters, name, err := f.clusters(c, configuration, first.newer, plugins)
	if err != nil {
		return o, err
	}
	klog.SetLogger(klog.Logger{}) // keep client-go's log off the screen
	p := newProgress(c, "connecting to "+name)
	ctx, answered := f.answerContext(c.Context(), c)
	cluster, err := clusters.Open(ctx, name, "")
	answered()
	p.done()
	if err != nil {
		return o, orNoAnswer(err)
	}
	live := tui.NewLive(cluster, clusters)
	if o.Clusters, err = f.list(clusters); err != nil {
		live.Close()
		return o, err
	}
	o.Clusters.Adopt(live)
	o.Source = live
	return o, nil
}

// otherContextFlagNames are the flags that hold for every context.
var otherContextFlagNames = append([]string{"kubeconfig", "config"}, impersonationFlagNames...)

// clusters returns the kubeconfig's clusters, and the name of the one to open first.
func (f *consoleFlags) clusters(cmd *cobra.Command, c *config.Configuration, newer string, plugins framework.Registry) (o tui.LiveOptions, first string, err error) {
	raw, err := f.flags.load().RawConfig()
	if err != nil {
		return o, "", fmt.Errorf("reading the kubeconfig: %w", err)
	}
	o = tui.LiveOptions{Contexts: slices.Sorted(maps.Keys(raw.Contexts)), Schedule: f.schedule, Allow: f.allow}
	first = cmp.Or(f.flags.overrides.CurrentContext, raw.CurrentContext)
	if first == "" && len(raw.Contexts) > 0 && f.flags.overrides.ClusterInfo.Server == "" {
		return o, "", errors.New("the kubeconfig has no current context: use --context with one of " + strings.Join(o.Contexts, ", "))
	}
	hasContext := first != "" // otherwise --server or the in-cluster configuration names the cluster
	first = cmp.Or(first, "cluster")
	o.Open = func(ctx context.Context, name, namespace string) (*tui.Cluster, error) {
		flags := f.flags
		if name != first {
			flags = f.flags.forContext(name)
		}
		k, err := flags.restConfig()
		if err != nil {
			return nil, err
		}
		if namespace == "" {
			if namespace, _, err = flags.load().Namespace(); err != nil {
				return nil, fmt.Errorf("finding the context's namespace: %w", err)
			}
		}
		configuration, newer := c, newer
		if name != first {
			if configuration, newer, err = f.schedulerOfOther(ctx, k); err != nil {
				return nil, err
			}
		}
		opened, err := f.open(ctx, name, namespace, k, configuration, plugins)
		if err == nil {
			opened.NewerServer = newer
		}
		return opened, err
	}
	o.Again = func(name string) string {
		names := otherContextFlagNames
		if name == first {
			names = clusterFlagNames
		}
		text := repeatFlags(cmd, names)
		if name != first || hasContext && !cmd.Flags().Changed("context") {
			text += "--context " + change.ShellWord(name) + " "
		}
		return whatIfWords(cmd, text)
	}
	return o, first, nil
}

// open opens a session with a cluster, and collects its history.
func (f *consoleFlags) open(ctx context.Context, name, namespace string, k *rest.Config, c *config.Configuration, plugins framework.Registry) (*tui.Cluster, error) {
	identity := ""
	if f.schedule {
		host, err := os.Hostname()
		if err != nil {
			return nil, fmt.Errorf("making an identity for the lease: %w", err)
		}
		identity = host + "_" + string(uuid.NewUUID())
	}
	usage, err := reader.New(reader.Options{KubeConfig: k})
	if err != nil {
		return nil, err
	}
	history := collect.NewHistory(collect.HistoryOptions{
		Election: electionOf(c, identity),
		Observer: observer.Options{ComparisonOperators: c.Features.Enabled(config.TaintTolerationComparisonOperators)},
	})
	session, err := console.Open(ctx, console.Options{
		KubeConfig: k, Namespace: namespace, Config: c, Plugins: plugins, Schedule: f.schedule, AllowActions: f.allow, AskExtenders: f.askExtenders, NoReuse: f.noReuse,
		Identity: identity, Seed: uint64(time.Now().UnixNano()),
		OnTiming: history.ObserveTiming, Observer: func(*engine.Engine) drive.Observer { return history },
	})
	if err != nil {
		return nil, err
	}
	return &tui.Cluster{Name: name, Session: session, History: history, Usage: usage}, nil
}

// electionOf returns the settings of the scheduler's leader election.
func electionOf(c *config.Configuration, identity string) leader.Settings {
	e, s := c.LeaderElection, leader.Defaults(identity)
	s.Namespace, s.Name = e.ResourceNamespace, e.ResourceName
	s.LeaseDuration, s.RenewDeadline, s.RetryPeriod = e.LeaseDuration.Duration, e.RenewDeadline.Duration, e.RetryPeriod.Duration
	return s
}
