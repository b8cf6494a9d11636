// Package race tells tests whether the race detector watches them. Under it a test takes ten times as long, and where a test's own
// goroutine is the only one there is nothing to find. So a package where several goroutines may run is tested twice, with the
// detector and without: with it, tests that have a goroutine of their own ([Alone]) run one in eight, and others take fewer cases ([Few]);
// without it, all run whole. "make test-all" does both for each package whose tests import this one.
package race
