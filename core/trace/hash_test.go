package trace_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/testing/mk"
	"orrery/core/trace"
	"orrery/core/world"
)

// canary must not appear in a file.
const canary = "c4n4ry"

func asJSON(t *testing.T, o world.Object) string {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// unpacked returns a file's records as the reader returns them, and their unpacked bytes.
func unpacked(t *testing.T, file []byte) string {
	t.Helper()
	records, damage := read(t, file)
	if damage != nil {
		t.Fatal(damage)
	}
	text := string(file)
	for _, r := range records {
		input, ok := r.Body.(trace.Input)
		if !ok {
			text += fmt.Sprintf("%+v", r.Body)
			continue
		}
		text += fmt.Sprintf("%+v", input.Effect)
		switch ev := input.Event.(type) {
		case world.Changed:
			text += asJSON(t, ev.Object)
		case world.Listed:
			for _, o := range ev.Objects {
				text += asJSON(t, o)
			}
		default:
			text += fmt.Sprintf("%+v", ev)
		}
	}
	return text
}

func newHash(t testing.TB, salt string) *trace.NameHasher {
	t.Helper()
	h, err := trace.NewNameHasher([]byte(salt))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestNameHasher_HashesEveryName puts the canary into every name of a pod, a node and other objects.
func TestNameHasher_HashesEveryName(t *testing.T) {
	holder := canary
	pod := mk.Pod(canary).Namespace(canary).UID("uid-"+canary).Node(canary).CPU("1").Label("app", canary).
		NodeSelector("disk", canary).Owner("apps/v1", "ReplicaSet", canary).Toleration(v1.Toleration{Key: "k", Value: canary}).Obj()
	pod.Spec.PriorityClassName, pod.Status.NominatedNodeName, pod.Status.Reason = canary, canary, canary
	pod.Spec.Containers[0].Image = "registry/" + canary + ":1"
	pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
		TopologyKey: "zone", LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": canary}},
	}}
	pod.Status.Phase = v1.PodFailed
	pod.Status.Conditions = []v1.PodCondition{{Type: v1.PodScheduled, Status: v1.ConditionFalse, Reason: "Unschedulable", Message: "no room on " + canary}}
	pod.Spec.Volumes = []v1.Volume{{Name: canary, VolumeSource: v1.VolumeSource{PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: canary}}}}
	node := mk.Node(canary).Zone(canary).Label("spans", canary+"__"+canary+"2").Taint("k", canary, v1.TaintEffectNoSchedule).Obj()
	node.Status.Images = []v1.ContainerImage{{Names: []string{"registry/" + canary + ":1"}}}
	claim := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: canary, Namespace: canary}, Spec: resourcev1.ResourceClaimSpec{
		Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{{Name: canary, Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: canary}}}},
	}}
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: canary, Namespace: canary}, Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder}}

	var file bytes.Buffer
	w, err := trace.NewHashedWriter(&file, trace.Header{Start: start}, newHash(t, "some salt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range []trace.Body{
		inputBody(world.Changed{Object: pod}), inputBody(world.Changed{Object: node}), inputBody(world.Changed{Object: claim}), inputBody(world.Changed{Object: lease}),
		trace.Input{Event: world.EffectDone{Outcome: world.Outcome{Code: 1, Message: canary}}, Effect: trace.EffectKey{Verb: trace.Bind, Pod: world.PodRefOf(pod)}},
		trace.Input{Event: world.EffectDone{}, Effect: trace.EffectKey{Verb: trace.ClaimVolume, Pod: world.PodRefOf(pod), Detail: canary}},
		trace.Input{Event: world.EffectDone{}, Effect: trace.EffectKey{Verb: trace.SelectNode, Pod: world.PodRefOf(pod), Detail: canary}},
		trace.Input{Event: world.EffectDone{}, Effect: trace.EffectKey{Verb: trace.ReserveResourceClaim, Pod: world.PodRefOf(pod), Detail: canary}},
		trace.Decision{Pod: world.PodRefOf(pod), Node: canary, Nominated: canary},
		trace.Mark{Pod: world.PodRefOf(pod), Text: canary},
	} {
		if err := w.Write(trace.Record{At: start, Body: body}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if text := unpacked(t, file.Bytes()); strings.Contains(text, canary) {
		at := strings.Index(text, canary)
		t.Errorf("the canary sings: …%s…", text[max(0, at-80):min(len(text), at+40)])
	}
}

func TestNameHasher_KeepsReferences(t *testing.T) {
	h := newHash(t, "some salt")
	pod := h.Object(mk.Pod("a").Node("n1").NodeSelector("disk", "ssd").Obj()).(*v1.Pod)
	node := h.Object(mk.Node("n1").Label("disk", "ssd").Label("cores", "64").Obj()).(*v1.Node)
	if pod.Spec.NodeName != node.Name || pod.Spec.NodeSelector["disk"] != node.Labels["disk"] || node.Name == "n1" {
		t.Errorf("pod on %q selects %q, and node %q has %q", pod.Spec.NodeName, pod.Spec.NodeSelector["disk"], node.Name, node.Labels["disk"])
	}
	if node.Labels["cores"] != "64" {
		t.Errorf("a number became %q", node.Labels["cores"])
	}
	if node.Labels[v1.LabelHostname] != node.Name {
		t.Errorf("the host name is %q and the node's %q", node.Labels[v1.LabelHostname], node.Name)
	}
	if h.Name("n1") == newHash(t, "other salt").Name("n1") {
		t.Error("another salt gives the same hash")
	}
	if _, err := trace.NewNameHasher([]byte("short")); err == nil {
		t.Error("a short salt is taken")
	}
}

func TestNameHasher_AddsDefaultImageTag(t *testing.T) {
	h := newHash(t, "some salt")
	pod := mk.Pod("a").CPU("1").Obj()
	pod.Spec.Containers[0].Image = "registry:5000/app"
	node := mk.Node("n").Obj()
	node.Status.Images = []v1.ContainerImage{{Names: []string{"registry:5000/app:latest"}}}
	asks, has := h.Object(pod).(*v1.Pod).Spec.Containers[0].Image, h.Object(node).(*v1.Node).Status.Images[0].Names[0]
	if asks != has {
		t.Errorf("the pod requests %q and the node has %q", asks, has)
	}
}

func TestCut_BeginsWithSnapshot(t *testing.T) {
	gone, stays, late := mk.Pod("gone").Obj(), mk.Pod("stays").Obj(), mk.Pod("late").Obj()
	second := func(n int) time.Time { return start.Add(time.Duration(n) * time.Second) }
	file := written(t, trace.Header{Start: start, Seed: 7},
		trace.Record{At: second(0), Body: inputBody(world.Listed{Kind: world.Node, Objects: []world.Object{mk.Node("n").Obj()}})},
		trace.Record{At: second(1), Body: inputBody(world.Changed{Op: world.Added, Object: gone})},
		trace.Record{At: second(1), Body: inputBody(world.Changed{Op: world.Added, Object: stays})},
		trace.Record{At: second(2), Body: inputBody(world.Changed{Op: world.Deleted, Object: gone})},
		trace.Record{At: second(5), Body: inputBody(world.Changed{Op: world.Added, Object: late})},
		trace.Record{At: second(9), Body: inputBody(world.Tick{})})
	for _, c := range []struct {
		name        string
		first, last int
		want        string
		base        trace.Origin
	}{
		{"the middle begins with a snapshot", 3, 6, "Node:n Pod:stays +late", trace.FromSnapshot},
		{"the beginning stays exact", 0, 1, "Node:n +gone +stays", trace.FromStart},
		{"a stretch without records is the snapshot", 6, 7, "Node:n Pod:late,stays", trace.FromSnapshot},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := trace.Cut(bytes.NewReader(file), &out, second(c.first), second(c.last)); err != nil {
				t.Fatal(err)
			}
			r, err := trace.NewReader(&out)
			if err != nil {
				t.Fatal(err)
			}
			if got := outline(t, r); got != c.want || r.Header().Origin != c.base || r.Header().Seed != 7 {
				t.Errorf("the cut is %q from %s, want %q from %s", got, r.Header().Origin, c.want, c.base)
			}
		})
	}
	if err := trace.Cut(bytes.NewReader(file), io.Discard, second(2), second(1)); err == nil {
		t.Error("a cut that ends before it begins is made")
	}
	for _, c := range []struct{ first, last int }{{10, 11}, {10, 1 << 20}, {2, 10}} {
		var beyond *trace.BeyondEndError
		if err := trace.Cut(bytes.NewReader(file), io.Discard, second(c.first), second(c.last)); !errors.As(err, &beyond) || !beyond.End.Equal(second(9)) {
			t.Errorf("a cut from %ds to %ds of a trace of 9s: %v", c.first, c.last, err)
		}
	}
	if err := trace.Cut(bytes.NewReader(file[:len(file)-1]), io.Discard, second(0), second(9)); err == nil {
		t.Error("cutting a damaged file to its end is no error")
	}
}

// outline returns the inputs of a trace in one line.
func outline(t *testing.T, r *trace.Reader) string {
	records, damage := readAll(t, r)
	if damage != nil {
		t.Fatal(damage)
	}
	var parts []string
	for _, record := range records {
		switch ev := record.Body.(trace.Input).Event.(type) {
		case world.Listed:
			var names []string
			for _, o := range ev.Objects {
				names = append(names, o.GetName())
			}
			parts = append(parts, string(ev.Kind)+":"+strings.Join(names, ","))
		case world.Changed:
			parts = append(parts, map[world.Op]string{world.Added: "+", world.Modified: "~", world.Deleted: "-"}[ev.Op]+ev.Object.GetName())
		}
	}
	return strings.Join(parts, " ")
}

func TestReadInfo_Counts(t *testing.T) {
	records := append(manyRecords(20), trace.Record{At: start.Add(time.Hour), Body: trace.Mark{Kind: trace.Eviction, Text: "out"}},
		trace.Record{At: start, Body: trace.Checkpoint{Digest: 9}})
	file := written(t, trace.Header{Start: start, Program: "test"}, records[1:]...)
	info, err := trace.ReadInfo(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if info.Inputs != 20 || info.Decisions != 20 || info.Verdicts[trace.Placed] != 20 || info.InputsByKind["Pod"] != 19 || info.InputsByKind["Tick"] != 1 {
		t.Errorf("the counts are %+v", info)
	}
	if info.Bytes != int64(len(file)) || info.Damage != nil || info.Digest != 9 || info.Checkpoints != 1 {
		t.Errorf("of %d bytes: %+v", len(file), info)
	}
	if len(info.Marks) != 1 || info.Marks[0].Mark.Text != "out" || !info.Last.Equal(start.Add(time.Hour)) {
		t.Errorf("marks %+v, last %v", info.Marks, info.Last)
	}
	if info, err = trace.ReadInfo(bytes.NewReader(file[:len(file)-1])); err != nil || info.Damage == nil {
		t.Errorf("of a damaged file: %+v, %v", info.Damage, err)
	}
}

func TestHashNames_KeepsEverythingElse(t *testing.T) {
	records := append(manyRecords(20), trace.Record{At: start, Body: trace.Mark{Kind: trace.Note, Text: "secret-note"}})
	file := written(t, trace.Header{Start: start, Description: "secret-description", Seed: 7}, records...)
	hash, err := trace.NewNameHasher([]byte("a long salt"))
	if err != nil {
		t.Fatal(err)
	}
	var hashed bytes.Buffer
	if err := trace.HashNames(bytes.NewReader(file), &hashed, hash); err != nil {
		t.Fatal(err)
	}
	before, after := infoIn(t, file), infoIn(t, hashed.Bytes())
	if !after.Header.NamesHashed || after.Header.Description != "" || after.Header.Seed != 7 {
		t.Errorf("the header is %+v", after.Header)
	}
	if before.Inputs != after.Inputs || before.Decisions != after.Decisions || after.Damage != nil || after.Digest != 0 {
		t.Errorf("of %d inputs and %d decisions there are %d and %d, damage %v", before.Inputs, before.Decisions, after.Inputs, after.Decisions, after.Damage)
	}
	if text := after.Marks[0].Mark.Text; strings.Contains(text, "secret") {
		t.Errorf("the mark says %q", text)
	}

	var rest bytes.Buffer
	err = trace.HashNames(bytes.NewReader(file[:len(file)-3]), &rest, hash)
	if damage := (*trace.Damage)(nil); !errors.As(err, &damage) || infoIn(t, rest.Bytes()).Damage != nil {
		t.Errorf("hashing a damaged trace ends with %v", err)
	}
}

func infoIn(t *testing.T, file []byte) trace.Info {
	t.Helper()
	info, err := trace.ReadInfo(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return info
}
