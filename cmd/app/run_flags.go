package app

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	cliflag "k8s.io/component-base/cli/flag"
	componentbaseconfig "k8s.io/component-base/config"
	electionflags "k8s.io/component-base/config/options"
	"k8s.io/component-base/featuregate"
	"k8s.io/component-base/logs"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/component-base/metrics"
	"k8s.io/klog/v2"

	"orrery/core/config"
	"orrery/core/replica"
	"orrery/core/serving"
)

// runFlags are kube-scheduler's flags, and few of our own.
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

	gates             []string
	emulated, minimum []string

	controllers []string
}

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
	misc.StringSliceVar(&f.controllers, "controllers", nil,
		"Controllers to run beside the scheduler, under its lease: "+replica.TaintEviction+
			", for clusters whose kube-controller-manager runs without its taint-eviction-controller. (Orrery only)")
	f.serving.AddFlags(&f.sets)
	f.addDeprecated()
	electionflags.BindLeaderElectionFlags(&f.election, f.sets.FlagSet("leader election"))
	f.addGates()
	f.metrics.AddFlags(f.sets.FlagSet("metrics"))
	logsapi.AddFlags(f.logs, f.sets.FlagSet("logs"))
	return f
}

// addDeprecated adds the flags that the configuration file has taken over, in kube-scheduler's words.
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
		"The Kubernetes version to behave like. Orrery behaves like "+kubernetes+", and takes no other.")
	set.StringSliceVar(&f.minimum, "min-compatibility-version", nil,
		"The oldest version of control plane components to expect in the cluster. Nothing depends on it.")
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

// features are the gates the flags ask for, and of those the ones that logging reads.
func (f *runFlags) features() (config.Features, featuregate.FeatureGate, error) {
	gates := featuregate.NewFeatureGate()
	if err := logsapi.AddFeatureGates(gates); err != nil {
		return config.Features{}, nil, fmt.Errorf("setting up feature gates: %w", err)
	}
	ofLogging := gates.GetAll()
	features, err := config.ParseFeatureFlag(f.gates...)
	if err != nil {
		return config.Features{}, nil, fmt.Errorf("--feature-gates: %w", err)
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

// validate says what is wrong with the flags that no configuration is made of.
func (f *runFlags) validate() []error {
	errs := append(f.serving.Validate(), f.metrics.Validate()...)
	for _, version := range f.emulated {
		if strings.TrimPrefix(version, "kube=") != kubernetes {
			errs = append(errs, fmt.Errorf("--emulated-version: %q: Orrery behaves like %s and like no other version", version, kubernetes))
		}
	}
	return errs
}

// configuration is the file's, or the default, with the flags on top that may change it.
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
	data, err := os.ReadFile(f.configFile)
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

// overlay sets what a flag was given for.
func overlay[T any](set *pflag.FlagSet, flag string, to *T, value T) {
	if set.Changed(flag) {
		*to = value
	}
}
