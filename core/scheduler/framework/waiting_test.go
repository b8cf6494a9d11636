package framework_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
	"pgregory.net/rapid"

	"orrery/core/scheduler/framework"
	"orrery/core/testing/mk"
)

// runScript runs a script on a list of waiting pods, and logs which wait ended when:
//
//	wait a P=1s Q=2s    pod a waits for plugins P and Q
//	allow a P           P allows a
//	reject a P why      P rejects a
//	at 1s               the time is one second after the start
func runScript(t *testing.T, list *framework.WaitingPods, script string) string {
	t.Helper()
	now := t0
	var out strings.Builder
	for _, line := range strings.Split(script, "\n") {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "wait":
			var waits []framework.PluginWait
			for _, w := range words[2:] {
				plugin, timeout, _ := strings.Cut(w, "=")
				waits = append(waits, framework.PluginWait{Plugin: plugin, Timeout: duration(t, timeout)})
			}
			list.Wait(mk.Pod(words[1]).Obj(), waits, now)
		case "allow":
			if pod := list.Get(uid(words[1])); pod != nil {
				pod.Allow(words[2])
			}
		case "reject":
			if pod := list.Get(uid(words[1])); pod != nil {
				pod.Reject(words[2], strings.Join(words[3:], " "))
			}
		case "at":
			now = t0.Add(duration(t, words[1]))
			list.Expire(now)
		default:
			t.Fatalf("the script has a line %q", line)
		}
		for _, e := range list.TakeEnded() {
			fmt.Fprintf(&out, "%v %s waited %v: %s\n", now.Sub(t0), e.Pod.Name, now.Sub(e.Since), describe(e.Status))
		}
	}
	return out.String()
}

func uid(pod string) types.UID { return mk.Pod(pod).Obj().UID }

func duration(t *testing.T, text string) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Shows FRAME-24.
func TestWaitingPods_AllowRejectExpire(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{
			"one second without approval is a rejection, at one second",
			"wait a P=1s\n at 999ms\n at 1s",
			"1s a waited 1s: Unschedulable by P: rejected due to timeout after waiting 1s at plugin P\n",
		},
		{
			"the shortest time decides",
			"wait a P=15m Q=3s R=4s\n at 2s\n at 5s",
			"5s a waited 5s: Unschedulable by Q: rejected due to timeout after waiting 3s at plugin Q\n",
		},
		{
			"all plugins must allow",
			"wait a P=1m Q=1m\n allow a P\n allow a P\n at 1s\n allow a Q",
			"1s a waited 1s: Success\n",
		},
		{
			"a plugin that has allowed has no deadline any more",
			"wait a P=1s Q=1m\n allow a P\n at 2s\n allow a Q",
			"2s a waited 2s: Success\n",
		},
		{
			"a plugin that is not pending has no effect",
			"wait a P=1s\n allow a Z\n at 1s",
			"1s a waited 1s: Unschedulable by P: rejected due to timeout after waiting 1s at plugin P\n",
		},
		{
			"any plugin can reject, and the first signal counts",
			"wait a P=1s\n reject a Preemption preempted\n allow a P\n reject a P no\n at 1s",
			"0s a waited 0s: Unschedulable by Preemption: preempted\n",
		},
		{
			"a signal after the last approval has no effect",
			"wait a P=1s\n allow a P\n reject a P no\n at 1s",
			"0s a waited 0s: Success\n",
		},
		{
			"several end in the order of their deadlines, and of entry where these are equal",
			"wait a P=3s\n wait b P=2s\n wait c P=3s\n wait d P=1m\n at 10s",
			"10s b waited 10s: Unschedulable by P: rejected due to timeout after waiting 2s at plugin P\n" +
				"10s a waited 10s: Unschedulable by P: rejected due to timeout after waiting 3s at plugin P\n" +
				"10s c waited 10s: Unschedulable by P: rejected due to timeout after waiting 3s at plugin P\n",
		},
		{
			"no time at all ends at once",
			"wait a P=0s\n at 0s",
			"0s a waited 0s: Unschedulable by P: rejected due to timeout after waiting 0s at plugin P\n",
		},
		{
			"a pod may wait again",
			"wait a P=1s\n at 1s\n wait a P=1s\n allow a P",
			"1s a waited 1s: Unschedulable by P: rejected due to timeout after waiting 1s at plugin P\n1s a waited 0s: Success\n",
		},
		{
			"a new wait has only the new deadline",
			"wait a P=1s\n wait a P=3s\n at 2s\n at 3s",
			"3s a waited 3s: Unschedulable by P: rejected due to timeout after waiting 3s at plugin P\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			list := framework.NewWaitingPods()
			if diff := cmp.Diff(tt.want, runScript(t, list, tt.script)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWaitingPods_ReachableThroughHandle(t *testing.T) {
	p := profile(t, framework.Options{})
	list := p.WaitingPods()
	runScript(t, list, "wait a P=5s Q=3s\n wait b P=1s\n wait c P=2s")
	if at, ok := list.NextDeadline(); !ok || at != t0.Add(time.Second) {
		t.Errorf("the next deadline is at %v, %v", at, ok)
	}
	if got := p.GetWaitingPod(uid("a")).GetPendingPlugins(); !slices.Equal(got, []string{"P", "Q"}) {
		t.Errorf("a waits for %v", got)
	}

	// A visitor that allows the second pod and rejects the visited one, as for a gang that is given up.
	var visited []string
	p.IterateOverWaitingPods(func(w fwk.WaitingPod) {
		visited = append(visited, w.GetPod().Name)
		if b := p.GetWaitingPod(uid("b")); b != nil {
			b.Allow("P")
		}
		w.Reject("Gang", "broken up")
	})
	if !slices.Equal(visited, []string{"a", "c"}) {
		t.Errorf("visited %v, want a and c: b did not wait any more", visited)
	}
	var ended []string
	for _, e := range list.TakeEnded() {
		ended = append(ended, e.Pod.Name+" "+describe(e.Status))
	}
	want := []string{"b Success", "a Unschedulable by Gang: broken up", "c Unschedulable by Gang: broken up"}
	if diff := cmp.Diff(want, ended); diff != "" {
		t.Errorf("ended (-want +got):\n%s", diff)
	}
	if p.GetWaitingPod(uid("a")) != nil || p.RejectWaitingPod(uid("a")) || list.Len() != 0 {
		t.Error("a still waits")
	}
	if at, ok := list.NextDeadline(); ok {
		t.Errorf("no pod waits, but there is a deadline at %v", at)
	}

	runScript(t, list, "wait a P=5s")
	if !p.RejectWaitingPod(uid("a")) {
		t.Error("a was not found")
	}
	if got := describe(list.TakeEnded()[0].Status); got != "Unschedulable: removed" {
		t.Errorf("a deleted pod ended with %q", got)
	}
}

func TestWaitingPods_ForkIsIndependent(t *testing.T) {
	list := framework.NewWaitingPods()
	runScript(t, list, "wait a P=2s Q=5s\n wait b P=1s\n allow a P\n wait c P=3s")
	list.Get(uid("c")).Allow("P")
	fork := list.Fork()
	fork.Get(uid("a")).Allow("Q")
	if got := list.Get(uid("a")).GetPendingPlugins(); !slices.Equal(got, []string{"Q"}) {
		t.Errorf("after the fork allowed a, the original waits for %v, want Q", got)
	}
	want := "10s c waited 10s: Success\n10s a waited 10s: Success\n10s b waited 10s: Unschedulable by P: rejected due to timeout after waiting 1s at plugin P\n"
	if diff := cmp.Diff(want, runScript(t, fork, "at 10s")); diff != "" {
		t.Errorf("the fork (-want +got):\n%s", diff)
	}
	want = "10s c waited 10s: Success\n10s b waited 10s: Unschedulable by P: rejected due to timeout after waiting 1s at plugin P\n" +
		"10s a waited 10s: Unschedulable by Q: rejected due to timeout after waiting 5s at plugin Q\n"
	if diff := cmp.Diff(want, runScript(t, list, "at 10s")); diff != "" {
		t.Errorf("the original (-want +got):\n%s", diff)
	}
}

// A simple model of the list behaves as the list. The script is long
// enough for ended waits to be compacted.
func TestWaitingPods_AgreeWithModel(t *testing.T) {
	type wait struct {
		deadlines map[string]time.Time
		entered   int
	}
	rapid.Check(t, func(rt *rapid.T) {
		list, obvious := framework.NewWaitingPods(), map[string]*wait{}
		var got, want []string
		now, entries := t0, 0
		for range rapid.IntRange(1, 400).Draw(rt, "steps") {
			name := fmt.Sprintf("p%d", rapid.IntRange(0, 60).Draw(rt, "pod"))
			plugin := rapid.SampledFrom([]string{"P", "Q"}).Draw(rt, "plugin")
			switch entry := obvious[name]; rapid.SampledFrom([]string{"wait", "wait", "allow", "reject", "pass"}).Draw(rt, "do") {
			case "wait":
				timeouts := map[string]time.Duration{}
				var waits []framework.PluginWait
				for _, plugin := range []string{"P", "Q"} {
					timeouts[plugin] = time.Duration(rapid.IntRange(0, 20).Draw(rt, "timeout")) * time.Second
					waits = append(waits, framework.PluginWait{Plugin: plugin, Timeout: timeouts[plugin]})
				}
				list.Wait(mk.Pod(name).Obj(), waits, now)
				obvious[name] = &wait{map[string]time.Time{"P": now.Add(timeouts["P"]), "Q": now.Add(timeouts["Q"])}, entries}
				entries++
			case "allow":
				if (entry != nil) != (list.Get(uid(name)) != nil) {
					rt.Fatalf("%s waits: %v", name, entry == nil)
				}
				if entry == nil {
					continue
				}
				list.Get(uid(name)).Allow(plugin)
				if delete(entry.deadlines, plugin); len(entry.deadlines) == 0 {
					delete(obvious, name)
					want = append(want, name+" allowed")
				}
			case "reject":
				if entry != nil {
					list.Get(uid(name)).Reject(plugin, "no")
					delete(obvious, name)
					want = append(want, name+" rejected by "+plugin)
				}
			case "pass":
				now = now.Add(time.Duration(rapid.IntRange(0, 5).Draw(rt, "seconds")) * time.Second)
				list.Expire(now)
				for {
					var first, by string
					var at time.Time
					for _, name := range slices.Sorted(maps.Keys(obvious)) {
						for _, plugin := range []string{"P", "Q"} {
							d, pending := obvious[name].deadlines[plugin]
							if !pending || d.After(now) {
								continue
							}
							if first == "" || d.Before(at) || d.Equal(at) && obvious[name].entered < obvious[first].entered {
								first, by, at = name, plugin, d
							}
						}
					}
					if first == "" {
						break
					}
					delete(obvious, first)
					want = append(want, first+" rejected by "+by)
				}
			}
			for _, e := range list.TakeEnded() {
				if e.Status.IsSuccess() {
					got = append(got, e.Pod.Name+" allowed")
				} else {
					got = append(got, e.Pod.Name+" rejected by "+e.Status.Plugin())
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				rt.Fatalf("(-want +got):\n%s", diff)
			}
			var order, wantOrder []string
			list.Each(func(w fwk.WaitingPod) { order = append(order, w.GetPod().Name) })
			wantOrder = slices.SortedFunc(maps.Keys(obvious), func(a, b string) int { return obvious[a].entered - obvious[b].entered })
			if !slices.Equal(order, wantOrder) || list.Len() != len(obvious) {
				rt.Fatalf("waiting in order of entry: got %v, want %v", order, wantOrder)
			}
		}
	})
}
