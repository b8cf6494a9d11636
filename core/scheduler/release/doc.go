// Package release names the releases of Kubernetes whose decisions Orrery makes, and the rules by which they differ.
//
//	Release     1.35, 1.36, 1.37: a value that is compared, ordered and printed
//	Rule        one difference: a row of rules.go, with the release in which it begins
//
// The release of an engine lies in its config.Features, as its feature gates do, so everything that is built from a configuration has
// it. Where releases decide differently, the smallest function that differs asks for the rule by its name:
//
//	if features.Has(release.BalanceByImprovement) { … }
//
// Only this package compares releases; a test of the house checks that. So rules.go is the whole list of differences, and docs/releases.md
// shows it.
package release
