package pressure_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/evict"
	"orrery/core/evict/pressure"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

const hardMemory = "evictionHard: {memory.available: 100Mi}\nenforceNodeAllocatable: []\n"

// Shows CONF-11, NPE-08 and NPE-25.
func TestKubelet_HardThreshold(t *testing.T) {
	small, large := mk.Pod("small").Obj(), mk.Pod("large").Obj()
	n := newNode(t, pressure.OneFs, hardMemory, small, large)
	plenty := measure().memory("1Gi").pod(small, uses("1Gi")).pod(large, uses("5Gi"))
	n.observe(0, plenty)
	n.observe(13*time.Second, measure().memory("90Mi").pod(small, uses("1Gi")).pod(large, uses("8Gi")))
	n.until(20*time.Second + 1)
	n.wantLog(`
		0s status []
		20s conditions [MemoryPressure]
		20s Attempting to reclaim memory
		20s evicts large in 1s for memory.available
		20s status [MemoryPressure]
	`)
	if d := n.record.Open(); len(d) != 2 || d[0].Pod.Name != "large" || d[0].Phase != evict.Terminating || d[0].Deadline.Sub(noon) != 21*time.Second ||
		d[0].Reason != "memory.available<100Mi: 90Mi available" || d[0].Initiator != "kubelet on n1" {
		t.Errorf("the record has %+v", d)
	}
	if d := n.record.Open()[1]; d.Pod.Name != "small" || d.Phase != evict.AtRisk {
		t.Errorf("the next eviction is %+v, want small", d)
	}
	n.observe(20*time.Second+500*time.Millisecond, plenty)
	n.podDeleted(21*time.Second, large)
	n.until(40 * time.Second)
	n.wantLog("")
	if ended := n.record.Ended(); len(ended) != 1 || ended[0].Phase != evict.Evicted || ended[0].Ended.Sub(noon) != 21*time.Second {
		t.Errorf("the ended evictions are %+v", ended)
	}
	n.until(321*time.Second + 999*time.Millisecond)
	n.wantLog("")
	// Killed at 20 s, deleted at 21 s, seen at 22 s: the sync at 22 s found enough. The one at 20 s is the last that did not, so
	// the condition holds until the first sync five minutes later, and is written with the next status update.
	n.until(340 * time.Second)
	n.wantLog(`
		5m22s conditions []
		5m30s status []
	`)
	if len(n.record.Open()) != 0 {
		t.Errorf("the record still has %+v", n.record.Open())
	}
}

// Shows NPE-22 and NPE-23.
func TestKubelet_SoftThreshold(t *testing.T) {
	const soft = "evictionHard: {}\nenforceNodeAllocatable: []\nevictionSoft: {memory.available: 1.5Gi}\nevictionSoftGracePeriod: {memory.available: 1m30s}\n"
	own := mk.Pod("own").Obj()
	own.Spec.TerminationGracePeriodSeconds = ptr(int64(10))
	tests := []struct {
		name, most string
		grace      string
	}{
		{"no maximum: zero", "", "0s"},
		{"the pod's own period, if that is less", "evictionMaxPodGracePeriod: 30", "10s"},
		{"the maximum, if that is less", "evictionMaxPodGracePeriod: 3", "3s"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n := newNode(t, pressure.OneFs, soft+tt.most, own.DeepCopy())
			n.observe(0, measure().memory("1Gi").pod(own, uses("8Gi")))
			n.until(89 * time.Second)
			n.wantLog(`
				0s conditions [MemoryPressure]
				0s status [MemoryPressure]
			`)
			if d := n.record.Open(); len(d) != 1 || d[0].Phase != evict.CountingDown || d[0].Deadline.Sub(noon) != 90*time.Second {
				t.Errorf("the record has %+v, want it counting down to 1m30s", d)
			}
			n.through(90 * time.Second)
			n.wantLog("1m30s Attempting to reclaim memory\n1m30s evicts own in " + tt.grace + " for memory.available")
		})
	}
}

// Shows NPE-22.
func TestKubelet_SoftThresholdRestarts(t *testing.T) {
	pod := mk.Pod("a").Obj()
	n := newNode(t, pressure.OneFs, "evictionHard: {}\nenforceNodeAllocatable: []\nevictionSoft: {memory.available: 1Gi}\nevictionSoftGracePeriod: {memory.available: 30s}\n", pod)
	little, plenty := measure().memory("512Mi").pod(pod, uses("1Gi")), measure().memory("2Gi").pod(pod, uses("1Gi"))
	n.observe(0, little)
	n.observe(15*time.Second, plenty)
	n.observe(25*time.Second, little)
	n.until(59 * time.Second)
	if d := n.record.Ended(); len(d) != 0 {
		t.Errorf("the record ended %+v", d)
	}
	n.wantLog("0s conditions [MemoryPressure]\n0s status [MemoryPressure]")
	n.through(60 * time.Second)
	n.wantLog("1m0s Attempting to reclaim memory\n1m0s evicts a in 0s for memory.available")
}

// Shows CONF-11 and NPE-33.
func TestKubelet_ConditionTransitionPeriod(t *testing.T) {
	n := newNode(t, pressure.OneFs, "")
	n.observe(0, measure().nodefs("9Gi", 900000))
	n.observe(5*time.Second, measure().nodefs("50Gi", 900000))
	n.until(10 * time.Minute)
	n.wantLog(`
		0s conditions [DiskPressure]
		0s Attempting to reclaim ephemeral-storage
		0s reclaims containers and images
		0s status [DiskPressure]
		5m0s conditions []
		5m0s status []
	`)
	if n.Conditions() != nil {
		t.Errorf("%v hold", n.Conditions())
	}
}

// Shows NPE-05 and NPE-48.
func TestKubelet_ReclaimBeforeEviction(t *testing.T) {
	pod := mk.Pod("a").Obj()
	const config = "evictionHard: {nodefs.available: 1Gi, imagefs.available: 100Gi}\nevictionMinimumReclaim: {nodefs.available: 500Mi, imagefs.available: 2Gi}\n"
	at := func(nodefs, imagefs string) *measured {
		return measure().nodefs(nodefs, 1).imagefs(imagefs, 1).pod(pod)
	}
	tests := []struct {
		name          string
		layout        pressure.Layout
		before, after *measured
		want          string
	}{
		{"enough was reclaimed", pressure.OneFs, at("1000Mi", "200Gi"), at("1524Mi", "200Gi"), "reclaims containers and images"},
		{
			"less than the minimum reclaim: evicts as well", pressure.OneFs, at("1000Mi", "200Gi"), at("1523Mi", "200Gi"),
			"reclaims containers and images; evicts a in 1s for nodefs.available",
		},
		{"every threshold must be satisfied", pressure.OneFs, at("1000Mi", "200Gi"), at("50Gi", "101Gi"), "reclaims containers and images; evicts a in 1s for nodefs.available"},
		{"separate images: nothing to reclaim on nodefs", pressure.ImageFs, at("1000Mi", "200Gi"), nil, "evicts a in 1s for nodefs.available"},
		{"separate images: containers and images on imagefs", pressure.ImageFs, at("50Gi", "99Gi"), at("50Gi", "102Gi"), "reclaims containers and images"},
		{"only images separate: containers on nodefs", pressure.SplitImageFs, at("1000Mi", "200Gi"), at("2Gi", "200Gi"), "reclaims containers"},
		{"only images separate: images on imagefs", pressure.SplitImageFs, at("50Gi", "99Gi"), at("50Gi", "103Gi"), "reclaims images"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n := newNode(t, tt.layout, config, pod)
			if tt.after != nil {
				n.after = tt.after.sum()
			}
			n.observe(0, tt.before)
			n.through(0)
			var acts []string
			for line := range strings.Lines(n.log.String()) {
				if action := strings.TrimSpace(strings.TrimPrefix(line, "0s ")); strings.HasPrefix(action, "reclaims") || strings.HasPrefix(action, "evicts") {
					acts = append(acts, action)
				}
			}
			if got := strings.Join(acts, "; "); got != tt.want {
				t.Errorf("the kubelet %s, want %s", got, tt.want)
			}
		})
	}
}

func TestKubelet_WaitsForPodCleanup(t *testing.T) {
	a, b := mk.Pod("a").Priority(1).Obj(), mk.Pod("b").Priority(2).Obj()
	starved := func() *node {
		n := newNode(t, pressure.OneFs, hardMemory, a.DeepCopy(), b.DeepCopy())
		n.observe(0, measure().memory("50Mi").pod(a, uses("1Gi")).pod(b, uses("1Gi")))
		n.through(0)
		n.log.Reset()
		return n
	}
	second := "Attempting to reclaim memory\n"
	t.Run("it stops and is deleted", func(t *testing.T) {
		n := starved()
		n.until(700 * time.Millisecond)
		n.Stopped(n.now, a.UID)
		n.podDeleted(3500*time.Millisecond, a)
		n.until(time.Minute)
		// Polled each second from 0.7 s on: deleted at 3.5 s, seen at 3.7 s; b never stops: the kubelet waits ten seconds for it
		// to stop and half a minute for its cleanup.
		n.wantLog("3.7s " + second + "3.7s evicts b in 1s for memory.available\n43.7s " + second + "43.7s evicts b in 1s for memory.available")
	})
	t.Run("it does not stop", func(t *testing.T) {
		n := starved()
		n.until(41 * time.Second)
		n.wantLog("40s " + second + "40s evicts a in 1s for memory.available")
	})
	t.Run("it stops and is never deleted", func(t *testing.T) {
		n := starved()
		n.until(time.Second)
		n.Stopped(n.now, a.UID)
		n.until(32 * time.Second)
		n.wantLog("31s " + second + "31s evicts b in 1s for memory.available")
	})
}

// Shows NPE-07.
func TestKubelet_SkipsCriticalAndStaticPods(t *testing.T) {
	critical := mk.Pod("critical").Priority(2000000000).Obj()
	static := annotated(mk.Pod("static"), "kubernetes.io/config.source", "file")
	n := newNode(t, pressure.OneFs, hardMemory, critical, static, mk.Pod("other").Priority(1999999999).Memory("1Gi").Obj())
	n.observe(0, measure().memory("0").pod(critical, uses("5Gi")).pod(static, uses("5Gi")))
	n.through(0)
	n.wantLog("0s conditions [MemoryPressure]\n0s Attempting to reclaim memory\n0s evicts other in 1s for memory.available\n0s status [MemoryPressure]")
	alone := newNode(t, pressure.OneFs, hardMemory, critical, static)
	alone.observe(0, measure().memory("0").pod(critical, uses("5Gi")))
	alone.until(11 * time.Second)
	alone.wantLog("0s conditions [MemoryPressure]\n0s Attempting to reclaim memory\n0s status [MemoryPressure]\n10s Attempting to reclaim memory")
}

func TestKubelet_MemoryFirst(t *testing.T) {
	pod := mk.Pod("a").Obj()
	n := newNode(t, pressure.OneFs, "evictionHard: {memory.available: 100Mi, nodefs.available: 10%, pid.available: 10%}\n", pod)
	n.observe(0, measure().memory("50Mi").allocatable("50Mi").nodefs("1Gi", 1).pids(950).pod(pod))
	n.through(0)
	n.wantLog("0s conditions [MemoryPressure DiskPressure PIDPressure]\n0s Attempting to reclaim memory\n0s evicts a in 1s for memory.available\n0s status [MemoryPressure DiskPressure PIDPressure]")
}

func TestKubelet_StaleStats(t *testing.T) {
	a, b := mk.Pod("a").Obj(), mk.Pod("b").Obj()
	n := newNode(t, pressure.OneFs, hardMemory, a, b)
	m := measure().memory("50Mi").pod(a, uses("2Gi")).pod(b, uses("1Gi"))
	m.Node.Memory.Time = metav1.Time{Time: noon}
	n.observe(0, m)
	n.podDeleted(time.Second, a)
	n.until(15 * time.Second)
	n.wantLog("0s conditions [MemoryPressure]\n0s Attempting to reclaim memory\n0s evicts a in 1s for memory.available\n0s status [MemoryPressure]")
	fresh := measure().memory("50Mi").pod(b, uses("1Gi"))
	fresh.Node.Memory.Time = metav1.Time{Time: noon.Add(16 * time.Second)}
	n.observe(16*time.Second, fresh)
	n.until(25 * time.Second)
	n.wantLog("22s Attempting to reclaim memory\n22s evicts b in 1s for memory.available")
}

func TestKubelet_LocalStorageLimits(t *testing.T) {
	dir := withVolume(mk.Pod("dir"), "scratch", v1.VolumeSource{EmptyDir: &v1.EmptyDirVolumeSource{SizeLimit: ptr(mk.Resources("x", "1Gi")["x"])}}).Obj()
	sum := mk.Pod("sum").Obj()
	sum.Spec.Containers[0].Resources.Limits = mk.Resources("ephemeral-storage", "2Gi")
	logs := mk.Pod("tame").Obj()
	n := newNode(t, pressure.OneFs, hardMemory, dir, sum, logs)
	n.observe(0, measure().memory("50Mi").
		pod(dir, volume("scratch", "1025Mi")).
		pod(sum, func(s *pressure.PodStats) { s.EphemeralStorage = &pressure.FsStats{UsedBytes: bytes("3Gi")} }).
		pod(logs, uses("9Gi")))
	n.podDeleted(2*time.Second, dir)
	n.wantLog("0s conditions [MemoryPressure]\n0s evicts dir in 1s for its own limits\n0s status [MemoryPressure]\n2s evicts sum in 1s for its own limits")
	n.podDeleted(4*time.Second, sum)
	n.until(6 * time.Second)
	n.wantLog("5s Attempting to reclaim memory\n5s evicts tame in 1s for memory.available")
}

func TestOverLimit(t *testing.T) {
	limited := mk.Pod("a").Obj()
	limited.Spec.Containers[0].Name = "c"
	limited.Spec.Containers[0].Resources.Limits = mk.Resources("ephemeral-storage", "1Gi")
	withVolume := withVolume(mk.Pod("v"), "scratch", v1.VolumeSource{EmptyDir: &v1.EmptyDirVolumeSource{SizeLimit: ptr(mk.Resources("x", "1Gi")["x"])}}).Obj()
	tests := []struct {
		name   string
		pod    *v1.Pod
		stats  stat
		layout pressure.Layout
		want   string
	}{
		{"a volume", withVolume, volume("scratch", "1025Mi"), pressure.OneFs, `Usage of EmptyDir volume "scratch" exceeds the limit "1Gi". `},
		{"a full volume", withVolume, volume("scratch", "1Gi"), pressure.OneFs, ""},
		{"the pod", limited, func(s *pressure.PodStats) { s.EphemeralStorage = &pressure.FsStats{UsedBytes: bytes("2Gi")} }, pressure.OneFs, "Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. "},
		{"a container", limited, containerUses("c", "0", "600Mi", "600Mi"), pressure.OneFs, `Container c exceeded its local ephemeral storage limit "1Gi". `},
		{"a container's layer on the images' disk does not count", limited, containerUses("c", "0", "600Mi", "600Mi"), pressure.ImageFs, ""},
		{"no stats", limited, func(*pressure.PodStats) {}, pressure.OneFs, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := pressure.OverLimit(tt.pod, measure().pod(tt.pod, tt.stats).sum().Pod(tt.pod.UID), tt.layout)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Shows NPE-55.
func TestKubelet_MemoryNotification(t *testing.T) {
	pod := mk.Pod("a").Obj()
	config := hardMemory + "kernelMemcgNotification: true\n"
	plenty, little := measure().memory("5Gi").pod(pod), measure().memory("99Mi").pod(pod)
	*plenty.Node.Memory.UsageBytes += *bytes("1Gi") // cached files that the kernel could drop
	*little.Node.Memory.UsageBytes += *bytes("1Gi")
	n := newNode(t, pressure.OneFs, config, pod)
	n.observe(0, plenty)
	n.observe(13*time.Second, little)
	n.wantLog("0s status []\n13s conditions [MemoryPressure]\n13s Attempting to reclaim memory\n13s evicts a in 1s for memory.available")
	threshold := pressure.Threshold{Signal: pressure.MemoryAvailable, Value: pressure.Value{Quantity: ptr(mk.Resources("m", "100Mi")["m"])}}
	if at, ok := pressure.NotifyAt(threshold, plenty.Node.Memory); !ok || uint64(at) != *bytes("11164Mi") {
		t.Errorf("the kernel notifies at %d, want 10Gi - 100Mi + 1Gi", at)
	}
}

func TestKubelet_Fork(t *testing.T) {
	a, b := mk.Pod("a").Obj(), mk.Pod("b").Priority(1).Obj()
	n := newNode(t, pressure.OneFs, hardMemory, a, b)
	n.observe(0, measure().memory("50Mi").pod(a, uses("1Gi")).pod(b, uses("1Gi")))
	n.through(0)
	fork := *n
	fork.record = n.record.Fork()
	fork.Kubelet = n.Fork(fork.record)
	n.podDeleted(time.Second, a)
	n.until(5 * time.Second)
	n.wantLog("0s conditions [MemoryPressure]\n0s Attempting to reclaim memory\n0s evicts a in 1s for memory.available\n0s status [MemoryPressure]\n2s Attempting to reclaim memory\n2s evicts b in 1s for memory.available")
	if d, _ := fork.record.Find(a.UID, evict.NodePressure); d.Phase != evict.Terminating {
		t.Errorf("in the fork a is %v, want Terminating", d.Phase)
	}
	if at, _ := fork.NextWake(); at.Sub(noon) != 10*time.Second {
		t.Errorf("the fork wakes at %v, want 10s", at.Sub(noon))
	}
}

func TestKubelet_IdleNeedsNoTimer(t *testing.T) {
	pod := mk.Pod("a").Obj()
	n := newNode(t, pressure.OneFs, "", pod)
	n.observe(0, measure().memory("5Gi").pod(pod))
	n.through(0)
	if at, ok := n.NextWake(); ok {
		t.Errorf("it wakes at %v", at.Sub(noon))
	}
	n.observe(3*time.Second, measure().memory("5Gi").pod(pod))
	if at, ok := n.NextWake(); !ok || at.Sub(noon) != 10*time.Second {
		t.Errorf("with new stats it wakes at %v (%v), want 10s", at, ok)
	}
}

func TestKubelet_PodMissingFromList(t *testing.T) {
	starved := func() (*node, *v1.Pod, *v1.Pod) {
		a, b := mk.Pod("a").Obj(), mk.Pod("b").Priority(1).Obj()
		n := newNode(t, pressure.OneFs, hardMemory, a, b)
		n.observe(0, measure().memory("50Mi").pod(a, uses("1Gi")).pod(b, uses("1Gi")))
		n.through(0)
		n.log.Reset()
		return n, a, b
	}
	for name, apply := range map[string]func(a, b *v1.Pod) world.Event{
		"it was deleted":       func(a, _ *v1.Pod) world.Event { return world.Changed{Op: world.Deleted, Object: a} },
		"a list is without it": func(_, b *v1.Pod) world.Event { return world.Listed{Kind: world.Pod, Objects: []world.Object{b}} },
	} {
		t.Run(name, func(t *testing.T) {
			n, a, b := starved()
			n.until(500 * time.Millisecond)
			n.Apply(world.Input{At: n.now, Event: apply(a, b)})
			n.until(2 * time.Second)
			n.wantLog("1.5s Attempting to reclaim memory\n1.5s evicts b in 1s for memory.available")
			if d := n.record.Ended(); len(d) != 1 || d[0].Pod.Name != "a" || d[0].Phase != evict.Evicted {
				t.Errorf("the ended evictions are %+v", d)
			}
		})
	}
}
