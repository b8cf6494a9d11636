package trace_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/testing/mk"
	"orrery/core/trace"
	"orrery/core/world"
)

func answered(answer *world.ExtenderAnswer) trace.Record {
	key := trace.EffectKey{Verb: trace.CallExtender, Pod: ref("web"), Detail: "filter http://x/filter"}
	return trace.Record{At: start, Body: trace.Input{Event: world.EffectDone{Effect: 3, Outcome: world.Outcome{Answer: answer}}, Effect: key}}
}

// An extender's answer comes back as it was, and its nodes trimmed.
func TestAnswer_RoundTrip(t *testing.T) {
	node := mk.Node("n3").CPU("4").Obj()
	secret := node.DeepCopy()
	secret.Annotations = map[string]string{"note": "secret"}
	answers := []*world.ExtenderAnswer{
		nil,
		{},
		{Error: "no"},
		{Nodes: []string{"n2", "n1"}, Failed: []world.FailedNode{{Node: "n3", Reason: "full"}, {Node: "n4", Reason: "gone", Unresolvable: true}}},
		{AsObjects: true, Nodes: []string{"n3"}, Changed: []*v1.Node{secret}},
		{Scores: []world.HostScore{{Host: "n1", Score: -1 << 63}, {Host: "n2", Score: 10}}},
		{Victims: []world.AnsweredVictims{{Node: "n1", Pods: []types.UID{"a", "b"}, PDBViolations: 1}, {Node: "n2"}}},
	}
	var records []trace.Record
	for _, answer := range answers {
		records = append(records, answered(answer))
	}
	file := written(t, trace.Header{Start: start}, records...)
	if bytes.Contains(file, []byte("secret")) {
		t.Error("the annotation of a node is in the trace")
	}
	answers[4].Changed[0] = node
	got, damage := read(t, file)
	if damage != nil || len(got) != len(answers) {
		t.Fatalf("%d records, damage %v", len(got), damage)
	}
	for i, want := range answers {
		back := got[i].Body.(trace.Input).Event.(world.EffectDone).Outcome.Answer
		if diff := cmp.Diff(want, back, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("answer %d (-want +got):\n%s", i, diff)
		}
	}
}

// An answer that no reader would take is left out, and the trace stays whole.
func TestAnswer_TooLarge(t *testing.T) {
	var file bytes.Buffer
	w, err := trace.NewWriter(&file, trace.Header{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(answered(&world.ExtenderAnswer{Error: strings.Repeat("x", 3<<20)})); err == nil || !strings.Contains(err.Error(), "an extender's answer: it takes 3145") {
		t.Errorf("an answer of 3 MiB: %v", err)
	}
	if err := w.Write(answered(&world.ExtenderAnswer{Error: "short"})); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if records, damage := read(t, file.Bytes()); len(records) != 1 || damage != nil {
		t.Errorf("%d records, damage %v", len(records), damage)
	}
}

// A write that undoes another is waited for until the store shows its version, so a replay needs it, too.
func TestEffectDone_KeepsVersion(t *testing.T) {
	pod := world.PodRef{Namespace: "default", Name: "web", UID: "u"}
	for _, tc := range []struct {
		verb trace.Verb
		want string
	}{{trace.ReserveResourceClaim, "7"}, {trace.UnreserveResourceClaim, "7"}, {trace.Bind, ""}} {
		var file bytes.Buffer
		w, err := trace.NewWriter(&file, trace.Header{Start: start})
		if err != nil {
			t.Fatal(err)
		}
		in := trace.Input{Event: world.EffectDone{Outcome: world.Outcome{Version: "7"}}, Effect: trace.EffectKey{Verb: tc.verb, Pod: pod, Detail: "gpus"}}
		if err := errors.Join(w.Write(trace.Record{At: start, Body: in}), w.Close()); err != nil {
			t.Fatal(err)
		}
		r, err := trace.NewReader(&file)
		if err != nil {
			t.Fatal(err)
		}
		record, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if got := record.Body.(trace.Input).Event.(world.EffectDone).Outcome.Version; got != tc.want {
			t.Errorf("the outcome of an effect of kind %d has version %q, want %q", tc.verb, got, tc.want)
		}
	}
}
