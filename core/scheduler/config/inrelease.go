package config

import (
	"fmt"
	"maps"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/component-base/featuregate"

	"orrery/core/scheduler/release"
)

// In returns the features of another release with the same gates of scheduling set by hand, as far as the release takes them. It names those
// that it leaves at their defaults: the release does not have them, has locked them, has them in a form that is not modelled, or does not
// have what they depend on.
func (f Features) In(r release.Release) (in Features, left []string) {
	if f.release == r {
		return f, nil
	}
	in = FeaturesOf(r)
	set := map[string]bool{}
	var waiting []string // in order of name; a gate may depend on one that comes later
	for i, g := range f.gates() {
		if f.enabled(i) != g.on && g.use != foreign && g.name != AllAlpha && g.name != AllBeta {
			waiting = append(waiting, string(g.name))
		}
	}
	for taken := true; taken; {
		taken, left = false, nil
		var refused []string
		for _, name := range waiting {
			i, _ := findGate(f.gates(), featuregate.Feature(name))
			more := maps.Clone(set)
			more[name] = f.enabled(i)
			if with, err := ParseFeaturesOf(r, more); err == nil {
				in, set, taken = with, more, true
				continue
			}
			refused, left = append(refused, name), append(left, fmt.Sprintf("%s=%t", name, f.enabled(i)))
		}
		waiting = refused
	}
	return in, left
}

// In returns the configuration as it would be in another release, or under other gates: what is at the default of its own features takes the
// default of the others. It fails if what was configured is not valid there.
func (c *Configuration) In(features Features) (*Configuration, error) {
	if c.Features == features {
		return c, nil
	}
	bare := *c
	bare.Profiles = nil
	for _, p := range c.Profiles {
		if reflect.DeepEqual(p.Plugins, DefaultPlugins(c.Features)) {
			p.Plugins = nil
		}
		configured := map[string]runtime.Object{}
		for name, args := range p.Args {
			if !reflect.DeepEqual(args, DefaultArgs(name, c.Features)) {
				configured[name] = args
			}
		}
		p.Args = configured
		bare.Profiles = append(bare.Profiles, p)
	}
	text, err := bare.YAMLWithSecrets()
	if err != nil {
		return nil, err
	}
	in, err := LoadNamed("", text, features)
	if err != nil {
		return nil, fmt.Errorf("reading the configuration as Kubernetes %v does: %w", features.release, err)
	}
	return in, nil
}
