package telemetry

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/component-base/metrics"
	"sigs.k8s.io/yaml"

	volumes "k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding/metrics"
	upstream "k8s.io/kubernetes/pkg/scheduler/metrics"

	"orrery/core/process/telemetry"
	"orrery/core/scheduler/config"
)

// family has the properties of a metric that dashboards depend on.
type family struct {
	Type      string
	Stability string
	Labels    []string
	Buckets   []float64
}

// upstreamOf reads the metrics of some subsystems from the list in Kubernetes' source.
func upstreamOf(t *testing.T, subsystems ...string) map[string]family {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes").Output()
	if err != nil {
		t.Fatalf("finding Kubernetes' source: %v", err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "test/instrumentation/documentation/documentation-list.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var list []struct {
		Name, Subsystem, Namespace, Type, StabilityLevel string
		Labels                                           []string
		Buckets                                          []float64
	}
	if err := yaml.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	all := map[string]family{}
	for _, m := range list {
		if slices.Contains(subsystems, m.Subsystem) {
			slices.Sort(m.Labels)
			kind := strings.TrimSuffix(strings.TrimSuffix(m.Type, "Vec"), "Func")
			all[m.Subsystem+"_"+m.Name] = family{kind, m.StabilityLevel, m.Labels, rounded(m.Buckets)}
		}
	}
	return all
}

// rounded rounds buckets, so that 0.30000000000000004 equals 0.3.
func rounded(buckets []float64) []float64 {
	for i, b := range buckets {
		fmt.Sscanf(fmt.Sprintf("%.6g", b), "%g", &buckets[i])
	}
	return buckets
}

// catcher is a registry that only records what is registered.
type catcher map[string]family

// RawMustRegister ignores collectors without a family.
func (catcher) RawMustRegister(...prometheus.Collector) {}

var labelsOf = regexp.MustCompile(`variableLabels: \{([^}]*)\}`)

func (c catcher) MustRegister(all ...metrics.Registerable) {
	for _, r := range all {
		r.Create(&semver.Version{Major: 1, Minor: 35})
		f := family{}
		switch m := r.(type) {
		case *metrics.CounterVec:
			f.Type, f.Stability = "Counter", string(m.CounterOpts.StabilityLevel)
		case *metrics.Counter:
			f.Type, f.Stability = "Counter", string(m.CounterOpts.StabilityLevel)
		case *metrics.GaugeVec:
			f.Type, f.Stability = "Gauge", string(m.GaugeOpts.StabilityLevel)
		case *metrics.HistogramVec:
			f.Type, f.Stability, f.Buckets = "Histogram", string(m.HistogramOpts.StabilityLevel), rounded(slices.Clone(m.Buckets))
		case *metrics.Histogram:
			f.Type, f.Stability, f.Buckets = "Histogram", string(m.HistogramOpts.StabilityLevel), rounded(slices.Clone(m.Buckets))
		}
		descriptions := make(chan *prometheus.Desc, 1)
		r.Describe(descriptions)
		if found := labelsOf.FindStringSubmatch((<-descriptions).String()); len(found) == 2 && found[1] != "" {
			f.Labels = strings.Split(found[1], ",")
			slices.Sort(f.Labels)
		}
		c[r.FQName()] = f
	}
}

// unpublished returns families of kube-scheduler that are missing in the published list.
func unpublished() map[string]family {
	upstream.InitMetrics()
	found := catcher{}
	found.MustRegister(upstream.BatchAttemptStats, upstream.BatchCacheFlushed, upstream.GetNodeHintDuration,
		upstream.StoreScheduleResultsDuration, upstream.ResourceClaimCreatesTotal,
		volumes.VolumeBindingRequestSchedulerBinderCache, volumes.VolumeSchedulingStageFailed)
	return found
}

func TestMetrics_FamiliesAreUpstream(t *testing.T) {
	features, err := config.ParseFeatures(map[string]bool{
		"SchedulerAsyncAPICalls": true, "SchedulerAsyncPreemption": true, "DynamicResourceAllocation": true, "DRAExtendedResource": true,
	})
	if err != nil {
		t.Fatal(err)
	}
	ours := catcher{}
	telemetry.New(ours, features)
	want := upstreamOf(t, "scheduler")
	for name, f := range unpublished() {
		want[name] = f
	}
	for name, f := range want {
		if mine, ok := ours[name]; !ok {
			t.Errorf("%s of kube-scheduler is missing", name)
		} else if diff := cmp.Diff(f, mine); diff != "" {
			t.Errorf("%s differs (-upstream +ours):\n%s", name, diff)
		}
	}
	for name := range ours {
		if _, ok := want[name]; !ok {
			t.Errorf("%s is not a metric of kube-scheduler", name)
		}
	}
	if len(want) < 20 {
		t.Errorf("only %d families of kube-scheduler were found", len(want))
	}
}
