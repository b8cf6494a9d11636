package dynamicresources_test

import (
	"testing"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
	"orrery/core/world"
)

func TestExplain(t *testing.T) {
	class := mk.DeviceClass("gpu")
	one := func(count int64, selectors ...string) *resourcev1.ResourceClaim {
		return mk.ResourceClaim("c").Request("r", "gpu", count, selectors...).Obj()
	}
	n := mk.ResourceSlice("n", driver, "n").Node("n").Devices("0", "1").Obj()
	m := mk.ResourceSlice("m", driver, "m").Node("m").Devices("2").Obj()
	held := mk.ResourceClaim("held").Request("r", "gpu", 1).Allocated("n", "r", driver, "n", "0").ReservedFor("other").Obj()
	tainted := mk.ResourceSlice("n", driver, "n").Node("n").Devices("0").Taint("hot", resourcev1.DeviceTaintEffectNoSchedule).Obj()
	paired := one(2)
	paired.Spec.Devices.Constraints = []resourcev1.DeviceConstraint{{MatchAttribute: ptr.To(resourcev1.FullyQualifiedName(driver + "/card"))}}
	cards := mk.ResourceSlice("n", driver, "n").Node("n").Devices("0").Attribute("card", "x").Devices("1").Attribute("card", "y").Obj()
	had := mk.ResourceClaim("c").Request("r", "gpu", 1).Allocated("n", "r", driver, "n", "0").Obj()
	for _, tt := range []struct {
		name, gates string
		objects     []world.Object
		want        string
	}{
		{
			"no devices", "",
			[]world.Object{class, one(1)},
			"device-none on m n: have no devices of class gpu for request r of claim c" +
				" | sentence: claim c, request r (1 device of class gpu): no node has a device of class gpu" +
				" | wants: 1 device of class gpu" +
				" | hint: would fit on m with 1 more device of class gpu there",
		},
		{
			"too few, and none", "",
			[]world.Object{class, one(2), m},
			"device-too-few on m: has 1 device of class gpu, and request r of claim c needs 2" +
				" | sentence: claim c, request r (2 devices of class gpu): too few on 2 of 2 nodes, 1 at most on a node, 1 without any that matches; nearest: node m has 1 device of class gpu, and 2 are needed" +
				" | wants: 2 devices of class gpu" +
				" | hint: would fit on m with 1 more device of class gpu there" +
				" | try: count claim default/c 1, add device like d.example.com/m/2 on m\n" +
				"device-none on n: has no devices of class gpu for request r of claim c" +
				" | sentence: claim c, request r (2 devices of class gpu): too few on 2 of 2 nodes, 1 at most on a node, 1 without any that matches; nearest: node m has 1 device of class gpu, and 2 are needed" +
				" | wants: 2 devices of class gpu",
		},
		{
			"held on one, none on the other", "",
			[]world.Object{class, one(2), n, held},
			"device-not-free on n: has 1 of its 2 devices of class gpu free, and request r of claim c needs 2; n/0 is held by default/other (priority 0)" +
				" | sentence: claim c, request r (2 devices of class gpu): too few on 2 of 2 nodes, 1 at most on a node, 1 without any that matches; nearest: node n has 1 of its 2 devices of class gpu free, and 2 are needed; n/0 is held by default/other (priority 0)" +
				" | hint: would fit on n with 1 more free device of class gpu" +
				" | try: count claim default/c 1, free claim default/held, add device like d.example.com/n/0 on n\n" +
				"device-none on m: has no devices of class gpu for request r of claim c" +
				" | sentence: claim c, request r (2 devices of class gpu): too few on 2 of 2 nodes, 1 at most on a node, 1 without any that matches; nearest: node n has 1 of its 2 devices of class gpu free, and 2 are needed; n/0 is held by default/other (priority 0)" +
				" | wants: 2 devices of class gpu",
		},
		{
			"a mistyped model", "",
			[]world.Object{class, one(1, `device.driver == "x"`), n},
			`device-none on m n: have no devices of class gpu that match device.driver == "x" for request r of claim c` +
				` | sentence: claim c, request r (1 device of class gpu that match device.driver == "x"): no node has a device of class gpu that its selectors match` +
				` | wants: 1 device of class gpu that match device.driver == "x"` +
				" | hint: would fit on m with 1 more device that matches there" +
				" | try: relax claim default/c",
		},
		{
			"a taint", "DRADeviceTaints",
			[]world.Object{class, one(1), tainted},
			"device-not-free on n: has 0 of its 1 device of class gpu free, and request r of claim c needs 1; n/0 is tainted hot:NoSchedule, which the request does not tolerate" +
				" | sentence: claim c, request r (1 device of class gpu): too few on 2 of 2 nodes, none with any that does, 1 without any that matches; nearest: node n has 0 of its 1 device of class gpu free, and 1 is needed; n/0 is tainted hot:NoSchedule, which the request does not tolerate" +
				" | try: tolerate claim default/c hot:NoSchedule, add device like d.example.com/n/0 on n\n" +
				"device-none on m: has no devices of class gpu for request r of claim c" +
				" | sentence: claim c, request r (1 device of class gpu): too few on 2 of 2 nodes, none with any that does, 1 without any that matches; nearest: node n has 0 of its 1 device of class gpu free, and 1 is needed; n/0 is tainted hot:NoSchedule, which the request does not tolerate" +
				" | wants: 1 device of class gpu",
		},
		{
			"a constraint", "",
			[]world.Object{class, paired, cards},
			"device-none on m: has no devices of class gpu for request r of claim c" +
				" | wants: 2 devices of class gpu" +
				" | hint: would fit on m with 2 more devices of class gpu there\n" +
				`device-not-all on n: has devices for each request, but not for all together: constraint matchAttribute d.example.com/card of claim c: 2 devices needed with the same value; n/0 has "x", n/1 has "y"; at most 1 have the same` +
				" | try: unconstrain claim default/c d.example.com/card",
		},
		{
			"devices elsewhere", "",
			[]world.Object{class, had, n},
			"device-elsewhere on m: cannot reach device d.example.com/n/0 of claim c" +
				" | wants: device d.example.com/n/0 of claim c",
		},
		{
			"an expression with an error", "",
			[]world.Object{class, one(1, "device.x"), n},
			"device-unchecked on n: cannot be tried: claim c, request r: the selector device.x cannot be evaluated: line 1, column 7: undefined field 'x'" +
				" | sentence: claim c, request r: the selector device.x cannot be evaluated: line 1, column 7: undefined field 'x'\n" +
				"device-none on m: has no devices of class gpu that match device.x for request r of claim c" +
				" | wants: 1 device of class gpu that match device.x" +
				" | hint: would fit on m with 1 more device that matches there",
		},
		{
			"no claim", "",
			[]world.Object{class},
			"device-claim-missing" +
				" | sentence: claim c does not exist in namespace default",
		},
		{
			"a class that does not exist", "",
			[]world.Object{mk.DeviceClass("gpus"), one(1), n},
			"device-class-missing" +
				" | sentence: claim c asks in request r for devices of class gpu, which does not exist; there is gpus" +
				" | meant: gpus" +
				" | try: class claim default/c gpus",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t, tt.gates, append(tt.objects, mk.Pod("other").Node("n").ResourceClaim("held").Obj())...)
			pod := mk.Pod("p").ResourceClaim("c").Obj()
			if got := plugintest.Explain(f.plugin, pod, nodeInfo(mk.Node("m").Obj()), nodeInfo(mk.Node("n").Obj())); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}
