package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/world"
)

func TestMain(m *testing.M) {
	klog.SetLogger(logr.Discard())
	os.Exit(m.Run())
}

// contents is a summary of a recording.
type contents struct {
	program string
	notes   []string
	bound   map[string]bool // workloads with a bound pod
	nodes   map[string]bool // ready nodes
	victims int
	leases  int             // Leases and their renewals
	claims  map[string]bool // bound claims
	objects string
}

func summarize(t *testing.T, recording []byte) *contents {
	t.Helper()
	r, err := trace.NewReader(bytes.NewReader(recording))
	if err != nil {
		t.Fatal(err)
	}
	h := &contents{program: r.Header().Program, bound: map[string]bool{}, nodes: map[string]bool{}, claims: map[string]bool{}}
	var all strings.Builder
	for record, err := range r.All() {
		if err != nil {
			t.Fatal(err)
		}
		switch body := record.Body.(type) {
		case trace.Mark:
			if body.Kind == trace.Note {
				h.notes = append(h.notes, body.Text)
			}
		case trace.Decision:
			h.victims += body.Victims
		case trace.Input:
			for _, o := range objectsOf(body.Event) {
				h.add(o)
				if err := json.NewEncoder(&all).Encode(o); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	h.objects = all.String()
	return h
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

func (h *contents) add(o world.Object) {
	switch o := o.(type) {
	case *v1.Pod:
		if o.Spec.NodeName != "" {
			h.bound[o.Labels["app"]] = true
		}
	case *v1.PersistentVolumeClaim:
		if o.Spec.VolumeName != "" {
			h.claims[o.Name] = true
		}
	case *v1.Node:
		if len(o.Spec.Taints) == 0 {
			h.nodes[o.Name] = true
		}
	}
	if world.KindOf(o) == world.Lease {
		h.leases++
	}
}

// The times on a real cluster vary, so the test checks what happens and in which order, not when.
func TestRecord_RealAPIServerReplaysExactly(t *testing.T) {
	into := t.TempDir()
	var output bytes.Buffer
	if err := run(t.Context(), []string{"-from", "testdata", "-to", into}, &output); err != nil {
		t.Fatal(err)
	}
	recording, err := os.ReadFile(filepath.Join(into, "small.orrery"))
	if err != nil {
		t.Fatal(err)
	}
	e, report, err := play.Replay(bytes.NewReader(recording), play.Options{})
	switch {
	case err != nil:
		t.Fatal(err)
	case !report.OK() || !report.Exact || report.DigestDiffers || report.Refused > 0 || len(e.Problems()) > 0:
		t.Errorf("the replay differs: %+v, %v", report, e.Problems())
	case !strings.Contains(output.String(), e.Digest().String()):
		t.Errorf("the digest %s is not in the output:\n%s", e.Digest(), output.String())
	}
	if err := e.Check(); err != nil {
		t.Errorf("at the end: %v", err)
	}
	h := summarize(t, recording)
	for _, secret := range []string{"canary", "managedFields"} {
		if strings.Contains(h.objects, secret) {
			t.Errorf("%q is in the recording", secret)
		}
	}
	if !strings.Contains(h.program, "kube-apiserver") {
		t.Errorf("the recording program is %q, want it to name the API server", h.program)
	}
	want := []string{"A report is made", "A node is drained", "The budget lets go", "n-1 is empty", "A node comes", "The vital push others out"}
	if !slices.Equal(slices.Sorted(slices.Values(h.notes)), slices.Sorted(slices.Values(want))) {
		t.Errorf("the notes are %q, want %q", h.notes, want)
	}
	if slices.Index(h.notes, "n-1 is empty") < slices.Index(h.notes, "The budget lets go") {
		t.Errorf("the node was emptied against its budget: %q", h.notes)
	}
	for _, app := range []string{"agent", "shop", "ledger", "ports", "report", "held", "wide", "vital"} {
		if !h.bound[app] {
			t.Errorf("no pod of %s was bound", app)
		}
	}
	if !h.nodes["late-1"] && !h.nodes["late"] {
		t.Errorf("the added node is not ready: %v", h.nodes)
	}
	if want := map[string]bool{"data-ledger-0": true, "data-ledger-1": true}; !maps.Equal(h.claims, want) {
		t.Errorf("the claims %v are bound, want %v", h.claims, want)
	}
	if h.victims == 0 {
		t.Error("no pod was preempted")
	}
	if h.leases < 2 {
		t.Error("the scheduler's lease is not in the recording")
	}
}

func TestRun_NamesUnknownScenario(t *testing.T) {
	err := run(t.Context(), []string{"-from", "testdata", "-to", t.TempDir(), "smal"}, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), `there is no scenario "smal" in testdata`) {
		t.Errorf("error %v", err)
	}
}
