package telemetry

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
	upstream "k8s.io/kubernetes/pkg/scheduler/metrics"

	"orrery/core/process/telemetry"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/release"
)

// family has the properties of a metric that dashboards depend on.
type family struct {
	Type      string
	Stability string
	Labels    []string
	Buckets   []float64
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
		if !r.Create(&semver.Version{Major: 1, Minor: 37}) { // hidden, as alpha ones are from the release on that deprecates them
			continue
		}
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

// registered returns the families that kube-scheduler registers under the default feature gates and the given ones.
func registered(t *testing.T, gates map[string]bool) map[string]family {
	for gate, on := range gates {
		featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, featuregate.Feature(gate), on)
	}
	found := catcher{}
	was := legacyregistry.MustRegister
	legacyregistry.MustRegister = found.MustRegister
	defer func() { legacyregistry.MustRegister = was }()
	upstream.Register()
	return found
}

// missing are the families of kube-scheduler that Orrery does not have: see comparisons.Metrics.
var missing = []string{"scheduler_dra_bindingconditions_allocations_total", "scheduler_dra_bindingconditions_wait_duration_seconds"}

func TestMetrics_FamiliesAreUpstream(t *testing.T) {
	gates := map[string]bool{"SchedulerAsyncAPICalls": true}
	features, err := config.ParseFeaturesOf(release.Newest, gates)
	if err != nil {
		t.Fatal(err)
	}
	ours := catcher{}
	telemetry.New(ours, features)
	want := registered(t, gates)
	for _, name := range missing {
		if _, exists := want[name]; !exists {
			t.Errorf("%s is listed as missing, and is not a metric of kube-scheduler", name)
		}
		delete(want, name)
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
