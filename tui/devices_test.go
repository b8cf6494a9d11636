package tui

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"orrery/core/testing/mk"
	"orrery/demo/playback"
	"orrery/demo/scenario"
	"orrery/views"
	"orrery/views/collect"
)

// recordingOf plays a scenario of testdata, and is its recording at a time from its start.
func recordingOf(t testing.TB, name string, at time.Duration) *Recording {
	t.Helper()
	s, err := scenario.ReadFile(filepath.Join("testdata", name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := s.Record(&file, nil); err != nil {
		t.Fatal(err)
	}
	d, err := OpenRecording(&file, playback.Options{Name: name}, nil)
	if err != nil {
		t.Fatal(err)
	}
	d.Trace = name
	d.Recording.SeekTo(d.Start().Add(at))
	return d
}

// devicesAt is the pane of the devices in a scenario with devices in most states, at a time.
func devicesAt(t testing.TB, at time.Duration, w, h int) *session {
	t.Helper()
	return watch(t, recordingOf(t, "devices", at), w, h).keys(":").typeText("devices").keys("enter")
}

// The cursor goes from device to device; the selected one is shown with who has it, and enter explains the pod.
func TestDevices_Cursor(t *testing.T) {
	s := devicesAt(t, 22*time.Second, 140, 40)
	s.shows("in use, by model", "58 devices in 7 pools", "h100", "11/12  1 free on", "── ◉ l4-0 partitioned", "l4-0-1of2", "divides into 2 partitions")
	s.keys("right").shows("── ◑ l4-1 partitioned", "50% allocated").keys("right", "l").shows("── ◑ l4-1").keys("left", "h", "h").shows("── ◉ l4-0")
	s.keys("down").shows("── ✗ a100-0 evicting", "taints gpu.example.com/failed:NoExecute by its driver for 2s", "→ default/serve-", "claim default/serve-")
	pod, _ := s.screen.selectedPod()
	s.keys("enter").shows("Explain", pod.String()).keys("esc", "d").shows("resourceClaim default/"+pod.Name, "apiVersion: resource.k8s.io/v1", "kind: ResourceClaim").keys("esc")
	s.keys("G").shows("── ○ nic-32 free", "no claim has it").keys("d").shows("resourceSlice nic.example.com-").keys("esc", "enter").shows("resourceSlice ")
	s.keys("esc", "e").shows("e: no pod is selected").keys("w").shows("nothing is selected that can be changed")
	s.keys("g", "w").shows("node lab").keys("esc")
}

// A filter finds devices by state, model, node and holder; an order has the troubled ones first.
func TestDevices_FilterAndSort(t *testing.T) {
	s := devicesAt(t, 22*time.Second, 140, 40)
	for words, want := range map[string]string{"evicting": "serve-1", "l4": "lab", "fabric": "all nodes", "large": "train-", "train-3": "train-3"} {
		s.keys("/").typeText(words).keys("enter")
		if row := s.selected(); !strings.Contains(row, want) {
			t.Errorf("/%s selects %q, want %s", words, row, want)
		}
		s.keys("esc")
	}
	s.keys("/").typeText("nothing").keys("enter").shows("no pools match /nothing/ (of 9) · esc clears").keys("esc")
	s.keys(":").typeText("sort trouble").keys("enter", "g")
	if row := s.selected(); !strings.Contains(row, "serve-1") {
		t.Errorf("the worst row is %q", row)
	}
}

// The health leads to the device that evicts pods, and the overview counts the devices.
func TestDevices_Health(t *testing.T) {
	s := watch(t, recordingOf(t, "devices", 22*time.Second), 140, 40)
	s.shows("✗ 1 pod on 1 tainted device, serve-1 a100-0", "1 claim without devices", "17/58 devices in use").keys("!").shows("Devices", "── ✗ a100-0 evicting")
}

// Claims are listed by trouble, and a pod's journey says what it has.
func TestDevices_Claims(t *testing.T) {
	s := watch(t, recordingOf(t, "devices", 22*time.Second), 180, 40).keys(":").typeText("claims").keys("enter")
	s.shows("✗ 1 evicting", "⊘ 1 pending", "● 11 reserved", "a100-0 has the taint gpu.example.com/failed:NoExecute")
	if row := s.selected(); !strings.Contains(row, "✗ evicting") || !strings.Contains(row, "1 a100") || !strings.Contains(row, "serve-1") {
		t.Errorf("the first claim is %q", row)
	}
	s.keys("down").shows("cannot allocate all claims", "requests 4 h100").keys("enter").shows("Explain", "ml/large-").keys("esc", "d").shows("resourceClaim ml/large-", "deviceClassName: h100")
	s.keys("esc", ":").typeText("pod default/user").keys("enter").shows("Journey", "claim kept (1 h100) is reserved", "request devices: h100-", "driver gpu.example.com")
	s.keys(":").typeText("resourceclaims ml").keys("enter", "down").shows("⊘ pending", "of 13")
}

// A binding waits for the driver of its device.
func TestDevices_Binding(t *testing.T) {
	devicesAt(t, 27*time.Second, 140, 40).keys("G", "up", "up").shows("◇ 1 binding", "── ◇ nic-0 binding", "→ default/fast", "waits for nic.example.com/attached", "pods wait for nic.example.com/attached")
}

// TestDevices_MatchGoldens draws the panes at every size, and compares one.
func TestDevices_MatchGoldens(t *testing.T) {
	d := recordingOf(t, "devices", 27*time.Second)
	for _, size := range albumSizes {
		for name, command := range map[string]string{"devices": "dev", "resource claims": "claims"} {
			s := watch(t, d, size[0], size[1]).keys(":").typeText(command).keys("enter", "down")
			checkSize(t, s)
			checkBoxes(t, s)
			if slices.Contains(oneSize, size) {
				golden(t, filepath.Join("scenes", name, fmt.Sprintf("%dx%d.txt", size[0], size[1])), s.plain())
			}
		}
	}
}

// TestDevices_LargeClusterBytes measures frames of a large cluster: of changes of one claim, and of the cursor's movements.
func TestDevices_LargeClusterBytes(t *testing.T) {
	const nodes, most, mostInMedian = 1000, 4000, 600
	o := newBodiesTerminal(t, nodes, 3)
	o.state.Open = views.DevicesPane
	device := func(node, i int) string { return fmt.Sprintf("gpu-%d-%d", node, i) }
	for i := range nodes {
		slice := mk.ResourceSlice(fmt.Sprint("slice-", i), "gpu.example.com", fmt.Sprintf("node-%d", i)).Node(fmt.Sprintf("node-%d", i))
		for d := range 8 {
			slice.Devices(device(i, d)).Attribute("model", "h100")
		}
		o.add(slice.Obj())
	}
	frame := func() int {
		m := o.collector.Model(o.engine, collect.Query{Open: views.DevicesPane, Rows: 120, Columns: 120})
		for m.Partial() {
			m = o.collector.Model(o.engine, collect.Query{Open: views.DevicesPane, Rows: 120, Columns: 120})
		}
		return o.frame(m, start)
	}
	frame() // the whole screen
	var changes, moves []int
	for i := range 40 {
		node := i * i % 30
		name := fmt.Sprint("claim-", i)
		o.add(mk.ResourceClaim(name).Request("r", "c", 1).Allocated("", "r", "gpu.example.com", fmt.Sprintf("node-%d", node), device(node, i%8)).ReservedFor("pod-" + name).Obj())
		changes = append(changes, frame())
	}
	for i := range 40 {
		if o.state.Cell = i % 8; i%8 == 7 {
			o.state.Cursor.Selected++
		}
		moves = append(moves, frame())
	}
	slices.Sort(changes)
	slices.Sort(moves)
	t.Logf("a claim is %d bytes in the median, %d at most; a movement %d, %d at most", changes[20], changes[39], moves[20], moves[39])
	if changes[20] > mostInMedian || moves[20] > mostInMedian || changes[39] > most || moves[39] > most {
		t.Errorf("want at most %d bytes, and %d in the median", most, mostInMedian)
	}
}
