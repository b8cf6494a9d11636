package config

import (
	"fmt"

	"k8s.io/component-base/featuregate"

	"orrery/core/scheduler/release"
)

// Difference is one thing by which two schedulers decide differently: a rule of their releases, or a feature gate.
type Difference struct {
	// Gate is the gate; empty if it is Rule that differs.
	Gate featuregate.Feature
	Rule release.Rule
}

// String returns the name of the rule or the gate.
func (d Difference) String() string {
	if d.Gate != "" {
		return string(d.Gate)
	}
	return d.Rule.String()
}

// Sentence says what differs.
func (d Difference) Sentence(is, was Features) string {
	if d.Gate != "" {
		return fmt.Sprintf("The feature gate %s is %s. Before, it is %s.", d.Gate, onOff(is.Enabled(d.Gate)), onOff(was.Enabled(d.Gate)))
	}
	return d.Rule.Row().Sentence
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// DifferencesFrom returns the rules and then the gates by which a scheduler of these features decides differently from one of others.
func (f Features) DifferencesFrom(other Features) []Difference {
	var all []Difference
	for _, rule := range release.Rules() {
		if f.Has(rule) != other.Has(rule) {
			all = append(all, Difference{Rule: rule})
		}
	}
	for _, name := range modelledGates {
		if name != AllAlpha && name != AllBeta && f.Enabled(name) != other.Enabled(name) {
			all = append(all, Difference{Gate: name})
		}
	}
	return all
}

// As returns the features with some differences as others have them, even a gate that the release has locked: to find out what a
// difference does, and not to be configured. It reports which differences cannot be taken over, since the release does not have the gate, or has it in a form that is not modelled.
func (f Features) As(other Features, differences ...Difference) (as Features, left []Difference) {
	for _, d := range differences {
		switch i, known := findGate(f.gates(), d.Gate); {
		case d.Gate == "" && f.Has(d.Rule) != other.Has(d.Rule):
			f.exceptions ^= 1 << d.Rule
		case d.Gate == "":
		case known && f.gates()[i].use == modelled:
			f = f.with(i, other.Enabled(d.Gate))
		case f.Enabled(d.Gate) != other.Enabled(d.Gate):
			left = append(left, d)
		}
	}
	return f, left
}
