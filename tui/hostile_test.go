package tui

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	coordinationv1 "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"orrery/core/objects/workloads"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/testing/race"
	"orrery/core/trace"
	"orrery/core/world"
	"orrery/demo/playback"
)

// keysToPanes lists keys to every pane, with a selection if the pane has rows.
var keysToPanes = [][]string{
	nil,
	{"2"},
	{"2", "enter"},
	{"2", "e"},
	{"2", "e", "enter"},
	{"3"},
	{"3", "enter"},
	{"4"},
	{"0"},
	{"0", "G", "enter"},
	{"5"},
	{"6"},
	{"7"},
	{"7", "enter"},
	{"8"},
	{"9"},
	{"3", "w"},
	{"3", "w", "c"},
	{"2", "d"},
	{":", "p", "v", "c", "enter"},
	{":", "p", "v", "c", "enter", "d"},
	{":", "p", "v", "enter"},
	{":", "d", "e", "v", "enter"},
	{":", "d", "e", "v", "enter", "right", "d"},
	{":", "c", "l", "a", "i", "m", "s", "enter"},
	{":", "w", "l", "enter"},
	{":", "w", "l", "enter", "enter"},
	{":", "w", "l", "enter", "d"},
	{"?"},
	{"2", "/", "x"},
	{"ctrl+k"},
	{"ctrl+k", "x"},
	{"ctrl+k", "x", "tab"},
	{":", "p"},
}

// namedCluster is a cluster with objects of that name and ordinary ones, in which every pod
// had an attempt. The engine refuses nodes and pods whose names contain control characters; only labels, taints and
// conditions then contain them.
func namedCluster(t testing.TB, text string, nodes, pods int) staticSource {
	t.Helper()
	race.Alone(t)
	features, err := config.ParseFeatures(map[string]bool{"GenericWorkload": true, "GangScheduling": true})
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Options{Start: start, Config: config.Default(features)})
	if err != nil {
		t.Fatal(err)
	}
	name := text
	if strings.ContainsFunc(text, unicode.IsControl) {
		name = "plain"
	}
	apply := func(o world.Object, uid string) {
		o.SetUID(types.UID(uid))
		if err := e.Apply(world.Input{At: start, Event: world.Changed{Op: world.Added, Object: o}}); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	}
	for i := range nodes {
		o := mk.Node([]string{name, fmt.Sprintf("node-%d", i)}[min(i, 1)]).CPU("1").Memory("1Gi").Zone([]string{text, "a"}[i%2]).Obj()
		if i == 1 {
			o.Spec.Taints = []v1.Taint{{Key: text, Value: text, Effect: v1.TaintEffectNoSchedule}}
		}
		apply(o, fmt.Sprintf("node-%d", i))
	}
	for i, o := range []world.Object{
		mk.Class(name, "driver").WaitForFirstConsumer().Obj(), mk.CSINode(name).Limit(name, 1).Obj(), mk.StorageCapacity(name, name, "1Gi", v1.LabelTopologyZone, text),
		mk.Volume(name).Size("1Gi").Class(name).On(v1.LabelTopologyZone, text).For(mk.Claim(name).Obj()).Obj(), mk.Claim(name).Bound(name).Obj(),
		mk.Claim("open").Class(name).Annotation("volume.kubernetes.io/selected-node", text).Obj(), mk.Attachment(name, name, text, name),
	} {
		apply(o, fmt.Sprintf("storage-%d", i))
	}
	for i, o := range hostileDevices(name, text) {
		apply(o, fmt.Sprintf("device-%d", i))
	}
	for i, o := range []world.Object{mk.Workload(name, mk.Gang(text, 2), mk.BasicGroup("basic")), mk.Workload("empty", mk.Gang(text, 2))} {
		apply(o, fmt.Sprintf("workload-%d", i))
	}
	for i := range pods {
		pod := mk.Pod([]string{name, name, fmt.Sprintf("pod-%d", i)}[min(i, 2)]).Namespace([]string{"default", name}[i%2]).CPU([]string{"100m", "2"}[i%2])
		o := pod.Label("says", text).Scheduler("default-scheduler").Obj()
		o.Status.Conditions = []v1.PodCondition{{Type: v1.PodScheduled, Status: v1.ConditionFalse, Reason: text, Message: text}}
		if i < 3 {
			workloads.SetRef(&o.ObjectMeta, workloads.Reference{Name: name, PodGroup: text, PodGroupReplicaKey: []string{"", text}[i/2]})
		}
		apply(o, fmt.Sprintf("pod-%d", i))
	}
	for range pods {
		e.Step()
	}
	return staticSource{e}
}

// hostileDevices are devices and a claim of that name, with that text wherever an API server checks more than the engine does.
func hostileDevices(name, text string) []world.Object {
	slice := mk.ResourceSlice(name, text, text).Node(text).Pool(1, 2).Devices(text, "held").Attribute("model", text).Taint(text, resourcev1.DeviceTaintEffectNoExecute).Obj()
	return []world.Object{
		slice, mk.ResourceSlice("anywhere", "driver", "many").AllNodes().Devices(strings.Fields(strings.Repeat("device ", 40))...).Obj(),
		mk.ResourceClaim(name).Request("r", "c", 1).Allocated("n", text, text, text, "held").ReservedFor(text).Obj(),
		mk.ResourceClaim("lost").Request(text, text, 1).Allocated("n", text, text, text, text+"gone").Obj(),
	}
}

// TestScreen_BordersHold draws every pane at every size with hostile names.
func TestScreen_BordersHold(t *testing.T) {
	for _, tt := range []struct {
		name   string
		source staticSource
		sizes  [][2]int
	}{
		{"wide runes", namedCluster(t, "日本語の名前はとても長いことがあります", 3, 6), albumSizes},
		{"emoji", namedCluster(t, "👩\u200d🚀👩\u200d👩\u200d👧\u200d👦🇩🇪\u26a0\ufe0f🏳\ufe0f\u200d🌈", 3, 6), albumSizes},
		{"names of 253 characters", namedCluster(t, strings.Repeat("long-name.", 25)+"end", 3, 6), albumSizes},
		{"names with bidirectional and invisible characters", namedCluster(t, "\u202egnp.\u200b\u2066exe", 3, 6), albumSizes},
		{"escape sequences", namedCluster(t, "\x1b[2J\x1b[31mred\x1b]0;title\a\u009b5A", 3, 6), albumSizes},
		{"an empty cluster", manyPods(t, 0), albumSizes},
		{"pods and no node", manyPods(t, 0, "one", "two"), albumSizes},
		{"one node", namedCluster(t, "only", 1, 3), albumSizes},
		{"ten thousand nodes", namedCluster(t, "first", 10_000, 3), albumSizes[1:3]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, size := range tt.sizes {
				s := watch(t, tt.source, size[0], size[1])
				for _, keys := range keysToPanes {
					s.keys(keys...)
					checkSize(t, s)
					if s.screen.menu == nil && s.screen.prompt == nil { // these cover a part of a box
						checkBoxes(t, s)
					}
					if plain := s.plain(); strings.ContainsAny(plain, "\x1b\a\u009b\u202e\u2066") {
						t.Fatalf("after %v the screen has a control character: %q", keys, plain)
					}
					for range 6 {
						s.keys("esc")
					}
				}
			}
		})
	}
}

// TestScreen_LookalikeRowsOpenTheirOwnPod opens two pods whose names print the same.
func TestScreen_LookalikeRowsOpenTheirOwnPod(t *testing.T) {
	s := watch(t, manyPods(t, 1, "a\u200b", `a\u200b`, "b"), 100, 30).keys("2")
	opened := map[string]bool{}
	for i := range s.screen.total() {
		s.keys("g")
		for range i {
			s.keys("down")
		}
		s.keys("enter").shows("Journey")
		opened[s.screen.top().pod.String()] = true
		if s.screen.frame.Model.Journey == nil {
			t.Errorf("row %d opens no pane:\n%s", i, s.plain())
		}
		s.keys("e").shows("Insufficient cpu").keys("esc", "esc")
	}
	if len(opened) != 3 {
		t.Errorf("three rows open %d pods: %q", len(opened), slices.Sorted(maps.Keys(opened)))
	}
}

// TestScreen_RecordingOfAllYears draws every pane of a recording whose inputs are ages apart, before 1970 and after.
func TestScreen_RecordingOfAllYears(t *testing.T) {
	var file bytes.Buffer
	w, err := trace.NewWriter(&file, trace.Header{Start: time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	year := func(n int) time.Time { return time.Date(n, 2, 3, 4, 5, 6, 0, time.UTC) }
	for i, o := range []world.Object{
		mk.Node("node-0").CPU("1").Memory("1Gi").Condition(v1.NodeReady, v1.ConditionTrue).Obj(),
		mk.Node("node-1").CPU("1").Memory("1Gi").Taint("gone", "", v1.TaintEffectNoExecute).Condition(v1.NodeReady, v1.ConditionFalse).Obj(),
		mk.Pod("bound").Node("node-1").CPU("1").Started(year(9999)).Obj(),
		mk.Pod("fits").CPU("1").Obj(), mk.Pod("waits").CPU("9").Obj(), mk.Pod("late").CPU("1").Obj(),
		&coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "kube-scheduler", UID: "lease"},
			Spec: coordinationv1.LeaseSpec{
				HolderIdentity: ptr.To("one"), LeaseDurationSeconds: ptr.To(int32(math.MaxInt32)),
				AcquireTime: &metav1.MicroTime{Time: year(1900)}, RenewTime: &metav1.MicroTime{Time: year(9999)},
			},
		},
	} {
		o.SetCreationTimestamp(metav1.Time{Time: year(9000)})
		for _, at := range []time.Time{year(40 * i), year(1300 * i)} {
			if err := w.Write(trace.Record{At: at.AddDate(1, 0, 0), Body: trace.Input{Event: world.Changed{Op: world.Modified, Object: o}}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Write(trace.Record{At: year(1300*i + 1), Body: trace.Mark{Kind: trace.Note, Text: "a mark"}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	d, err := OpenRecording(bytes.NewReader(file.Bytes()), playback.Options{Name: "ages.orrery"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := watch(t, d, 150, 50)
	for _, moment := range []string{"0%", "50%", "100%", "99999999999999999:00", "+2562047h", "-2562047h"} {
		s.keys(":").typeText("goto " + moment).keys("enter")
		for _, way := range append(keysToPanes, []string{"M"}, []string{"home"}, []string{"end"}, []string{"n"}, []string{"]"}) {
			s.keys(way...)
			s.advance(100 * time.Millisecond)
			checkSize(t, s)
			for range 6 {
				s.keys("esc")
			}
		}
		if s.quit || d.Err() != nil {
			t.Fatalf("at %s it ends: %v", moment, d.Err())
		}
	}
}
