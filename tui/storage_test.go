package tui

import (
	"strings"
	"testing"
	"time"
)

// rollout is the recording of the database, at a time from its start.
func rollout(t testing.TB, at time.Duration, w, h int) *session {
	t.Helper()
	d := builtIn(t, "stateful-rollout")
	d.Recording.SeekTo(d.Start().Add(at))
	return watch(t, d, w, h)
}

// The storage of a zone is full: the pane says which claim waits, why, and which place lacks how much.
func TestStorage_FullZone(t *testing.T) {
	s := rollout(t, 62*time.Second, 180, 40).keys(":").typeText("pvc").keys("enter")
	s.shows("◌ 1 no node   ✓ 5 bound", "✗ fast zone b", "50Gi left, 100Gi asked", "✓ fast zone a", "data-a-3", "1/8 disks")
	if row := s.selected(); !strings.Contains(row, "◌ no node") || !strings.Contains(row, "data-db-5") || !strings.Contains(row, "4 too little free storage") {
		t.Errorf("the first claim is %q", row)
	}
	s.keys("enter").shows("Journey", "default/db-5", "claim data-db-5 (100Gi, ReadWriteOnce, of class fast) gets its volume when its pod has a node", "class fast makes volumes with provisioner disks")
	s.keys("e").shows("Explain", "did not have enough free storage", "claim data-db-5 (100Gi", "preemption").keys("ctrl+d").shows("queue", "requeued when").keys("esc", "esc")
	s.keys("d").shows("persistentVolumeClaim default/data-db-5", "storageClassName: fast")
	s.keys("esc", "esc", ":").typeText("storage").keys("enter").shows("◌ no node")
}

// A node dies: its volume is stuck there, and first in both lists.
func TestStorage_StuckVolume(t *testing.T) {
	s := rollout(t, 157*time.Second, 180, 40).keys(":").typeText("pvc").keys("enter")
	if row := s.selected(); !strings.Contains(row, "◆ stuck") || !strings.Contains(row, "data-db-2") || !strings.Contains(row, "on data-a-3 (NotReady)") {
		t.Errorf("the first claim is %q", row)
	}
	s.keys(":").typeText("pv").keys("enter").shows("◆ 1 stuck", "✓ 8 bound")
	if row := s.selected(); !strings.Contains(row, "◆ stuck") || !strings.Contains(row, "default/data-db-2") && !strings.Contains(row, "data-db-2") {
		t.Errorf("the first volume is %q", row)
	}
	s.keys("d").shows("persistentVolume pvc-", "claimRef:").keys("esc", "/").typeText("zone c").shows("of 9").keys("esc", "s").shows("↓ name")
}

// w on a claim offers what-ifs for it and its pod; on a volume whose pod is gone there are none.
func TestStorage_WhatIf(t *testing.T) {
	s := rollout(t, 62*time.Second, 140, 40).keys(":").typeText("pvc").keys("enter", "w")
	s.shows("claim default/data-db-5", "change its class", "pod default/db-5").keys("v").shows("what-if: delete pvc default/data-db-5")
	s = rollout(t, 1755*time.Second/10, 140, 40).keys(":").typeText("pv").keys("enter").shows("◆ 1 stuck").keys("w").shows("w: nothing is selected that can be changed")
	s.keys("enter").shows("persistentVolume pvc-", "claimRef:")
}

// A binding waits for its volume: the queue says for what, on whom, and for how long yet.
func TestStorage_BindingInFlight(t *testing.T) {
	s := rollout(t, 69*time.Second, 140, 40).keys("2").shows("➤ in flight", "db-5", "waits for claim data-db-5 (provisioner disks), 9m59s left")
	s.keys("enter").shows("placed on", "data-b-2", "waits for", "claim data-db-5 (provisioner disks)", "gives up at")
}
