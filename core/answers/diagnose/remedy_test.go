package diagnose_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/change"
	"orrery/core/answers/diagnose"
	"orrery/core/answers/whatif"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

func TestPod_Remedies(t *testing.T) {
	for _, tt := range []struct {
		name  string
		nodes []*mk.NodeBuilder
		pod   *mk.PodBuilder
		want  string
	}{
		{
			"uncordoning comes before adding a node",
			[]*mk.NodeBuilder{node("shut", "4").Unschedulable(), node("small", "1")},
			mk.Pod("p").CPU("2"),
			`uncordon shut => shut: uncordon shut, if its maintenance is over
			 requests default/p cpu=1 => small: lower its requests to cpu=1
			 add 1 node like shut => shut-new: add one more node like shut`,
		},
		{
			"uncordoning does not remove other taints",
			[]*mk.NodeBuilder{node("shut", "4").Unschedulable().Taint("team", "red", v1.TaintEffectNoSchedule)},
			mk.Pod("p").CPU("2"),
			``,
		},
		{
			"the taint of most nodes is tolerated first",
			[]*mk.NodeBuilder{
				node("r1", "4").Taint("team", "red", v1.TaintEffectNoSchedule),
				node("r2", "4").Taint("team", "red", v1.TaintEffectNoSchedule),
				node("b1", "4").Taint("team", "blue", v1.TaintEffectNoSchedule),
			},
			mk.Pod("p").CPU("2"),
			`tolerate default/p team=red:NoSchedule => r1|r2: tolerate the taint team=red:NoSchedule
			 tolerate default/p team=blue:NoSchedule => b1: tolerate the taint team=blue:NoSchedule`,
		},
		{
			"requests are lowered to what the best node has",
			[]*mk.NodeBuilder{mk.Node("a").CPU("2").Memory("8Gi"), mk.Node("b").CPU("1500m").Memory("12Gi")},
			mk.Pod("p").CPU("3").Memory("10Gi"),
			`requests default/p cpu=2 memory=8Gi => a: lower its requests to cpu=2 memory=8Gi`,
		},
		{
			"a label that no node has is given to one, or asked for no longer",
			[]*mk.NodeBuilder{node("a", "4")},
			mk.Pod("p").CPU("1").NodeSelector("disk", "ssd"),
			`label a disk=ssd => a: label node a with disk=ssd, if it is so
			 unselect default/p disk => a: drop nodeSelector disk`,
		},
		{
			"a mistyped key is corrected",
			[]*mk.NodeBuilder{node("a", "4").Label("disk", "ssd")},
			mk.Pod("p").CPU("1").NodeSelector("disks", "ssd"),
			`select default/p disk=ssd replacing disks => a: select nodes by disk=ssd instead of disks
			 unselect default/p disks => a: drop nodeSelector disks`,
		},
		{
			"a gated pod is ungated",
			[]*mk.NodeBuilder{node("a", "4")},
			mk.Pod("p").CPU("1").Gate("quota"),
			`ungate default/p => a: remove its scheduling gates`,
		},
		{
			"no single change helps a pod that two plugins reject",
			[]*mk.NodeBuilder{node("a", "1").Taint("team", "red", v1.TaintEffectNoSchedule)},
			mk.Pod("p").CPU("2").NodeSelector("disk", "ssd"),
			``,
		},
		{
			"a pod on a node needs none",
			[]*mk.NodeBuilder{node("a", "4")},
			mk.Pod("p").CPU("1"),
			``,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var objects []world.Object
			for _, n := range tt.nodes {
				objects = append(objects, n.Obj())
			}
			pod := tt.pod.Obj()
			e := engineWith(t, append(objects, pod)...)
			digest := e.Digest()
			d, err := diagnose.Pod(e, world.PodRefOf(pod))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range d.Remedies {
				got = append(got, r.Change.String()+" => "+r.Node+": "+r.Text)
			}
			want := strings.ReplaceAll(tt.want, "\t", "")
			want = strings.ReplaceAll(want, "\n ", "\n")
			if len(got) > 0 && strings.Contains(want, "r1|r2") {
				want = strings.Replace(want, "r1|r2", d.Remedies[0].Node, 1)
			}
			if diff := cmp.Diff(want, strings.Join(got, "\n")); diff != "" {
				t.Errorf("remedies (-want +got):\n%s", diff)
			}
			if e.Digest() != digest {
				t.Error("diagnosing changed the engine")
			}
			for _, r := range d.Remedies {
				a, err := whatif.Evaluate(e, []change.Change{r.Change}, whatif.Options{})
				if err != nil || len(a.Pods) != 1 || a.Pods[0].Kind != whatif.Placed {
					t.Errorf("%s: what-if has %+v, %v; want the pod placed", r.Change, a.Pods, err)
				}
			}
		})
	}
}

func TestPod_Unknown(t *testing.T) {
	if _, err := diagnose.Pod(engineWith(t), world.PodRef{Namespace: "default", Name: "missing"}); err == nil {
		t.Error("there is no error")
	}
}
