package app

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	cliflag "k8s.io/component-base/cli/flag"
	componentbaseconfig "k8s.io/component-base/config"
	"k8s.io/component-base/featuregate"
	"k8s.io/component-base/logs"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/component-base/metrics"
	"k8s.io/klog/v2"

	"orrery/core/process/replica"
	"orrery/core/process/serving"
	"orrery/core/safe/files"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/queue"
	modelled "orrery/core/scheduler/release"
	"orrery/core/trace/stream"
)

// runFlags are kube-scheduler's flags and Orrery's own.
type runFlags struct {
	sets cliflag.NamedFlagSets

	configFile, writeConfigTo, master string

	serving  *serving.Options
	metrics  *metrics.Options
	logs     *logs.Options
	election componentbaseconfig.LeaderElectionConfiguration

	profiling, contention bool
	client                componentbaseconfig.ClientConnectionConfiguration
	maxInUnschedulable    time.Duration
	requeueRule           queue.RequeueRule

	gates             []string
	emulated, minimum []string

	controllers   []string
	strictLease   bool
	noReuse       bool
	streamReaders int
	record        recordDirFlags
}

const streamReadersFlag = "stream-max-readers"

// controllersUsage describes --controllers of run and manifests.
const controllersUsage = "Controllers to run with the scheduler, under its lease, for clusters whose kube-controller-manager runs without them: " +
	replica.TaintEviction + " evicts pods from tainted nodes, " + replica.DeviceTaintEviction + " from tainted devices"

func newRunFlags() *runFlags {
	f := &runFlags{
		serving: serving.NewOptions(), metrics: metrics.NewOptions(), logs: logs.NewOptions(),
		election: componentbaseconfig.LeaderElectionConfiguration{
			LeaderElect: true, ResourceLock: "leases", ResourceName: "kube-scheduler", ResourceNamespace: metav1.NamespaceSystem,
			LeaseDuration: metav1.Duration{Duration: 15 * time.Second},
			RenewDeadline: metav1.Duration{Duration: 10 * time.Second},
			RetryPeriod:   metav1.Duration{Duration: 2 * time.Second},
		},
	}
	misc := f.sets.FlagSet("misc")
	misc.StringVar(&f.configFile, "config", "", "The path to the configuration file.")
	misc.StringVar(&f.writeConfigTo, "write-config-to", "", "If set, write the configuration values to this file and exit.")
	misc.StringVar(&f.master, "master", "", "The address of the Kubernetes API server (overrides any value in kubeconfig)")
	hideAddress(misc, "master")
	misc.StringSliceVar(&f.controllers, "controllers", nil,
		controllersUsage+". (Orrery only)")
	addNoReuse(misc, &f.noReuse, " (Orrery only)")
	addRequeueRule(misc, &f.requeueRule, requeueRuleUsage+". (Orrery only)")
	misc.IntVar(&f.streamReaders, streamReadersFlag, stream.DefaultMaxReaders,
		"The most readers that may follow the scheduler at "+stream.Path+". 0 serves none. (Orrery only)")
	f.record.addTo(f.sets.FlagSet("recording"), " (Orrery only)")
	f.serving.AddFlags(&f.sets)
	f.addDeprecated()
	f.addElection()
	f.addGates()
	f.metrics.AddFlags(f.sets.FlagSet("metrics"))
	logsapi.AddFlags(f.logs, f.sets.FlagSet("logs"))
	return f
}

// addElection adds the flags of leader election, which override a configuration file.
func (f *runFlags) addElection() {
	set, e := f.sets.FlagSet("leader election"), &f.election
	set.BoolVar(&e.LeaderElect, "leader-elect", e.LeaderElect, "Elect a leader among the replicas; only that one schedules.")
	set.DurationVar(&e.LeaseDuration.Duration, "leader-elect-lease-duration", e.LeaseDuration.Duration,
		"How long the other replicas wait after the last renewal of the lease before one of them takes over.")
	set.DurationVar(&e.RenewDeadline.Duration, "leader-elect-renew-deadline", e.RenewDeadline.Duration,
		"How long a leader tries to renew the lease before it stops leading. Must be less than the lease duration.")
	set.DurationVar(&e.RetryPeriod.Duration, "leader-elect-retry-period", e.RetryPeriod.Duration, "The time between two tries to acquire or renew the lease.")
	set.BoolVar(&f.strictLease, "leader-elect-strict", false,
		"Stop leading a renew deadline after the last renewal, and not a retry period later: for clocks that run at different speeds. (Orrery only)")
	set.StringVar(&e.ResourceLock, "leader-elect-resource-lock", e.ResourceLock, "The kind of the lock: only 'leases' is supported.")
	set.StringVar(&e.ResourceName, "leader-elect-resource-name", e.ResourceName, "The name of the lease.")
	set.StringVar(&e.ResourceNamespace, "leader-elect-resource-namespace", e.ResourceNamespace, "The namespace of the lease.")
}

// addDeprecated adds the flags that the configuration file has replaced, with kube-scheduler's help.
func (f *runFlags) addDeprecated() {
	const ignored = " This parameter is ignored if a config file is specified in --config."
	set := f.sets.FlagSet("deprecated")
	set.BoolVar(&f.profiling, "profiling", true, "DEPRECATED: enable profiling via web interface host:port/debug/pprof/."+ignored)
	set.BoolVar(&f.contention, "contention-profiling", true, "DEPRECATED: enable block profiling, if profiling is enabled."+ignored)
	set.StringVar(&f.client.Kubeconfig, "kubeconfig", "", "DEPRECATED: path to kubeconfig file with authorization and master location information."+ignored)
	set.StringVar(&f.client.ContentType, "kube-api-content-type", "application/vnd.kubernetes.protobuf", "DEPRECATED: content type of requests sent to apiserver."+ignored)
	set.Float32Var(&f.client.QPS, "kube-api-qps", 50, "DEPRECATED: QPS to use while talking with kubernetes apiserver."+ignored)
	set.Int32Var(&f.client.Burst, "kube-api-burst", 100, "DEPRECATED: burst to use while talking with kubernetes apiserver."+ignored)
	set.DurationVar(&f.maxInUnschedulable, unschedulableFlag, 5*time.Minute,
		"DEPRECATED: the maximum time a pod can stay in unschedulablePods. If a pod stays in unschedulablePods for longer than "+
			"this value, the pod will be moved from unschedulablePods to backoffQ or activeQ.")
}

func (f *runFlags) addGates() {
	set := f.sets.FlagSet("feature gate")
	set.StringSliceVar(&f.gates, "feature-gates", nil,
		"Comma-separated list of component:key=value pairs that describe feature gates for alpha/experimental features.\n"+
			"If the component is not specified, defaults to \"kube\". Options are:\n"+gateHelp())
	set.StringSliceVar(&f.emulated, "emulated-version", nil,
		"The Kubernetes version to behave like, as in 1.36 or kube=1.36: from "+modelled.Oldest.String()+", the default, to "+modelled.Newest.String()+".")
	set.StringSliceVar(&f.minimum, "min-compatibility-version", nil,
		"The oldest version of control plane components to expect in the cluster. The default is the version before the emulated one.")
}

func gateHelp() string {
	var lines []string
	for _, gate := range config.DefaultFeatures().List() {
		if gate.Stage == config.Alpha || gate.Stage == config.Beta {
			lines = append(lines, fmt.Sprintf("kube:%s=true|false (%s - default=%t)", gate.Name, gate.Stage, gate.Default))
		}
	}
	return strings.Join(lines, "\n")
}

// features returns the feature gates, and separately those for logging.
func (f *runFlags) features() (config.Features, featuregate.FeatureGate, error) {
	gates := featuregate.NewFeatureGate()
	if err := logsapi.AddFeatureGates(gates); err != nil {
		return config.Features{}, nil, fmt.Errorf("setting up feature gates: %w", err)
	}
	ofLogging := gates.GetAll()
	r, err := f.release()
	if err != nil {
		return config.Features{}, nil, err
	}
	features, err := config.ParseFeatureFlagOf(r, f.gates...)
	if err != nil {
		return config.Features{}, nil, fmt.Errorf("--feature-gates: %w", err)
	}
	if err := f.checkMinimum(features); err != nil {
		return config.Features{}, nil, err
	}
	for _, gate := range features.List() {
		if _, ok := ofLogging[gate.Name]; ok && gate.Enabled != gate.Default {
			if err := gates.SetFromMap(map[string]bool{string(gate.Name): gate.Enabled}); err != nil {
				return config.Features{}, nil, fmt.Errorf("--feature-gates: %w", err)
			}
		}
	}
	return features, gates, nil
}

// validate checks the flags that are not part of the configuration.
func (f *runFlags) validate() []error {
	errs := append(f.serving.Validate(), f.validateMetrics()...)
	errs = append(errs, f.record.validate()...)
	if f.streamReaders < 0 {
		errs = append(errs, fmt.Errorf("--%s %d must not be negative; 0 serves none", streamReadersFlag, f.streamReaders))
	}
	return errs
}

// configuration returns the file's configuration or the default one, with the flags applied.
func (f *runFlags) configuration(features config.Features) (*config.Configuration, error) {
	c, err := f.baseConfiguration(features)
	if err != nil {
		return nil, err
	}
	f.warnOfDeprecated()
	if f.configFile == "" {
		f.overlayDeprecated(c)
	}
	f.overlayElection(c)
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return c, nil
}

func (f *runFlags) baseConfiguration(features config.Features) (*config.Configuration, error) {
	if f.configFile == "" {
		return config.Default(features), nil
	}
	data, err := files.Read(f.configFile, config.MaxBytes)
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	return config.LoadNamed(f.configFile, data, features)
}

const unschedulableFlag = "pod-max-in-unschedulable-pods-duration"

func (f *runFlags) warnOfDeprecated() {
	f.sets.FlagSet("deprecated").VisitAll(func(flag *pflag.Flag) {
		switch {
		case !flag.Changed:
		case f.configFile != "" && flag.Name != unschedulableFlag:
			klog.InfoS("A deprecated flag is ignored because there is a configuration file", "flag", "--"+flag.Name, "file", f.configFile)
		default:
			klog.InfoS("A flag is deprecated: set it in the configuration file", "flag", "--"+flag.Name)
		}
	})
}

func (f *runFlags) overlayDeprecated(c *config.Configuration) {
	set := f.sets.FlagSet("deprecated")
	overlay(set, "profiling", &c.EnableProfiling, f.profiling)
	overlay(set, "contention-profiling", &c.EnableContentionProfiling, f.contention)
	overlay(set, "kubeconfig", &c.ClientConnection.Kubeconfig, f.client.Kubeconfig)
	overlay(set, "kube-api-content-type", &c.ClientConnection.ContentType, f.client.ContentType)
	overlay(set, "kube-api-qps", &c.ClientConnection.QPS, f.client.QPS)
	overlay(set, "kube-api-burst", &c.ClientConnection.Burst, f.client.Burst)
}

func (f *runFlags) overlayElection(c *config.Configuration) {
	set := f.sets.FlagSet("leader election")
	e := &c.LeaderElection
	overlay(set, "leader-elect", &e.LeaderElect, &f.election.LeaderElect)
	overlay(set, "leader-elect-lease-duration", &e.LeaseDuration, f.election.LeaseDuration)
	overlay(set, "leader-elect-renew-deadline", &e.RenewDeadline, f.election.RenewDeadline)
	overlay(set, "leader-elect-retry-period", &e.RetryPeriod, f.election.RetryPeriod)
	overlay(set, "leader-elect-resource-lock", &e.ResourceLock, f.election.ResourceLock)
	overlay(set, "leader-elect-resource-name", &e.ResourceName, f.election.ResourceName)
	overlay(set, "leader-elect-resource-namespace", &e.ResourceNamespace, f.election.ResourceNamespace)
}

// overlay sets a value if its flag was given.
func overlay[T any](set *pflag.FlagSet, flag string, to *T, value T) {
	if set.Changed(flag) {
		*to = value
	}
}
