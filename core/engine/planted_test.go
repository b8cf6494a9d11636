package engine_test

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var planted = flag.Bool("planted", false, "plant mistakes in what reuse forgets, and see that the test of reuse finds each")

// plantedMistake is a change of a file of core after which something that ends a kept result is forgotten.
type plantedMistake struct{ name, file, from, to string }

// unseen is a mistake by which a place does not show that a node differs in something.
func unseen(name, differs string) plantedMistake {
	const from = "\tinfo.copyTo(&at.info)\n\ts.amounts[at.number] = info.amounts()\n\tif kind == Updated {\n"
	return plantedMistake{
		name, "cache/refresh.go", from,
		"\tbefore := at.info\n\tinfo.copyTo(&at.info)\n\ts.amounts[at.number] = info.amounts()\n\tif kind == Updated && !(" + differs + ") {\n",
	}
}

var plantedMistakes = []plantedMistake{
	unseen("labels", `before.node.Labels["disk"] != info.node.Labels["disk"]`),
	unseen("taints", `len(before.node.Spec.Taints) != len(info.node.Spec.Taints)`),
	unseen("allocatable", `before.allocatable.MilliCPU != info.allocatable.MilliCPU`),
	unseen("port", `len(before.usedPorts) != len(info.usedPorts)`),
	unseen("image", `len(before.imageStates) != len(info.imageStates)`),
	{
		"nomination", "engine/filterreusing.go",
		"nominated.marks[places[i].Number] {", "false {",
	},
	{"amounts", "cache/refresh.go", "\ts.amounts[at.number] = info.amounts()\n", "\tif len(info.pods.items) == 0 {\n\t\ts.amounts[at.number] = info.amounts()\n\t}\n"},
	{"class of amounts", "reuse/amounts.go", "if c.all[before].amounts == *amounts {", "if c.all[before].amounts.Pods == amounts.Pods {"},
	{"stale block", "reuse/tree.go", "\t\ttree.expire(int(position) / blockSize)\n", "\t\tif position%7 != 0 {\n\t\t\ttree.expire(int(position) / blockSize)\n\t\t}\n"},
	{"namespace's labels", "plugins/interpodaffinity/termset.go", ".Pairs(pl.visibleLabels).Pairs(namespace)", ".Pairs(pl.visibleLabels)"},
	{"spread count", "plugins/topology/domaincounts.go", "range changed {", "range changed[1:] {"},
	{"minimum domain", "plugins/topology/domainsums.go", "p.extremes, p.dirty = p.findExtremes(int32(i*pieceSize)), false", "if p.dirty = false; p.extremes.Domains == 0 {\n\t\t\tp.extremes = p.findExtremes(int32(i * pieceSize))\n\t\t}"},
	{"number of a place", "plugins/topology/podindex.go", "\tr.setNumber(number, p.slot)\n", "\tif !moved {\n\t\tr.setNumber(number, p.slot)\n\t}\n"},
	{"node that moved", "cache/order.go", "\t\ts.moved = append(s.moved, int32(n))\n\t\tn++\n", "\t\tif n < len(s.order)-1 {\n\t\t\ts.moved = append(s.moved, int32(n))\n\t\t}\n\t\tn++\n"},
	{"node that left", "plugins/topology/podindex.go", "\tr.freeDisplaced()\n", ""},
	{"number of nodes", "reuse/tables.go", "(c.Nodes == 0 || int(c.Nodes) == nodes)", "true"},
	{"nominated pods of a kept verdict", "reuse/results.go", "|| !slices.Equal(known.nominated, nominated)", ""},
	{"changed node of a kept dry run", "reuse/results.go", "|| known.generation != node.GetGeneration()", ""},
	{"priority of a preemptor", "preempt/kept.go", "strconv.Itoa(int(corev1.PodPriority(pod)))", "strconv.Itoa(0)"},
	{"pods that a budget matches", "preempt/kept.go", "(o.selections == 0 || o.selections == b.selections)", "true"},
	{"disruptions that a budget allows", "preempt/kept.go", "(o.statuses == 0 || o.statuses == b.statuses)", "true"},
	{"lowest priority on a node", "preempt/priorities.go", "lowest.generation != place.Generation", "lowest.generation == 0"},
	{"configuration", "framework/reuse.go", "r.tables = reuse.New(reuseLimit)", "r.tables = forAllProfiles\n\t}\n}\n\nvar forAllProfiles = reuse.New(reuseLimit)\n\nfunc init() {\n\tif false {"},
}

// Each mistake is found. It is laid over the files for one build, so the tree stays as it is.
func TestReuse_FindsPlantedMistakes(t *testing.T) {
	if !*planted {
		t.Skip("it builds the tests once for each mistake; run it with -planted")
	}
	for _, m := range plantedMistakes {
		t.Run(m.name, func(t *testing.T) {
			run := exec.Command("go", "test", "-count=1", "-overlay", overlay(t, m), "-run", "TestReuse_DecidesTheSame|TestReuse_PreemptsTheSame", "-cycles", "60000", "-parallel", "1", ".")
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

// overlay writes the file that go build -overlay takes.
func overlay(t *testing.T, m plantedMistake) string {
	t.Helper()
	file, err := filepath.Abs(filepath.Join("..", m.file))
	if err != nil {
		t.Fatal(err)
	}
	right, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(right), m.from) != 1 {
		t.Fatalf("%s has no such place, or several: %s", m.file, m.from)
	}
	dir := t.TempDir()
	wrong, list := filepath.Join(dir, "wrong.go"), filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]map[string]string{"Replace": {file: wrong}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{wrong: strings.Replace(string(right), m.from, m.to, 1), list: string(text)} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return list
}
