package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apiserver/pkg/server/healthz"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/logs"
	logsapi "k8s.io/component-base/logs/api/v1"
	_ "k8s.io/component-base/logs/json/register" // --logging-format=json
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/klog/v2"

	"orrery/core/answers/review"
	"orrery/core/process/figures"
	"orrery/core/process/replica"
	"orrery/core/process/serving"
	"orrery/core/safe/address"
	"orrery/core/safe/files"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/trace/stream"
)

func runCommand(plugins framework.Registry) *cobra.Command {
	return runCommandOf(newRunFlags(), plugins)
}

func runCommandOf(f *runFlags, plugins framework.Registry) *cobra.Command {
	c := &cobra.Command{
		Use:   "run",
		Short: "Schedule the pods of a cluster, next to kube-scheduler or in its place",
		Long: `Run schedules the pods of a cluster. It takes kube-scheduler's flags, configuration and feature gates,
takes part in leader election for the same lease, and serves the same endpoints on port 10259, so that it can
replace it.

On SIGTERM it makes no new decision, lets bindings in flight end, and releases the lease.
` + signalHelp + `

With --record-dir all that it is told and decides is recorded there, for as long as --record-max-age and --record-max-size
say. The directory can be given wherever a TRACE can, as in "orrery explain shop/web-0 --trace DIR --at 09:12:30". A disk
that is full, fails or hangs stops the recording, and never the scheduling.

Exit codes are kube-scheduler's: 0 after SIGTERM, 1 for everything else, a lost lease included. Without leader election
it is 1 after SIGTERM too, with "finished without leader elect".`,
		Example: `  orrery run --config scheduler.yaml
  orrery run --config scheduler.yaml --record-dir /var/lib/orrery
  orrery run --kubeconfig ~/.kube/config --leader-elect=false --secure-port 0`,
		Args: func(c *cobra.Command, args []string) error {
			for _, arg := range args {
				if arg != "" {
					return flagError(c, fmt.Errorf("%q does not take any arguments, got %q", c.CommandPath(), args))
				}
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error {
			logs.InitLogs()
			defer logs.FlushLogs()
			return logError(f.run(c, plugins))
		},
	}
	c.Version = version()
	c.SetVersionTemplate("orrery {{.Version}}\n")
	c.SetGlobalNormalizationFunc(cliflag.WordSepNormalizeFunc)
	c.SetFlagErrorFunc(flagError)
	for _, set := range f.sets.FlagSets {
		c.Flags().AddFlagSet(set)
	}
	var groups []flagGroup
	for _, name := range f.sets.Order {
		groups = append(groups, flagGroup{strings.ToUpper(name[:1]) + name[1:] + " flags", f.sets.FlagSets[name]})
	}
	c.SetHelpFunc(func(c *cobra.Command, _ []string) { fmt.Fprint(c.OutOrStdout(), helpText(c, groups)) })
	return c
}

// flagError prints an error of the flags. It ends with kube-scheduler's exit code, not with that of the other commands.
func flagError(c *cobra.Command, err error) error {
	fmt.Fprintf(c.ErrOrStderr(), "Error: %s\n", address.ErrorText(describeFlagError(err)))
	return errNo
}

// logError logs an error.
func logError(err error) error {
	if err == nil {
		return nil
	}
	klog.ErrorS(errors.New(address.ErrorText(err)), "command failed")
	return errNo
}

func (f *runFlags) run(c *cobra.Command, plugins framework.Registry) error {
	features, gates, err := f.features()
	if err != nil {
		return err
	}
	streams := &logsapi.LoggingOptions{ErrorStream: c.ErrOrStderr(), InfoStream: c.OutOrStdout()}
	limited := limitVerbosity(f.logs)
	if err := logsapi.ValidateAndApplyWithOptions(f.logs, streams, gates); err != nil {
		return err
	}
	if limited {
		klog.InfoS("The log's level is limited: above it are the contents of requests and responses, with what pods keep secret", "level", serving.MaxVerbosity)
	}
	cliflag.PrintFlags(c.Flags())
	if err := errors.Join(f.validate()...); err != nil {
		return err
	}
	configuration, err := f.configuration(features)
	if err != nil {
		return err
	}
	if f.writeConfigTo != "" {
		return f.writeConfig(configuration, plugins)
	}
	kubeConfig, err := f.kubeConfig(configuration)
	if err != nil {
		return err
	}
	f.applyMetrics()
	o := f.replicaOptions(configuration, plugins, kubeConfig)
	oldest, err := f.minCompatibility(features.Release())
	if err != nil {
		return err
	}
	var r *replica.Replica
	own := figures.New(features, func() bool { return r.Leading() })
	o.Instruments = withFigures(newInstruments(features, oldest.String()), own)
	if r, err = replica.New(o); err != nil {
		return err
	}
	legacyregistry.RawMustRegister(append(r.Collectors(), own)...)
	if text, err := configuration.YAML(); err == nil {
		klog.V(2).InfoS("Using component config", "config", string(text))
	}
	tuneGC()
	klog.InfoS("Starting Orrery", "version", version(), "kubernetes", features.Release().String())
	if gates := features.Changed(); len(gates) > 0 {
		klog.InfoS("Feature gates differ from their defaults", "gates", strings.Join(gates, ","))
	}
	for _, idle := range review.IdleGates(features) {
		klog.InfoS("A feature gate has no effect", "why", idle)
	}
	ctx, stop := signalContext()
	defer stop()
	stopComparing, err := onServerVersion(ctx, kubeConfig, features.Release(), klog.Background())
	if err != nil {
		return err
	}
	defer stopComparing()
	return f.serveAndRun(ctx, r, configuration)
}

// limitVerbosity limits the levels of the log, and reports whether one was higher.
func limitVerbosity(l *logs.Options) (limited bool) {
	limit := func(level *logsapi.VerbosityLevel) {
		if *level > serving.MaxVerbosity {
			*level, limited = serving.MaxVerbosity, true
		}
	}
	limit(&l.Verbosity)
	for i := range l.VModule {
		limit(&l.VModule[i].Verbosity)
	}
	return limited
}

// tuneGC saves memory at the cost of CPU time, of which scheduling takes little: decisions whose pods are not bound yet
// soon become garbage. With 5,000 nodes and 10,000 pods the peak is 276 MiB, instead of 306 at 75 and 323 at 100, for a tenth more CPU time
// than at 100 at most. GOGC in the environment has precedence.
func tuneGC() {
	const percent = 50
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

func (f *runFlags) replicaOptions(c *config.Configuration, plugins framework.Registry, k *rest.Config) replica.Options {
	return replica.Options{
		Config: c, Plugins: plugins, KubeConfig: k, MaxInUnschedulable: f.maxInUnschedulable,
		RequeueRule: f.requeueRule, Controllers: f.controllers, StrictLease: f.strictLease, NoReuse: f.noReuse, Seed: uint64(time.Now().UnixNano()), Logger: klog.Background(),
		Record: f.record.options("orrery run"),
	}
}

// serveAndRun serves the endpoints while the replica runs.
func (f *runFlags) serveAndRun(ctx context.Context, r *replica.Replica, c *config.Configuration) error {
	server, err := f.serving.Open()
	if err != nil {
		return err
	}
	readers := stream.NewServer(r, version(), f.streamReaders, klog.Background())
	legacyregistry.RawMustRegister(readers)
	if server != nil {
		legacyregistry.RawMustRegister(server)
		server.Start(f.endpoints(ctx, r, c, readers))
		defer server.Stop()
	}
	defer onUSR2(ctx, r)()
	err = r.Run(ctx)
	readers.End(streamEnd(err))
	return err
}

// streamEnd tells the stream's readers why the scheduler ended.
func streamEnd(err error) string {
	switch {
	case err == nil, errors.Is(err, replica.ErrNoElection):
		return "the scheduler was told to stop"
	case errors.Is(err, replica.ErrLostLease):
		return "the scheduler lost its lease"
	}
	return "the scheduler stopped because of an error"
}

func (f *runFlags) endpoints(ctx context.Context, r *replica.Replica, c *config.Configuration, readers http.Handler) *serving.Endpoints {
	e := &serving.Endpoints{Config: c, Flags: &f.sets, Leading: r.Leading, Resources: podResources(r), Stream: readers}
	if *c.LeaderElection.LeaderElect {
		e.Healthz, e.Readyz = []healthz.HealthChecker{r.Health()}, []healthz.HealthChecker{r.Health()}
	}
	e.Readyz = append(e.Readyz, serving.ShutdownCheck(ctx), serving.Check{CheckName: "sched-handler-sync", Func: r.Synced})
	if candidacy := r.Candidacy(); candidacy != nil {
		e.Readyz = append(e.Readyz, healthz.NewInformerSyncHealthz(candidacy))
	}
	return e
}

// writeConfig writes the configuration after checking that a scheduler accepts it.
func (f *runFlags) writeConfig(c *config.Configuration, plugins framework.Registry) error {
	if _, err := replica.New(f.replicaOptions(c, plugins, &rest.Config{})); err != nil {
		return err
	}
	text, err := c.YAMLWithSecrets()
	if err != nil {
		return fmt.Errorf("writing the configuration: %w", err)
	}
	file, err := files.CreatePrivate(f.writeConfigTo, true) // kube-scheduler replaces it too, and has no --force
	if err != nil {
		return err
	}
	if err := file.WriteAll(text); err != nil {
		return err
	}
	klog.InfoS("Wrote configuration", "file", f.writeConfigTo)
	return nil
}

func (f *runFlags) kubeConfig(c *config.Configuration) (*rest.Config, error) {
	connection := c.ClientConnection
	if err := checkKubeconfigs(connection.Kubeconfig); err != nil {
		return nil, err
	}
	k, err := clientcmd.BuildConfigFromFlags(f.master, connection.Kubeconfig)
	if clientcmd.IsEmptyConfig(err) {
		return nil, errors.New("finding the API server: this is no pod of a cluster, and as with kube-scheduler $KUBECONFIG is not read: name a file with --kubeconfig, or with clientConnection.kubeconfig in that of --config")
	}
	if err != nil {
		return nil, fmt.Errorf("finding the API server: %w", err)
	}
	if err := address.MoveCredentials(k); err != nil {
		return nil, fmt.Errorf("finding the API server: %w", err)
	}
	k.DisableCompression = true
	k.AcceptContentTypes, k.ContentType = connection.AcceptContentTypes, connection.ContentType
	k.QPS, k.Burst = connection.QPS, int(connection.Burst)
	return k, nil
}
