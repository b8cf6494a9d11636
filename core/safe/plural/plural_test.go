package plural_test

import (
	"testing"

	"orrery/core/safe/plural"
)

func TestCount_Noun(t *testing.T) {
	for n, want := range map[int]string{0: "0 pods", 1: "1 pod", 2: "2 pods", -1: "-1 pods", 1200: "1200 pods"} {
		if got := plural.Count(n, "pod"); got != want {
			t.Errorf("Count(%d) is %q, want %q", n, got, want)
		}
	}
}
