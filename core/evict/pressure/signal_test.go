package pressure_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"orrery/core/evict/pressure"
	"orrery/core/testing/mk"
)

// For every signal: the node's condition, the resource in the message, and what is reclaimed.
// Shows NPE-30 and NPE-31.
func TestSignal_ResourceAndCondition(t *testing.T) {
	pod := mk.Pod("a").Obj()
	containerfs := func(m *measured, available string, inodesFree uint64) *measured {
		m.imagefs("900Gi", 900000)
		m.Node.Runtime.ContainerFs = fsStats(available, "100Gi", inodesFree)
		return m
	}
	for _, row := range []struct {
		signal, hard string
		layout       pressure.Layout
		measured     *measured
		condition    string
		resource     string
		reclaims     string
	}{
		{"memory.available", "memory.available: 100Mi", pressure.OneFs, measure().memory("99Mi"), "MemoryPressure", "memory", ""},
		{"allocatableMemory.available", "memory.available: 100Mi", pressure.OneFs, measure().memory("5Gi").allocatable("99Mi"), "MemoryPressure", "memory", ""},
		{"nodefs.available", "nodefs.available: 10%", pressure.OneFs, measure().nodefs("9Gi", 900000), "DiskPressure", "ephemeral-storage", "containers and images"},
		{"nodefs.inodesFree", "nodefs.inodesFree: 5%", pressure.OneFs, measure().nodefs("90Gi", 49999), "DiskPressure", "inodes", "containers and images"},
		{"imagefs.available", "imagefs.available: 15%", pressure.ImageFs, measure().imagefs("149Gi", 900000), "DiskPressure", "ephemeral-storage", "containers and images"},
		{"imagefs.inodesFree", "imagefs.inodesFree: 5%", pressure.SplitImageFs, measure().imagefs("900Gi", 49999), "DiskPressure", "inodes", "images"},
		{"containerfs.available", "nodefs.available: 10%", pressure.SplitImageFs, containerfs(measure(), "9Gi", 900000), "DiskPressure", "ephemeral-storage", "containers"},
		{"containerfs.inodesFree", "imagefs.inodesFree: 5%", pressure.ImageFs, containerfs(measure(), "90Gi", 49999), "DiskPressure", "inodes", "containers and images"},
		{"pid.available", "pid.available: 10%", pressure.OneFs, measure().pids(901), "PIDPressure", "pids", ""},
	} {
		t.Run(row.signal, func(t *testing.T) {
			n := newNode(t, row.layout, "evictionHard: {"+row.hard+"}\n", pod)
			n.observe(0, row.measured.pod(pod))
			n.through(0)
			want := fmt.Sprintf("0s conditions [%s]\n0s Attempting to reclaim %s\n", row.condition, row.resource)
			evicts, reported := fmt.Sprintf("0s evicts a in 1s for %s\n", row.signal), fmt.Sprintf("0s status [%s]\n", row.condition)
			if row.reclaims != "" { // reclaims first, then evicts
				n.wantLog(want + "0s reclaims " + row.reclaims + "\n" + reported + evicts)
				return
			}
			n.wantLog(want + evicts + reported)
		})
	}
}

// What a kubelet reclaims first, by layout.
// Shows NPE-34, NPE-35 and NPE-36.
func TestLayout_Reclaim(t *testing.T) {
	const nothing, containers, images, both = "nothing", "containers", "images", "containers and images"
	for _, row := range []struct {
		layout                               pressure.Layout
		memory, pids, nodefs, imagefs, other string
	}{
		{pressure.OneFs, nothing, nothing, both, both, both},
		{pressure.ImageFs, nothing, nothing, nothing, both, both},
		{pressure.SplitImageFs, nothing, nothing, containers, images, containers},
	} {
		t.Run(row.layout.String(), func(t *testing.T) {
			for signal, want := range map[pressure.Signal]string{
				pressure.MemoryAvailable: row.memory, pressure.AllocatableMemoryAvailable: row.memory, pressure.PIDAvailable: row.pids,
				pressure.NodeFsAvailable: row.nodefs, pressure.NodeFsInodesFree: row.nodefs,
				pressure.ImageFsAvailable: row.imagefs, pressure.ImageFsInodesFree: row.imagefs,
				pressure.ContainerFsAvailable: row.other, pressure.ContainerFsInodesFree: row.other,
			} {
				var what []string
				r := row.layout.Reclaim(signal)
				if r.Containers {
					what = append(what, containers)
				}
				if r.Images {
					what = append(what, images)
				}
				if len(what) == 0 {
					what = []string{nothing}
				}
				if got := strings.Join(what, " and "); got != want || r.Any() != (want != nothing) {
					t.Errorf("for %s it reclaims %s, want %s", signal, got, want)
				}
			}
		})
	}
}

// On Windows the commit limit counts, not resident memory.
// Shows NPE-15.
func TestSummary_WindowsCommitLimit(t *testing.T) {
	s := measure().memory("9Gi").sum()
	limit, total := *bytes("16Gi"), *bytes("15974Mi")
	left := limit - total
	s.Node.SystemContainers = append(s.Node.SystemContainers, pressure.ContainerStats{
		Name: "windows-global-commit-memory", Memory: &pressure.MemoryStats{AvailableBytes: &left, UsageBytes: &total},
	})
	o, ok := s.Observe(pressure.MemoryAvailable)
	if got := o.Available.String() + " of " + o.Capacity.String(); !ok || got != "410Mi of 16Gi" {
		t.Errorf("memory.available is %s, want 410Mi of 16Gi", got)
	}
	hard, err := pressure.Configuration{Hard: pressure.DefaultHard("windows")}.Thresholds()
	if err != nil {
		t.Fatal(err)
	}
	if !hard[0].Met(o, false) {
		t.Errorf("%v is not met", hard[0])
	}
	s.Node.SystemContainers[0].Memory.UsageBytes = nil
	if _, ok := s.Observe(pressure.MemoryAvailable); ok {
		t.Error("an observation without the stat")
	}
}

// Shows NPE-28.
func TestConfiguration_Warnings(t *testing.T) {
	c, err := pressure.Load([]byte(header+`
evictionHard: {containerfs.inodesFree: 3%, nodefs.available: 2%, containerfs.available: 1%}
evictionSoft: {containerfs.available: 2Gi}
evictionSoftGracePeriod: {containerfs.available: 1m}
`), "linux")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"found containerfs.available for hard eviction. ignoring",
		"found containerfs.inodesFree for hard eviction. ignoring",
		"found containerfs.available for soft eviction. ignoring",
	}
	if diff := cmp.Diff(want, c.Warnings()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := pressure.DefaultConfiguration("linux").Warnings(); got != nil {
		t.Errorf("warnings for the defaults: %v", got)
	}
}

// Below 500Mi pods are evicted until there are 500Mi and the minimum of 300Mi, though the threshold is no longer met after
// the first one.
// Shows NPE-47.
func TestKubelet_MinimumReclaim(t *testing.T) {
	a, b, c := mk.Pod("a").Priority(1).Obj(), mk.Pod("b").Priority(2).Obj(), mk.Pod("c").Priority(3).Obj()
	n := newNode(t, pressure.OneFs, "evictionHard: {memory.available: 500Mi}\nevictionMinimumReclaim: {memory.available: 300Mi}\nenforceNodeAllocatable: []\n", a, b, c)
	all := func(available string) *measured {
		return measure().memory(available).pod(a, uses("1Gi")).pod(b, uses("1Gi")).pod(c, uses("1Gi"))
	}
	n.observe(0, all("499Mi"))
	n.observe(500*time.Millisecond, all("799Mi"))
	n.podDeleted(time.Second, a)
	n.wantLog("0s conditions [MemoryPressure]\n0s Attempting to reclaim memory\n0s evicts a in 1s for memory.available\n0s status [MemoryPressure]")
	n.observe(2500*time.Millisecond, all("800Mi"))
	n.wantLog("2s Attempting to reclaim memory\n2s evicts b in 1s for memory.available")
	n.podDeleted(3*time.Second, b)
	n.until(2 * time.Minute)
	n.wantLog("")
	n.observe(2*time.Minute, all("799Mi"))
	n.until(5 * time.Minute)
	n.wantLog("") // met again only below 500Mi
}

// The node lacks memory for a minute. The sync at 1m0s is the last to see it, so the condition holds until 6m0s.
func TestKubelet_ConditionOutlastsCause(t *testing.T) {
	n := newNode(t, pressure.OneFs, hardMemory)
	n.observe(0, measure().memory("50Mi"))
	n.observe(time.Minute+time.Millisecond, measure().memory("5Gi"))
	n.log.Reset()
	n.until(6 * time.Minute)
	n.wantLog("")
	n.through(6 * time.Minute)
	n.wantLog("6m0s conditions []\n6m0s status []")
}

// The system's daemons use the memory. Pods within their requests are evicted last, the least important first.
// Shows NPE-40.
func TestKubelet_LowestPriorityWithinRequests(t *testing.T) {
	five, one := mk.Pod("five").CPU("1").Memory("2Gi").Priority(5).Obj(), mk.Pod("one").CPU("1").Memory("2Gi").Priority(1).Obj()
	for _, pod := range []*v1.Pod{five, one} {
		pod.Spec.Containers[0].Resources.Limits = pod.Spec.Containers[0].Resources.Requests
	}
	greedy := mk.Pod("greedy").Memory("1Gi").Priority(9).Obj()
	starved := func() *measured {
		return measure().memory("50Mi").pod(five, uses("1Gi")).pod(one, uses("2Gi"))
	}
	n := newNode(t, pressure.OneFs, hardMemory, five, one, greedy)
	n.observe(0, starved().pod(greedy, uses("1025Mi")))
	n.observe(500*time.Millisecond, starved())
	n.podDeleted(time.Second, greedy)
	n.until(2*time.Second + 1)
	n.wantLog(`
		0s conditions [MemoryPressure]
		0s Attempting to reclaim memory
		0s evicts greedy in 1s for memory.available
		0s status [MemoryPressure]
		2s Attempting to reclaim memory
		2s evicts one in 1s for memory.available
	`)
}
