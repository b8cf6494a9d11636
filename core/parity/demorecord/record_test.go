package main

import (
	"bytes"
	"encoding/json"
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

// heard is what is in a recording.
type heard struct {
	program string
	said    []string
	bound   map[string]bool // workloads with a pod that was seen on a node
	nodes   map[string]bool // that were seen to be ready
	victims int
	lives   int // leases that were renewed
	objects string
}

func listen(t *testing.T, recording []byte) *heard {
	t.Helper()
	r, err := trace.NewReader(bytes.NewReader(recording))
	if err != nil {
		t.Fatal(err)
	}
	h := &heard{program: r.Header().Program, bound: map[string]bool{}, nodes: map[string]bool{}}
	var all strings.Builder
	for record, err := range r.All() {
		if err != nil {
			t.Fatal(err)
		}
		switch body := record.Body.(type) {
		case trace.Mark:
			if body.Kind == trace.Note {
				h.said = append(h.said, body.Text)
			}
		case trace.Decision:
			h.victims += body.Victims
		case trace.Input:
			for _, o := range objectsOf(body.Event) {
				h.see(o)
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

func (h *heard) see(o world.Object) {
	switch o := o.(type) {
	case *v1.Pod:
		if o.Spec.NodeName != "" {
			h.bound[o.Labels["app"]] = true
		}
	case *v1.Node:
		if len(o.Spec.Taints) == 0 {
			h.nodes[o.Name] = true
		}
	}
	if world.KindOf(o) == world.Lease {
		h.lives++
	}
}

// A cluster of real parts takes as long as it takes: what is looked for is what came of what, and not when.
func TestRecord_RealAPIServerReplaysExactly(t *testing.T) {
	into := t.TempDir()
	var said bytes.Buffer
	if err := run(t.Context(), []string{"-from", "testdata", "-to", into}, &said); err != nil {
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
		t.Errorf("replayed, it differs: %+v, %v", report, e.Problems())
	case !strings.Contains(said.String(), e.Digest().String()):
		t.Errorf("the digest is %s, and it is said that:\n%s", e.Digest(), said.String())
	}
	if err := e.Check(); err != nil {
		t.Errorf("at the end: %v", err)
	}
	h := listen(t, recording)
	for _, secret := range []string{"canary", "managedFields"} {
		if strings.Contains(h.objects, secret) {
			t.Errorf("%q is in the recording", secret)
		}
	}
	if !strings.Contains(h.program, "kube-apiserver") {
		t.Errorf("it says that it was recorded by %q, and not where", h.program)
	}
	want := []string{"A report is made", "A node is drained", "The budget lets go", "n-1 is empty", "A node comes", "The vital push others out"}
	if !slices.Equal(slices.Sorted(slices.Values(h.said)), slices.Sorted(slices.Values(want))) {
		t.Errorf("it says %q, want %q", h.said, want)
	}
	if slices.Index(h.said, "n-1 is empty") < slices.Index(h.said, "The budget lets go") {
		t.Errorf("the node was emptied against its budget: %q", h.said)
	}
	for _, app := range []string{"agent", "shop", "ledger", "ports", "report", "held", "wide", "vital"} {
		if !h.bound[app] {
			t.Errorf("no pod of %s was bound", app)
		}
	}
	if !h.nodes["late-1"] && !h.nodes["late"] {
		t.Errorf("the node that came is not ready: %v", h.nodes)
	}
	if h.victims == 0 {
		t.Error("nobody was preempted")
	}
	if h.lives < 2 {
		t.Error("the scheduler's lease is not in it")
	}
}

func TestRun_NamesUnknownScenario(t *testing.T) {
	err := run(t.Context(), []string{"-from", "testdata", "-to", t.TempDir(), "smal"}, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), `there is no scenario "smal" in testdata`) {
		t.Errorf("it ends with %v", err)
	}
}
