package pressure

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"orrery/core/safe/printable"
)

// Configuration is the eviction part of a KubeletConfiguration, with its defaults.
type Configuration struct {
	// Hard and Soft map signals to minimum available amounts: a quantity, or a percentage of the capacity.
	Hard, Soft map[Signal]string
	// SoftGrace is how long a soft threshold must be met.
	SoftGrace map[Signal]string
	// MinimumReclaim is how much beyond a threshold must be available before it counts as no longer met.
	MinimumReclaim map[Signal]string
	// PressureTransition is how long a node condition stays after it was last observed.
	PressureTransition time.Duration
	// MaxPodGraceSeconds caps a pod's grace period in a soft eviction.
	MaxPodGraceSeconds int64
	// EnforceAllocatable watches the memory of all pods together, too.
	EnforceAllocatable bool
	// MemoryNotification lets the kernel notify of memory usage, so that the kubelet need not wait for its next sync.
	MemoryNotification bool
	// MemoryThrottling is the gate MemoryQoS, if it is not zero: the part of its memory beyond its request from which on a
	// container is slowed down. See [MemoryHigh].
	MemoryThrottling float64
	// LocalStorageIsolation evicts pods that use more local storage than their own limits allow.
	LocalStorageIsolation bool
	// KubeReserved and SystemReserved map resources to amounts that pods do not get. See [Configuration.Allocatable].
	KubeReserved, SystemReserved map[v1.ResourceName]string
}

// ConfigurationVersion and ConfigurationKind are those of the file that Load reads.
const (
	ConfigurationVersion = "kubelet.config.k8s.io/v1beta1"
	ConfigurationKind    = "KubeletConfiguration"
)

// memoryQoS is the kubelet's feature gate that slows down containers.
const memoryQoS = "MemoryQoS"

const (
	defaultTransition = 5 * time.Minute
	defaultThrottling = 0.9
)

// DefaultHard returns the default hard thresholds on an operating system: "linux" or "windows".
func DefaultHard(system string) map[Signal]string {
	if system == "windows" {
		return map[Signal]string{MemoryAvailable: "500Mi", NodeFsAvailable: "10%", ImageFsAvailable: "15%"}
	}
	return map[Signal]string{
		MemoryAvailable: "100Mi", NodeFsAvailable: "10%", NodeFsInodesFree: "5%",
		ImageFsAvailable: "15%", ImageFsInodesFree: "5%",
	}
}

// DefaultConfiguration is a kubelet's configuration without a file.
func DefaultConfiguration(system string) Configuration {
	return Configuration{
		Hard:                  DefaultHard(system),
		PressureTransition:    defaultTransition,
		EnforceAllocatable:    true,
		LocalStorageIsolation: true,
	}
}

// configurationFile is the eviction part of a KubeletConfiguration file.
type configurationFile struct {
	EvictionHard                     map[Signal]string `json:"evictionHard"`
	EvictionSoft                     map[Signal]string `json:"evictionSoft,omitempty"`
	EvictionSoftGracePeriod          map[Signal]string `json:"evictionSoftGracePeriod,omitempty"`
	EvictionPressureTransitionPeriod metav1.Duration   `json:"evictionPressureTransitionPeriod,omitempty"`
	EvictionMaxPodGracePeriod        int32             `json:"evictionMaxPodGracePeriod,omitempty"`
	EvictionMinimumReclaim           map[Signal]string `json:"evictionMinimumReclaim,omitempty"`
	MergeDefaultEvictionSettings     bool              `json:"mergeDefaultEvictionSettings,omitempty"`
	EnforceNodeAllocatable           []string          `json:"enforceNodeAllocatable"`
	KernelMemcgNotification          bool              `json:"kernelMemcgNotification,omitempty"`
	LocalStorageCapacityIsolation    *bool             `json:"localStorageCapacityIsolation"`
	FeatureGates                     map[string]bool   `json:"featureGates,omitempty"`
	MemoryThrottlingFactor           *float64          `json:"memoryThrottlingFactor,omitempty"`

	KubeReserved   map[v1.ResourceName]string `json:"kubeReserved,omitempty"`
	SystemReserved map[v1.ResourceName]string `json:"systemReserved,omitempty"`
}

var fields = []string{
	"evictionHard", "evictionSoft", "evictionSoftGracePeriod", "evictionPressureTransitionPeriod",
	"evictionMaxPodGracePeriod", "evictionMinimumReclaim", "mergeDefaultEvictionSettings", "enforceNodeAllocatable",
	"kernelMemcgNotification", "localStorageCapacityIsolation", "kubeReserved", "systemReserved", "featureGates",
	"memoryThrottlingFactor",
}

// maxBytes bounds a KubeletConfiguration: reading one takes a hundred times its size.
//
//orrery:limit files; a kubelet's configuration, in bytes; refused
const maxBytes = 1 << 20

// Load reads a KubeletConfiguration, YAML or JSON, as a kubelet on that operating system would. It ignores fields that have
// nothing to do with eviction, see [IgnoredFields]; a misspelt or repeated eviction field is an error.
func Load(data []byte, system string) (Configuration, error) {
	all, err := readFields(data)
	if err != nil {
		return Configuration{}, err
	}
	ours := map[string]json.RawMessage{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		switch {
		case slices.Contains(fields, name):
			ours[name] = all[name]
		case resemblesEvictionField(name):
			return Configuration{}, fmt.Errorf("the kubelet configuration has no field %q: is it one of %s?", printable.Line(name, 80), strings.Join(fields, ", "))
		}
	}
	var f configurationFile
	part, err := json.Marshal(ours)
	if err == nil {
		err = json.Unmarshal(part, &f)
	}
	if err != nil {
		return Configuration{}, fmt.Errorf("reading the eviction fields of the kubelet configuration: %s", oneLine(err))
	}
	return f.load(system)
}

// readFields returns the fields of a KubeletConfiguration.
func readFields(data []byte) (map[string]json.RawMessage, error) {
	if len(data) > maxBytes {
		return nil, fmt.Errorf("reading the kubelet configuration: it has %d bytes, and at most %d are read", len(data), maxBytes)
	}
	asJSON, err := yaml.YAMLToJSONStrict(data)
	if err != nil {
		return nil, fmt.Errorf("reading the kubelet configuration: %s", oneLine(err))
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(asJSON, &all); err != nil {
		return nil, fmt.Errorf("reading the kubelet configuration: %s", oneLine(err))
	}
	return all, checkKind(all)
}

// IgnoredFields returns the names of the fields of a KubeletConfiguration that Load ignores, in order. A feature gate is
// featureGates.NAME.
func IgnoredFields(data []byte) ([]string, error) {
	all, err := readFields(data)
	if err != nil {
		return nil, err
	}
	var gates map[string]json.RawMessage
	if raw, given := all["featureGates"]; given {
		if err := json.Unmarshal(raw, &gates); err != nil {
			return nil, fmt.Errorf("reading featureGates of the kubelet configuration: %s", oneLine(err))
		}
	}
	var ignored []string
	for name := range all {
		if name != "apiVersion" && name != "kind" && !slices.Contains(fields, name) {
			ignored = append(ignored, name)
		}
	}
	for name := range gates {
		if name != memoryQoS {
			ignored = append(ignored, "featureGates."+name)
		}
	}
	if _, given := all["memoryThrottlingFactor"]; given && string(gates[memoryQoS]) != "true" {
		ignored = append(ignored, "memoryThrottlingFactor")
	}
	slices.Sort(ignored)
	return ignored, nil
}

// maxErrorRunes and maxErrors bound the error of a file that may be hostile.
const (
	//orrery:limit text; an error of a kubelet's configuration, in characters; cut off
	maxErrorRunes = 300
	//orrery:limit files; mistakes of a kubelet's configuration that are listed; the others are counted
	maxErrors = 10
)

// oneLine returns the text of a decoder's error, which may have several lines and quote the file.
func oneLine(err error) string {
	return printable.Line(strings.Join(strings.Fields(err.Error()), " "), maxErrorRunes)
}

// together returns one error for several, which is one line.
func together(errs []error) error {
	var texts []string
	for _, err := range errs[:min(len(errs), maxErrors)] {
		texts = append(texts, err.Error())
	}
	if more := len(errs) - maxErrors; more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", more))
	}
	return errors.New(strings.Join(texts, "; "))
}

func checkKind(all map[string]json.RawMessage) error {
	for name, want := range map[string]string{"apiVersion": ConfigurationVersion, "kind": ConfigurationKind} {
		var got string
		if raw, ok := all[name]; ok {
			if err := json.Unmarshal(raw, &got); err != nil {
				return fmt.Errorf("reading %s of the kubelet configuration: %s", name, oneLine(err))
			}
		}
		if got != want {
			return fmt.Errorf("the kubelet configuration has %s %q: want %s %s", name, printable.Line(got, 80), ConfigurationVersion, ConfigurationKind)
		}
	}
	return nil
}

// resemblesEvictionField reports whether an unknown field was probably meant to be an eviction field.
func resemblesEvictionField(name string) bool {
	lower := strings.ToLower(name)
	return strings.Contains(lower, "evict") ||
		slices.ContainsFunc(fields, func(field string) bool { return strings.EqualFold(field, name) })
}

// File returns a KubeletConfiguration in JSON from which Load reads the configuration again.
func (c Configuration) File() ([]byte, error) {
	f := configurationFile{
		EvictionHard: c.Hard, EvictionSoft: c.Soft, EvictionSoftGracePeriod: c.SoftGrace, EvictionMinimumReclaim: c.MinimumReclaim,
		EvictionPressureTransitionPeriod: metav1.Duration{Duration: c.PressureTransition}, EvictionMaxPodGracePeriod: int32(c.MaxPodGraceSeconds),
		EnforceNodeAllocatable: []string{}, KernelMemcgNotification: c.MemoryNotification, LocalStorageCapacityIsolation: &c.LocalStorageIsolation,
		KubeReserved: c.KubeReserved, SystemReserved: c.SystemReserved,
	}
	if c.EnforceAllocatable {
		f.EnforceNodeAllocatable = append(f.EnforceNodeAllocatable, "pods")
	}
	if c.MemoryThrottling != 0 {
		f.FeatureGates, f.MemoryThrottlingFactor = map[string]bool{memoryQoS: true}, &c.MemoryThrottling
	}
	return json.Marshal(struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		configurationFile
	}{ConfigurationVersion, ConfigurationKind, f})
}

// load fills in the defaults and checks the values.
func (f configurationFile) load(system string) (Configuration, error) {
	c := f.configuration(system)
	if _, err := c.Thresholds(); err != nil {
		return c, err
	}
	_, err := c.reserved()
	return c, err
}

// configuration fills in the defaults. A map of hard thresholds replaces all the default ones, unless the file requests
// merging; a transition period of zero is the default one.
func (f configurationFile) configuration(system string) Configuration {
	c := Configuration{
		Hard: f.EvictionHard, Soft: f.EvictionSoft, SoftGrace: f.EvictionSoftGracePeriod,
		MinimumReclaim:        f.EvictionMinimumReclaim,
		PressureTransition:    f.EvictionPressureTransitionPeriod.Duration,
		MaxPodGraceSeconds:    int64(f.EvictionMaxPodGracePeriod),
		EnforceAllocatable:    f.EnforceNodeAllocatable == nil || slices.Contains(f.EnforceNodeAllocatable, "pods"),
		MemoryNotification:    f.KernelMemcgNotification,
		LocalStorageIsolation: f.LocalStorageCapacityIsolation == nil || *f.LocalStorageCapacityIsolation,
		KubeReserved:          f.KubeReserved, SystemReserved: f.SystemReserved,
	}
	if f.FeatureGates[memoryQoS] {
		c.MemoryThrottling = defaultThrottling
		if f.MemoryThrottlingFactor != nil {
			c.MemoryThrottling = *f.MemoryThrottlingFactor
		}
	}
	if c.PressureTransition == 0 {
		c.PressureTransition = defaultTransition
	}
	switch {
	case c.Hard == nil:
		c.Hard = DefaultHard(system)
	case f.MergeDefaultEvictionSettings:
		merged := DefaultHard(system)
		maps.Copy(merged, c.Hard)
		c.Hard = merged
	}
	return c
}

// Thresholds returns the thresholds before the layout of the filesystems is known: the hard ones, the soft ones, and that
// of allocatable memory.
func (c Configuration) Thresholds() ([]Threshold, error) {
	var errs []error
	note := func(err error) { errs = append(errs, err) }
	grace := parseAll(c.SoftGrace, parseGrace, note)
	reclaims := parseAll(c.MinimumReclaim, parseReclaim, note)
	hard, soft := parseAll(c.Hard, parseValue, note), parseAll(c.Soft, parseValue, note)
	var all []Threshold
	for _, s := range signals {
		if v := hard[s.signal]; v != nil {
			all = append(all, Threshold{Signal: s.signal, Value: *v, MinReclaim: reclaims[s.signal]})
		}
	}
	for _, s := range signals {
		v := soft[s.signal]
		if v == nil {
			continue
		}
		wait, given := grace[s.signal]
		if !given {
			note(fmt.Errorf("grace period must be specified for the soft eviction threshold %s", s.signal))
		}
		all = append(all, Threshold{Signal: s.signal, Value: *v, Grace: wait, MinReclaim: reclaims[s.signal]})
	}
	if len(errs) > 0 {
		return nil, fmt.Errorf("reading the eviction thresholds: %w", together(errs))
	}
	if c.EnforceAllocatable {
		for _, t := range all {
			if t.Signal == MemoryAvailable && t.Hard() {
				t.Signal = AllocatableMemoryAvailable
				all = append(all, t)
			}
		}
	}
	return all, nil
}

// Warnings returns the warnings that a kubelet logs at its start, in its words: it ignores thresholds of the containers'
// filesystem. See [OnLayout].
func (c Configuration) Warnings() []string {
	var all []string
	for _, given := range []struct {
		kind       string
		thresholds map[Signal]string
	}{{"hard", c.Hard}, {"soft", c.Soft}} {
		for _, s := range []Signal{ContainerFsAvailable, ContainerFsInodesFree} {
			if _, ok := given.thresholds[s]; ok {
				all = append(all, fmt.Sprintf("found %s for %s eviction. ignoring", s, given.kind))
			}
		}
	}
	return all
}

// parseAll parses the values of a map by signal; it leaves out nil values and errors.
func parseAll[T any](given map[Signal]string, parse func(Signal, string) (T, error), note func(error)) map[Signal]T {
	read := make(map[Signal]T, len(given))
	for _, s := range slices.Sorted(maps.Keys(given)) {
		if s.rank() < 0 {
			note(fmt.Errorf("unsupported eviction signal %s", quoteUnprintable(string(s))))
			continue
		}
		v, err := parse(s, given[s])
		if err != nil {
			note(err)
			continue
		}
		read[s] = v
	}
	return read
}

// quoteUnprintable returns a name as it stands if it could be a signal's, else quoted.
func quoteUnprintable(name string) string {
	plain := func(r rune) bool { return r > ' ' && r < 0x7f }
	if len(name) <= 64 && strings.IndexFunc(name, func(r rune) bool { return !plain(r) }) < 0 {
		return name
	}
	return strconv.Quote(printable.Line(name, 64))
}
