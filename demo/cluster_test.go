package demo_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"orrery/core/trace"
	"orrery/core/world"
	"orrery/core/world/trim"
	"orrery/demo"
)

// onCluster returns the recordings made on a real API server.
var onCluster = []string{"morning-rush", "priority-storm", "node-drain"}

// simulated returns the others.
func simulated() []demo.Trace {
	return slices.DeleteFunc(demo.Traces(), func(tr demo.Trace) bool { return slices.Contains(onCluster, tr.Name) })
}

func TestRecordings_RecordedWhereScenarioSays(t *testing.T) {
	for _, tr := range demo.Traces() {
		s, err := demo.Scenario(tr.Name)
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Contains(onCluster, tr.Name)
		if s.OnCluster != want {
			t.Errorf("%s: recorded on a cluster is %v in the scenario", tr.Name, s.OnCluster)
		}
		r, err := trace.NewReader(bytes.NewReader(bytesOf(t, tr.Name)))
		if err != nil {
			t.Fatal(err)
		}
		h := r.Header()
		if strings.Contains(h.Program, "on kube-apiserver v") != want {
			t.Errorf("%s has the program %q", tr.Name, h.Program)
		}
		if h.Description != s.About() || h.Origin != trace.FromStart || want && h.Seed != s.Seed() {
			t.Errorf("%s is of another scenario or not complete: it begins with a %s, has seed %d and the description\n%s", tr.Name, h.Origin, h.Seed, h.Description)
		}
	}
}

// maxLateness is how late a real cluster may be with an event of a scenario.
const maxLateness = 1500 * time.Millisecond

func TestRecordings_HaveEveryMark(t *testing.T) {
	for _, tr := range demo.Traces() {
		source, err := demo.Source(tr.Name)
		if err != nil {
			t.Fatal(err)
		}
		var told struct {
			Steps []struct {
				At   time.Duration
				Mark string
			}
		}
		if err := yaml.Unmarshal(source, &told); err != nil {
			t.Fatal(err)
		}
		w := observe(t, tr.Name)
		marks := 0
		for _, m := range told.Steps {
			if m.Mark == "" {
				continue
			}
			marks++
			late := w.eventsOf(t, trace.Note, m.Mark) - m.At
			if most := map[bool]time.Duration{true: maxLateness}[slices.Contains(onCluster, tr.Name)]; late < 0 || late > most {
				t.Errorf("%s: the mark %q is %v late", tr.Name, m.Mark, late)
			}
		}
		if marks < 4 {
			t.Errorf("%s has %d marks, want four", tr.Name, marks)
		}
	}
}

// Objects of a real API server have fields that scheduling does not read; these must not be in a recording.
func TestRecordings_AreTrimmed(t *testing.T) {
	for _, name := range onCluster {
		r, err := trace.NewReader(bytes.NewReader(bytesOf(t, name)))
		if err != nil {
			t.Fatal(err)
		}
		for record, err := range r.All() {
			if err != nil {
				t.Fatal(err)
			}
			in, _ := record.Body.(trace.Input)
			for _, o := range objectsOf(in.Event) {
				if len(o.GetManagedFields()) > 0 || !equality.Semantic.DeepEqual(o, trim.Object(o)) {
					t.Fatalf("%s: %s %s has fields that scheduling does not read", name, world.KindOf(o), o.GetName())
				}
				if pod, ok := o.(*v1.Pod); ok {
					for _, c := range pod.Spec.Containers {
						if len(c.Env)+len(c.EnvFrom)+len(c.Command)+len(c.Args)+len(c.VolumeMounts) > 0 {
							t.Fatalf("%s: a container of pod %s has its environment, command, arguments or mounts", name, pod.Name)
						}
					}
				}
			}
		}
	}
}

func objectsOf(e world.Event) []world.Object {
	switch e := e.(type) {
	case world.Changed:
		return []world.Object{e.Object}
	case world.Listed:
		return e.Objects
	}
	return nil
}
