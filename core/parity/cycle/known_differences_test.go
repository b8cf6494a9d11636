package cycle

import (
	"os"
	"testing"

	"orrery/core/parity/difftest"
)

// The errors of a dry run are in any order, also in the patch that has them.
func TestPlain_OrdersWhatIsInAnyOrder(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{
			"plugins fail", `0/2 nodes are available. preemption: [running "B" filter plugin: [x], in "y", running "A" filter plugin: z]`,
			`0/2 nodes are available. preemption: [running "A" filter plugin: z, running "B" filter plugin: [x], in "y"]`,
		},
		{
			"one plugin fails", `preemption: running "B" filter plugin: a["x"], running "A"`, `preemption: running "B" filter plugin: a["x"], running "A"`,
		},
		{
			"there are no victims", `[expected at least one victim pod on node "b", expected at least one victim pod on node "a"]`,
			`[expected at least one victim pod on node "a", expected at least one victim pod on node "b"]`,
		},
		{
			"in a patch", `{"conditions":[{"message":"[running \"B\" filter plugin: x, running \"A\" filter plugin: y]","type":"T"}],"more":["z"]}`,
			`{"conditions":[{"message":"[running \"A\" filter plugin: y, running \"B\" filter plugin: x]","type":"T"}],"more":["z"]}`,
		},
		{
			"hosted plugins leave no node", `node(s) didn't satisfy plugin(s) [HostedVolumeBinding NodeAffinity]`, `node(s) didn't satisfy plugin(s) [NodeAffinity VolumeBinding]`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := plain(tt.text); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// Each intended difference in requeueing, node order or preemption has a case, on which the two must diverge for this
// reason.
func TestScheduler_KnownDifferences(t *testing.T) {
	for file, why := range map[string]string{
		"added-affinity":     "Orrery's NodeAffinity requeues a pod that kube-scheduler's does not",
		"devices-given-up":   "Orrery's DynamicResources requeues a pod that kube-scheduler's does not",
		"no-longer-selected": "Orrery's PodTopologySpread requeues a pod that kube-scheduler's does not",
		"several-gates":      gatedByAny,
		"several-names":      "a pod that names several nodes, which kube-scheduler examines in random order",
		"equal-candidates":   "equal candidates for preemption, of which kube-scheduler chooses a random one",
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
			for range 50 { // by chance kube-scheduler may choose as Orrery does
				if mismatch := compareDecisions(t, c, seen); mismatch != "" {
					t.Fatal(mismatch)
				}
			}
			if seen["diverged: "+why] == 0 {
				t.Errorf("the two never diverged for %q: %s", why, seen)
			}
		})
	}
}
