package demo_test

import (
	"bytes"
	"io"
	"testing"

	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/demo"
)

// The built-in recordings are decided alike when their names are hashed, and no name of a node is left in them.
func TestTraces_SameDecisionsWithHashedNames(t *testing.T) {
	for _, name := range []string{"gang-deadlock", "gpu-day", "leader-failover", "memory-pressure", "morning-rush", "node-drain", "priority-storm", "stateful-rollout", "upgrade", "zone-failure"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, err := demo.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			all, err := io.ReadAll(file)
			if err != nil {
				t.Fatal(err)
			}
			hash, err := trace.NewNameHasher([]byte("a salt of this test"))
			if err != nil {
				t.Fatal(err)
			}
			var hashed bytes.Buffer
			if err := trace.HashNames(bytes.NewReader(all), &hashed, hash); err != nil {
				t.Fatal(err)
			}
			_, report, err := play.Replay(&hashed, play.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !report.OK() {
				t.Errorf("%d of %d decisions differ, %d are missing: %v", report.Different, report.Decisions, report.Missing, report.First)
			}
			if report.Decisions < 20 {
				t.Errorf("only %d decisions are compared", report.Decisions)
			}
		})
	}
}
