package taint_test

import (
	"testing"

	"orrery/core/evict/taint"
)

// Shows TAINT-08, TAINT-09, TAINT-25 and C-14.
func TestController_EvictionTime(t *testing.T) {
	for _, row := range []struct{ name, script, want string }{
		{
			"a pod that does not tolerate a NoExecute taint is evicted at once",
			`0 pod a n1
			 7 node n1 broken
			 9999 wait`,
			"7s a",
		},
		{
			"a pod created on a tainted node is evicted at once",
			`0 node n1 broken
			 3 pod a n1
			 9999 wait`,
			"3s a",
		},
		{
			"a pod known before its binding is evicted",
			`0 pod a -
			 3 pod a n1
			 7 node n1 broken
			 9999 wait`,
			"7s a",
		},
		{
			"NoSchedule and PreferNoSchedule evict no pod",
			`0 pod a n1
			 1 node n1 broken:NoSchedule slow:PreferNoSchedule
			 9999 wait`,
			"",
		},
		{
			"a toleration without seconds has no limit",
			`0 pod a n1 broken
			 1 node n1 broken
			 999999 wait`,
			"",
		},
		{
			"tolerationSeconds 3600",
			`0 pod a n1 key1=value1:NoExecute/3600
			 0 node n1 key1=value1
			 9999 wait`,
			"3600s a",
		},
		{
			"a taint removed before the deadline evicts no pod",
			`0 pod a n1 key1=value1:NoExecute/3600
			 0 node n1 key1=value1
			 3599 node n1
			 9999 wait`,
			"",
		},
		{
			"tolerationSeconds 6000 for an unreachable node",
			`0 pod a n1 node.kubernetes.io_unreachable:NoExecute/6000
			 0 node n1 node.kubernetes.io_unreachable
			 9999 wait`,
			"6000s a",
		},
		{
			"the default tolerationSeconds 300 of every pod",
			`0 pod a n1 not-ready:NoExecute/300 unreachable:NoExecute/300
			 20 node n1 unreachable
			 9999 wait`,
			"320s a",
		},
		{
			"a pod of a daemon set tolerates its node's taints",
			`0 pod a n1 not-ready:NoExecute unreachable:NoExecute
			 1 node n1 not-ready
			 2 node n1 unreachable
			 9999 wait`,
			"",
		},
		{
			"three taints, tolerations for the first two: the pod stays, as the third is NoSchedule",
			`0 pod a n1 key1=value1:NoSchedule key1=value1:NoExecute
			 1 node n1 key1=value1:NoSchedule key1=value1:NoExecute key2=value2:NoSchedule
			 9999 wait`,
			"",
		},
		{
			"of two taints the shorter toleration counts",
			`0 pod a n1 slow/30 bad/20
			 0 node n1 slow bad
			 9999 wait`,
			"20s a",
		},
		{
			"a toleration without a limit does not lengthen another's",
			`0 pod a n1 slow bad/20
			 0 node n1 slow bad
			 9999 wait`,
			"20s a",
		},
		{
			"of two tolerations of one taint the first in the pod's order counts, here the longer",
			`0 pod a n1 bad/50 bad/10
			 0 node n1 bad
			 9999 wait`,
			"50s a",
		},
		{
			"of two tolerations of one taint the first in the pod's order counts, here one without a limit",
			`0 pod a n1 * bad/10
			 0 node n1 bad
			 9999 wait`,
			"",
		},
		{
			"zero seconds are no toleration",
			`0 pod a n1 bad/0
			 4 node n1 bad
			 9999 wait`,
			"4s a",
		},
		{
			"negative seconds are no toleration",
			`0 pod a n1 bad/-5
			 4 node n1 bad
			 9999 wait`,
			"4s a",
		},
		{
			"an effect that differs does not match, an empty one matches all",
			`0 pod a n1 bad:NoSchedule
			 0 pod b n1 bad
			 1 node n1 bad
			 9999 wait`,
			"1s a",
		},
		{
			"a value that differs does not match, an empty key with Exists matches all",
			`0 pod a n1 bad=one
			 0 pod b n1 *
			 1 node n1 bad=two
			 9999 wait`,
			"1s a",
		},
		{
			"more seconds than a duration holds have no limit",
			`0 pod a n1 bad/18446744074
			 0 pod b n1 bad/9223372037
			 0 node n1 bad
			 99999999 wait`,
			"",
		},
		{
			"pods on other nodes stay",
			`0 pod a n1
			 0 pod b n2
			 1 node n2 bad
			 9999 wait`,
			"1s b",
		},
		{
			"a node's pods are evicted in the order of their names",
			`0 pod b n1
			 0 pod c n1
			 0 pod a n1
			 1 node n1 bad
			 9999 wait`,
			"1s a, 1s b, 1s c",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := deletions(t, taint.Options{}, row.script); got != row.want {
				t.Errorf("deletions: %q, want %q", got, row.want)
			}
		})
	}
}

func TestController_KeepsRunningTimer(t *testing.T) {
	for _, row := range []struct{ name, script, want string }{
		{
			"a second taint with a shorter toleration does not shorten it",
			`0 pod a n1 not-ready/300 unreachable/60
			 0 node n1 not-ready
			 10 node n1 not-ready unreachable
			 9999 wait`,
			"300s a",
		},
		{
			"a second taint with a longer toleration does not lengthen it, nor does removing the first",
			`0 pod a n1 not-ready/300 unreachable/60
			 0 node n1 unreachable
			 10 node n1 unreachable not-ready
			 20 node n1 not-ready
			 9999 wait`,
			"60s a",
		},
		{
			"a new toleration of zero seconds does not shorten it",
			`0 pod a n1 bad/60
			 0 node n1 bad
			 10 pod a n1 bad/0
			 9999 wait`,
			"60s a",
		},
		{
			"an untolerated taint ends it: the pod is evicted at once",
			`0 pod a n1 bad/60
			 0 node n1 bad
			 10 node n1 bad worse
			 9999 wait`,
			"10s a",
		},
		{
			"a toleration without a limit ends it: the pod stays",
			`0 pod a n1 bad/60
			 0 node n1 bad
			 10 pod a n1 bad
			 9999 wait`,
			"",
		},
		{
			"a change at its start time restarts it",
			`0 pod a n1 bad/60 worse/20
			 0 node n1 bad
			 0 node n1 bad worse
			 9999 wait`,
			"20s a",
		},
		{
			"a taint that was removed and added again restarts it",
			`0 pod a n1 bad/60
			 0 node n1 bad
			 50 node n1
			 55 node n1 bad
			 9999 wait`,
			"115s a",
		},
		{
			"a node's deletion leaves it running",
			`0 pod a n1 bad/60
			 0 node n1 bad
			 10 delete node n1
			 9999 wait`,
			"60s a",
		},
		{
			"after the node's deletion a new toleration does not stop it",
			`0 pod a n1 bad/60
			 0 node n1 bad
			 10 delete node n1
			 20 pod a n1 bad
			 9999 wait`,
			"60s a",
		},
		{
			"after the node's deletion a new node of that name without taints stops it",
			`0 pod a n1 bad/60
			 0 node n1 bad
			 10 delete node n1
			 20 node n1
			 9999 wait`,
			"",
		},
		{
			"a new pod with the name of a deleted one has its own timer",
			`0 node n1 bad
			 0 pod a n1 bad/60
			 50 delete pod a
			 50 pod a n1 bad/60
			 9999 wait`,
			"110s a",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := deletions(t, taint.Options{}, row.script); got != row.want {
				t.Errorf("deletions: %q, want %q", got, row.want)
			}
		})
	}
}

// Shows TAINT-14 and TAINT-16.
func TestController_ComparisonOperators(t *testing.T) {
	const script = `0 pod above n1 level=>900
		0 pod below n1 level=<1000
		0 pod over n1 level=>950
		1 node n1 level=950
		2 node n1 level=high
		9 wait`
	for _, row := range []struct {
		name    string
		compare bool
		want    string
	}{
		{"950 is more than 900 and less than 1000, not more than 950; a value that is no number matches nothing", true, "1s over, 2s above, 2s below"},
		{"with the gate off they match nothing", false, "1s above, 1s below, 1s over"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := deletions(t, taint.Options{ComparisonOperators: row.compare}, script); got != row.want {
				t.Errorf("deletions: %q, want %q", got, row.want)
			}
		})
	}
}
