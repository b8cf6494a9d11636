package scenario

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"orrery/core/config"
	"orrery/core/evict/pressure"
	"orrery/core/framework"
	"orrery/demo/scenario/strict"
)

// Scenario is a cluster's story, ready to be played any number of times, always the same way.
type Scenario struct {
	// Name is that of the file, without its folder and its extension.
	Name string
	// Title and Description are for people.
	Title, Description string
	// Length is for how long the story goes on, from Start on.
	Length time.Duration
	Start  time.Time
	// Warmup is for how long everything runs before the story begins.
	Warmup time.Duration
	// OnCluster says that its recording is made on a real API server and not in a simulation.
	OnCluster bool

	file    *file
	config  *config.Configuration
	plugins framework.Registry
	kubelet pressure.Configuration
}

// Parse reads a scenario from the text of a file of that name. A configuration that the scenario keeps in a file of its own
// is looked for in the same folder. The error is a *[strict.Error], which says what is wrong in which field of which line, and
// what would be right.
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
	var err error
	if s.config, err = f.Scheduler.configuration(name); err != nil {
		return nil, err
	}
	if s.kubelet, err = kubeletConfiguration(&f.Cluster.Kubelet); err != nil {
		return nil, err
	}
	return s, f.checkProfiles(s.config)
}

// configuration is the scheduler's: written in the scenario, or in a file beside it.
func (p *schedulerPart) configuration(name string) (*config.Configuration, error) {
	features, err := config.ParseFeatures(p.Gates)
	if err != nil {
		return nil, p.Fail("featureGates", "%v", err)
	}
	raw := &p.Config
	if !raw.Given() {
		return config.Default(features), nil
	}
	text, from := raw.Of("kubescheduler.config.k8s.io/v1", "KubeSchedulerConfiguration"), "config"
	if raw.Word != "" {
		if text, err = readBeside(name, raw.Word); err != nil {
			return nil, raw.Fail("", err.Error())
		}
		from = raw.Word
	}
	c, err := config.LoadNamed(from, text, features)
	var wrong *config.Error
	switch {
	case err == nil:
		return c, nil
	case raw.Word == "" && errors.As(err, &wrong) && len(wrong.List) > 0:
		first := wrong.List[0]
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

// system is that of the nodes, on which a kubelet's thresholds depend.
const system = "linux"

func kubeletConfiguration(raw *strict.Raw) (pressure.Configuration, error) {
	if !raw.Given() {
		return pressure.DefaultConfiguration(system), nil
	}
	c, err := pressure.Load(raw.Of("kubelet.config.k8s.io/v1beta1", "KubeletConfiguration"), system)
	if err != nil {
		return c, raw.Fail("", err.Error())
	}
	return c, nil
}

// Seeded is the same scenario with other chances.
func (s *Scenario) Seeded(seed uint64) *Scenario {
	other, f := *s, *s.file
	f.Seed = seed
	other.file = &f
	return &other
}

// Extended is the same scenario with third-party plugins for its configuration to name.
func (s *Scenario) Extended(plugins framework.Registry) *Scenario {
	other := *s
	other.plugins = plugins
	return &other
}

// Configuration is the scheduler's.
func (s *Scenario) Configuration() *config.Configuration { return s.config }

// Seed is what chance is fed with.
func (s *Scenario) Seed() uint64 { return s.file.Seed }

// Configured is the same scenario with another configuration of the scheduler.
func (s *Scenario) Configured(c *config.Configuration) *Scenario {
	other := *s
	other.config = c
	return &other
}
