package cycle

import (
	"os"
	"path/filepath"
	"testing"

	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
	"orrery/core/parity/oracle"
	"orrery/core/scheduler/release"
)

// oracleFolders are the modules of other releases' oracles.
var oracleFolders = map[release.Release]string{release.V136: "../v136", release.V137: "../v137"}

// oracleReleases returns the releases whose oracles are asked for. Without any the test is skipped.
func oracleReleases(t *testing.T) []release.Release {
	t.Helper()
	switch asked := os.Getenv("ORRERY_ORACLES"); asked {
	case "":
		t.Skip("kube-scheduler of other releases runs with ORRERY_ORACLES=1.36, or 1 for all of them: to compile one takes ten minutes the first time")
		return nil
	case "1":
		return []release.Release{release.V136, release.V137}
	default:
		r, err := release.Parse(asked)
		if err != nil {
			t.Fatalf("ORRERY_ORACLES: %v", err)
		}
		if oracleFolders[r] == "" {
			t.Skipf("kube-scheduler of %s is in this process: every other test compares with it", r)
		}
		return []release.Release{r}
	}
}

// startOracleOf compiles and starts the oracle of a release. It runs until the test ends.
func startOracleOf(t *testing.T, r release.Release) *oracle.Process {
	t.Helper()
	kept, err := os.UserCacheDir() // an oracle that is up to date is not linked again
	if err != nil {
		t.Fatal(err)
	}
	kept = filepath.Join(kept, "orrery", "oracles")
	if err := os.MkdirAll(kept, 0o755); err != nil {
		t.Fatal(err)
	}
	file, err := oracle.Build(oracleFolders[r], kept)
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
				if why := leftOut(c); why != "" {
					seen.Count("%s", why)
					return ""
				}
				_, mismatch := compareRelease(t, c, r, process, seen)
				return mismatch
			})
		})
	}
}

// leftOut returns why a case is not compared with other releases, if it is not.
func leftOut(c *clusterCase) string {
	switch {
	case c.Gates["GenericWorkload"] || len(c.Workloads) > 0:
		return "left out: pods of groups, whose API differs"
	case len(c.Devices.Claims) > 0:
		return "left out: claims for devices, whose allocator differs"
	}
	return ""
}
