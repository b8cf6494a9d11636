package cycle

import (
	"testing"

	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
	"orrery/core/parity/oracle"
	"orrery/core/parity/program"
	"orrery/core/scheduler/release"
)

// oracleReleases returns the releases whose oracles are asked for. Without any the test is skipped.
func oracleReleases(t *testing.T) []release.Release {
	t.Helper()
	asked, err := program.Asked()
	if err != nil {
		t.Fatal(err)
	}
	if len(asked) == 0 {
		t.Skipf("kube-scheduler of other releases runs with %s=1.36, or 1 for all of them: to compile one takes ten minutes the first time", program.Switch)
	}
	return asked
}

// startOracleOf compiles and starts the oracle of a release. It runs until the test ends.
func startOracleOf(t *testing.T, r release.Release) *oracle.Process {
	t.Helper()
	file, err := program.BuildOf(r, program.Oracle)
	if err != nil {
		t.Fatal(err)
	}
	process, err := oracle.Start(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := process.Close(); err != nil && !t.Failed() {
			t.Error(err)
		}
	})
	return process
}

// TestReleases_SameDecisions compares Orrery, as it decides for another release, with kube-scheduler of that release.
func TestReleases_SameDecisions(t *testing.T) {
	for _, r := range oracleReleases(t) {
		t.Run(r.String(), func(t *testing.T) {
			process := startOracleOf(t, r)
			compareCases(t, comparisons.Releases.Cases, func(t *testing.T, c *clusterCase, seen difftest.Coverage) string {
				_, mismatch := compareRelease(t, c, r, process, seen)
				return mismatch
			})
		})
	}
}
