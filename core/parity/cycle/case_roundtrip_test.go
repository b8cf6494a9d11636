package cycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGenerate_IsDeterministic(t *testing.T) {
	for number := range 40 {
		if one, other := generateCase(7, number).YAML(), generateCase(7, number).YAML(); one != other {
			t.Fatalf("case %d of seed 7, generated twice, differs:\n%s", number, cmp.Diff(one, other))
		}
	}
	if generateCase(1, 0).YAML() == generateCase(2, 0).YAML() {
		t.Error("two seeds have the same first case")
	}
}

func TestCase_YAMLRoundTrip(t *testing.T) {
	for number := range 40 {
		text := generateCase(3, number).YAML()
		read, err := parseCase([]byte(text))
		if err != nil {
			t.Fatalf("case %d: %v", number, err)
		}
		if diff := cmp.Diff(text, read.YAML()); diff != "" {
			t.Fatalf("case %d (-encoded +decoded and encoded again):\n%s", number, diff)
		}
	}
}

func TestReduce_KeepsOnlyWhatFails(t *testing.T) {
	number := 0
	for len(generateCase(1, number).Nodes) < 3 || len(generateCase(1, number).Bound) < 2 {
		number++
	}
	full := generateCase(1, number)
	last := full.Nodes[len(full.Nodes)-1].Name
	small := reduceFields(full, 5000, func(c *clusterCase) bool {
		return len(c.Nodes) > 0 && c.Nodes[len(c.Nodes)-1].Name == last
	})
	if len(small.Nodes) != 1 || len(small.Bound)+len(small.Waiting)+len(small.Changes) != 0 {
		t.Errorf("the last node alone fails, but the case was reduced to:\n%s", small.YAML())
	}
}
