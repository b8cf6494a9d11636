package nodevolumelimits_test

import (
	"testing"

	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

func TestExplain_ComparesWithLimit(t *testing.T) {
	s := plugintest.Store(t, mk.CSINode("n").Limit(csi, 1).Obj(), mk.Claim("a").Bound("pv-a").Obj(), csiVolume("pv-a", "a"),
		mk.Claim("b").Bound("pv-b").Obj(), csiVolume("pv-b", "b"))
	p := plugin(t, plugintest.Handle{Objects: s.Informers()}, nil)
	got := plugintest.Explain(p, mk.Pod("p").PVC("b").Obj(), onNode(t, mk.Pod("running").PVC("a").Obj()))
	want := "volume-limit on n: has 1 of 1 volumes of disk.example.com, and the pod adds 1 | hint: would fit on n with 1 volume of disk.example.com less there"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
