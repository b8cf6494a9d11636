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
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"orrery/core/config"
	"orrery/core/console"
	"orrery/core/engine"
	"orrery/core/framework"
	"orrery/core/leader"
	"orrery/core/usage"
	"orrery/core/whatif"
	"orrery/tui"
	"orrery/tui/term"
	"orrery/views/collect"
)

// consoleFlags are what can be said about a console.
type consoleFlags struct {
	connection
	schedule bool
	allow    bool
	theme    string
	wishes   term.Wishes
	fps      int
}

func consoleCommand(plugins framework.Registry) *cobra.Command {
	f := consoleFlags{}
	c := &cobra.Command{
		Use:   "console",
		Short: "Watch a cluster's scheduling, and decide beside its scheduler",
		Long: `Console opens a screen on a cluster. Orrery's engine sees what the cluster's scheduler sees, decides beside
it, and touches nothing: it reads only. The pane behind :agreement says how often the two agree, and why where they
do not. Give it the scheduler's configuration with --config, if that is not the default one.

With --schedule it stands for the scheduler's lease, and schedules while it has it.
With --allow-actions nodes can be cordoned and drained, and pods evicted, deleted, tried at once and freed of their gates.
Each is asked about first, beside what it would do.

It shows what may be read, and says which RBAC rules the rest takes. Who may read no more than one namespace is shown
that one: of --namespace, or of the context. :ctx watches another cluster, :ns one namespace.`,
		Example: `  orrery console
  orrery console --context staging -n shop
  orrery console --config scheduler.yaml
  orrery console --schedule --allow-actions`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c, plugins) },
	}
	flags := c.Flags()
	f.connection.flag(c, true)
	flags.BoolVar(&f.schedule, "schedule", false, "stand for the scheduler's lease, and schedule while it is had")
	flags.BoolVar(&f.allow, "allow-actions", false, "let the cluster be changed from the screen, each time after a question")
	flags.StringVar(&f.theme, "theme", "", "the colours: "+strings.Join(themeNames(), ", ")+", or a file")
	flags.StringVar(&f.wishes.Color, "color", "auto", "auto, always or never")
	flags.StringVar(&f.wishes.Glyphs, "glyphs", "auto", "auto, braille, block or ascii")
	flags.IntVar(&f.fps, "fps", 30, "frames a second at most, up to 60")
	_ = c.RegisterFlagCompletionFunc("theme", cobra.FixedCompletions(themeNames(), cobra.ShellCompDirectiveDefault))
	return c
}

// run shows a cluster on a screen; without a screen there is nothing to show it on.
func (f *consoleFlags) run(c *cobra.Command, plugins framework.Registry) error {
	facts, err := term.Detect(os.Environ(), os.Stdin, os.Stdout, f.wishes)
	if err != nil {
		return err
	}
	if facts.Refusal != "" {
		return fmt.Errorf("a console needs a terminal, and %s; without one, try orrery explain or orrery record", facts.Refusal)
	}
	theme, all, err := chosenTheme(f.theme)
	if err != nil {
		return err
	}
	if !f.configured(c) {
		return errNoKubeconfig
	}
	configuration, err := f.scheduler()
	if err != nil {
		return err
	}
	o, name, err := f.clusters(c, configuration, plugins)
	if err != nil {
		return err
	}
	// What client-go has to say would be written across the screen; what matters of it is in the header.
	klog.SetLogger(klog.Logger{})
	p := newProgress(c, "connecting to "+name)
	cluster, err := o.Open(c.Context(), name, "")
	p.done()
	if err != nil {
		return err
	}
	live := tui.NewLive(cluster, o)
	defer live.Close()
	return tui.Run(c.Context(), tui.Options{
		Source: live, Terminal: facts, Theme: theme, Themes: all, FPS: f.fps, Namespace: *f.flags.Namespace,
	})
}

// elsewhere are the flags that are about every context.
var elsewhere = []string{"kubeconfig", "as", "config"}

// clusters are those of the kubeconfig, and the name of the one to begin with.
func (f *consoleFlags) clusters(cmd *cobra.Command, c *config.Configuration, plugins framework.Registry) (o tui.LiveOptions, first string, err error) {
	raw, err := f.flags.ToRawKubeConfigLoader().RawConfig()
	if err != nil {
		return o, "", fmt.Errorf("reading the kubeconfig: %w", err)
	}
	o = tui.LiveOptions{Contexts: slices.Sorted(maps.Keys(raw.Contexts)), Schedule: f.schedule, Allow: f.allow}
	first = cmp.Or(*f.flags.Context, raw.CurrentContext)
	if first == "" && len(raw.Contexts) > 0 && *f.flags.APIServer == "" {
		return o, "", errors.New("the kubeconfig has no current context: say --context, one of " + strings.Join(o.Contexts, ", "))
	}
	own := first != "" // it is a context's, and not one of a pod's or of --server
	first = cmp.Or(first, "cluster")
	o.Open = func(ctx context.Context, name, namespace string) (*tui.Cluster, error) {
		flags := f.of(name, first)
		k, err := restConfig(flags)
		if err != nil {
			return nil, err
		}
		if namespace == "" {
			if namespace, _, err = flags.ToRawKubeConfigLoader().Namespace(); err != nil {
				return nil, fmt.Errorf("finding the context's namespace: %w", err)
			}
		}
		return f.open(ctx, name, namespace, k, c, plugins)
	}
	o.Again = func(name string) string {
		names := elsewhere
		if name == first {
			names = sameCluster
		}
		text := repeated(cmd, names)
		if name != first || own && !cmd.Flags().Changed("context") {
			text += "--context " + whatif.ShellWord(name) + " "
		}
		return text
	}
	return o, first, nil
}

// of are the flags for a context. What the command line says beside the context is about the first one, except as whom.
func (f *consoleFlags) of(name, first string) *genericclioptions.ConfigFlags {
	if name == first {
		return f.flags
	}
	other := genericclioptions.NewConfigFlags(true)
	other.KubeConfig, other.Context = f.flags.KubeConfig, &name
	other.Impersonate, other.ImpersonateUID = f.flags.Impersonate, f.flags.ImpersonateUID
	other.ImpersonateGroup, other.ImpersonateUserExtra = f.flags.ImpersonateGroup, f.flags.ImpersonateUserExtra
	return other
}

// restConfig is how to reach the cluster that flags name.
func restConfig(flags *genericclioptions.ConfigFlags) (*rest.Config, error) {
	k, err := flags.ToRESTConfig()
	if err != nil {
		return nil, fmt.Errorf("finding the API server: %w", err)
	}
	k = rest.CopyConfig(k)
	k.QPS, k.Burst = 50, 100 // as kube-scheduler: nobody has to be afraid of a console
	k.WarningHandler = rest.NoWarnings{}
	return k, nil
}

// open begins a session with a cluster, and a chronicle of it.
func (f *consoleFlags) open(ctx context.Context, name, namespace string, k *rest.Config, c *config.Configuration, plugins framework.Registry) (*tui.Cluster, error) {
	identity := ""
	if f.schedule {
		host, err := os.Hostname()
		if err != nil {
			return nil, fmt.Errorf("finding a name to stand for the lease under: %w", err)
		}
		identity = host + "_" + string(uuid.NewUUID())
	}
	reader, err := usage.New(usage.Options{KubeConfig: k})
	if err != nil {
		return nil, err
	}
	chronicle := collect.NewChronicle(collect.ChronicleOptions{Election: electionOf(c, identity)})
	session, err := console.Open(ctx, console.Options{
		KubeConfig: k, Namespace: namespace, Config: c, Plugins: plugins, Schedule: f.schedule, Allow: f.allow,
		Identity: identity, Seed: uint64(time.Now().UnixNano()),
		Observer: chronicle.Observer(), Witness: func(*engine.Engine) engine.Witness { return chronicle },
	})
	if err != nil {
		return nil, err
	}
	return &tui.Cluster{Name: name, Session: session, Chronicle: chronicle, Usage: reader}, nil
}

// electionOf is how the scheduler's leader is elected, by a configuration.
func electionOf(c *config.Configuration, identity string) leader.Settings {
	e, s := c.LeaderElection, leader.Defaults(identity)
	s.Namespace, s.Name = e.ResourceNamespace, e.ResourceName
	s.LeaseDuration, s.RenewDeadline, s.RetryPeriod = e.LeaseDuration.Duration, e.RenewDeadline.Duration, e.RetryPeriod.Duration
	return s
}
