package taint_test

import (
	"testing"

	"orrery/core/evict/taint"
)

func TestController_EvictionTime(t *testing.T) {
	for _, row := range []struct{ name, script, want string }{
		{
			"a pod that does not tolerate a NoExecute taint leaves at once",
			`0 pod a n1
			 7 node n1 broken
			 9999 nothing`,
			"7s a",
		},
		{
			"a pod that is bound to a tainted node by name leaves at once",
			`0 node n1 broken
			 3 pod a n1
			 9999 nothing`,
			"3s a",
		},
		{
			"a pod that was known before it was bound leaves as any other",
			`0 pod a -
			 3 pod a n1
			 7 node n1 broken
			 9999 nothing`,
			"7s a",
		},
		{
			"NoSchedule and PreferNoSchedule make nobody leave",
			`0 pod a n1
			 1 node n1 broken:NoSchedule slow:PreferNoSchedule
			 9999 nothing`,
			"",
		},
		{
			"a toleration without seconds is for ever",
			`0 pod a n1 broken
			 1 node n1 broken
			 999999 nothing`,
			"",
		},
		{
			"3600 seconds of toleration are 3600 seconds",
			`0 pod a n1 key1=value1:NoExecute/3600
			 0 node n1 key1=value1
			 9999 nothing`,
			"3600s a",
		},
		{
			"a taint that goes before the time is up makes nobody leave",
			`0 pod a n1 key1=value1:NoExecute/3600
			 0 node n1 key1=value1
			 3599 node n1
			 9999 nothing`,
			"",
		},
		{
			"6000 seconds for a node that is cut off",
			`0 pod a n1 node.kubernetes.io_unreachable:NoExecute/6000
			 0 node n1 node.kubernetes.io_unreachable
			 9999 nothing`,
			"6000s a",
		},
		{
			"the 300 seconds that every pod is given for a node with problems",
			`0 pod a n1 not-ready:NoExecute/300 unreachable:NoExecute/300
			 20 node n1 unreachable
			 9999 nothing`,
			"320s a",
		},
		{
			"a pod of a daemon set stays, whatever becomes of its node",
			`0 pod a n1 not-ready:NoExecute unreachable:NoExecute
			 1 node n1 not-ready
			 2 node n1 unreachable
			 9999 nothing`,
			"",
		},
		{
			"three taints and tolerations for the first two: what runs goes on, as the third is NoSchedule",
			`0 pod a n1 key1=value1:NoSchedule key1=value1:NoExecute
			 1 node n1 key1=value1:NoSchedule key1=value1:NoExecute key2=value2:NoSchedule
			 9999 nothing`,
			"",
		},
		{
			"of two taints the shorter toleration counts",
			`0 pod a n1 slow/30 bad/20
			 0 node n1 slow bad
			 9999 nothing`,
			"20s a",
		},
		{
			"a taint tolerated for ever does not lengthen another's time",
			`0 pod a n1 slow bad/20
			 0 node n1 slow bad
			 9999 nothing`,
			"20s a",
		},
		{
			"of two tolerations of one taint the first in the pod's order counts, here the longer",
			`0 pod a n1 bad/50 bad/10
			 0 node n1 bad
			 9999 nothing`,
			"50s a",
		},
		{
			"... and here the one that lasts for ever",
			`0 pod a n1 * bad/10
			 0 node n1 bad
			 9999 nothing`,
			"",
		},
		{
			"zero seconds are no toleration",
			`0 pod a n1 bad/0
			 4 node n1 bad
			 9999 nothing`,
			"4s a",
		},
		{
			"nor are less than zero",
			`0 pod a n1 bad/-5
			 4 node n1 bad
			 9999 nothing`,
			"4s a",
		},
		{
			"an effect that differs does not match, an empty one matches all",
			`0 pod a n1 bad:NoSchedule
			 0 pod b n1 bad
			 1 node n1 bad
			 9999 nothing`,
			"1s a",
		},
		{
			"a value that differs does not match, an empty key with Exists matches all",
			`0 pod a n1 bad=one
			 0 pod b n1 *
			 1 node n1 bad=two
			 9999 nothing`,
			"1s a",
		},
		{
			"a toleration of more seconds than a duration holds is for ever",
			`0 pod a n1 bad/18446744074
			 0 pod b n1 bad/9223372037
			 0 node n1 bad
			 99999999 nothing`,
			"",
		},
		{
			"pods of other nodes are not concerned",
			`0 pod a n1
			 0 pod b n2
			 1 node n2 bad
			 9999 nothing`,
			"1s b",
		},
		{
			"the pods of a node leave in the order of their names",
			`0 pod b n1
			 0 pod c n1
			 0 pod a n1
			 1 node n1 bad
			 9999 nothing`,
			"1s a, 1s b, 1s c",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := deletions(t, taint.Options{}, row.script); got != row.want {
				t.Errorf("left: %q, want %q", got, row.want)
			}
		})
	}
}

func TestController_KeepsRunningTimer(t *testing.T) {
	for _, row := range []struct{ name, script, want string }{
		{
			"a second taint with less time does not shorten it",
			`0 pod a n1 not-ready/300 unreachable/60
			 0 node n1 not-ready
			 10 node n1 not-ready unreachable
			 9999 nothing`,
			"300s a",
		},
		{
			"a second taint with more time does not lengthen it, nor does the first one's going",
			`0 pod a n1 not-ready/300 unreachable/60
			 0 node n1 unreachable
			 10 node n1 unreachable not-ready
			 20 node n1 not-ready
			 9999 nothing`,
			"60s a",
		},
		{
			"a new toleration of zero seconds does not shorten it",
			`0 pod a n1 bad/60
			 0 node n1 bad
			 10 pod a n1 bad/0
			 9999 nothing`,
			"60s a",
		},
		{
			"a taint that is not tolerated ends it: the pod leaves at once",
			`0 pod a n1 bad/60
			 0 node n1 bad
			 10 node n1 bad worse
			 9999 nothing`,
			"10s a",
		},
		{
			"a toleration for ever ends it: the pod stays",
			`0 pod a n1 bad/60
			 0 node n1 bad
			 10 pod a n1 bad
			 9999 nothing`,
			"",
		},
		{
			"a change in the moment in which it began begins it anew",
			`0 pod a n1 bad/60 worse/20
			 0 node n1 bad
			 0 node n1 bad worse
			 9999 nothing`,
			"20s a",
		},
		{
			"a taint that went and came back counts from its return",
			`0 pod a n1 bad/60
			 0 node n1 bad
			 50 node n1
			 55 node n1 bad
			 9999 nothing`,
			"115s a",
		},
		{
			"a node's deletion leaves it running",
			`0 pod a n1 bad/60
			 0 node n1 bad
			 10 gone node n1
			 9999 nothing`,
			"60s a",
		},
		{
			"... and then a new toleration does not stop it",
			`0 pod a n1 bad/60
			 0 node n1 bad
			 10 gone node n1
			 20 pod a n1 bad
			 9999 nothing`,
			"60s a",
		},
		{
			"... but a namesake of the node without taints does",
			`0 pod a n1 bad/60
			 0 node n1 bad
			 10 gone node n1
			 20 node n1
			 9999 nothing`,
			"",
		},
		{
			"a pod that takes over the name of one that is gone starts anew",
			`0 node n1 bad
			 0 pod a n1 bad/60
			 50 gone pod a
			 50 pod a n1 bad/60
			 9999 nothing`,
			"110s a",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := deletions(t, taint.Options{}, row.script); got != row.want {
				t.Errorf("left: %q, want %q", got, row.want)
			}
		})
	}
}

func TestController_ComparisonOperators(t *testing.T) {
	const script = `0 pod above n1 level=>900
		0 pod below n1 level=<1000
		0 pod over n1 level=>950
		1 node n1 level=950
		2 node n1 level=high
		9 nothing`
	for _, row := range []struct {
		name    string
		compare bool
		want    string
	}{
		{"950 is more than 900 and less than 1000, not more than 950; what is no number matches nothing", true, "1s over, 2s above, 2s below"},
		{"while the gate is off they match nothing", false, "1s above, 1s below, 1s over"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := deletions(t, taint.Options{ComparisonOperators: row.compare}, script); got != row.want {
				t.Errorf("left: %q, want %q", got, row.want)
			}
		})
	}
}
