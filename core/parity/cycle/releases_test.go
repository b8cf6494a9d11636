package cycle

import (
	"slices"
	"testing"

	resourcev1 "k8s.io/api/resource/v1"

	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
	"orrery/core/parity/oracle"
	"orrery/core/parity/program"
	"orrery/core/scheduler/config"
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
				if hasUnorderedPools(c, r) {
					seen.Count("left out: pools in the order of a map")
					return ""
				}
				_, mismatch := compareRelease(t, c, r, process, seen)
				return mismatch
			})
		})
	}
}

// hasUnorderedPools reports whether a node may reach several pools of devices in a release whose allocator may take them in the order of a map.
func hasUnorderedPools(c *clusterCase, r release.Release) bool {
	if config.FeaturesOf(r).Has(release.AllocatorsGraduated) || len(c.Devices.Claims) == 0 {
		return false
	}
	return slices.ContainsFunc(c.Devices.Slices, func(s *resourcev1.ResourceSlice) bool { return s.Spec.Driver != c.Devices.Slices[0].Spec.Driver })
}
