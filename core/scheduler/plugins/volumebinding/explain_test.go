package volumebinding_test

import (
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
	"orrery/core/world"
)

func TestExplain(t *testing.T) {
	east, west := mk.Node("e").Zone("east").Obj(), mk.Node("w").Zone("west").Obj()
	delayed := mk.Class("fast", "csi.example.com").WaitForFirstConsumer()
	manual := mk.Class("local", "kubernetes.io/no-provisioner").WaitForFirstConsumer().Obj()
	bound := mk.Claim("data").Size("10Gi").Bound("pv").Obj()
	claim := mk.Claim("data").Size("10Gi").Class("fast").Obj()
	driver := mk.CSIDriver("csi.example.com")
	for _, tt := range []struct {
		name    string
		objects []world.Object
		want    string
	}{
		{
			"a volume elsewhere",
			[]world.Object{bound, mk.Volume("pv").For(bound).On(v1.LabelTopologyZone, "east").Obj()},
			"volume-elsewhere on w: cannot reach volume pv of claim data, which is in zone east | wants: volume pv of claim data in zone east" +
				" | hint: 1 node would fit but for the volume; a volume does not move: its data would have to be restored there",
		},
		{
			"no volume",
			[]world.Object{manual, mk.Claim("data").Size("10Gi").Class("local").Obj(), mk.Volume("small").Size("5Gi").Class("local").Obj()},
			"volume-none on e w: have no volume for claim data (10Gi, ReadWriteOnce, of class local)" +
				" | sentence: no PersistentVolume suits claim data (10Gi, ReadWriteOnce, of class local), and its class has no provisioner; nearest: small has 5Gi, 5Gi too small" +
				" | wants: a volume for claim data | hint: would fit on 2 nodes with a PersistentVolume there for claim data: 10Gi, ReadWriteOnce, of class local" +
				" | try: add pv 10Gi of local in east, add pv 10Gi of local in west",
		},
		{
			"too little storage",
			[]world.Object{delayed.Obj(), claim, driver, mk.StorageCapacity("c", "fast", "4Gi", v1.LabelTopologyZone, "east")},
			"storage-short on e w: have too little storage (claim data requests 10Gi of class fast; csi.example.com publishes at most 4Gi in zone east, 6Gi short; nothing for 1 node)" +
				" | hint: would fit with 6Gi more storage of class fast in zone east | try: capacity fast 10Gi in east, capacity fast 10Gi in west",
		},
		{
			"made for another node",
			[]world.Object{delayed.Obj(), mk.Claim("data").Size("10Gi").Class("fast").Annotation("volume.kubernetes.io/selected-node", "e").Obj(), east},
			"volume-being-made on w: cannot take claim data, whose volume is being made for e" +
				" | sentence: claim data gets a volume made for e; it waits for provisioner csi.example.com, which has no CSIDriver; no other node is considered meanwhile" +
				" | wants: claim data, whose volume is being made for it | hint: would fit on 1 node without the annotation volume.kubernetes.io/selected-node of claim data",
		},
		{"no claim", nil, "claim-missing | sentence: claim data does not exist in namespace default"},
		{
			"a class that does not exist",
			[]world.Object{mk.Class("fast", "x").Obj(), mk.Claim("data").Size("1Gi").Class("fats").Obj()},
			"claim-unbound | sentence: claim data is not bound: class fats does not exist (there is fast); it waits for the class, or a PersistentVolume of it" +
				" | meant: fast | try: class default/data fast",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t, nil, tt.objects...)
			if got := plugintest.Explain(f.plugin, mk.Pod("p").PVC("data").Obj(), nodeInfo(east), nodeInfo(west)); got != strings.TrimSpace(tt.want) {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}
