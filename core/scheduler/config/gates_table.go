package config

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/component-base/featuregate"

	"orrery/core/scheduler/release"
)

// gateTables are the gates of each release, sorted by name; a gate's position is its bit in Features.
var gateTables = [...][]gate{
	release.V135: table(gates135, nil),
	release.V136: table(gates136, unmodelled136),
	release.V137: table(gates137, unmodelled137),
}

// table adds to a generated table what Orrery does with each gate.
func table(generated []gate, refused []featuregate.Feature) []gate {
	all := slices.Clone(generated)
	for i, g := range all {
		switch {
		case slices.Contains(refused, g.name):
			all[i].use = unmodelled
		case slices.Contains(modelledGates, g.name):
			all[i].use = modelled
		}
	}
	return all
}

// requires makes the generated tables short.
func requires(names ...featuregate.Feature) []featuregate.Feature { return names }

func findGate(table []gate, name featuregate.Feature) (int, bool) {
	return slices.BinarySearchFunc(table, name, func(g gate, name featuregate.Feature) int { return cmp.Compare(g.name, name) })
}

// absentGate returns whether what a gate guards happens in a release that does not have the gate: it does if an earlier release made it generally
// available, since that is when gates are removed, and does not if the gate comes later, or went away unfinished. A name that no
// release has is a mistake in the program, so it panics.
func absentGate(r release.Release, name featuregate.Feature) bool {
	for i := len(gateTables) - 1; i >= 0; i-- {
		at, known := findGate(gateTables[i], name)
		switch {
		case !known:
		case i < int(r):
			return gateTables[i][at].stage == GA && gateTables[i][at].on
		default:
			return false
		}
	}
	panic(fmt.Sprintf("feature gate %q is not in the tables of package config", string(name)))
}
