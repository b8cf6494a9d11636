package allocate

import (
	"slices"
	"testing"

	"orrery/core/parity/oracle"
	"orrery/core/parity/program"
	"orrery/core/scheduler/release"
)

// startAllocator compiles and starts the allocator of a release. It runs until the test ends.
func startAllocator(t *testing.T, r release.Release) *oracle.Process {
	t.Helper()
	asked, err := program.Asked()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(asked, r) {
		t.Skipf("the allocator of %[1]s runs with %[2]s=%[1]s, or 1 for all of them: to compile one takes a minute the first time", r, program.Switch)
	}
	file, err := program.BuildOf(r, "./allocations")
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
