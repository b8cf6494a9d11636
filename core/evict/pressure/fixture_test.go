package pressure_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"orrery/core/evict"
	"orrery/core/evict/pressure"
	"orrery/core/world"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func ptr[T any](v T) *T { return &v }

func bytes(text string) *uint64 {
	q := resource.MustParse(text)
	return ptr(uint64(q.Value()))
}

// measured builds a summary; what is not set was not measured.
type measured struct{ pressure.Summary }

func measure() *measured { return &measured{} }

func (m *measured) sum() *pressure.Summary { return &m.Summary }

// memory sets the node's available memory, of 10Gi.
func (m *measured) memory(available string) *measured {
	m.Node.Memory = memoryStats(available, "10Gi")
	return m
}

func memoryStats(available, capacity string) *pressure.MemoryStats {
	used := *bytes(capacity) - *bytes(available)
	return &pressure.MemoryStats{AvailableBytes: bytes(available), WorkingSetBytes: &used, UsageBytes: &used}
}

func (m *measured) allocatable(available string) *measured {
	m.Node.SystemContainers = []pressure.ContainerStats{{Name: "pods", Memory: memoryStats(available, "8Gi")}}
	return m
}

// nodefs sets the available part of 100Gi, imagefs of 1000Gi, each with a million inodes.
func (m *measured) nodefs(available string, inodesFree uint64) *measured {
	m.Node.Fs = fsStats(available, "100Gi", inodesFree)
	return m
}

func (m *measured) imagefs(available string, inodesFree uint64) *measured {
	if m.Node.Runtime == nil {
		m.Node.Runtime = &pressure.RuntimeStats{}
	}
	m.Node.Runtime.ImageFs = fsStats(available, "1000Gi", inodesFree)
	return m
}

func fsStats(available, capacity string, inodesFree uint64) *pressure.FsStats {
	return &pressure.FsStats{AvailableBytes: bytes(available), CapacityBytes: bytes(capacity), InodesFree: &inodesFree, Inodes: ptr(uint64(1000000))}
}

// pids sets how many of 1000 process IDs are in use.
func (m *measured) pids(running int64) *measured {
	m.Node.Rlimit = &pressure.RlimitStats{MaxPID: ptr(int64(1000)), Running: &running}
	return m
}

// pod adds a pod's stats; the functions fill them in.
func (m *measured) pod(p *v1.Pod, stats ...func(*pressure.PodStats)) *measured {
	s := pressure.PodStats{PodRef: pressure.PodReference{Name: p.Name, Namespace: p.Namespace, UID: p.UID}}
	for _, set := range stats {
		set(&s)
	}
	m.Pods = append(m.Pods, s)
	return m
}

type stat = func(*pressure.PodStats)

func uses(memory string) stat {
	return func(s *pressure.PodStats) { s.Memory = &pressure.MemoryStats{WorkingSetBytes: bytes(memory)} }
}

func runs(processes uint64) stat {
	return func(s *pressure.PodStats) { s.Processes = &pressure.ProcessStats{Count: &processes} }
}

func containerUses(name, memory, rootfs, logs string) stat {
	return func(s *pressure.PodStats) {
		s.Containers = append(s.Containers, pressure.ContainerStats{
			Name: name, Memory: &pressure.MemoryStats{WorkingSetBytes: bytes(memory)},
			Rootfs: &pressure.FsStats{UsedBytes: bytes(rootfs)}, Logs: &pressure.FsStats{UsedBytes: bytes(logs)},
		})
	}
}

func volume(name, used string) stat {
	return func(s *pressure.PodStats) {
		s.Volumes = append(s.Volumes, pressure.VolumeStats{Name: name, FsStats: pressure.FsStats{UsedBytes: bytes(used)}})
	}
}

// node is a kubelet and the log of its actions.
type node struct {
	*pressure.Kubelet
	t      *testing.T
	record *evict.Record
	now    time.Time
	// after is the summary after a reclaim; nil for the last one.
	after *pressure.Summary
	last  *pressure.Summary
	log   strings.Builder
}

func newNode(t *testing.T, layout pressure.Layout, yaml string, pods ...*v1.Pod) *node {
	t.Helper()
	c, err := pressure.Load([]byte("apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"+yaml), "linux")
	if err != nil {
		t.Fatal(err)
	}
	n := &node{t: t, record: evict.NewRecord(), now: noon}
	n.Kubelet, err = pressure.New(pressure.Options{Node: "n1", Configuration: c, Layout: layout, Start: noon}, n.record)
	if err != nil {
		t.Fatal(err)
	}
	for _, pod := range pods {
		n.apply(pod)
	}
	return n
}

func (n *node) apply(pod *v1.Pod) {
	pod.Spec.NodeName = "n1"
	if pod.Status.Phase == "" {
		pod.Status.Phase = v1.PodRunning
	}
	n.Apply(world.Input{At: n.now, Event: world.Changed{Object: pod}})
}

// observe passes a summary at a time.
func (n *node) observe(at time.Duration, m *measured) {
	n.until(at)
	n.last = m.sum()
	n.Observe(n.now, m.sum())
	n.runActions()
}

// until advances the time and completes reclaims.
func (n *node) until(at time.Duration) {
	n.runActions()
	for {
		wake, ok := n.NextWake()
		if !ok || !wake.Before(noon.Add(at)) {
			break
		}
		n.now = wake
		n.Apply(world.Input{At: wake, Event: world.Tick{}})
		n.runActions()
	}
	n.now = noon.Add(at)
}

func (n *node) through(at time.Duration) {
	n.until(at)
	n.Apply(world.Input{At: n.now, Event: world.Tick{}})
	n.runActions()
}

func (n *node) runActions() {
	for actions := n.Actions(); len(actions) > 0; actions = n.Actions() {
		for _, s := range actions {
			fmt.Fprintf(&n.log, "%v %s\n", s.At.Sub(noon), actionText(s.Action))
			if _, ok := s.Action.(pressure.ReclaimResources); ok {
				if n.after == nil {
					n.after = n.last
				}
				n.Reclaimed(s.At, n.after)
				n.after = nil
			}
		}
	}
}

func actionText(action pressure.Action) string {
	switch a := action.(type) {
	case pressure.ConditionsChanged:
		return fmt.Sprintf("conditions %v", a.Conditions)
	case pressure.StatusWritten:
		return fmt.Sprintf("status %v", a.Conditions)
	case pressure.ThresholdMet:
		return a.Note()
	case pressure.ReclaimResources:
		var reclaimed []string
		if a.Containers {
			reclaimed = append(reclaimed, "containers")
		}
		if a.Images {
			reclaimed = append(reclaimed, "images")
		}
		return "reclaims " + strings.Join(reclaimed, " and ")
	case pressure.EvictPod:
		cause := string(a.Threshold.Signal)
		if cause == "" {
			cause = "its own limits"
		}
		return fmt.Sprintf("evicts %s in %ds for %s", a.Pod.Name, a.GraceSeconds, cause)
	}
	return "?"
}

func (n *node) podDeleted(at time.Duration, pod *v1.Pod) {
	n.until(at)
	n.Gone(n.now, pod.UID)
	n.runActions()
}

// wantLog compares the log with lines.
func (n *node) wantLog(want string) {
	n.t.Helper()
	got := n.log.String()
	n.log.Reset()
	if trimmed := trim(want); got != trimmed {
		n.t.Errorf("log\n%swant\n%s", got, trimmed)
	}
}

func trim(text string) string {
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(l string) bool { return strings.TrimSpace(l) == "" })
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

func names(ranked []pressure.RankedPod) string {
	var all []string
	for _, s := range ranked {
		all = append(all, s.Pod.Name)
	}
	return strings.Join(all, " ")
}
