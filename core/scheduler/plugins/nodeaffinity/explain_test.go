package nodeaffinity_test

import (
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

func TestExplain(t *testing.T) {
	nodes := []fwk.NodeInfo{
		onNode(mk.Node("a").Label("disk", "ssd").Label("tier", "fast").Obj()), onNode(mk.Node("b").Label("disk", "ssd").Label("arch", "arm64").Obj()),
		onNode(mk.Node("c").Label("disk", "hdd").Obj()),
	}
	for _, tc := range []struct {
		name string
		pod  *mk.PodBuilder
		want string
	}{
		{
			"some nodes match", mk.Pod("p").NodeSelector("disk", "hdd"),
			`selector-mismatch on a b: do not match disk=hdd | wants: disk=hdd | try: unselect POD disk`,
		},
		{
			"a mistyped value", mk.Pod("p").NodeSelector("disk", "sdd"),
			`selector-mismatch on a b c: do not match disk=sdd | sentence: nodeSelector disk=sdd: no node has that value; disk is "ssd" on 2, "hdd" on 1; did you mean disk=ssd (on 2 nodes) or disk=hdd (on 1 node)? | wants: disk=sdd | meant: disk=ssd (on 2 nodes), disk=hdd (on 1 node) | try: select POD disk=ssd, select POD disk=hdd, unselect POD disk`,
		},
		{
			"a mistyped key", mk.Pod("p").NodeSelector("teir", "fast"),
			`selector-mismatch on a b c: do not match teir=fast | sentence: nodeSelector teir=fast: no node has the label teir; did you mean tier=fast (on 1 node)? | wants: teir=fast | meant: tier=fast (on 1 node) | try: select POD tier=fast replacing teir, unselect POD teir`,
		},
		{
			"nothing like it", mk.Pod("p").NodeSelector("zone", "north"),
			`selector-mismatch on a b c: do not match zone=north | sentence: nodeSelector zone=north: no node has the label zone | wants: zone=north | try: label a zone=north, unselect POD zone`,
		},
		{
			"no node meets all", mk.Pod("p").NodeSelector("tier", "fast").NodeSelector("arch", "arm64"),
			`selector-mismatch on a b c: do not match arch=arm64, tier=fast | sentence: no node meets arch=arm64 (on 1 node) and tier=fast (on 1 node) together; nearest is a, which lacks arch=arm64 | wants: arch=arm64, tier=fast | try: unselect POD arch, unselect POD tier`,
		},
		{
			"an expression", requiring("disk In nvme"),
			`selector-mismatch on a b c: do not match disk In [nvme] | sentence: node affinity disk In [nvme]: no node has that value; disk is "ssd" on 2, "hdd" on 1 | wants: disk In [nvme] | try: label a disk=nvme, unselect POD disk`,
		},
		{
			"a node by its name", requiring("metadata.name In c"),
			`selector-mismatch on a b: are not named by its node affinity | wants: named by its node affinity`,
		},
		{
			"a node that does not exist", requiring("metadata.name In node-9"),
			`selector-mismatch on a b c: are not named by its node affinity | sentence: node affinity metadata.name In [node-9]: there is no such node | wants: named by its node affinity`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := plugintest.Explain(pluginWith(t, nil), tc.pod.Obj(), nodes...)
			if want := strings.ReplaceAll(tc.want, "\t", ""); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestExplain_AddedAffinity(t *testing.T) {
	added := &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: selector("pool In a")}
	got := plugintest.Explain(pluginWith(t, added), mk.Pod("p").Obj(), onNode(mk.Node("n").Obj()))
	if want := "affinity-enforced on n: does not meet the addedAffinity of its profile | wants: the addedAffinity of its profile"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
