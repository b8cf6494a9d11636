package config_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/release"
)

func TestFeatures_InAnotherRelease(t *testing.T) {
	for _, tt := range []struct {
		from    release.Release
		flag    string
		to      release.Release
		changed []string
		left    []string
	}{
		{release.V135, "", release.V137, nil, nil},
		{release.V135, "SchedulerPopFromBackoffQ=false", release.V137, []string{"SchedulerPopFromBackoffQ=false"}, nil},
		{release.V135, "DRADeviceTaints=true,DRADeviceTaintRules=true", release.V136, []string{"DRADeviceTaintRules=true"}, nil},
		{release.V135, "DRADeviceTaints=true,DRADeviceTaintRules=true", release.V137, nil, nil},
		{release.V135, "GangScheduling=true,GenericWorkload=true", release.V136, nil, []string{"GangScheduling=true", "GenericWorkload=true"}},
		{release.V137, "StorageCapacityScoring=false", release.V135, nil, nil},
		{release.V137, "MatchLabelKeysInPodTopologySpread=false,MatchLabelKeysInPodTopologySpreadSelectorMerge=false", release.V135, []string{
			"MatchLabelKeysInPodTopologySpread=false", "MatchLabelKeysInPodTopologySpreadSelectorMerge=false",
		}, nil},
	} {
		f, err := config.ParseFeatureFlagOf(tt.from, tt.flag)
		if err != nil {
			t.Fatal(err)
		}
		in, left := f.In(tt.to)
		if diff := cmp.Diff(tt.changed, in.Changed()); diff != "" || in.Release() != tt.to {
			t.Errorf("%v with %q in %v, which is %v (-want +got):\n%s", tt.from, tt.flag, tt.to, in.Release(), diff)
		}
		if diff := cmp.Diff(tt.left, left); diff != "" {
			t.Errorf("%v with %q in %v: left at their defaults (-want +got):\n%s", tt.from, tt.flag, tt.to, diff)
		}
	}
}

// What is a default of one release becomes that of the other, and what was configured stays.
func TestConfiguration_InAnotherRelease(t *testing.T) {
	for _, from := range release.All() {
		for _, to := range release.All() {
			in, err := config.Default(config.FeaturesOf(from)).In(config.FeaturesOf(to))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(yaml(t, config.Default(config.FeaturesOf(to))), yaml(t, in)); diff != "" {
				t.Errorf("the default of %v in %v (-default +got):\n%s", from, to, diff)
			}
		}
	}
	c, err := config.Load([]byte(`{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": [{
		"plugins": {"multiPoint": {"disabled": [{"name": "ImageLocality"}]}},
		"pluginConfig": [{"name": "InterPodAffinity", "args": {"hardPodAffinityWeight": 7}}]}]}`), config.FeaturesOf(release.V137))
	if err != nil {
		t.Fatal(err)
	}
	in, err := c.In(config.FeaturesOf(release.V135))
	if err != nil {
		t.Fatal(err)
	}
	again, err := in.In(config.FeaturesOf(release.V137))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(yaml(t, c), yaml(t, again)); diff != "" {
		t.Errorf("there and back (-before +after):\n%s", diff)
	}
}

func yaml(t *testing.T, c *config.Configuration) string {
	t.Helper()
	text, err := c.YAML()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
