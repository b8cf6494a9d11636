package shadow_test

import (
	"fmt"
	"testing"
	"time"

	"orrery/core/config"
	"orrery/core/shadow"
	"orrery/core/world/memory"
)

// bursts creates pods of many kinds and two priorities almost at once, repeatedly.
func (s *scene) bursts(bursts, pods int, every time.Duration) {
	for b := range bursts {
		for i := range pods {
			pod := s.pod(b*pods+i, s.chance.IntN(8))
			if s.chance.IntN(6) == 0 {
				pod.Spec.PriorityClassName = "system-cluster-critical"
			}
			at := start.Add(time.Second + time.Duration(b)*every + time.Duration(s.chance.Int64N(int64(100*time.Millisecond))))
			s.cluster.At(at, func(c *memory.Cluster) {
				if _, err := c.Create(pod); err != nil {
					panic(err)
				}
			})
		}
	}
}

// another returns the default configuration with other profiles, and all nodes scored.
func another(t *testing.T, profile string) *config.Configuration {
	t.Helper()
	c, err := config.Load(fmt.Appendf(nil, "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\npercentageOfNodesToScore: 100\nprofiles: [%s]\n", profile), config.DefaultFeatures())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// burst runs a scheduler with the given configuration through bursts, and returns the results.
func burst(t *testing.T, seed uint64, real *config.Configuration) *shadow.Comparator {
	s := newScene(t, options{seed: seed, real: real, ours: whole(), delay: 60 * time.Millisecond, pace: 2 * time.Millisecond})
	s.nodes(48)
	s.bursts(3, 200, 5*time.Second)
	s.run(start.Add(40 * time.Second))
	t.Logf("%+v", s.shadow.Comparator().Counters())
	return s.shadow.Comparator()
}

func TestComparator_SameSchedulerAgreesInBurst(t *testing.T) {
	for _, seed := range []uint64{11, 12} {
		j := burst(t, seed, whole())
		if judged := j.Counters().Compared(); judged < 600 {
			t.Errorf("%d decisions were judged of 600 pods", judged)
		}
		for f := range j.Findings() {
			if f.Class == shadow.Differs {
				t.Errorf("seed %d: %s: %s", seed, f.At.Sub(start), wordsOf(f))
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
		{"it fills nodes up", `{pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}, {name: memory, weight: 1}]}}}]}`, 250},
		{"it does not spread", `{plugins: {multiPoint: {disabled: [{name: PodTopologySpread}]}}}`, 40},
		{"it does not mind other pods", `{plugins: {multiPoint: {disabled: [{name: InterPodAffinity}]}}}`, 40},
		{"it takes any node that will do", `{plugins: {score: {disabled: [{name: "*"}]}}}`, 250},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tally := burst(t, 9, another(t, tt.profile)).Counters()
			if tally.Differs < tt.differs {
				t.Errorf("%d decisions differ, want %d: %+v", tally.Differs, tt.differs, tally)
			}
			if share := float64(tally.Differs) / float64(tally.Differs+tally.Explained); share < 0.8 {
				t.Errorf("%.0f%% of the decisions that are not agreed with differ, the others are explained away: %+v", 100*share, tally)
			}
		})
	}
}
