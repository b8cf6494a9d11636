package scenario_test

import (
	"bytes"
	"strings"
	"testing"

	"orrery/core/scheduler/release"
	"orrery/core/trace"
	"orrery/demo/scenario"
)

// The release that a scenario names is that of its recording, with the gates that the release has.
func TestScheduler_DecidesAsItsRelease(t *testing.T) {
	for text, want := range map[string]release.Release{"": release.V135, "  kubernetes: 1.36\n": release.V136, "  kubernetes: v1.37.2\n": release.V137} {
		s, err := scenario.Parse("release.yaml", []byte("title: A release\nlength: 10s\ncluster:\n  nodes:\n    - {name: node, count: 1, cpu: 4, memory: 8Gi}\nscheduler:\n  replicas: 1\n"+text))
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		var recording bytes.Buffer
		if err := s.Record(&recording, nil); err != nil {
			t.Fatal(err)
		}
		r, err := trace.NewReader(&recording)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Header().Kubernetes; got != want {
			t.Errorf("%q is recorded as %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"  kubernetes: 1.34\n": "release 1.34 of Kubernetes is not modelled",
		"  kubernetes: 1.37\n  featureGates: {GangScheduling: true}\n": "unrecognized feature gate: GangScheduling",
	} {
		_, err := scenario.Parse("release.yaml", []byte("title: A release\nlength: 10s\ncluster:\n  nodes:\n    - {name: node, count: 1, cpu: 4, memory: 8Gi}\nscheduler:\n"+text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error with %q", text, err, want)
		}
	}
}
