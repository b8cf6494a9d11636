package shadow_test

import (
	"fmt"
	"testing"
	"time"

	"orrery/core/answers/shadow"
	"orrery/core/scheduler/config"
	"orrery/core/world/memory"
)

// bursts creates pods of many kinds and two priorities almost at once, repeatedly.
func (s *fixture) bursts(bursts, pods int, every time.Duration) {
	for b := range bursts {
		for i := range pods {
			pod := s.pod(b*pods+i, s.rng.IntN(8))
			if s.rng.IntN(6) == 0 {
				pod.Spec.PriorityClassName = "system-cluster-critical"
			}
			at := start.Add(time.Second + time.Duration(b)*every + time.Duration(s.rng.Int64N(int64(100*time.Millisecond))))
			s.cluster.At(at, func(c *memory.Cluster) {
				if _, err := c.Create(pod); err != nil {
					panic(err)
				}
			})
		}
	}
}

// withProfile returns the default configuration with other profiles, and all nodes scored.
func withProfile(t *testing.T, profile string) *config.Configuration {
	t.Helper()
	c, err := config.Load(fmt.Appendf(nil, "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\npercentageOfNodesToScore: 100\nprofiles: [%s]\n", profile), config.DefaultFeatures())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// burst runs a scheduler with the given configuration through bursts, and returns the results.
func burst(t *testing.T, seed uint64, upstream *config.Configuration) *shadow.Comparator {
	s := newFixture(t, options{seed: seed, real: upstream, ours: allNodesScored(), delay: 60 * time.Millisecond, pace: 2 * time.Millisecond})
	s.nodes(48)
	s.bursts(3, 200, 5*time.Second)
	s.run(start.Add(40 * time.Second))
	t.Logf("%+v", s.shadow.Comparator().Counters())
	return s.shadow.Comparator()
}

func TestComparator_SameSchedulerAgreesInBurst(t *testing.T) {
	for _, seed := range []uint64{11, 12} {
		j := burst(t, seed, allNodesScored())
		if n := j.Counters().Compared(); n < 600 {
			t.Errorf("%d decisions were compared of 600 pods", n)
		}
		for f := range j.Findings() {
			if f.Class == shadow.Differs {
				t.Errorf("seed %d: %s: %s", seed, f.At.Sub(start), findingText(f))
			}
		}
	}
}

// Decisions of a scheduler with another configuration must not be explained away.
func TestComparator_OtherSchedulerDiffersInBurst(t *testing.T) {
	for _, tt := range []struct {
		name, profile string
		differs       uint64 // at least
	}{
		{"MostAllocated", `{pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}, {name: memory, weight: 1}]}}}]}`, 250},
		{"without PodTopologySpread", `{plugins: {multiPoint: {disabled: [{name: PodTopologySpread}]}}}`, 40},
		{"without InterPodAffinity", `{plugins: {multiPoint: {disabled: [{name: InterPodAffinity}]}}}`, 40},
		{"without score plugins", `{plugins: {score: {disabled: [{name: "*"}]}}}`, 250},
	} {
		t.Run(tt.name, func(t *testing.T) {
			counters := burst(t, 9, withProfile(t, tt.profile)).Counters()
			if counters.Differs < tt.differs {
				t.Errorf("%d decisions differ, want %d: %+v", counters.Differs, tt.differs, counters)
			}
			if share := float64(counters.Differs) / float64(counters.Differs+counters.Explained); share < 0.8 {
				t.Errorf("only %.0f%% of the decisions that do not agree differ, the others are explained: %+v", 100*share, counters)
			}
		})
	}
}
