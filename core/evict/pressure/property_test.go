package pressure_test

import (
	"fmt"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"orrery/core/evict"
	"orrery/core/evict/pressure"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// A fork at any time emits the same actions for the same inputs; no exempt pod is evicted, and actions are in order of time.
func TestKubelet_Properties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		config := pressure.DefaultConfiguration("linux")
		config.Soft = map[pressure.Signal]string{pressure.MemoryAvailable: "1Gi"}
		config.SoftGrace = map[pressure.Signal]string{pressure.MemoryAvailable: "30s"}
		config.MemoryNotification = rapid.Bool().Draw(t, "notify")
		k, err := pressure.New(pressure.Options{Node: "n1", Configuration: config, Start: noon}, evict.NewRecord())
		if err != nil {
			t.Fatal(err)
		}
		pods := []*v1.Pod{mk.Pod("a").Node("n1").Obj(), mk.Pod("b").Node("n1").Memory("1Gi").Obj(), mk.Pod("c").Node("n1").Priority(2000000000).Obj()}
		for _, pod := range pods {
			pod.Status.Phase = v1.PodRunning
			k.Apply(world.Input{At: noon, Event: world.Changed{Object: pod}})
		}
		forkAt := rapid.IntRange(0, 40).Draw(t, "fork")
		var fork *pressure.Kubelet
		now, last := noon, noon
		for step := range 40 {
			if step == forkAt {
				fork = k.Fork(evict.NewRecord())
			}
			now = now.Add(time.Duration(rapid.IntRange(0, 15000).Draw(t, "ms")) * time.Millisecond)
			input := drawInput(t, pods, now)
			input(k)
			actions := k.Actions()
			if fork != nil {
				input(fork)
				if original, other := fmt.Sprint(actions), fmt.Sprint(fork.Actions()); original != other {
					t.Fatalf("the fork's actions are %s, the original's %s", other, original)
				}
			}
			for _, s := range actions {
				if s.At.Before(last) {
					t.Fatalf("an action at %v after one at %v", s.At, last)
				}
				last = s.At
				if e, ok := s.Action.(pressure.EvictPod); ok {
					if e.Pod.Name == "c" {
						t.Fatal("a critical pod was evicted")
					}
				}
			}
			if wake, ok := k.NextWake(); ok && wake.Before(now) {
				t.Fatalf("at %v NextWake is %v, in the past", now, wake)
			}
		}
	})
}

// drawInput draws an input.
func drawInput(t *rapid.T, pods []*v1.Pod, now time.Time) func(*pressure.Kubelet) {
	pod := rapid.SampledFrom(pods).Draw(t, "pod")
	m := measure().memory(rapid.SampledFrom([]string{"50Mi", "500Mi", "5Gi"}).Draw(t, "memory")).
		nodefs(rapid.SampledFrom([]string{"1Gi", "50Gi"}).Draw(t, "nodefs"), 900000).
		pod(pods[0], uses("1Gi")).pod(pods[1], uses("2Gi"))
	switch rapid.IntRange(0, 4).Draw(t, "what") {
	case 0:
		return func(k *pressure.Kubelet) { k.Observe(now, m.sum()) }
	case 1:
		return func(k *pressure.Kubelet) { k.Stopped(now, pod.UID) }
	case 2:
		return func(k *pressure.Kubelet) { k.Gone(now, pod.UID) }
	case 3:
		return func(k *pressure.Kubelet) { k.Reclaimed(now, m.sum()) }
	}
	return func(k *pressure.Kubelet) { k.Apply(world.Input{At: now, Event: world.Tick{}}) }
}
