// Package release names the release of Kubernetes whose decisions Orrery makes: the one place that has its number.
package release

const (
	// Minor is the release, as --emulated-version and /statusz write it.
	Minor = "1.35"
	// Emulated is the version that a LeaseCandidate announces to emulate.
	Emulated = Minor + ".0"
	// Patch is the version that core/parity compares with, and that a LeaseCandidate announces to be.
	Patch = Minor + ".4"
)
