package trace_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"orrery/core/evict/pressure"
	"orrery/core/testing/mk"
	"orrery/core/trace"
	"orrery/core/world"
)

// kubelet is what the header of a trace has that has readings.
var kubelet = []byte(`{"evictionHard":{"memory.available":"500Mi"}}`)

// usageOf is a reading of a node with one pod.
func usageOf(node string, at time.Time) trace.Record {
	used, limit := uint64(1<<30), int64(32768)
	memory, disk := &pressure.MemoryStats{WorkingSetBytes: &used}, &pressure.FsStats{UsedBytes: &used}
	return trace.Record{At: at, Body: trace.Usage{Node: node, Summary: pressure.Summary{
		Node: pressure.NodeStats{
			Memory: memory, Fs: disk, Runtime: &pressure.RuntimeStats{ImageFs: disk}, Rlimit: &pressure.RlimitStats{MaxPID: &limit},
			SystemContainers: []pressure.ContainerStats{{Name: "pods", Memory: memory}},
		},
		Pods: []pressure.PodStats{{
			PodRef: pressure.PodReference{Namespace: "shop", Name: "cart", UID: "uid-cart"}, Memory: memory, EphemeralStorage: disk,
			Processes:  &pressure.ProcessStats{Count: &used},
			Containers: []pressure.ContainerStats{{Name: "main", Memory: memory, Rootfs: disk, Logs: disk}},
			Volumes:    []pressure.VolumeStats{{Name: "scratch", FsStats: *disk}},
		}},
	}}}
}

// drawnUsage returns a reading with any of its parts left out.
func drawnUsage(t *rapid.T) trace.Record {
	amount := func() *uint64 { return rapid.Ptr(rapid.Uint64(), true).Draw(t, "amount") }
	memory := func() *pressure.MemoryStats {
		return rapid.SampledFrom([]*pressure.MemoryStats{nil, {AvailableBytes: amount(), UsageBytes: amount(), WorkingSetBytes: amount()}}).Draw(t, "memory")
	}
	fs := func() *pressure.FsStats {
		return rapid.SampledFrom([]*pressure.FsStats{nil, {AvailableBytes: amount(), CapacityBytes: amount(), UsedBytes: amount(), InodesFree: amount(), Inodes: amount(), InodesUsed: amount()}}).Draw(t, "fs")
	}
	name := rapid.StringN(0, 8, 20)
	containers := func() (all []pressure.ContainerStats) {
		for range rapid.IntRange(0, 2).Draw(t, "containers") {
			all = append(all, pressure.ContainerStats{Name: name.Draw(t, "name"), Memory: memory(), Rootfs: fs(), Logs: fs()})
		}
		return all
	}
	u := trace.Usage{Node: name.Draw(t, "node")}
	u.Summary.Node = pressure.NodeStats{
		Memory: memory(), Fs: fs(), SystemContainers: containers(),
		Runtime: rapid.SampledFrom([]*pressure.RuntimeStats{nil, {ImageFs: fs(), ContainerFs: fs()}}).Draw(t, "runtime"),
		Rlimit:  &pressure.RlimitStats{MaxPID: rapid.Ptr(rapid.Int64(), true).Draw(t, "most"), Running: rapid.Ptr(rapid.Int64(), true).Draw(t, "running")},
	}
	for range rapid.IntRange(0, 3).Draw(t, "pods") {
		u.Summary.Pods = append(u.Summary.Pods, pressure.PodStats{
			PodRef: pressure.PodReference{Namespace: name.Draw(t, "namespace"), Name: name.Draw(t, "pod"), UID: types.UID(name.Draw(t, "uid"))},
			Memory: memory(), EphemeralStorage: fs(), Processes: &pressure.ProcessStats{Count: amount()}, Containers: containers(),
			Volumes: []pressure.VolumeStats{{Name: name.Draw(t, "volume"), FsStats: pressure.FsStats{UsedBytes: amount()}}},
		})
	}
	return trace.Record{At: start.Add(time.Duration(rapid.Int64().Draw(t, "at"))), Body: u}
}

func TestUsage_IsReadAsWritten(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		want := rapid.SliceOfN(rapid.Custom(drawnUsage), 1, 5).Draw(rt, "readings")
		file := written(t, trace.Header{Start: start, Kubelet: kubelet}, want...)
		if file[7] != trace.Version {
			rt.Fatalf("the file is of version %d, which has no readings", file[7])
		}
		got, damage := read(t, file)
		for i := range got {
			got[i] = withoutPosition(got[i])
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || damage != nil {
			rt.Fatalf("%v (-written +read):\n%s", damage, diff)
		}
		info, err := trace.ReadInfo(bytes.NewReader(file))
		if err != nil || info.Usages != uint64(len(want)) || info.Inputs > 0 {
			rt.Fatalf("the file has %d readings and %d inputs: %v", info.Usages, info.Inputs, err)
		}
	})
}

// A trace without readings is of the version that programs before them read.
func TestUsage_TracesWithoutItAreOfTheVersionBefore(t *testing.T) {
	for origin, version := range map[trace.Origin]byte{trace.FromStart: 2, trace.FromSnapshot: 2, trace.FromImport: 2, trace.FromState: 3} {
		var records []trace.Record
		if origin == trace.FromState {
			records = manyStates(1)
		}
		if file := written(t, trace.Header{Start: start, Origin: origin}, records...); file[7] != version {
			t.Errorf("from a %s, the version is %d, want %d", origin, file[7], version)
		}
	}
}

func TestUsage_IsRefused(t *testing.T) {
	w, err := trace.NewWriter(&bytes.Buffer{}, trace.Header{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(usageOf("n1", start)); err == nil || !strings.Contains(err.Error(), "the header has no kubelet's configuration") {
		t.Errorf("a reading in a trace that has none: %v", err)
	}
	whole := written(t, trace.Header{Start: start, Kubelet: kubelet}, usageOf("n1", start))
	contents, err := trace.ContentsOf(whole)
	if err != nil {
		t.Fatal(err)
	}
	longer := bytes.Clone(contents)
	longer[0]++ // the length of the only entry
	for name, row := range map[string]struct {
		file []byte
		want string
	}{
		"in a trace that has none": {trace.FileOfEntries(trace.FromStart, contents), "the header has no kubelet's configuration"},
		"cut off":                  {trace.FileOfReadings(entryOf([]byte{12, 0, 0, 2, 'n', '1', 1})), "ends before what it should hold"},
		"with more after its end":  {trace.FileOfReadings(append(longer, 7)), "goes on after its end"},
	} {
		if _, damage := read(t, row.file); damage == nil || !strings.Contains(damage.Error(), row.want) {
			t.Errorf("%s: %v, want %q", name, damage, row.want)
		}
	}
	older := bytes.Clone(whole)
	older[7] = 2
	if _, err := trace.NewReader(bytes.NewReader(older)); err == nil || !strings.Contains(err.Error(), "is not of version 2") {
		t.Errorf("readings in a file of version 2: %v", err)
	}
}

// A copy with hashed names has what is used under the hashed names of node and pod, and tells nothing else of them.
func TestUsage_NamesAreHashed(t *testing.T) {
	pod := mk.Pod("cart").Namespace("shop").UID("uid-cart").Node("n1").Obj()
	file := written(t, trace.Header{Start: start, Kubelet: kubelet}, trace.Record{At: start, Body: inputBody(world.Changed{Object: pod})}, usageOf("n1", start))
	var hashed bytes.Buffer
	if err := trace.HashNames(bytes.NewReader(file), &hashed, newHash(t, "some salt of my own")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"cart", "shop", "n1", "main", "scratch"} {
		if bytes.Contains(contentsOf(t, hashed.Bytes()), []byte(name)) {
			t.Errorf("the copy still has %q", name)
		}
	}
	records, damage := read(t, hashed.Bytes())
	if damage != nil || len(records) != 2 {
		t.Fatalf("%d records: %v", len(records), damage)
	}
	known := records[0].Body.(trace.Input).Event.(world.Changed).Object.(interface {
		GetUID() types.UID
		GetName() string
	})
	u := records[1].Body.(trace.Usage)
	if s := u.Summary.Pod(known.GetUID()); s == nil || s.PodRef.Name != known.GetName() || *s.Memory.WorkingSetBytes != 1<<30 {
		t.Errorf("the pod %s has the usage %+v", known.GetName(), s)
	}
	if u.Summary.Node.SystemContainers[0].Name != "pods" {
		t.Errorf("the container of all pods is called %q", u.Summary.Node.SystemContainers[0].Name)
	}
}

func contentsOf(t *testing.T, file []byte) []byte {
	t.Helper()
	contents, err := trace.ContentsOf(file)
	if err != nil {
		t.Fatal(err)
	}
	return contents
}

// What a node used when it was last read before the cut is in the copy, with the time of that.
func TestCut_KeepsTheLastUsage(t *testing.T) {
	at := func(s int) time.Time { return start.Add(time.Duration(s) * time.Second) }
	tick := func(s int) trace.Record { return trace.Record{At: at(s), Body: inputBody(world.Tick{})} }
	readings := []trace.Record{usageOf("n2", at(1)), usageOf("n1", at(2)), usageOf("n2", at(3)), tick(5), usageOf("n1", at(6))}
	want := []string{"n1 2", "n2 3", "n1 6"}
	state := func(s int) trace.Record {
		r := manyStates(1)[0]
		r.At = at(s)
		return r
	}
	for name, row := range map[string]struct {
		h       trace.Header
		records []trace.Record
	}{
		"from the start": {trace.Header{Start: start, Kubelet: kubelet}, readings},
		"from a state":   {trace.Header{Start: start, Kubelet: kubelet, Origin: trace.FromState}, append([]trace.Record{state(0)}, readings...)},
		"from a later state": {
			trace.Header{Start: start, Kubelet: kubelet, Origin: trace.FromState},
			append(append([]trace.Record{state(0)}, readings[:3]...), state(4), tick(5), readings[4]),
		},
	} {
		t.Run(name, func(t *testing.T) {
			var part bytes.Buffer
			if err := trace.Cut(bytes.NewReader(written(t, row.h, row.records...)), &part, at(5), time.Time{}); err != nil && !errors.Is(err, trace.ErrUnfinished) {
				t.Fatal(err)
			}
			records, damage := read(t, part.Bytes())
			if damage != nil {
				t.Fatal(damage)
			}
			last := map[string]string{}
			var got []string
			for _, r := range records {
				u, ok := r.Body.(trace.Usage)
				if !ok {
					continue
				}
				reading := u.Node + " " + strings.TrimSuffix(r.At.Sub(start).String(), "s")
				if r.At.Before(at(5)) {
					last[u.Node] = reading
					continue
				}
				got = append(got, reading)
			}
			if diff := cmp.Diff(want, append([]string{last["n1"], last["n2"]}, got...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
