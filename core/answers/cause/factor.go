package cause

import (
	"strings"

	"orrery/core/safe/plural"
	"orrery/core/scheduler/config"
)

// Factor is one thing by which two schedulers differ: a rule or a feature gate, or what is configured.
type Factor struct {
	config.Difference
	Configuration bool
}

// String returns the name of the rule or the gate.
func (f Factor) String() string {
	if f.Configuration {
		return "configuration"
	}
	return f.Difference.String()
}

// Factors returns the rules and gates by which a scheduler differs from another one.
func Factors(is, was config.Features) []Factor {
	var all []Factor
	for _, d := range is.DifferencesFrom(was) {
		all = append(all, Factor{Difference: d})
	}
	return all
}

// Without returns features with factors as the others have them, or why they cannot be had. The configuration is left to the caller.
func Without(is, was config.Features, off []Factor) (features config.Features, why string) {
	for _, f := range off {
		if f.Configuration {
			continue
		}
		var left []config.Difference
		if is, left = is.As(was, f.Difference); len(left) > 0 {
			return is, "Kubernetes " + is.Release().String() + " does not have the feature gate any more, or not in a form that is modelled"
		}
	}
	return is, ""
}

// NotTried is a factor that was not turned off, and why.
type NotTried struct {
	Factor
	Why string
}

// Name names factors in few words.
func Name(factors []Factor) string {
	names := make([]string, len(factors))
	for i, f := range factors {
		if names[i] = f.String(); f.Gate != "" && !f.Configuration {
			names[i] = "feature gate " + names[i]
		}
	}
	if len(names) > 2 {
		return names[0] + " with " + plural.Count(len(names)-1, "other")
	}
	return strings.Join(names, " with ")
}
