package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/component-base/featuregate"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/release"
)

// Features are a release of Kubernetes and its feature gates. It is an immutable value: copy it, compare it with ==. The zero value is 1.35
// with every gate at its default.
type Features struct {
	release release.Release
	// flipped has one bit per row of the release's table of gates: set when the gate differs from its default.
	flipped [5]uint64
	// exceptions has one bit per rule: set when these features follow it and the release does not, or the reverse. See As.
	exceptions uint64
}

// FeatureStatus is one gate for help texts and the kubernetes_feature_enabled metric.
type FeatureStatus struct {
	Name     featuregate.Feature
	Stage    Stage
	Default  bool
	Locked   bool                  // cannot be set to anything but Default
	Requires []featuregate.Feature // gates that must be on for this one to be on
	Enabled  bool
	Foreign  bool // of another component: known, and without effect here
	// Unmodelled says that the gate changes decisions in a way that Orrery does not follow: it cannot be turned on.
	Unmodelled bool
}

// DefaultFeatures returns every gate at its default of Kubernetes 1.35.
func DefaultFeatures() Features { return Features{} }

// FeaturesOf returns every gate at its default of a release.
func FeaturesOf(r release.Release) Features { return Features{release: r} }

// Release returns the release whose rules and gates these are.
func (f Features) Release() release.Release { return f.release }

// Has reports whether decisions follow a rule.
func (f Features) Has(rule release.Rule) bool {
	return rule.In(f.release) != (f.exceptions&(1<<rule) != 0)
}

// Enabled reports whether a gate is on. It is a binary search over some two hundred names: plugins ask once, when built.
// A gate that the release does not have is as absentGate says. A name that is not one of this package's constants panics.
func (f Features) Enabled(name featuregate.Feature) bool {
	i, known := findGate(f.gates(), name)
	if !known {
		return absentGate(f.release, name)
	}
	return f.enabled(i)
}

// OnWithoutOlder returns the gates that are not modelled, and are on by default where the minimum compatibility version is the release itself.
func (f Features) OnWithoutOlder() []string {
	var names []string
	for _, g := range f.gates() {
		if g.withoutOlder && g.use == unmodelled {
			names = append(names, string(g.name))
		}
	}
	return names
}

func (f Features) gates() []gate { return gateTables[f.release] }

// List returns every gate, sorted by name.
func (f Features) List() []FeatureStatus {
	gates := f.gates()
	list := make([]FeatureStatus, len(gates))
	for i, g := range gates {
		list[i] = FeatureStatus{
			Name: g.name, Stage: g.stage, Default: g.on, Locked: g.locked,
			Requires: slices.Clone(g.requires), Enabled: f.enabled(i), Foreign: g.use == foreign, Unmodelled: g.use == unmodelled,
		}
	}
	return list
}

// Changed returns the gates of scheduling that are not at their defaults, sorted by name, each as --feature-gates takes
// it. AllAlpha and AllBeta are left out: the gates that they set are in the list.
func (f Features) Changed() []string {
	var list []string
	for i, g := range f.gates() {
		if f.enabled(i) != g.on && g.use != foreign && g.name != AllAlpha && g.name != AllBeta {
			list = append(list, fmt.Sprintf("%s=%t", g.name, f.enabled(i)))
		}
	}
	return list
}

// ParseFeatures is ParseFeaturesOf of Kubernetes 1.35.
func ParseFeatures(set map[string]bool) (Features, error) {
	return ParseFeaturesOf(release.V135, set)
}

// ParseFeaturesOf sets gates of a release by name. Unknown gates, locked gates set against their lock, gates that are not modelled, and gates
// that are on without those they depend on are all reported together; the Features of a failed parse are the release's defaults.
func ParseFeaturesOf(r release.Release, set map[string]bool) (Features, error) {
	f, defaults := FeaturesOf(r), FeaturesOf(r)
	gates := f.gates()
	if len(set) > maxGates {
		return defaults, fmt.Errorf("%d feature gates are set: there are not so many", len(set))
	}
	var errs []error
	// Whole stages go first so that a gate set by its own name wins.
	for _, all := range []featuregate.Feature{AllAlpha, AllBeta} {
		if on, asked := set[string(all)]; asked {
			f = f.withStage(all, on)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		on := set[name]
		i, known := findGate(gates, featuregate.Feature(name))
		switch {
		case !known:
			errs = append(errs, fmt.Errorf("unrecognized feature gate: %s", printable.Line(name, maxErrorLine)))
		case gates[i].locked && gates[i].on != on:
			errs = append(errs, fmt.Errorf("cannot set feature gate %v to %v, feature is locked to %v", name, on, gates[i].on))
		default:
			f = f.with(i, on)
		}
	}
	errs = append(errs, f.unmodelledGates()...)
	errs = append(errs, f.unmetDependencies()...)
	if len(errs) > 0 {
		return defaults, errors.Join(errs...)
	}
	return f, nil
}

// ParseFeatureFlag is ParseFeatureFlagOf of Kubernetes 1.35.
func ParseFeatureFlag(values ...string) (Features, error) {
	return ParseFeatureFlagOf(release.V135, values...)
}

// ParseFeatureFlagOf reads the values of --feature-gates, each "Gate=true,Other=false"; of a gate given twice the
// last counts. Gates may be prefixed with "kube:", the component they all belong to.
func ParseFeatureFlagOf(r release.Release, values ...string) (Features, error) {
	set := map[string]bool{}
	var errs []error
	for _, pair := range strings.Split(strings.Join(values, ","), ",") {
		pair = strings.TrimPrefix(strings.TrimSpace(pair), "kube:")
		if pair == "" {
			continue
		}
		name, text, found := strings.Cut(pair, "=")
		name, text = strings.TrimSpace(name), strings.TrimSpace(text)
		if !found {
			errs = append(errs, fmt.Errorf("missing bool value for %s", printable.Line(name, maxErrorLine)))
			continue
		}
		on, err := strconv.ParseBool(text)
		if err != nil {
			errs = append(errs, fmt.Errorf("invalid value of %s=%s, err: %w", printable.Line(name, maxErrorLine), printable.Line(text, maxErrorLine), err))
			continue
		}
		set[name] = on
	}
	f, err := ParseFeaturesOf(r, set)
	if err := errors.Join(append(errs, err)...); err != nil {
		return FeaturesOf(r), err
	}
	return f, nil
}

func (f Features) enabled(i int) bool { return f.gates()[i].on != (f.flipped[i/64]&(1<<(i%64)) != 0) }

func (f Features) with(i int, on bool) Features {
	if f.enabled(i) != on {
		f.flipped[i/64] ^= 1 << (i % 64)
	}
	return f
}

func (f Features) withStage(all featuregate.Feature, on bool) Features {
	gates := f.gates()
	whole, _ := findGate(gates, all)
	for i, g := range gates {
		if g.stage == gates[whole].stage && g.name != AllAlpha && g.name != AllBeta {
			f = f.with(i, on)
		}
	}
	return f
}

// unmodelledGates refuses all gates that are not modelled in one error: AllAlpha turns on a dozen.
func (f Features) unmodelledGates() []error {
	var names []string
	for i, g := range f.gates() {
		if g.use == unmodelled && f.enabled(i) != g.on {
			names = append(names, string(g.name))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []error{fmt.Errorf("feature gates of Kubernetes %v that Orrery does not model are turned on: %s: leave them off, or set them to false after AllAlpha and AllBeta",
		f.release, strings.Join(names, ", "))}
}

func (f Features) unmetDependencies() []error {
	var errs []error
	for i, g := range f.gates() {
		if !f.enabled(i) {
			continue
		}
		missing := slices.DeleteFunc(slices.Clone(g.requires), f.Enabled)
		if len(missing) > 0 {
			errs = append(errs, fmt.Errorf("%s is enabled, but depends on features that are disabled: %v", g.name, missing))
		}
	}
	return errs
}
