package build

import (
	"reflect"
	"testing"
)

func TestCompilation_CountsPackagesAndKeepsProblems(t *testing.T) {
	var counts []int
	c := compilation{compiled: func(packages int) { counts = append(counts, packages) }}
	for _, said := range []string{"internal/goarch\nerr", "ors\n", "orrery/core/world\n", "# orrery/core/scheduler/engine\n", "core/scheduler/engine/step.go:7:2: undefined: x\n"} {
		if n, err := c.Write([]byte(said)); n != len(said) || err != nil {
			t.Fatalf("%q: %d, %v", said, n, err)
		}
	}
	if want := []int{1, 2, 3}; !reflect.DeepEqual(counts, want) {
		t.Errorf("counted %v, want %v", counts, want)
	}
	if got, want := c.problems(), "# orrery/core/scheduler/engine\ncore/scheduler/engine/step.go:7:2: undefined: x"; got != want {
		t.Errorf("the problems are %q, want %q", got, want)
	}
}
