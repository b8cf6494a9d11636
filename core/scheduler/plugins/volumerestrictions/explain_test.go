package volumerestrictions_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

func TestExplain_NamesHolders(t *testing.T) {
	other := mk.Pod("old").Volume("disk", gce("d1", false)).Node("n").Obj()
	p, node := on(t, []*v1.Pod{other})
	got := plugintest.Explain(p, mk.Pod("p").Volume("disk", gce("d1", false)).Obj(), node)
	want := "disk-in-use on n: has GCE persistent disk d1 in use by default/old | hint: would fit on n once default/old has ended | try: delete pod default/old"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}

	user := mk.Pod("user").PVC("data").Node("n").Obj()
	p, node = on(t, []*v1.Pod{user}, mk.Claim("data").Mode(v1.ReadWriteOncePod).Obj())
	got = plugintest.Explain(p, mk.Pod("p").PVC("data").Obj(), node)
	want = "claim-in-use on n: cannot take it while default/user on n uses claim data (ReadWriteOncePod) | sentence: claim data is ReadWriteOncePod, and default/user on n uses it" +
		" | hint: would fit once default/user has ended | try: delete pod default/user"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
