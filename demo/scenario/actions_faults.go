package scenario

import (
	v1 "k8s.io/api/core/v1"

	"orrery/core/world"
	"orrery/core/world/memory"
)

// faultActions are the actions that need a simulation.
func (s *simulation) faultActions() []action {
	return []action{
		{"disconnect", func(m *moment) error { return s.eachNode(m.Disconnect, s.cluster.LoseNode) }},
		{"reconnect", func(m *moment) error { return s.eachNode(m.Reconnect, s.cluster.RecoverNode) }},
		{"usage", s.changeUsage},
		{"storage", s.changeStorage},
		{"devices", s.changeDevices},
		{"apiserver", s.injectAPIFaults},
		{"kill", s.injectSchedulerFaults},
		{"extenders", s.changeExtenders},
	}
}

// changeUsage changes the usage of pods or nodes.
func (s *simulation) changeUsage(m *moment) error {
	for i := range m.Usage {
		if err := s.changeUsageNow(&m.Usage[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *simulation) changeUsageNow(u *usageChange) error {
	now, growth := u.amounts(u.App == "")
	if u.App != "" && len(u.On) == 0 {
		w := s.file.workload(u.App)
		return s.cluster.ReportUsage(memory.UsageReport{Namespace: w.Namespace, Labels: map[string]string{appLabel: u.App}, Usage: now, Growth: growth})
	}
	return s.eachNode(u.On, func(name string) error {
		if u.App == "" {
			return s.cluster.ReportUsage(memory.UsageReport{Node: name, Usage: now, Growth: growth})
		}
		for _, pod := range s.podsOf(u.App, func(pod *v1.Pod) bool { return pod.Spec.NodeName == name }) {
			if err := s.cluster.ReportUsage(memory.UsageReport{Namespace: pod.Namespace, Pod: pod.Name, Usage: now, Growth: growth}); err != nil {
				return err
			}
		}
		return nil
	})
}

// setInitialUsage sets the usage of the pods that exist from the beginning.
func (s *simulation) setInitialUsage() error {
	later := s.file.createdLater()
	for i := range s.file.Workloads {
		w := &s.file.Workloads[i]
		if later[w.name] {
			continue
		}
		if err := s.setUsageOf(w); err != nil {
			return w.Fail("usage", "%v", err)
		}
	}
	return nil
}

// setUsageOf sets the usage of a workload's pods from their start on.
func (s *simulation) setUsageOf(w *workload) error {
	if w.Usage == nil {
		return nil
	}
	now, growth := w.Usage.amounts(false)
	return s.cluster.ReportUsage(memory.UsageReport{Namespace: w.Namespace, Labels: map[string]string{appLabel: w.name}, Usage: now, Growth: growth})
}

// amounts returns the usage now and its growth per second.
func (u *usage) amounts(node bool) (now, growth memory.Usage) {
	of := func(pick func(growing) int64) (all memory.Usage) {
		all.Memory, all.PIDs = pick(u.Memory), pick(u.PIDs)
		all.Logs.Bytes, all.Volumes.Bytes = pick(u.Logs), pick(u.Volumes)
		all.Images.Bytes, all.UnusedImages.Bytes, all.DeadContainers.Bytes = pick(u.Images), pick(u.UnusedImages), pick(u.DeadContainers)
		disk := &all.Writable // a pod writes to its own layer
		if node {
			disk = &all.Volumes
		}
		disk.Bytes, disk.Inodes = pick(u.Disk), pick(u.Inodes)
		return all
	}
	return of(func(g growing) int64 { return g.now }), of(func(g growing) int64 { return g.growth })
}

// calls are the scheduler's calls that faults can hit, by their names in a scenario.
var calls = map[string]memory.Call{
	"bind": memory.CallBind, "status": memory.CallPatchStatus, "delete": memory.CallDelete, "plugin": memory.CallPlugin,
	"volume": memory.CallVolume,
}

func (s *simulation) injectAPIFaults(m *moment) error {
	a := m.APIServer
	if a == nil {
		return nil
	}
	if a.Down > 0 {
		s.cluster.RestartServer(a.Down.of())
		s.apiDownUntil = s.cluster.Now().Add(a.Down.of())
	}
	if a.Delay != nil {
		s.cluster.SlowDown(a.Delay.For.of(), a.Delay.By.delay())
	}
	for _, trouble := range []struct {
		counts map[string]int
		fault  memory.Fault
	}{{a.Reject, memory.RequestRefused}, {a.DropResponses, memory.RequestLost}} {
		for _, call := range sortedKeys(trouble.counts) {
			for range trouble.counts[call] {
				s.cluster.InjectFault(calls[call], trouble.fault)
			}
		}
	}
	for _, b := range a.BreakWatches {
		s.cluster.BreakWatch(world.Kind(b.Kind), b.For.of())
	}
	return nil
}

// leaderName stands for the scheduler that leads at the time of the step.
const leaderName = "leader"

// injectSchedulerFaults kills, stops and cuts off replicas of the scheduler.
func (s *simulation) injectSchedulerFaults(m *moment) error {
	for _, name := range m.Kill {
		if r := s.replica(name); r != nil {
			r.elector.Kill()
			r.dead = true
		}
	}
	for _, name := range sortedKeys(m.Pause) {
		if r := s.replica(name); r != nil {
			r.elector.Pause(m.Pause[name].of())
		}
	}
	for _, name := range sortedKeys(m.Partition) {
		if r := s.replica(name); r != nil {
			r.elector.Partition(m.Partition[name].of())
		}
	}
	return nil
}

// replica is one of the schedulers by its name; nil for the leader while there is none.
func (s *simulation) replica(name string) *replica {
	for _, r := range s.replicas {
		if replicaName(r.number) == name || name == leaderName && r.leads() {
			return r
		}
	}
	return nil
}
