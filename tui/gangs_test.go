package tui

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// gangsAt is the pane of the gangs in a scenario with gangs in most states, at a time.
func gangsAt(t testing.TB, at time.Duration, w, h int) *session {
	t.Helper()
	return watch(t, recordingOf(t, "gangs", at), w, h).keys(":").typeText("gangs").keys("enter")
}

// Gangs are listed by trouble, each with its bar, its places and the time that it has left.
func TestGangs_Pane(t *testing.T) {
	s := gangsAt(t, 330*time.Second, 140, 40)
	s.shows("9 groups", "☠ 1 timed out", "◔ 1 on permit", "▇ 14 bound", "28s ago", "4m21s", "room for 2 pods: 9 Insufficient nvidia.co", "9 Insufficient memory", "3 more pods")
	s.shows("── ml/late/pods", "gave its places up at 09:05:01", "0 of at least 3 pods placed")
	if row := s.selected(); !strings.Contains(row, "timed out") || !strings.Contains(row, "0/3") {
		t.Errorf("the first gang is %q", row)
	}
	s.keys("down").shows("── ml/left/pods", "gives its places up at 09:09:50", "1 on permit, 2 unschedulable")
	s.keys("d").shows("workload ml/left", "minCount: 3").keys("esc")
	pod, _ := s.screen.selectedPod()
	s.keys("e").shows("Explain", pod.String(), "Insufficient nvidia.com/gpu").keys("esc")
	s.keys("w").shows("pod " + pod.String()).keys("esc")
}

// enter opens the pods of a gang, and esc leads back at once, but for a filter that is typed there.
func TestGangs_OpensPods(t *testing.T) {
	s := gangsAt(t, 330*time.Second, 140, 40).keys("down", "enter").shows("Pods", "/-g ml/left/pods", "3 of ", "ml/left-").lacks("filler-")
	s.keys("/").typeText(" unschedulable").keys("enter").shows("/-g ml/left/pods unschedulable", "2 of ").keys("esc").shows("3 of ").keys("esc").shows("── ml/left/pods")
	s.keys("G").shows("── default/none/pods").keys("enter").shows("workload default/none").keys("esc", "e").shows("e: no pod is selected")
}

// A filter finds gangs by state, workload and pod; an order has those first that give up first.
func TestGangs_FilterAndSort(t *testing.T) {
	s := gangsAt(t, 330*time.Second, 140, 40)
	for words, want := range map[string]string{"permit": "ml/left", "timed": "ml/late", "-n shop": "shop/serve", "-g render": "render/pods", "missing": "small/pods"} {
		s.keys("/").typeText(words).keys("enter")
		if row := s.selected(); !strings.Contains(row, want) {
			t.Errorf("/%s selects %q, want %s", words, row, want)
		}
		s.keys("esc")
	}
	s.keys(":").typeText("sort deadline").keys("enter", "g")
	if row := s.selected(); !strings.Contains(row, "ml/left") {
		t.Errorf("the first to give up is %q", row)
	}
	s.keys(":").typeText("wl ml").keys("enter").shows("ml/left", "ml/late").lacks("render/pods")
}

// The health tells of gangs on permit and of those that timed out; the queue says for how many a pod waits, and how long yet.
func TestGangs_HealthAndQueue(t *testing.T) {
	s := watch(t, recordingOf(t, "gangs", 295*time.Second), 140, 40)
	s.shows("2 gangs on permit", " gangs ─╮").keys("2").shows("needs 1 more of gang late/pods, 6.0s left", "pending · ")
	watch(t, recordingOf(t, "gangs", 330*time.Second), 140, 40).shows("1 gang timed out")
}

// The deadline counts down with the recording, and a gang without the feature gate has none.
func TestGangs_CountsDown(t *testing.T) {
	s := gangsAt(t, 330*time.Second, 140, 40).shows("4m21s").keys(":").typeText("goto +5s").keys("enter").shows("4m16s")
	s.keys(":").typeText("goto 0s").keys("enter").shows("no pod group exists")
}

// TestGangs_MatchGoldens draws the pane at every size, and compares one.
func TestGangs_MatchGoldens(t *testing.T) {
	d := recordingOf(t, "gangs", 330*time.Second)
	for _, size := range albumSizes {
		s := watch(t, d, size[0], size[1]).keys(":").typeText("gangs").keys("enter", "down")
		checkSize(t, s)
		checkBoxes(t, s)
		if slices.Contains(oneSize, size) {
			golden(t, filepath.Join("scenes", "gangs", fmt.Sprintf("%dx%d.txt", size[0], size[1])), s.plain())
		}
	}
}
