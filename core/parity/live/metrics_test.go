package live_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"orrery/core/parity/apiserver"
)

// Dashboards select families and labels by name. After the same hundred pods and one unschedulable one, every family that
// kube-scheduler exposes exists with the same labels: of scheduling, of the process, of its client, of its leases.
func TestMetrics_SameAsKubeScheduler(t *testing.T) {
	theirs := scrape(t, kubeScheduler, nil)
	if len(theirs.families) < 150 {
		t.Errorf("kube-scheduler exposes only %d families", len(theirs.families))
	}
	maps.DeleteFunc(theirs.families, func(name, _ string) bool { return !isCompared(name) })
	ours := scrape(t, orrery, theirs.families)
	for _, name := range slices.Sorted(maps.Keys(theirs.families)) {
		if diff := cmp.Diff(theirs.families[name], ours.families[name]); diff != "" {
			t.Errorf("%s differs (-kube-scheduler +Orrery):\n%s", name, diff)
		}
	}
	delete(ours.gates, controllersGate)
	for _, gate := range slices.Sorted(maps.Keys(ours.gates)) {
		if ours.gates[gate] != theirs.gates[gate] {
			t.Errorf("the gate %s is %q, and %q in kube-scheduler", gate, ours.gates[gate], theirs.gates[gate])
		}
	}
	t.Logf("%d families of kube-scheduler, %d of Orrery; %d and %d gates", len(theirs.families), len(ours.families), len(theirs.gates), len(ours.gates))
}

// controllersGate is a gate of 1.36 and later that only kube-controller-manager registers, though it is declared among the others.
const controllersGate = "ControllerManagerReleaseLeaderElectionLockOnExit"

// isCompared reports whether a family is compared. Those of an API server's encryption at rest are always zero in a scheduler, and their
// package depends on gRPC; those of informers, since 1.37, are of stores that Orrery does not have; some exist only after a failed request.
func isCompared(family string) bool {
	return !strings.HasPrefix(family, "apiserver_envelope_encryption_") && !strings.HasPrefix(family, "informer_") &&
		family != "rest_client_request_retries_total" && family != "leader_election_slowpath_total"
}

// exposed is the content of /metrics: the type and label names of every family, and the stage and value of every gate.
type exposed struct{ families, gates map[string]string }

// scrape returns a scheduler's /metrics once it has the wanted families or a minute has passed: gauges are updated once
// a second.
func scrape(t *testing.T, what schedulerProgram, wanted map[string]string) exposed {
	all := exposed{map[string]string{}, map[string]string{}}
	t.Run(what.name(), func(t *testing.T) {
		s := newFixture(t, threeNodes()...)
		p := s.scheduleAs(scheduler, what)
		s.eventually(p.ready)
		s.pods(100, "a", "10m")
		s.bound(100)
		if _, err := s.create(apiserver.Pod("big", "64", "16Mi")); err != nil {
			t.Fatal(err)
		}
		s.eventually(func() error { return s.hasResult("big") })
		deadline := time.Now().Add(patience / 2)
		s.eventually(func() error { // the attempt is counted later
			code, text := p.get("/metrics", apiserver.Admin)
			if !strings.Contains(text, `result="unschedulable"`) {
				return fmt.Errorf("/metrics: %d", code)
			}
			parser := expfmt.NewTextParser(model.LegacyValidation)
			families, err := parser.TextToMetricFamilies(strings.NewReader(text))
			for name, f := range families {
				all.add(name, f)
			}
			if missing := absent(wanted, all.families); err == nil && len(missing) > 0 && time.Now().Before(deadline) {
				err = fmt.Errorf("missing: %q", missing)
			}
			return err
		})
	})
	return all
}

func (all exposed) add(name string, f *dto.MetricFamily) {
	names := map[string]bool{}
	for _, m := range f.Metric {
		values := map[string]string{}
		for _, l := range m.Label {
			names[l.GetName()] = true
			values[l.GetName()] = l.GetValue()
		}
		if name == "kubernetes_feature_enabled" {
			all.gates[values["name"]] = fmt.Sprint(values["stage"], " ", m.Gauge.GetValue())
		}
	}
	all.families[name] = fmt.Sprint(f.GetType(), slices.Sorted(maps.Keys(names)))
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
