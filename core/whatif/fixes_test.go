package whatif_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"orrery/core/mk"
	"orrery/core/whatif"
	"orrery/core/world"
)

func TestWhatWouldPlaceAPod(t *testing.T) {
	for _, c := range []struct {
		name  string
		nodes []world.Object
		pod   *v1.Pod
		want  string
	}{
		{
			"a cordoned node is opened before anything is bought",
			[]world.Object{mk.Node("shut").CPU("4").Unschedulable().Obj(), node("small", "1")},
			mk.Pod("p").CPU("2").Obj(),
			`uncordon shut => shut: uncordon shut
			 requests default/p cpu=1 => small: lower its requests to cpu=1, which is free on small
			 add 1 node like shut => shut-new: add one more node like shut`,
		},
		{
			"a toleration for the taint of most nodes comes first",
			[]world.Object{
				mk.Node("r1").CPU("4").Taint("team", "red", v1.TaintEffectNoSchedule).Obj(),
				mk.Node("r2").CPU("4").Taint("team", "red", v1.TaintEffectNoSchedule).Obj(),
				mk.Node("b1").CPU("4").Taint("team", "blue", v1.TaintEffectNoSchedule).Obj(),
			},
			mk.Pod("p").CPU("2").Obj(),
			`tolerate default/p team=red:NoSchedule => r1|r2: tolerate the taint team=red:NoSchedule
			 tolerate default/p team=blue:NoSchedule => b1: tolerate the taint team=blue:NoSchedule`,
		},
		{
			"requests are lowered to what the best node has",
			[]world.Object{mk.Node("a").CPU("2").Memory("8Gi").Obj(), mk.Node("b").CPU("1500m").Memory("12Gi").Obj()},
			mk.Pod("p").CPU("3").Memory("10Gi").Obj(),
			`requests default/p cpu=2 memory=8Gi => a: lower its requests to cpu=2 memory=8Gi, which is free on a`,
		},
		{
			"a selector that no node meets is dropped",
			[]world.Object{node("a", "4")},
			mk.Pod("p").CPU("1").NodeSelector("disk", "ssd").Obj(),
			`unselect default/p disk => a: no longer select nodes by disk`,
		},
		{
			"a gated pod is let go",
			[]world.Object{node("a", "4")},
			mk.Pod("p").CPU("1").Gate("quota").Obj(),
			`ungate default/p => a: take its scheduling gates off`,
		},
		{
			"nothing alone helps a pod that is kept away by two things",
			[]world.Object{mk.Node("a").CPU("1").Taint("team", "red", v1.TaintEffectNoSchedule).Obj()},
			mk.Pod("p").CPU("2").NodeSelector("disk", "ssd").Obj(),
			``,
		},
		{
			"a pod that runs needs nothing",
			[]world.Object{node("a", "4")},
			mk.Pod("p").CPU("1").Obj(),
			``,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t, append(c.nodes, c.pod)...)
			digest := s.engine.Digest()
			fixes, err := whatif.Fixes(s.engine, world.RefOf(s.cluster.Pod("default", "p")))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range fixes {
				got = append(got, f.Change.String()+" => "+f.Node+": "+f.Text)
			}
			want := c.want
			if len(got) > 0 {
				for _, r := range []string{"r1", "r2"} {
					if strings.Contains(got[0], "=> "+r+":") {
						want = strings.Replace(want, "r1|r2", r, 1)
					}
				}
			}
			if diff := cmp.Diff(lines(want), lines(strings.Join(got, "\n"))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if s.engine.Digest() != digest {
				t.Error("the engine that was asked has changed")
			}
			for _, f := range fixes {
				a := s.ask(f.Change.String())
				if len(a.Pods) != 1 || a.Pods[0].Fate != whatif.Placed {
					t.Errorf("%s: asked in full, the answer is %+v", f.Change, a.Pods)
				}
			}
		})
	}
}

func TestAFixForAPodThatIsNotThereIsAnError(t *testing.T) {
	s := newScene(t, node("a", "1"))
	if _, err := whatif.Fixes(s.engine, world.Ref{Namespace: "default", Name: "nobody"}); err == nil {
		t.Error("there is no error")
	}
}
