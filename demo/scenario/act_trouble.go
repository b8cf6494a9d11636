package scenario

import (
	v1 "k8s.io/api/core/v1"

	"orrery/core/world"
	"orrery/core/world/memory"
)

// trouble is what can be asked for where everything is simulated.
func (s *stage) trouble() []deed {
	return []deed{
		{"lose", func(m *moment) error { return s.eachNode(m.Lose, s.cluster.LoseNode) }},
		{"recover", func(m *moment) error { return s.eachNode(m.Recover, s.cluster.RecoverNode) }},
		{"use", s.use},
		{"api", s.troubleServer},
		{"kill", s.troubleSchedulers},
	}
}

// use has pods or nodes use more, or less, than before.
func (s *stage) use(m *moment) error {
	for i := range m.Use {
		if err := s.useNow(&m.Use[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *stage) useNow(u *use) error {
	now, growth := u.amounts(u.App == "")
	if u.App != "" && len(u.On) == 0 {
		w := s.file.workload(u.App)
		return s.cluster.Use(memory.Use{Namespace: w.Namespace, Labels: map[string]string{appLabel: u.App}, Usage: now, Growth: growth})
	}
	return s.eachNode(u.On, func(name string) error {
		if u.App == "" {
			return s.cluster.Use(memory.Use{Node: name, Usage: now, Growth: growth})
		}
		for _, pod := range s.podsOf(u.App, func(pod *v1.Pod) bool { return pod.Spec.NodeName == name }) {
			if err := s.cluster.Use(memory.Use{Namespace: pod.Namespace, Pod: pod.Name, Usage: now, Growth: growth}); err != nil {
				return err
			}
		}
		return nil
	})
}

// useAll says what the pods that are there from the beginning use.
func (s *stage) useAll() error {
	for i := range s.file.Workloads {
		w := &s.file.Workloads[i]
		if s.file.createdLater(w.name) {
			continue
		}
		if err := s.useOf(w); err != nil {
			return w.Fail("uses", "%v", err)
		}
	}
	return nil
}

// useOf says what the pods of a workload use from their start on.
func (s *stage) useOf(w *workload) error {
	if w.Uses == nil {
		return nil
	}
	now, growth := w.Uses.amounts(false)
	return s.cluster.Use(memory.Use{Namespace: w.Namespace, Labels: map[string]string{appLabel: w.name}, Usage: now, Growth: growth})
}

// amounts are what is used now, and what comes on top each second. A pod writes to its own layer, a node to its disk.
func (u *uses) amounts(node bool) (now, growth memory.Usage) {
	now, growth = memory.Usage{Memory: u.Memory.now, PIDs: u.PIDs}, memory.Usage{Memory: u.Memory.growth}
	if node {
		now.Volumes.Bytes, growth.Volumes.Bytes = u.Disk.now, u.Disk.growth
	} else {
		now.Writable.Bytes, growth.Writable.Bytes = u.Disk.now, u.Disk.growth
	}
	return now, growth
}

// calls are the scheduler's calls that trouble can befall, as they are called in a scenario.
var calls = map[string]memory.Call{
	"bind": memory.CallBind, "status": memory.CallPatchStatus, "delete": memory.CallDelete, "plugin": memory.CallPlugin,
}

func (s *stage) troubleServer(m *moment) error {
	a := m.API
	if a == nil {
		return nil
	}
	if a.Down > 0 {
		s.cluster.RestartServer(a.Down.of())
		s.down = s.cluster.Now().Add(a.Down.of())
	}
	if a.Slow != nil {
		s.cluster.SlowDown(a.Slow.For.of(), memory.Delay{Base: a.Slow.By.from, Jitter: a.Slow.By.to - a.Slow.By.from})
	}
	for _, trouble := range []struct {
		counts map[string]int
		mishap memory.Mishap
	}{{a.Refuse, memory.Refused}, {a.Lose, memory.Lost}} {
		for _, call := range sortedKeys(trouble.counts) {
			for range trouble.counts[call] {
				s.cluster.Befall(calls[call], trouble.mishap)
			}
		}
	}
	for _, b := range a.Break {
		s.cluster.BreakWatch(world.Kind(b.Watch), b.For.of())
	}
	return nil
}

// leading stands for the scheduler that leads when the moment comes.
const leading = "leader"

// troubleSchedulers kills, stops and cuts off replicas of the scheduler.
func (s *stage) troubleSchedulers(m *moment) error {
	for _, name := range m.Kill {
		if r := s.replica(name); r != nil {
			r.seat.Kill()
			r.dead = true
		}
	}
	for _, name := range sortedKeys(m.Pause) {
		if r := s.replica(name); r != nil {
			r.seat.Stop(m.Pause[name].of())
		}
	}
	for _, name := range sortedKeys(m.Cut) {
		if r := s.replica(name); r != nil {
			r.seat.CutOff(m.Cut[name].of())
		}
	}
	return nil
}

// replica is one of the schedulers by its name; nil if the leader is meant and nobody leads.
func (s *stage) replica(name string) *replica {
	for _, r := range s.replicas {
		if replicaName(r.number) == name || name == leading && r.leads() {
			return r
		}
	}
	return nil
}
