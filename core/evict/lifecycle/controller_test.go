package lifecycle_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"orrery/core/evict"
	"orrery/core/evict/lifecycle"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// Shows TAINT-21, TAINT-23 and TAINT-30.
func TestController_TaintsFromConditions(t *testing.T) {
	for _, row := range []struct{ name, script, want string }{
		{
			"a ready node has no taint",
			`0 n1@z ready
			 99 wait`, "",
		},
		{
			"not ready: NoSchedule at once, NoExecute at the next check",
			`0 n1@z ready
			 0 n2@z ready
			 7 n1@z notready
			 99 wait`,
			"7s n1 +not-ready:NoSchedule\n10s n1 +not-ready:NoExecute\n",
		},
		{
			"unknown is unreachable, not not-ready",
			`0 n1@z ready
			 0 n2@z ready
			 7 n1@z unknown
			 99 wait`,
			"7s n1 +unreachable:NoSchedule\n10s n1 +unreachable:NoExecute\n",
		},
		{
			"not-ready and unreachable exclude each other and are swapped without a rate limit",
			`0 n1@z ready
			 0 n2@z ready
			 2 n1@z notready
			 12 n1@z unknown
			 99 wait`,
			"2s n1 +not-ready:NoSchedule\n5s n1 +not-ready:NoExecute\n" +
				"12s n1 -not-ready:NoSchedule +unreachable:NoSchedule\n15s n1 -not-ready:NoExecute +unreachable:NoExecute\n",
		},
		{
			"a node that is ready again loses NoSchedule at once and NoExecute at the next check",
			`0 n1@z ready
			 0 n2@z ready
			 2 n1@z notready
			 12 n1@z ready
			 99 wait`,
			"2s n1 +not-ready:NoSchedule\n5s n1 +not-ready:NoExecute\n12s n1 -not-ready:NoSchedule\n15s n1 -not-ready:NoExecute\n",
		},
		{
			"pressures, a missing network and a cordon are NoSchedule taints",
			`0 n1@z ready MemoryPressure DiskPressure PIDPressure NetworkUnavailable cordoned
			 8 n1@z ready
			 99 wait`,
			"0s n1 +memory-pressure:NoSchedule +disk-pressure:NoSchedule +pid-pressure:NoSchedule" +
				" +network-unavailable:NoSchedule +unschedulable:NoSchedule\n" +
				"8s n1 -memory-pressure:NoSchedule -disk-pressure:NoSchedule -pid-pressure:NoSchedule" +
				" -network-unavailable:NoSchedule -unschedulable:NoSchedule\n",
		},
		{
			"taints of others are kept",
			`0 n1@z ready +node.cloudprovider.kubernetes.io/uninitialized:NoSchedule +maintenance:NoExecute
			 0 n2@z ready
			 2 n1@z notready cordoned
			 12 n1@z ready
			 99 wait`,
			"2s n1 +not-ready:NoSchedule +unschedulable:NoSchedule\n5s n1 +not-ready:NoExecute\n" +
				"12s n1 -not-ready:NoSchedule -unschedulable:NoSchedule\n15s n1 -not-ready:NoExecute\n",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, newFixture(t, lifecycle.Options{}).play(row.script)); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestController_MissedHeartbeats(t *testing.T) {
	for _, row := range []struct{ name, script, want string }{
		{
			"a node is unreachable 50 s after the check that saw its last heartbeat",
			`0 n1@z ready
			 0 n2@z ready
			 3 renew n1
			 40 renew n2
			 80 renew n2
			 120 renew n2
			 121 wait`,
			"55s n1 unknown +unreachable:NoSchedule\n55s n1 +unreachable:NoExecute\n",
		},
		{
			"a renewed lease is a heartbeat",
			`0 n1@z ready
			 54 renew n1
			 104 renew n1
			 150 wait`, "",
		},
		{
			"the condition's heartbeat time is a heartbeat",
			`0 n1@z ready
			 54 n1@z ready
			 104 n1@z ready
			 150 wait`, "",
		},
		{
			"an unchanged lease restarts the grace period at the check after a heartbeat in the condition",
			`0 n1@z ready
			 0 n2@z ready
			 3 renew n1
			 22 n1@z ready
			 40 renew n2
			 86 wait`,
			"80s n1 unknown +unreachable:NoSchedule\n80s n1 +unreachable:NoExecute\n",
		},
		{
			"without a lease only the condition's heartbeat counts",
			`0 n1@z ready
			 0 n2@z ready
			 22 n1@z ready
			 40 renew n2
			 86 wait`,
			"75s n1 unknown +unreachable:NoSchedule\n75s n1 +unreachable:NoExecute\n",
		},
		{
			"a node without any heartbeat has 60 s from its creation",
			`3 n1@z none
			 3 n2@z ready
			 43 n2@z ready
			 66 wait`,
			"65s n1 unknown +unreachable:NoSchedule\n65s n1 +unreachable:NoExecute\n",
		},
		{
			"an unreachable node's pressure becomes unknown",
			`0 n1@z ready DiskPressure
			 0 n2@z ready
			 40 renew n2
			 56 wait`,
			"0s n1 +disk-pressure:NoSchedule\n55s n1 unknown -disk-pressure:NoSchedule +unreachable:NoSchedule\n55s n1 +unreachable:NoExecute\n",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := newFixture(t, lifecycle.Options{Heartbeats: true}).play(row.script)
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("without the option Heartbeats no node is unreachable", func(t *testing.T) {
		if got := newFixture(t, lifecycle.Options{}).play("0 n1@z ready\n 999 wait"); got != "" {
			t.Errorf("changes: %s", got)
		}
	})
}

func TestController_EvictionRate(t *testing.T) {
	for _, row := range []struct{ name, script, want string }{
		{
			"a normal zone adds one taint at once and then one every 10 s",
			`0 a1..a9@z ready
			 12 a1..a4@z notready
			 99 wait`,
			"15s a1, 25s a2, 35s a3, 45s a4",
		},
		{
			"two unready nodes of three are no disruption: it takes three",
			`0 a1..a3@z ready
			 12 a1..a2@z notready
			 99 wait`,
			"15s a1, 25s a2",
		},
		{
			"55 % of a small zone unready: no taint after that of the first check",
			`0 a01..a20@z ready
			 12 a01..a11@z notready
			 999 wait`,
			"",
		},
		{
			"54 % unready are a normal zone",
			`0 a01..a50@z ready
			 12 a01..a27@z notready
			 36 wait`,
			"15s a01, 25s a02, 35s a03",
		},
		{
			"a large disrupted zone continues at a tenth of the rate",
			`0 a01..a60@z ready
			 12 a01..a40@z notready
			 299 wait`,
			"15s a01, 115.1s a02, 215.2s a03",
		},
		{
			"50 nodes are a small zone",
			`0 a01..a50@z ready
			 12 a01..a28@z notready
			 999 wait`,
			"",
		},
		{
			"51 nodes are a large zone",
			`0 a01..a51@z ready
			 12 a01..a29@z notready
			 199 wait`,
			"15s a01, 115.1s a02",
		},
		{
			"when enough nodes are ready again, the normal rate resumes after an interval",
			`0 a01..a20@z ready
			 12 a01..a11@z notready
			 42 a01..a03@z ready
			 79 wait`,
			"55s a04, 65s a05, 75s a06",
		},
		{
			"a zone without a ready node continues at the normal rate while another zone has one",
			`0 a1..a4@z ready
			 0 b1@y ready
			 12 a1..a4@z notready
			 99 wait`,
			"15s a1, 25s a2, 35s a3, 45s a4",
		},
		{
			"zones have separate rates",
			`0 a1..a5@z ready
			 0 b1..b5@zz ready
			 12 a1..a2@z notready
			 12 b1..b2@zz notready
			 99 wait`,
			"15s a1, 15s b1, 25s a2, 25s b2",
		},
		{
			"no taint while no node is ready in any zone",
			`0 a1..a4@z ready
			 0 b1@y ready
			 12 a1..a4@z notready
			 12 b1@y notready
			 999 wait`,
			"",
		},
		{
			"taints resume an interval after a node is ready again",
			`0 a1..a4@z ready
			 0 b1@y ready
			 12 a1..a4@z notready
			 12 b1@y notready
			 52 b1@y ready
			 99 wait`,
			"65s a1, 75s a2, 85s a3, 95s a4",
		},
		{
			"excluded nodes do not count",
			`0 a1..a3@z ready
			 0 a4..a9@z ready excluded
			 12 a4..a9@z notready excluded
			 36 wait`,
			"15s a4, 25s a5, 35s a6",
		},
		{
			"a queued node that became ready is skipped without using the interval",
			`0 a1..a9@z ready
			 12 a1..a3@z notready
			 17 a2@z ready
			 99 wait`,
			"15s a1, 25s a3",
		},
		{
			"a queued node that was deleted uses the interval",
			`0 a1..a9@z ready
			 12 a1..a3@z notready
			 17 delete a2
			 99 wait`,
			"15s a1, 35s a3",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := noExecute(newFixture(t, lifecycle.Options{}).play(row.script)); got != row.want {
				t.Errorf("NoExecute taints: %q, want %q", got, row.want)
			}
		})
	}
}

func TestController_FullDisruptionRemovesTaints(t *testing.T) {
	s := newFixture(t, lifecycle.Options{})
	s.play("0 a1..a2@z ready\n 12 a1@z notready\n 30 wait")
	got := s.play("31 a2@z notready\n 99 wait")
	want := "31s a2 +not-ready:NoSchedule\n35s a1 -not-ready:NoExecute\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

func TestController_FullDisruptionRemovesSwappedTaint(t *testing.T) {
	s := newFixture(t, lifecycle.Options{})
	s.play("0 a1..a2@z ready\n 12 a1@z notready\n 30 wait")
	got := s.play("31 a1@z unknown\n 31 a2@z unknown\n 99 wait")
	want := `31s a1 -not-ready:NoSchedule +unreachable:NoSchedule
31s a2 +unreachable:NoSchedule
35s a1 -not-ready:NoExecute +unreachable:NoExecute
35s a1 -unreachable:NoExecute
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

func TestController_PredictsEvictionsBeforeTaint(t *testing.T) {
	b := evict.NewRecord()
	s := newFixture(t, lifecycle.Options{Record: b})
	s.execute = false // another controller taints the nodes
	seconds := int64(300)
	toleration := v1.Toleration{Key: v1.TaintNodeNotReady, Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute, TolerationSeconds: &seconds}
	for _, node := range []string{"a1", "a2"} {
		s.apply(s.now, world.Changed{Object: mk.Pod("web-" + node).Node(node).Toleration(toleration).Obj()})
		s.apply(s.now, world.Changed{Object: mk.Pod("agent-" + node).Node(node).Toleration(v1.Toleration{Operator: v1.TolerationOpExists}).Obj()})
	}
	s.play("0 a1..a9@z ready\n 12 a1..a2@z notready\n 16 wait")
	want := `web-a1: at risk, 315s, node.kubernetes.io/not-ready, tolerated for 5m0s
web-a2: at risk, 325s, node.kubernetes.io/not-ready, tolerated for 5m0s
`
	if diff := cmp.Diff(want, recordText(b)); diff != "" {
		t.Errorf("predictions (-want +got):\n%s", diff)
	}
	s.play("17 a2@z ready\n 21 wait")
	want = `web-a1: at risk, 315s, node.kubernetes.io/not-ready, tolerated for 5m0s
web-a2: cancelled, 325s, the node will not be tainted
`
	if diff := cmp.Diff(want, recordText(b)); diff != "" {
		t.Errorf("after a node is ready again (-want +got):\n%s", diff)
	}
}

func TestController_HeartbeatsAfterFullDisruption(t *testing.T) {
	got := newFixture(t, lifecycle.Options{Heartbeats: true}).play(`
		0 n1@z ready
		0 n2@z ready
		12 n1@z notready
		12 n2@z notready
		58 n1@z ready
		90 renew n1
		111 wait`)
	if want := "110s n2 unknown -not-ready:NoSchedule +unreachable:NoSchedule\n"; !strings.Contains(got, want) || strings.Count(got, "unknown") != 1 {
		t.Errorf("changes:\n%swant n2 unreachable 50 s after the first check with a ready node, at 60 s:\n%s", got, want)
	}
}

func TestController_ForkedQueue(t *testing.T) {
	s := newFixture(t, lifecycle.Options{})
	s.play("0 a1..a9@z ready\n 12 a1..a4@z notready\n 16 wait")
	fork := s.m.Fork(evict.NewRecord())
	ready := nodeOf("a2@z", noon, []string{"ready"})
	ready.ResourceVersion = "1000"
	fork.Apply(world.Input{At: noon.Add(17 * 1e9), Event: world.Changed{Object: ready}})
	fork.Apply(world.Input{At: noon.Add(50 * 1e9), Event: world.Tick{}})
	if got := noExecute(s.play("99 wait")); got != "25s a2, 35s a3, 45s a4" {
		t.Errorf("after a fork applied inputs, the original adds %q", got)
	}
}
