package compare_test

import (
	"strings"
	"testing"

	"orrery/core/answers/compare"
	"orrery/core/answers/price"
	"orrery/core/testing/mk"
)

// Two pods that fit on one node: one configuration packs them, the default one spreads them. A daemon set's pod keeps no node in use.
func TestTraces_PriceOfNodesInUse(t *testing.T) {
	daemon := mk.Pod("agent").CPU("100m").Owner("apps/v1", "DaemonSet", "agent").Obj()
	daemon.Spec.NodeName = "c"
	file := traceOf(t, nodes("4", "a", "b", "c"), arrival(0, daemon), arrival(1, pod("p", "1")), arrival(2, pod("q", "1")), arrival(100, pod("large", "100")))
	list, err := price.Read("prices", strings.NewReader("a 2\nb 2\nc 100\n"))
	if err != nil {
		t.Fatal(err)
	}
	c := compared(t, file, compare.Options{Prices: list, Samples: 50}, strategy(t, "LeastAllocated"), strategy(t, "MostAllocated"))
	if got, want := [2]float64{c.Results[0].Price.Peak, c.Results[1].Price.Peak}, [2]float64{4, 2}; got != want {
		t.Errorf("at most %v, want %v", got, want)
	}
}
