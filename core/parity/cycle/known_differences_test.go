package cycle

import (
	"os"
	"testing"

	"orrery/core/parity/difftest"
)

// Each difference in which pods are woken, or for whom room is made, has a case of its own: the two part there, and for
// the reason that is given.
func TestScheduler_KnownDifferences(t *testing.T) {
	for file, why := range map[string]string{
		"added-affinity":     "Orrery's NodeAffinity wakes a pod that kube-scheduler's lets sleep",
		"anti-affinity-gone": "Orrery's InterPodAffinity wakes a pod that kube-scheduler's lets sleep",
		"several-names":      "a pod that names several nodes, which kube-scheduler looks at in random order",
		"equal-candidates":   "equal candidates for preemption, of which kube-scheduler takes a random one",
	} {
		t.Run(file, func(t *testing.T) {
			text, err := os.ReadFile("testdata/" + file + ".yaml")
			if err != nil {
				t.Fatal(err)
			}
			c, err := parseCase(text)
			if err != nil {
				t.Fatal(err)
			}
			seen := difftest.Coverage{}
			for range 50 { // kube-scheduler may happen to choose as Orrery does
				if mismatch := compareDecisions(t, c, seen); mismatch != "" {
					t.Fatal(mismatch)
				}
			}
			if seen["parted: "+why] == 0 {
				t.Errorf("the two never parted because %q: %s", why, seen)
			}
		})
	}
}
