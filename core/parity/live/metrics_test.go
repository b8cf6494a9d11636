package live_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"orrery/core/parity/apiserver"
)

// A dashboard asks for families by name and for labels by name. After the same hundred pods, and one that fits nowhere,
// whatever kube-scheduler shows is there with the same labels.
func TestTheSameMetricsAreThereAfterTheSamePods(t *testing.T) {
	theirs := measuredUnder(t, kubeScheduler, nil)
	ours := measuredUnder(t, orrery, theirs)
	for _, name := range slices.Sorted(maps.Keys(theirs)) {
		if diff := cmp.Diff(theirs[name], ours[name]); diff != "" {
			t.Errorf("%s differs (-kube-scheduler +Orrery):\n%s", name, diff)
		}
	}
	if len(theirs) < 15 {
		t.Errorf("kube-scheduler shows only %d families", len(theirs))
	}
	t.Logf("%d families of kube-scheduler, %d of Orrery", len(theirs), len(ours))
}

// measuredUnder is the type and the label names of every scheduler_ family, once those that are wanted are there or some
// seconds have passed: levels are read off once a second.
func measuredUnder(t *testing.T, what program, wanted map[string]string) map[string]string {
	all := map[string]string{}
	t.Run(what.name(), func(t *testing.T) {
		s := newScene(t, threeNodes()...)
		p := s.scheduleAs(scheduler, what)
		s.eventually(p.ready)
		s.pods(100, "a", "10m")
		s.bound(100)
		if _, err := s.create(apiserver.Pod("big", "64", "16Mi")); err != nil {
			t.Fatal(err)
		}
		s.eventually(func() error { return s.told("big") })
		patience := time.Now().Add(8 * time.Second)
		s.eventually(func() error { // it counts a moment later
			code, text := p.get("/metrics", apiserver.Admin)
			if !strings.Contains(text, `result="unschedulable"`) {
				return fmt.Errorf("/metrics: %d", code)
			}
			parser := expfmt.NewTextParser(model.LegacyValidation)
			families, err := parser.TextToMetricFamilies(strings.NewReader(text))
			for name, f := range families {
				if strings.HasPrefix(name, "scheduler_") {
					labels := map[string]bool{}
					for _, m := range f.Metric {
						for _, l := range m.Label {
							labels[l.GetName()] = true
						}
					}
					all[name] = fmt.Sprint(f.GetType(), slices.Sorted(maps.Keys(labels)))
				}
			}
			if missing := absent(wanted, all); err == nil && len(missing) > 0 && time.Now().Before(patience) {
				err = fmt.Errorf("missing: %q", missing)
			}
			return err
		})
	})
	return all
}

func absent(wanted, all map[string]string) (names []string) {
	for name := range wanted {
		if all[name] == "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
