package scenario

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"orrery/core/evict/pressure"
	"orrery/core/safe/files"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/queue"
	"orrery/demo/scenario/expect"
	"orrery/demo/scenario/strict"
)

// Scenario is a cluster's story, ready to be played any number of times, always the same way.
type Scenario struct {
	// Name is that of the file, without its folder and its extension.
	Name string
	// Title and Description are for people.
	Title, Description string
	// Length is the duration of the scenario from Start on.
	Length time.Duration
	Start  time.Time
	// Warmup is the time that the cluster runs before Start.
	Warmup time.Duration
	// OnCluster is true if the recording is made on a real API server and not in a simulation.
	OnCluster bool

	file    *file
	config  *config.Configuration
	plugins framework.Registry
	rule    queue.RequeueRule
	kubelet pressure.Configuration

	warnings []string
}

// Warnings returns what the scenario says without effect, by field.
func (s *Scenario) Warnings() []string { return s.warnings }

// ReadFile reads a scenario.
func ReadFile(name string) (*Scenario, error) {
	data, err := files.Read(name, strict.MaxBytes)
	if err != nil {
		return nil, fmt.Errorf("opening a scenario: %w", err)
	}
	return Parse(name, data)
}

// Parse reads a scenario from the text of a file of that name. A configuration file that it names is in the same folder.
// The error is a *[strict.Error] with file, line, field and a remedy.
func Parse(name string, data []byte) (*Scenario, error) {
	f := &file{}
	if err := strict.Decode(name, data, f); err != nil {
		return nil, err
	}
	s := &Scenario{
		Name:  strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)),
		Title: strings.TrimSpace(f.Title), Description: strings.TrimSpace(f.Description),
		Length: f.Length.of(), Start: time.Time(f.Start), Warmup: f.Warmup.of(), file: f,
		OnCluster: f.Recorded == onCluster,
	}
	if s.Start.IsZero() {
		s.Start = time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	for i := range f.Expect {
		if err := f.Expect[i].Validate(s.Length); err != nil {
			return nil, err
		}
	}
	var err error
	if s.config, err = f.Scheduler.configuration(name); err != nil {
		return nil, err
	}
	if err = f.Scheduler.addExtenders(s.config); err != nil {
		return nil, err
	}
	if s.kubelet, s.warnings, err = kubeletConfiguration(&f.Cluster.Kubelet); err != nil {
		return nil, err
	}
	return s, f.checkProfiles(s.config)
}

// configuration returns the scheduler's configuration: from the scenario, or from a file beside it.
func (p *schedulerPart) configuration(name string) (*config.Configuration, error) {
	features, err := config.ParseFeaturesOf(p.Kubernetes, p.Gates)
	if err != nil {
		return nil, p.Fail("featureGates", "%v", err)
	}
	raw := &p.Config
	if !raw.IsSet() {
		return config.Default(features), nil
	}
	text, err := raw.WithTypeMeta("kubescheduler.config.k8s.io/v1", "KubeSchedulerConfiguration")
	if err != nil {
		return nil, err
	}
	from := "config"
	if raw.Word != "" {
		if text, err = readBeside(name, raw.Word); err != nil {
			return nil, raw.Fail("", err.Error())
		}
		from = raw.Word
	}
	c, err := config.LoadNamed(from, text, features)
	var invalid *config.Error
	switch {
	case err == nil:
		return c, nil
	case raw.Word == "" && errors.As(err, &invalid) && len(invalid.List) > 0:
		first := invalid.List[0]
		return nil, raw.Fail(first.Field, first.ErrorBody())
	}
	return nil, raw.Fail("", err.Error())
}

// readBeside reads a file in the folder of the scenario. Links that lead out of the folder are not followed.
func readBeside(scenario, name string) ([]byte, error) {
	root, err := os.OpenRoot(filepath.Dir(scenario))
	if err != nil {
		return nil, err
	}
	defer root.Close() //nolint:errcheck // nothing was written
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	return io.ReadAll(io.LimitReader(f, config.MaxBytes+1))
}

// kubeletOS is the nodes' operating system, on which a kubelet's thresholds depend.
const kubeletOS = "linux"

// kubeletConfiguration returns the configuration of the simulated kubelets, with warnings of what they ignore in it.
func kubeletConfiguration(raw *strict.Raw) (c pressure.Configuration, warnings []string, err error) {
	switch {
	case !raw.IsSet():
		return pressure.DefaultConfiguration(kubeletOS), nil, nil
	case raw.Word != "":
		c, err = pressure.LoadFlags(raw.Word, kubeletOS)
	default:
		var text []byte
		if text, err = raw.WithTypeMeta(pressure.ConfigurationVersion, pressure.ConfigurationKind); err != nil {
			return c, nil, err
		}
		if c, err = pressure.Load(text, kubeletOS); err == nil {
			warnings, err = ignoredByKubelet(text)
		}
	}
	if err != nil {
		return c, nil, raw.Fail("", err.Error())
	}
	for _, w := range c.Warnings() {
		warnings = append(warnings, "cluster.kubelet: "+w)
	}
	return c, warnings, nil
}

func ignoredByKubelet(text []byte) ([]string, error) {
	fields, err := pressure.IgnoredFields(text)
	var warnings []string
	for _, field := range fields {
		warnings = append(warnings, "cluster.kubelet."+printable.Line(field, 80)+" has no effect: the simulated kubelets read what concerns eviction and reserved resources")
	}
	return warnings, err
}

// WithSeed returns the same scenario with another seed.
func (s *Scenario) WithSeed(seed uint64) *Scenario {
	other, f := *s, *s.file
	f.Seed = seed
	other.file = &f
	return &other
}

// WithPlugins returns the same scenario with third-party plugins for its configuration.
func (s *Scenario) WithPlugins(plugins framework.Registry) *Scenario {
	other := *s
	other.plugins = plugins
	return &other
}

// WithRequeueRule returns the same scenario with another rule for requeueing failed pods.
func (s *Scenario) WithRequeueRule(rule queue.RequeueRule) *Scenario {
	other := *s
	other.rule = rule
	return &other
}

// Configuration returns the scheduler's configuration.
func (s *Scenario) Configuration() *config.Configuration { return s.config }

// Expectations are what the scenario says that has to hold.
func (s *Scenario) Expectations() []expect.Expectation { return s.file.Expect }

// Seed returns the seed of all random choices.
func (s *Scenario) Seed() uint64 { return s.file.Seed }

// WithConfiguration returns the same scenario with another configuration of the scheduler.
func (s *Scenario) WithConfiguration(c *config.Configuration) *Scenario {
	other := *s
	other.config = c
	return &other
}
