package app

import (
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
	"orrery/tui"
	"orrery/tui/term"
	"orrery/views/collect"
)

// consoleFlags are what can be said about a console.
type consoleFlags struct {
	kube     *genericclioptions.ConfigFlags
	config   string
	schedule bool
	allow    bool
	theme    string
	wishes   term.Wishes
	fps      int
}

func consoleCommand(plugins framework.Registry) *cobra.Command {
	f := consoleFlags{kube: genericclioptions.NewConfigFlags(true)}
	c := &cobra.Command{
		Use:   "console",
		Short: "Watch a cluster's scheduling, and decide beside its scheduler",
		Long: `Console opens a screen on a cluster. Orrery's engine sees what the cluster's scheduler sees, decides beside
it, and touches nothing: it reads only. The pane behind :agreement says how often the two agree, and why where they
do not. Give it the scheduler's configuration with --config, if that is not the default one.

With --schedule it stands for the scheduler's lease, and schedules while it has it.
With --allow-actions nodes can be cordoned and drained, and pods evicted, deleted, tried at once and freed of their gates.
Each is asked about first, beside what it would do.

It shows what may be read, and says which RBAC rules the rest takes. :ctx watches another cluster, :ns one namespace.`,
		Example: `  orrery console
  orrery console --context staging -n shop
  orrery console --config scheduler.yaml
  orrery console --schedule --allow-actions`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c, plugins) },
	}
	flags := c.Flags()
	f.kube.AddFlags(flags)
	flags.StringVar(&f.config, "config", "", "the cluster's scheduler's KubeSchedulerConfiguration, from a file")
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
	configuration := config.Default(config.DefaultFeatures())
	if f.config != "" {
		if configuration, err = readConfig(f.config); err != nil {
			return err
		}
	}
	o, name, err := f.clusters(configuration, plugins)
	if err != nil {
		return err
	}
	// What client-go has to say would be written across the screen; what matters of it is in the header.
	klog.SetLogger(klog.Logger{})
	p := newProgress(c, "connecting to "+name)
	cluster, err := o.Open(c.Context(), name)
	p.done()
	if err != nil {
		return err
	}
	live := tui.NewLive(cluster, o)
	defer live.Close()
	return tui.Run(c.Context(), tui.Options{
		Source: live, Terminal: facts, Theme: theme, Themes: all, FPS: f.fps, Namespace: *f.kube.Namespace,
	})
}

// clusters are those of the kubeconfig, and the name of the one to begin with.
func (f *consoleFlags) clusters(c *config.Configuration, plugins framework.Registry) (o tui.LiveOptions, current string, err error) {
	raw, err := f.kube.ToRawKubeConfigLoader().RawConfig()
	if err != nil {
		return o, "", fmt.Errorf("reading the kubeconfig: %w", err)
	}
	o = tui.LiveOptions{Contexts: slices.Sorted(maps.Keys(raw.Contexts)), Schedule: f.schedule, Allow: f.allow}
	first := raw.CurrentContext
	if *f.kube.Context != "" {
		first = *f.kube.Context
	}
	o.Open = func(ctx context.Context, name string) (*tui.Cluster, error) {
		k, err := f.kubeConfig(name, first)
		if err != nil {
			return nil, err
		}
		return f.open(ctx, name, k, c, plugins)
	}
	if first == "" && len(raw.Contexts) > 0 && *f.kube.APIServer == "" {
		return o, "", errors.New("the kubeconfig has no current context: say --context, one of " + strings.Join(o.Contexts, ", "))
	}
	if first == "" {
		first = "cluster" // within one, or by --server
	}
	return o, first, nil
}

// kubeConfig is how to reach a context's cluster. What the command line says beside the context is about the first one.
func (f *consoleFlags) kubeConfig(name, first string) (*rest.Config, error) {
	kube := f.kube
	if name != first && first != "" {
		kube = genericclioptions.NewConfigFlags(true)
		kube.KubeConfig, kube.Context = f.kube.KubeConfig, &name
		kube.Impersonate, kube.ImpersonateGroup, kube.ImpersonateUID = f.kube.Impersonate, f.kube.ImpersonateGroup, f.kube.ImpersonateUID
	}
	k, err := kube.ToRESTConfig()
	if err != nil {
		return nil, fmt.Errorf("finding the API server: %w", err)
	}
	k = rest.CopyConfig(k)
	k.QPS, k.Burst = 50, 100 // as kube-scheduler: nobody has to be afraid of a console
	k.WarningHandler = rest.NoWarnings{}
	return k, nil
}

// open begins a session with a cluster, and a chronicle of it.
func (f *consoleFlags) open(ctx context.Context, name string, k *rest.Config, c *config.Configuration, plugins framework.Registry) (*tui.Cluster, error) {
	identity := ""
	if f.schedule {
		host, err := os.Hostname()
		if err != nil {
			return nil, fmt.Errorf("finding a name to stand for the lease under: %w", err)
		}
		identity = host + "_" + string(uuid.NewUUID())
	}
	chronicle := collect.NewChronicle(collect.ChronicleOptions{Election: electionOf(c, identity)})
	session, err := console.Open(ctx, console.Options{
		KubeConfig: k, Config: c, Plugins: plugins, Schedule: f.schedule, Identity: identity, Seed: uint64(time.Now().UnixNano()),
		Observer: chronicle.Observer(), Witness: func(*engine.Engine) engine.Witness { return chronicle },
	})
	if err != nil {
		return nil, err
	}
	return &tui.Cluster{Name: name, Session: session, Chronicle: chronicle}, nil
}

// electionOf is how the scheduler's leader is elected, by a configuration.
func electionOf(c *config.Configuration, identity string) leader.Settings {
	e, s := c.LeaderElection, leader.Defaults(identity)
	s.Namespace, s.Name = e.ResourceNamespace, e.ResourceName
	s.LeaseDuration, s.RenewDeadline, s.RetryPeriod = e.LeaseDuration.Duration, e.RenewDeadline.Duration, e.RetryPeriod.Duration
	return s
}
