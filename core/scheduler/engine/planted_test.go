package engine_test

import (
	"flag"
	"os/exec"
	"strings"
	"testing"

	mistakes "orrery/core/testing/planted"
)

var planted = flag.Bool("planted", false, "plant mistakes in what reuse forgets, and see that the test of reuse finds each")

// unseen is a mistake by which a place does not show that a node differs in something.
func unseen(name, differs string) mistakes.Mistake {
	const from = "\tinfo.copyTo(&at.info)\n\ts.amounts[at.number] = info.amounts()\n\tif kind == Updated {\n"
	return mistakes.Mistake{
		Name: name, File: "cache/refresh.go", From: from,
		To: "\tbefore := at.info\n\tinfo.copyTo(&at.info)\n\ts.amounts[at.number] = info.amounts()\n\tif kind == Updated && !(" + differs + ") {\n",
	}
}

// plantedMistakes are those after which something that ends a kept result is forgotten.
var plantedMistakes = []mistakes.Mistake{
	unseen("labels", `before.node.Labels["disk"] != info.node.Labels["disk"]`),
	unseen("taints", `len(before.node.Spec.Taints) != len(info.node.Spec.Taints)`),
	unseen("allocatable", `before.allocatable.MilliCPU != info.allocatable.MilliCPU`),
	unseen("port", `len(before.usedPorts) != len(info.usedPorts)`),
	unseen("image", `len(before.imageStates) != len(info.imageStates)`),
	{Name: "nomination", File: "engine/reusedsearch.go", From: "if e.queue.HasNominations() && s.profile.HasFilterPlugins() {", To: "if false {"},
	{Name: "amounts", File: "cache/refresh.go", From: "\ts.amounts[at.number] = info.amounts()\n", To: "\tif len(info.pods.items) == 0 {\n\t\ts.amounts[at.number] = info.amounts()\n\t}\n"},
	{Name: "class of amounts", File: "reuse/amounts.go", From: "to = to.Number(q.MilliCPU).", To: "to = to."},
	{Name: "class of a changed node", File: "reuse/table.go", From: "if int(position) < len(places) {", To: "if int(position) < len(places) && position%7 != 0 {"},
	{Name: "classes of another number of nodes", File: "reuse/table.go", From: "nodes != 0 && int(nodes) != len(t.places)", To: "nodes != 0 && len(t.places) == 0"},
	{Name: "namespace's labels", File: "plugins/interpodaffinity/termset.go", From: ".Pairs(pl.visibleLabels).Pairs(namespace)", To: ".Pairs(pl.visibleLabels)"},
	{Name: "spread count", File: "plugins/topology/domaincounts.go", From: "range changed {", To: "range changed[1:] {"},
	{Name: "minimum domain", File: "plugins/topology/domainsums.go", From: "p.extremes, p.dirty = p.findExtremes(int32(i*pieceSize)), false", To: "if p.dirty = false; p.extremes.Domains == 0 {\n\t\t\tp.extremes = p.findExtremes(int32(i * pieceSize))\n\t\t}"},
	{Name: "class of a node that moved", File: "plugins/topology/podindex.go", From: "\tr.read.Add(at, 4*len(r.slots)+64)\n", To: "\tif !moved {\n\t\tr.read.Add(at, 4*len(r.slots)+64)\n\t}\n"},
	{Name: "domain of several nodes", File: "plugins/topology/key.go", From: "k.nodes[id]++; k.nodes[id] == 2 {", To: "k.nodes[id]++; k.nodes[id] == 200 {"},
	{Name: "node that moved", File: "cache/order.go", From: "\t\ts.moved = append(s.moved, int32(n))\n\t\tn++\n", To: "\t\tif n < len(s.order)-1 {\n\t\t\ts.moved = append(s.moved, int32(n))\n\t\t}\n\t\tn++\n"},
	{Name: "node that left", File: "plugins/topology/podindex.go", From: "\tr.freeDisplaced()\n", To: ""},
	{Name: "number of nodes", File: "reuse/table.go", From: "(c.Nodes == 0 || int(c.Nodes) == nodes)", To: "true"},
	{Name: "nominated pods of a kept verdict", File: "reuse/results.go", From: "|| !slices.Equal(known.nominated, nominated)", To: ""},
	{Name: "changed node of a kept dry run", File: "reuse/results.go", From: "|| known.generation != node.GetGeneration()", To: ""},
	{Name: "priority of a preemptor", File: "preempt/kept.go", From: "strconv.Itoa(int(corev1.PodPriority(pod)))", To: "strconv.Itoa(0 * int(corev1.PodPriority(pod)))"},
	{Name: "pods that a budget matches", File: "preempt/kept.go", From: "(o.selections == 0 || o.selections == b.selections)", To: "true"},
	{Name: "disruptions that a budget allows", File: "preempt/kept.go", From: "(o.statuses == 0 || o.statuses == b.statuses)", To: "true"},
	{Name: "lowest priority on a node", File: "preempt/priorities.go", From: "lowest.generation != place.Generation", To: "lowest.generation == 0"},
	{Name: "volumes on a node", File: "plugins/nodevolumelimits/usageindex.go", From: "x.classes.Forget(e.node)", To: "_ = e.node"},
	{Name: "limit of a driver", File: "plugins/nodevolumelimits/classes.go", From: ".Number(d.attached).Number(d.limit)", To: ".Number(d.attached)"},
	{Name: "volume in use", File: "plugins/nodevolumelimits/classes.go", From: "x.inUse[id] > 0", To: "x.inUse[id] > 1<<20"},
	{Name: "plugins that a driver replaces", File: "plugins/volumebinding/classes.go", From: "n.classes.Forget(name.Name)", To: "_ = name"},
	{Name: "label that a volume goes by", File: "plugins/volumebinding/classes.go", From: "to.Flag(has).Text(value)", To: "to.Flag(has || value != \"\")"},
	{Name: "zone of a node", File: "plugins/volumezone/classes.go", From: "to.Flag(has).Text(value)", To: "to.Flag(has || value != \"\")"},
	{Name: "class of a node that changed", File: "plugins/nodeclasses/nodeclasses.go", From: "if int(position) < len(nodes) {", To: "if int(position) < len(nodes) && position%7 != 0 {"},
	{Name: "node that took another's place", File: "plugins/nodeclasses/nodeclasses.go", From: "c.names[position] != name {", To: "c.names[position] == \"\" {"},
	{Name: "configuration", File: "framework/reuse.go", From: "r.tables = reuse.New(reuseLimit)", To: "r.tables = forAllProfiles\n\t}\n}\n\nvar forAllProfiles = reuse.New(reuseLimit)\n\nfunc init() {\n\tif false {"},
}

// Every mistake has its place in the source, once. This is checked always, since the test below is long.
func TestReuse_PlantedMistakesHaveTheirPlaces(t *testing.T) {
	if len(plantedMistakes) < 33 {
		t.Errorf("there are %d mistakes", len(plantedMistakes))
	}
	if err := mistakes.Check("..", plantedMistakes); err != nil {
		t.Error(err)
	}
}

// Each mistake is found. It is laid over the files for one build, so the tree stays as it is.
func TestReuse_FindsPlantedMistakes(t *testing.T) {
	if !*planted {
		t.Skip("it builds the tests once for each mistake; run it with -planted")
	}
	for _, m := range plantedMistakes {
		t.Run(m.Name, func(t *testing.T) {
			overlay, err := m.Overlay("..", t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			run := exec.Command("go", "test", "-count=1", "-overlay", overlay, "-run", "TestReuse_DecidesTheSame|TestReuse_PreemptsTheSame", "-cycles", "60000", "-parallel", "1", ".")
			out, err := run.CombinedOutput()
			switch text := string(out); {
			case err == nil:
				t.Error("the mistake is not found")
			case !strings.Contains(text, "--- FAIL: TestReuse_"):
				t.Errorf("the test did not run: %s", text)
			default:
				t.Log(text[:min(len(text), 400)])
			}
		})
	}
}
