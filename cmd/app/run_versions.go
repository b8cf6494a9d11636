package app

import (
	"fmt"
	"strings"

	apiversion "k8s.io/apimachinery/pkg/util/version"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/config"
	modelled "orrery/core/scheduler/release"
)

// release returns the release of --emulated-version; without it, the oldest.
func (f *runFlags) release() (modelled.Release, error) {
	r := modelled.Oldest
	for _, given := range f.emulated {
		v, err := ofKube(given)
		if err != nil {
			return r, fmt.Errorf("--emulated-version: %w", err)
		}
		if r, err = modelled.Parse(v.String()); err != nil {
			return r, fmt.Errorf("--emulated-version: emulation version %s is not between [%s, %s]", v, modelled.Oldest, modelled.Newest)
		}
	}
	return r, nil
}

// minCompatibility returns the version of --min-compatibility-version; by default it is the one before the emulated one.
func (f *runFlags) minCompatibility(emulated modelled.Release) (*apiversion.Version, error) {
	v := previous(emulated)
	for _, given := range f.minimum {
		var err error
		if v, err = ofKube(given); err != nil {
			return nil, fmt.Errorf("--min-compatibility-version: %w", err)
		}
	}
	return v, nil
}

// checkMinimum refuses a minimum compatibility version that is out of bounds, or that turns on what is not modelled.
func (f *runFlags) checkMinimum(features config.Features) error {
	r := features.Release()
	v, err := f.minCompatibility(r)
	if err != nil {
		return err
	}
	floor, emulated := previous(modelled.Oldest), apiversion.MustParse(r.String())
	if v.GreaterThan(emulated) || v.LessThan(floor) {
		return fmt.Errorf("--min-compatibility-version: minCompatibilityVersion version %s is not between [%s, %s]", v, floor, emulated)
	}
	if on := features.OnWithoutOlder(); len(on) > 0 && v.EqualTo(emulated) {
		return fmt.Errorf("--min-compatibility-version: with %s Kubernetes %s turns on %s, which is not modelled: take %s", v, r, strings.Join(on, ", "), previous(r))
	}
	return nil
}

// previous is the version before a release.
func previous(r modelled.Release) *apiversion.Version {
	v := apiversion.MustParse(r.String())
	return apiversion.MajorMinor(v.Major(), v.Minor()-1)
}

// ofKube reads a version of the component kube: 1.36 or kube=1.36.
func ofKube(given string) (*apiversion.Version, error) {
	component, text, named := strings.Cut(given, "=")
	if !named {
		component, text = "kube", given
	}
	if strings.TrimSpace(component) != "kube" {
		return nil, fmt.Errorf("component not registered: %s", printable.Line(component, 40))
	}
	v, err := apiversion.Parse(strings.TrimSpace(text))
	if err != nil {
		return nil, fmt.Errorf("%q is no version: write it as %s", printable.Line(given, 40), modelled.Newest)
	}
	return apiversion.MajorMinor(v.Major(), v.Minor()), nil
}
