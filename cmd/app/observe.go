package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apiserver/pkg/server/healthz"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/logs"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/klog/v2"

	"orrery/core/answers/shadow"
	"orrery/core/process/figures"
	"orrery/core/process/observe"
	"orrery/core/process/serving"
	"orrery/core/process/telemetry"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/trace/stream"
)

// observeFlags are the flags of observe.
type observeFlags struct {
	connection
	serving       *serving.Options
	logs          *logs.Options
	streamReaders int
	record        recordDirFlags
}

func observeCommand(plugins framework.Registry) *cobra.Command {
	f := &observeFlags{serving: serving.NewOptions(), logs: logs.NewOptions()}
	c := &cobra.Command{
		Use:   "observe",
		Short: "Keep what a cluster's scheduler does, for days, beside it",
		Long: `Observe runs for as long as the cluster does, beside its scheduler, whichever that is. Orrery's engine reads what the scheduler
reads, decides for itself, and writes nothing to the cluster. It needs no terminal, and no lease: several of them do not disturb each other.

It serves "orrery attach", with the screen and each question that has --attach; metrics; and health. /readyz and the metric
orrery_observe_up say so when it has lost the API server or does not keep up with the cluster, and so does the first line of the screens that
are attached.

With --record-dir what it saw and decided is recorded there, for as long as --record-max-age and --record-max-size say. The directory
can be given wherever a TRACE can, as in "orrery explain shop/web-0 --trace DIR --at 09:12:30". After a restart the recording names
the time that is missing.

Pass the scheduler's configuration with --config if it is not the default one. "orrery manifests --observe" prints a Deployment
with exactly the necessary rights. On SIGTERM it ends the recording and exits with 0.
` + signalHelp,
		Example: `  orrery manifests --observe | kubectl apply -f -
  orrery observe --record-dir /var/lib/orrery
  orrery observe --context staging --config scheduler.yaml --secure-port 0`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(c *cobra.Command, _ []string) error { return f.run(c, plugins) },
	}
	f.connection.addFlags(c, false)
	var sets cliflag.NamedFlagSets
	f.serving.AddFlags(&sets)
	logsapi.AddFlags(f.logs, sets.FlagSet("logs"))
	f.record.addTo(sets.FlagSet("recording"), "")
	sets.FlagSet("recording").IntVar(&f.streamReaders, streamReadersFlag, stream.DefaultMaxReaders, "The most readers that may be attached. 0 serves none.")
	for _, set := range sets.FlagSets {
		c.Flags().AddFlagSet(set)
	}
	return c
}

func (f *observeFlags) run(c *cobra.Command, plugins framework.Registry) error {
	if err := f.validate(); err != nil {
		return err
	}
	limitVerbosity(f.logs)
	streams := &logsapi.LoggingOptions{ErrorStream: c.ErrOrStderr(), InfoStream: c.OutOrStdout()}
	if err := logsapi.ValidateAndApplyWithOptions(f.logs, streams, nil); err != nil {
		return err
	}
	logs.InitLogs()
	defer logs.FlushLogs()
	if !f.configured(c) {
		return errNoKubeconfig
	}
	f.onlyReads = true
	from, err := f.open(c, 0)
	if err != nil {
		return err
	}
	configuration, err := f.schedulerOf(c, from)
	if err != nil {
		return err
	}
	identity, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("naming the observer: %w", err)
	}
	ctx, stop := signalContext()
	defer stop()
	own, overdue := figures.New(configuration.Features, func() bool { return true }), &telemetry.Own{}
	asking, answered := f.answerContext(ctx, c)
	b, err := observe.Open(asking, observe.Options{
		KubeConfig: from.config, Config: configuration, Plugins: plugins, Identity: printable.Line(identity, 120), Seed: uint64(time.Now().UnixNano()),
		Record: f.record.options("orrery observe"), Logger: klog.Background(),
		Instruments: observe.Instruments{
			Prepare: func(o *engine.Options) { o.Listener = own.Listener(nil, overdue.Moved) }, Observer: own.Of,
			Refresh: func(e *engine.Engine, c *shadow.Comparator) {
				own.Refresh(e, c)
				overdue.Refresh(e)
			},
		},
	})
	answered()
	if err != nil {
		return orNoAnswer(err)
	}
	for _, u := range b.Unreadable() {
		if slices.Contains(optionalKinds, u.Kind) && !u.Forbidden {
			continue // few API servers serve it, and nothing is missing where it is not
		}
		klog.InfoS("A kind is not read", "kind", u.Kind, "forbidden", u.Forbidden, "means", consequenceOf(u.Kind))
	}
	legacyregistry.RawMustRegister(append(b.Collectors(), own, overdue)...)
	tuneGC()
	klog.InfoS("Starting Orrery beside the cluster's scheduler", "version", version(), "cluster", from.name, "server", from.server, "kubernetes", configuration.Features.Release().String())
	stopComparing, err := onServerVersion(ctx, from.config, configuration.Features.Release(), klog.Background())
	if err != nil {
		return err
	}
	defer stopComparing()
	return f.serveAndRun(ctx, b, configuration)
}

func (f *observeFlags) validate() error {
	errs := append(f.serving.Validate(), f.record.validate()...)
	if f.streamReaders < 0 {
		errs = append(errs, fmt.Errorf("--%s %d must not be negative; 0 serves none", streamReadersFlag, f.streamReaders))
	}
	return errors.Join(errs...)
}

// serveAndRun serves the endpoints while it observes.
func (f *observeFlags) serveAndRun(ctx context.Context, b *observe.Observer, c *config.Configuration) error {
	server, err := f.serving.Open()
	if err != nil {
		return err
	}
	readers := stream.NewServer(b, version(), f.streamReaders, klog.Background())
	legacyregistry.RawMustRegister(readers)
	if server != nil {
		legacyregistry.RawMustRegister(server)
		server.Start(observerEndpoints(ctx, b, c, readers))
		defer server.Stop()
	}
	defer onUSR2(ctx, b)()
	err = b.Run(ctx)
	end := "the observer was told to stop"
	if err != nil {
		end = "the observer stopped because of an error"
	}
	readers.End(end)
	return err
}

func observerEndpoints(ctx context.Context, b *observe.Observer, c *config.Configuration, readers *stream.Server) *serving.Endpoints {
	keepsUp := serving.Check{CheckName: "keeps-up", Func: b.Health}
	return &serving.Endpoints{
		Config: c, Leading: b.Leading, Stream: readers,
		Healthz: []healthz.HealthChecker{keepsUp},
		Readyz:  []healthz.HealthChecker{serving.ShutdownCheck(ctx), serving.Check{CheckName: "sched-handler-sync", Func: b.Synced}, keepsUp},
	}
}
