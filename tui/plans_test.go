package tui

import (
	"os"
	"path/filepath"
	"testing"

	"orrery/views"
)

const jobToFit = `apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  parallelism: 3
  completions: 3
  template:
    spec: {restartPolicy: Never, containers: [{name: main, resources: {requests: {cpu: 100m, memory: 64Mi}}}]}
`

// TestFit_ShowsBeforeAndAfter tries the objects of a file on a copy: the answer opens as a what-if.
func TestFit_ShowsBeforeAndAfter(t *testing.T) {
	file := filepath.Join(t.TempDir(), "job.yaml")
	if err := os.WriteFile(file, []byte(jobToFit), 0o600); err != nil {
		t.Fatal(err)
	}
	s := rushHour(t, 140, 40).keys("esc")
	s.keys(":").typeText("fit "+file).keys("enter").shows("⚑ what-if: fit", "fits: 3 pods", "pods placed", "train-", "· new", "new → bound on")
	if s.screen.top().pane != views.WhatIfPane {
		t.Errorf("the pane is %q", s.screen.top().pane)
	}
	s.keys("esc", ":").typeText("fit absent.yaml").keys("enter").shows(":fit: open absent.yaml")
	s.keys("esc", ":").typeText("fit").keys("enter").shows(":fit wants file after it")
}

// TestPlans_ArePages opens what room there is, and which nodes can be emptied.
func TestPlans_ArePages(t *testing.T) {
	s := rushHour(t, 140, 40).keys("esc")
	s.keys(":").typeText("capacity zone").keys("enter").shows("all nodes: ", "allocatable", "most on one node", "zone ", "Gi")
	s.keys("esc", ":").typeText("consolidate").keys("enter").shows("can be emptied", "most cpu free on one node", "before").lacks("looking for nodes")
	s.keys("esc", ":").typeText("consolidate a in").keys("enter").shows("it takes a selector of labels")
}
