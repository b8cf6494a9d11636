package compare_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"

	"orrery/core/answers/compare"
	"orrery/core/trace"
)

// TestTraces_WholeOpenB compares two strategies on the published files from the folder ORRERY_OPENB.
func TestTraces_WholeOpenB(t *testing.T) {
	file := openb(t)
	both := []compare.Configuration{strategy(t, "LeastAllocated"), strategy(t, "MostAllocated")}
	asItWas, err := compare.Traces(bytes.NewReader(file), both, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	show(t, asItWas)
	c, err := compare.Traces(bytes.NewReader(file), both, compare.Options{Fill: true})
	if err != nil {
		t.Fatal(err)
	}
	show(t, c)
	least, most := c.Results[0].Fragmentation, c.Results[1].Fragmentation
	if math.Abs(least-most) < 0.05 {
		t.Errorf("when the cluster fills up, fragmentation is %.4f for LeastAllocated and %.4f for MostAllocated: hardly a difference", least, most)
	}
}

func openb(t testing.TB) []byte {
	t.Helper()
	folder := os.Getenv("ORRERY_OPENB")
	if folder == "" {
		t.Skip("set ORRERY_OPENB to a folder with the openb files to compare on them")
	}
	nodes, err := os.Open(filepath.Join(folder, "openb_node_list_all_node.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer nodes.Close()
	pods, err := os.Open(filepath.Join(folder, "openb_pod_list_default.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer pods.Close()
	im, err := trace.ImportOpenB("nodes.csv", nodes, "pods.csv", pods, trace.OpenBOptions{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	return written(t, im)
}

func written(t testing.TB, im *trace.ImportedTrace) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := im.Write(&file, trace.Header{}); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func BenchmarkOneConfigurationOnOpenb(b *testing.B) {
	file := openb(b)
	one := []compare.Configuration{strategy(b, "LeastAllocated")}
	for b.Loop() {
		if _, err := compare.Traces(bytes.NewReader(file), one, compare.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func show(t *testing.T, c *compare.Comparison) {
	t.Helper()
	for _, r := range c.Results {
		t.Logf("%s: pending %+v, never %d, placements %d, decisions %d, elsewhere %d, fragmentation %.4f, spread %.4f, deviation %.4f",
			r.Name, r.Pending, r.NeverPlaced, r.Placements, r.Decisions, r.OtherNode, r.Fragmentation, r.Spread, r.Deviation)
		for _, resource := range r.Resources {
			t.Logf("  %s: mean %.4f, peak %.4f, fragmentation %.4f", resource.Name, resource.Mean, resource.Peak, resource.Fragmentation)
		}
	}
}
