package shadow_test

import (
	"fmt"
	"testing"
	"time"

	"orrery/core/config"
	"orrery/core/shadow"
)

// whole returns the default configuration with all nodes scored.
func whole() *config.Configuration {
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
		{"both see everything at once", 700, options{seed: 1}},
		{"each sees what happens up to 60 ms late", 2000, options{seed: 2, delay: 60 * time.Millisecond}},
		{"a decision takes 5 ms", 700, options{seed: 3, delay: 60 * time.Millisecond, pace: 5 * time.Millisecond}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.o.real, tt.o.ours = whole(), whole()
			s := newScene(t, tt.o)
			s.nodes(48)
			over := time.Duration(tt.pods) * 100 * time.Millisecond
			s.mixed(tt.pods, over)
			s.run(start.Add(over + time.Minute))
			tally := s.shadow.Comparator().Counters()
			t.Logf("%+v", tally)
			if tally.Compared() < uint64(tt.pods) {
				t.Errorf("%d decisions were judged of %d pods", tally.Compared(), tt.pods)
			}
			for f := range s.shadow.Comparator().Findings() {
				if f.Class == shadow.Differs {
					t.Errorf("%s: %s", f.At.Sub(start), wordsOf(f))
				}
			}
		})
	}
}

func wordsOf(f *shadow.Finding) string {
	return fmt.Sprintf("%s %v: real %q, ours %q of %d, %d of %d, margins %v, against %v, causes %v",
		f.Class, f.Pod, f.Real, f.BestNodes, f.Tied, f.Score, f.Best, f.Margins, f.Objections, f.Causes)
}

func TestShadow_NamesPluginThatDiffers(t *testing.T) {
	s := newScene(t, options{seed: 4, real: filling(t), ours: whole(), delay: 30 * time.Millisecond})
	s.nodes(30)
	s.mixed(300, 60*time.Second)
	s.run(start.Add(2 * time.Minute))
	tally := s.shadow.Comparator().Counters()
	if tally.AgreementRate() > 0.15 {
		t.Errorf("%.0f%% are agreed with or explained, want few: %+v", 100*tally.AgreementRate(), tally)
	}
	ahead := map[string]int64{}
	for f := range s.shadow.Comparator().Findings() {
		if f.Class != shadow.Differs {
			continue
		}
		for _, m := range f.Margins {
			ahead[m.Plugin] += m.Ahead
		}
		if f.Score >= f.Best || len(f.BestNodes) == 0 {
			t.Errorf("no node is better: %s", wordsOf(f))
		}
	}
	for plugin, sum := range ahead {
		if plugin != "NodeResourcesFit" && 2*sum > ahead["NodeResourcesFit"] {
			t.Errorf("%s made a difference of %d in all, NodeResourcesFit of %d", plugin, sum, ahead["NodeResourcesFit"])
		}
	}
}

// filling returns a configuration that prefers full nodes.
func filling(t *testing.T) *config.Configuration {
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
