package nodevolumelimits_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/plugins/nodevolumelimits"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

func TestCounter_CountsAsFilterDoes(t *testing.T) {
	s := plugintest.Store(t, mk.CSINode("n").Limit(csi, 2).Limit("other.example.com", 9).Obj(),
		mk.Claim("a").Bound("pv-a").Obj(), csiVolume("pv-a", "a"), mk.Claim("b").Bound("pv-b").Obj(), csiVolume("pv-b", "b"),
		mk.Claim("c").Bound("pv-c").Obj(), csiVolume("pv-c", "c"), mk.Attachment("x", "n", csi, "pv-c"))
	h := plugintest.Handle{Objects: s.Informers()}
	running := mk.Pod("running").PVC("a").Obj()
	node := onNode(t, running)
	for name, tc := range map[string]struct {
		claims []string
		want   []nodevolumelimits.Count
	}{
		"one more than the limit, one of them only attached": {[]string{"b"}, []nodevolumelimits.Count{{Driver: csi, Attached: 2, Limit: 2, Added: 1}}},
		"a volume that the node has":                         {[]string{"a"}, nil},
		"its own attachment counts beside it":                {[]string{"c"}, []nodevolumelimits.Count{{Driver: csi, Attached: 2, Limit: 2, Added: 1}}},
	} {
		t.Run(name, func(t *testing.T) {
			b := mk.Pod("p")
			for _, claim := range tc.claims {
				b.PVC(claim)
			}
			got := nodevolumelimits.CountsOn(h, config.DefaultFeatures(), b.Obj(), node)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			rejected := plugintest.Filter(plugin(t, h, nil), b.Obj(), node) == exceeded
			if len(got) > 0 && got[0].Exceeded() != rejected {
				t.Errorf("exceeded is %v, and Filter rejects: %v", got[0].Exceeded(), rejected)
			}
		})
	}
}

func TestMeter_CountsEveryDriverWithALimit(t *testing.T) {
	s := plugintest.Store(t, mk.CSINode("n").Limit(csi, 2).Limit("other.example.com", 9).Driver("unlimited.example.com").Obj(),
		mk.Claim("a").Bound("pv-a").Obj(), csiVolume("pv-a", "a"), csiVolume("pv-c", "c"), mk.Attachment("x", "n", csi, "pv-c"))
	meter := nodevolumelimits.NewMeter(plugintest.Handle{Objects: s.Informers()}, config.DefaultFeatures())
	want := []nodevolumelimits.Count{{Driver: csi, Attached: 2, Limit: 2}, {Driver: "other.example.com", Limit: 9}}
	if diff := cmp.Diff(want, meter.On(onNode(t, mk.Pod("running").PVC("a").Obj()), []string{"x"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
