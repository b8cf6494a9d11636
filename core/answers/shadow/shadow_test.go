package shadow_test

import (
	"fmt"
	"testing"
	"time"

	"orrery/core/answers/shadow"
	"orrery/core/scheduler/config"
)

// allNodesScored returns the default configuration with all nodes scored.
func allNodesScored() *config.Configuration {
	c := config.Default(config.DefaultFeatures())
	c.PercentageOfNodesToScore = 100
	return c
}

func TestShadow_SameSchedulerAgreesOrIsExplained(t *testing.T) {
	for _, tt := range []struct {
		name string
		pods int
		o    options
	}{
		{"no delays", 700, options{seed: 1}},
		{"delays up to 60 ms", 1000, options{seed: 2, delay: 60 * time.Millisecond}},
		{"pods with volumes", 700, options{seed: 6, storage: true}},
		{"pods with volumes, delays up to 60 ms", 1000, options{seed: 7, delay: 60 * time.Millisecond, storage: true}},
		{"a decision takes 5 ms", 700, options{seed: 3, delay: 60 * time.Millisecond, pace: 5 * time.Millisecond}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.o.real, tt.o.ours = allNodesScored(), allNodesScored()
			s := newFixture(t, tt.o)
			s.nodes(48)
			over := time.Duration(tt.pods) * 100 * time.Millisecond
			s.mixed(tt.pods, over)
			s.run(start.Add(over + time.Minute))
			counters := s.shadow.Comparator().Counters()
			t.Logf("%+v", counters)
			if counters.Compared() < uint64(tt.pods) {
				t.Errorf("%d decisions were compared of %d pods", counters.Compared(), tt.pods)
			}
			for f := range s.shadow.Comparator().Findings() {
				if f.Class == shadow.Differs {
					t.Errorf("%s: %s", f.At.Sub(start), findingText(f))
				}
			}
		})
	}
}

// Decisions of a scheduler that ignores some volumes must not be explained away.
func TestShadow_OtherSchedulerDiffersOnVolumes(t *testing.T) {
	for _, tt := range []struct {
		name, profile string
		differs       uint64 // at least
	}{
		{"without NodeVolumeLimits", `{plugins: {multiPoint: {disabled: [{name: NodeVolumeLimits}]}}}`, 30},
		{"MostAllocated", `{pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}, {name: memory, weight: 1}]}}}]}`, 120},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newFixture(t, options{seed: 8, real: withProfile(t, tt.profile), ours: allNodesScored(), delay: 60 * time.Millisecond, storage: true})
			s.nodes(12)
			s.mixed(500, 50*time.Second)
			s.run(start.Add(2 * time.Minute))
			counters := s.shadow.Comparator().Counters()
			t.Logf("%+v", counters)
			if counters.Differs < tt.differs {
				t.Errorf("%d decisions differ, want %d", counters.Differs, tt.differs)
			}
		})
	}
}

func findingText(f *shadow.Finding) string {
	return fmt.Sprintf("%s %v: real %q, ours %q of %d, %d of %d, margins %v, against %v, causes %v",
		f.Class, f.Pod, f.Real, f.BestNodes, f.Tied, f.Score, f.Best, f.Margins, f.Objections, f.Causes)
}

func TestShadow_NamesPluginThatDiffers(t *testing.T) {
	s := newFixture(t, options{seed: 4, real: mostAllocated(t), ours: allNodesScored(), delay: 30 * time.Millisecond})
	s.nodes(30)
	s.mixed(300, 60*time.Second)
	s.run(start.Add(2 * time.Minute))
	counters := s.shadow.Comparator().Counters()
	if counters.AgreementRate() > 0.15 {
		t.Errorf("%.0f%% agree or are explained, want few: %+v", 100*counters.AgreementRate(), counters)
	}
	margins := map[string]int64{}
	for f := range s.shadow.Comparator().Findings() {
		if f.Class != shadow.Differs {
			continue
		}
		for _, m := range f.Margins {
			margins[m.Plugin] += m.Ahead
		}
		if f.Score >= f.Best || len(f.BestNodes) == 0 {
			t.Errorf("no node is better: %s", findingText(f))
		}
	}
	for plugin, sum := range margins {
		if plugin != "NodeResourcesFit" && 2*sum > margins["NodeResourcesFit"] {
			t.Errorf("%s has a total margin of %d, NodeResourcesFit of %d", plugin, sum, margins["NodeResourcesFit"])
		}
	}
}

// mostAllocated returns a configuration that prefers allocated nodes.
func mostAllocated(t *testing.T) *config.Configuration {
	c, err := config.Load([]byte(`
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
percentageOfNodesToScore: 100
profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}, {name: memory, weight: 1}]}}
`), config.DefaultFeatures())
	if err != nil {
		t.Fatal(err)
	}
	return c
}
