package play_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orrery/core/scheduler/engine"
	"orrery/core/trace"
	"orrery/core/trace/play"
)

// Two nodes and pods with only one possible placement, in the columns of openb.
const (
	openbNodes = `sn,cpu_milli,memory_mib,gpu,model
big,32000,65536,2,T4
plain,4000,8192,0,
`
	openbPods = `name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
half,1000,1024,1,500,,LS,Running,0,100,0
whole,1000,1024,1,1000,T4|P100,LS,Running,5,50,5
wrong,1000,1024,1,100,V100,BE,Pending,6,7,
full,1000,1024,1,1000,,LS,Running,10,200,
after,1000,1024,1,1000,T4,LS,Running,50,60.0,
`
)

func importOpenb(t testing.TB, nodes, pods string, claims bool) []byte {
	t.Helper()
	im, err := trace.ImportOpenB("nodes.csv", strings.NewReader(nodes), "pods.csv", strings.NewReader(pods), trace.OpenBOptions{Start: start, Claims: claims})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := im.Write(&file, trace.Header{Description: "openb"}); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func TestReplay_SchedulesImportedTrace(t *testing.T) {
	for _, claims := range []bool{false, true} {
		t.Run(fmt.Sprintf("with claims %t", claims), func(t *testing.T) { replayImported(t, claims) })
	}
}

func replayImported(t *testing.T, claims bool) {
	p := player(t, importOpenb(t, openbNodes, openbPods, claims))
	for _, c := range []struct {
		second int
		name   string
		want   engine.PodState
	}{
		{4, "half", engine.StateBound},
		{6, "wrong", engine.StateUnschedulable},
		{10, "full", engine.StateUnschedulable}, // half and whole take one and a half of two GPUs
		{55, "whole", engine.StateGone},
		{55, "full", engine.StateBound}, // it arrived first
		{55, "after", engine.StateUnschedulable},
		{60, "after", engine.StateGone},
		{100, "half", engine.StateGone},
	} {
		if err := p.Seek(start.Add(seconds(c.second))); err != nil {
			t.Fatal(err)
		}
		if got := p.Engine().PodState("openb", c.name); got != c.want {
			t.Errorf("after %d s, %s is %s, want %s", c.second, c.name, got, c.want)
		}
	}
	if p.Report().Refused > 0 {
		t.Errorf("%d inputs were refused", p.Report().Refused)
	}
}

// TestReplay_WholeOpenB imports and replays the published files from the folder ORRERY_OPENB.
func TestReplay_WholeOpenB(t *testing.T) {
	folder := os.Getenv("ORRERY_OPENB")
	if folder == "" {
		t.Skip("set ORRERY_OPENB to a folder with the openb files to replay them")
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, claims := range []bool{false, true} {
		t.Run(fmt.Sprintf("with claims %t", claims), func(t *testing.T) {
			file := importOpenb(t, read("openb_node_list_all_node.csv"), read("openb_pod_list_default.csv"), claims)
			e, report := replay(t, file, play.Options{})
			counters := e.Counters()
			t.Logf("%d bytes, %d inputs, decisions %v, bound %d, digest %v", len(file), report.Inputs, counters.Decisions, counters.Bound, e.Digest())
			if report.Refused > 0 || report.Damage != nil || counters.Bound < 8000 {
				t.Errorf("the report says %+v, bound %d", *report, counters.Bound)
			}
			if err := e.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}
