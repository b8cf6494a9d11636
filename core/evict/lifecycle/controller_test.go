package lifecycle_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"orrery/core/evict"
	"orrery/core/evict/lifecycle"
	"orrery/core/mk"
	"orrery/core/world"
)

func TestController_TaintsFromConditions(t *testing.T) {
	for _, row := range []struct{ name, script, want string }{
		{
			"a node that is ready has no taint",
			`0 n1@z ready
			 99 nothing`, "",
		},
		{
			"not ready: NoSchedule at once, NoExecute at the next look",
			`0 n1@z ready
			 0 n2@z ready
			 7 n1@z notready
			 99 nothing`,
			"7s n1 +not-ready:NoSchedule\n10s n1 +not-ready:NoExecute\n",
		},
		{
			"unknown is unreachable, not not-ready",
			`0 n1@z ready
			 0 n2@z ready
			 7 n1@z unknown
			 99 nothing`,
			"7s n1 +unreachable:NoSchedule\n10s n1 +unreachable:NoExecute\n",
		},
		{
			"not-ready and unreachable exclude one another, and are swapped without waiting",
			`0 n1@z ready
			 0 n2@z ready
			 2 n1@z notready
			 12 n1@z unknown
			 99 nothing`,
			"2s n1 +not-ready:NoSchedule\n5s n1 +not-ready:NoExecute\n" +
				"12s n1 -not-ready:NoSchedule +unreachable:NoSchedule\n15s n1 -not-ready:NoExecute +unreachable:NoExecute\n",
		},
		{
			"a node that is ready again loses both, the one at once and the other at the next look",
			`0 n1@z ready
			 0 n2@z ready
			 2 n1@z notready
			 12 n1@z ready
			 99 nothing`,
			"2s n1 +not-ready:NoSchedule\n5s n1 +not-ready:NoExecute\n12s n1 -not-ready:NoSchedule\n15s n1 -not-ready:NoExecute\n",
		},
		{
			"pressures, a missing network and a cordon are NoSchedule taints",
			`0 n1@z ready MemoryPressure DiskPressure PIDPressure NetworkUnavailable cordoned
			 8 n1@z ready
			 99 nothing`,
			"0s n1 +memory-pressure:NoSchedule +disk-pressure:NoSchedule +pid-pressure:NoSchedule" +
				" +network-unavailable:NoSchedule +unschedulable:NoSchedule\n" +
				"8s n1 -memory-pressure:NoSchedule -disk-pressure:NoSchedule -pid-pressure:NoSchedule" +
				" -network-unavailable:NoSchedule -unschedulable:NoSchedule\n",
		},
		{
			"taints that others set are theirs to take off, and make no difference",
			`0 n1@z ready +node.cloudprovider.kubernetes.io/uninitialized:NoSchedule +maintenance:NoExecute
			 0 n2@z ready
			 2 n1@z notready cordoned
			 12 n1@z ready
			 99 nothing`,
			"2s n1 +not-ready:NoSchedule +unschedulable:NoSchedule\n5s n1 +not-ready:NoExecute\n" +
				"12s n1 -not-ready:NoSchedule -unschedulable:NoSchedule\n15s n1 -not-ready:NoExecute\n",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, newScene(t, lifecycle.Options{}).play(row.script)); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestController_MissedHeartbeats(t *testing.T) {
	for _, row := range []struct{ name, script, want string }{
		{
			"a node is given up 50 s after the look at which its last word was noticed",
			`0 n1@z ready
			 0 n2@z ready
			 3 beat n1
			 40 beat n2
			 80 beat n2
			 120 beat n2
			 121 nothing`,
			"55s n1 unknown +unreachable:NoSchedule\n55s n1 +unreachable:NoExecute\n",
		},
		{
			"a renewed lease is a word",
			`0 n1@z ready
			 54 beat n1
			 104 beat n1
			 150 nothing`, "",
		},
		{
			"so is a heartbeat in the condition",
			`0 n1@z ready
			 54 n1@z ready
			 104 n1@z ready
			 150 nothing`, "",
		},
		{
			"a lease that is there counts anew at the look after a heartbeat in the condition",
			`0 n1@z ready
			 0 n2@z ready
			 3 beat n1
			 22 n1@z ready
			 40 beat n2
			 86 nothing`,
			"80s n1 unknown +unreachable:NoSchedule\n80s n1 +unreachable:NoExecute\n",
		},
		{
			"without a lease that heartbeat is all there is",
			`0 n1@z ready
			 0 n2@z ready
			 22 n1@z ready
			 40 beat n2
			 86 nothing`,
			"75s n1 unknown +unreachable:NoSchedule\n75s n1 +unreachable:NoExecute\n",
		},
		{
			"a node that never said a word has 60 s from its creation",
			`3 n1@z silence
			 3 n2@z ready
			 43 n2@z ready
			 66 nothing`,
			"65s n1 unknown +unreachable:NoSchedule\n65s n1 +unreachable:NoExecute\n",
		},
		{
			"a pressure that a silent node reported is not known any more",
			`0 n1@z ready DiskPressure
			 0 n2@z ready
			 40 beat n2
			 56 nothing`,
			"0s n1 +disk-pressure:NoSchedule\n55s n1 unknown -disk-pressure:NoSchedule +unreachable:NoSchedule\n55s n1 +unreachable:NoExecute\n",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := newScene(t, lifecycle.Options{Heartbeats: true}).play(row.script)
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("silence means nothing where nobody tells of heartbeats", func(t *testing.T) {
		if got := newScene(t, lifecycle.Options{}).play("0 n1@z ready\n 999 nothing"); got != "" {
			t.Errorf("changes: %s", got)
		}
	})
}

func TestController_EvictionRate(t *testing.T) {
	for _, row := range []struct{ name, script, want string }{
		{
			"a normal zone has one at once and then one every 10 s",
			`0 a1..a9@z ready
			 12 a1..a4@z notready
			 99 nothing`,
			"15s a1, 25s a2, 35s a3, 45s a4",
		},
		{
			"two nodes of three are not disruption: it takes three",
			`0 a1..a3@z ready
			 12 a1..a2@z notready
			 99 nothing`,
			"15s a1, 25s a2",
		},
		{
			"55 % of a small zone: none, after the one of the look at which it came out",
			`0 a01..a20@z ready
			 12 a01..a11@z notready
			 999 nothing`,
			"",
		},
		{
			"54 % are a normal zone",
			`0 a01..a50@z ready
			 12 a01..a27@z notready
			 36 nothing`,
			"15s a01, 25s a02, 35s a03",
		},
		{
			"a large zone goes on at a tenth of the rate",
			`0 a01..a60@z ready
			 12 a01..a40@z notready
			 299 nothing`,
			"15s a01, 115.1s a02, 215.2s a03",
		},
		{
			"50 nodes are a small zone still",
			`0 a01..a50@z ready
			 12 a01..a28@z notready
			 999 nothing`,
			"",
		},
		{
			"51 are a large one",
			`0 a01..a51@z ready
			 12 a01..a29@z notready
			 199 nothing`,
			"15s a01, 115.1s a02",
		},
		{
			"when enough are ready again, the rest goes on at the normal rate, after an interval",
			`0 a01..a20@z ready
			 12 a01..a11@z notready
			 42 a01..a03@z ready
			 79 nothing`,
			"55s a04, 65s a05, 75s a06",
		},
		{
			"a zone without a ready node, beside one that has some, goes on at the normal rate",
			`0 a1..a4@z ready
			 0 b1@y ready
			 12 a1..a4@z notready
			 99 nothing`,
			"15s a1, 25s a2, 35s a3, 45s a4",
		},
		{
			"zones do not wait for one another",
			`0 a1..a5@z ready
			 0 b1..b5@zz ready
			 12 a1..a2@z notready
			 12 b1..b2@zz notready
			 99 nothing`,
			"15s a1, 15s b1, 25s a2, 25s b2",
		},
		{
			"when no node is ready anywhere, none",
			`0 a1..a4@z ready
			 0 b1@y ready
			 12 a1..a4@z notready
			 12 b1@y notready
			 999 nothing`,
			"",
		},
		{
			"... and once one is ready again, after an interval",
			`0 a1..a4@z ready
			 0 b1@y ready
			 12 a1..a4@z notready
			 12 b1@y notready
			 52 b1@y ready
			 99 nothing`,
			"65s a1, 75s a2, 85s a3, 95s a4",
		},
		{
			"nodes that are excluded do not count",
			`0 a1..a3@z ready
			 0 a4..a9@z ready excluded
			 12 a4..a9@z notready excluded
			 36 nothing`,
			"15s a4, 25s a5, 35s a6",
		},
		{
			"a node that is ready by its turn is passed over, and those behind it move up",
			`0 a1..a9@z ready
			 12 a1..a3@z notready
			 17 a2@z ready
			 99 nothing`,
			"15s a1, 25s a3",
		},
		{
			"a node that is gone by its turn uses it up",
			`0 a1..a9@z ready
			 12 a1..a3@z notready
			 17 gone a2
			 99 nothing`,
			"15s a1, 35s a3",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := executed(newScene(t, lifecycle.Options{}).play(row.script)); got != row.want {
				t.Errorf("set: %q, want %q", got, row.want)
			}
		})
	}
}

func TestController_FullDisruptionRemovesTaints(t *testing.T) {
	s := newScene(t, lifecycle.Options{})
	s.play("0 a1..a2@z ready\n 12 a1@z notready\n 30 nothing")
	got := s.play("31 a2@z notready\n 99 nothing")
	want := "31s a2 +not-ready:NoSchedule\n35s a1 -not-ready:NoExecute\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

func TestController_FullDisruptionRemovesSwappedTaint(t *testing.T) {
	s := newScene(t, lifecycle.Options{})
	s.play("0 a1..a2@z ready\n 12 a1@z notready\n 30 nothing")
	got := s.play("31 a1@z unknown\n 31 a2@z unknown\n 99 nothing")
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
	s := newScene(t, lifecycle.Options{Record: b})
	s.obey = false // somebody else acts, or nobody
	minutes := int64(300)
	patient := v1.Toleration{Key: v1.TaintNodeNotReady, Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute, TolerationSeconds: &minutes}
	for _, node := range []string{"a1", "a2"} {
		s.tell(s.now, world.Changed{Object: mk.Pod("web-" + node).Node(node).Toleration(patient).Obj()})
		s.tell(s.now, world.Changed{Object: mk.Pod("agent-" + node).Node(node).Toleration(v1.Toleration{Operator: v1.TolerationOpExists}).Obj()})
	}
	s.play("0 a1..a9@z ready\n 12 a1..a2@z notready\n 16 nothing")
	want := `web-a1: at risk, 315s, node.kubernetes.io/not-ready:NoExecute is tolerated for 5m0s
web-a2: at risk, 325s, node.kubernetes.io/not-ready:NoExecute is tolerated for 5m0s
`
	if diff := cmp.Diff(want, board(b)); diff != "" {
		t.Errorf("forecasts (-want +got):\n%s", diff)
	}
	s.play("17 a2@z ready\n 21 nothing")
	want = `web-a1: at risk, 315s, node.kubernetes.io/not-ready:NoExecute is tolerated for 5m0s
web-a2: cancelled, 325s, the node will not be tainted
`
	if diff := cmp.Diff(want, board(b)); diff != "" {
		t.Errorf("when one is ready again (-want +got):\n%s", diff)
	}
}

func TestController_HeartbeatsAfterFullDisruption(t *testing.T) {
	got := newScene(t, lifecycle.Options{Heartbeats: true}).play(`
		0 n1@z ready
		0 n2@z ready
		12 n1@z notready
		12 n2@z notready
		58 n1@z ready
		90 beat n1
		111 nothing`)
	if want := "110s n2 unknown -not-ready:NoSchedule +unreachable:NoSchedule\n"; !strings.Contains(got, want) || strings.Count(got, "unknown") != 1 {
		t.Errorf("changes:\n%swant n2 given up 50 s after the first look at which a node is ready, at 60 s:\n%s", got, want)
	}
}

func TestController_ForkedQueue(t *testing.T) {
	s := newScene(t, lifecycle.Options{})
	s.play("0 a1..a9@z ready\n 12 a1..a4@z notready\n 16 nothing")
	fork := s.m.Fork(evict.NewRecord())
	back := nodeOf("a2@z", noon, []string{"ready"})
	back.ResourceVersion = "1000"
	fork.Apply(world.Input{At: noon.Add(17 * 1e9), Event: world.Changed{Object: back}})
	fork.Apply(world.Input{At: noon.Add(50 * 1e9), Event: world.Tick{}})
	if got := executed(s.play("99 nothing")); got != "25s a2, 35s a3, 45s a4" {
		t.Errorf("after a fork went its way, the original sets %q", got)
	}
}
