package app

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"

	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/trace/attach"
	"orrery/core/trace/play"
	"orrery/tui"
)

// attachFlags are the flags of attach.
type attachFlags struct {
	connection
	schedulerTarget
	screen  screenFlags
	out     output
	since   time.Duration
	noReuse bool
}

func attachCommand(plugins framework.Registry) *cobra.Command {
	f := attachFlags{}
	c := &cobra.Command{
		Use:   "attach [TARGET]",
		Short: "Watch a scheduler that runs: the leader's own decisions, as they are made",
		Long: `Attach opens a screen on a running "orrery run". It shows the state of the scheduler itself, and every decision as it was
made; it can be paused, stepped and rewound as far as is held, asked what-if, and saved as a trace with :save NAME.orrery. Nothing is
changed in the cluster or the scheduler. When another replica leads it is followed there.

` + attachTargetHelp + `

Without a terminal, or with -o json or yaml, it prints the decisions, one in a line or a document, until it is stopped. It takes a
rule to get the nonResourceURL /debug/orrery/stream, and to create pods/portforward; docs/attach.md has them all.`,
		Example: `  orrery attach
  orrery attach -n orrery-system
  orrery attach --since 10m -o json | jq -r .at
  orrery attach https://10.0.0.7:10259`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, args []string) error {
			target := ""
			if len(args) > 0 {
				target = args[0]
			}
			return f.run(c, target, plugins)
		},
	}
	f.addUserFlags(c)
	_ = c.RegisterFlagCompletionFunc(clientcmd.FlagNamespace, completer{&target{connection: f.connection}, plugins}.namespaces)
	f.schedulerTarget.addFlags(c.Flags())
	f.screen.addFlags(c)
	c.Flags().DurationVar(&f.since, "since", time.Minute, "how much earlier than now to begin, as far as the scheduler's past reaches")
	addNoReuse(c.Flags(), &f.noReuse, "")
	f.out.addFlag(c)
	return c
}

func (f *attachFlags) run(c *cobra.Command, target string, plugins framework.Registry) error {
	o, err := f.screen.options()
	if err != nil {
		return err
	}
	if f.since < 0 {
		return fmt.Errorf("--since %v: it is how much earlier than now to begin, as in 10m", f.since)
	}
	from, err := f.connector(c, &f.connection, target, f.flags.overrides.Context.Namespace)
	if err != nil {
		return err
	}
	session := attach.Options{Connect: from.connect, Since: f.since}
	adjust := func(o *engine.Options) { o.Plugins, o.NoReuse = plugins, f.noReuse }
	if f.out.format != asText || o.Terminal.Refusal != "" {
		session.MaxBytes = printedBytes
		session.Play = func() play.Options { return play.Options{Adjust: adjust} }
		return f.print(c, session)
	}
	klog.SetLogger(klog.Logger{}) // keep client-go's log off the screen
	began := time.Now()
	o.Clock = func() time.Duration { return time.Since(began) }
	session.Play = tui.Followed(o.Clock, adjust)
	s, err := f.open(c, session)
	if err != nil {
		return err
	}
	defer s.Close()
	o.Source = tui.OpenAttached(s, time.Now)
	return tui.Run(c.Context(), o)
}

// open attaches, and says so while it takes time.
func (f *attachFlags) open(c *cobra.Command, o attach.Options) (*attach.Session, error) {
	p := newProgress(c, "attaching")
	defer p.done()
	defer collectLess()()
	connect := o.Connect
	o.Connect = func(ctx context.Context, since time.Duration) (*attach.Connection, error) {
		from, err := connect(ctx, since)
		if err == nil {
			p.update(func() string { return "restoring the state of " + from.Where })
		}
		return from, err
	}
	return attach.Open(c.Context(), o)
}
