package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/component-base/featuregate"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/release"
)

func TestFeaturesOf_DefaultsOfEachRelease(t *testing.T) {
	in := map[release.Release]map[featuregate.Feature]bool{
		release.V135: {
			config.DRAExtendedResource: false, config.NodeDeclaredFeatures: false, config.StorageCapacityScoring: false, config.VolumeLimitScaling: false,
			config.DRADeviceTaintRules: false, config.GenericWorkload: false, config.GangScheduling: false, config.CSIMigrationPortworx: true, config.SidecarContainers: true,
		},
		release.V136: {
			config.DRAExtendedResource: true, config.NodeDeclaredFeatures: true, config.StorageCapacityScoring: false, config.VolumeLimitScaling: false,
			config.DRADeviceTaintRules: false, config.GenericWorkload: false, config.GangScheduling: false, config.CSIMigrationPortworx: true, config.SidecarContainers: true,
		},
		release.V137: {
			config.DRAExtendedResource: true, config.NodeDeclaredFeatures: true, config.StorageCapacityScoring: true, config.VolumeLimitScaling: true,
			config.DRADeviceTaintRules: true, config.GenericWorkload: false, config.GangScheduling: false, config.CSIMigrationPortworx: true, config.SidecarContainers: true,
		},
	}
	for r, want := range in {
		f := config.FeaturesOf(r)
		if f.Release() != r {
			t.Errorf("the features of %v are of %v", r, f.Release())
		}
		got := map[featuregate.Feature]bool{}
		for name := range want {
			got[name] = f.Enabled(name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("gates of %v (-want +got):\n%s", r, diff)
		}
	}
}

func TestFeatures_EveryReleaseHasRoom(t *testing.T) {
	for _, r := range release.All() {
		list := config.FeaturesOf(r).List()
		all := map[string]bool{}
		for _, gate := range list {
			if !gate.Locked && !gate.Unmodelled && len(gate.Requires) == 0 {
				all[string(gate.Name)] = !gate.Default
			}
		}
		// Turning every gate over shows that no two share a bit.
		for name, on := range all {
			f, err := config.ParseFeaturesOf(r, map[string]bool{name: on})
			if err != nil {
				continue // a gate that is on depends on it
			}
			for _, gate := range f.List() {
				if gate.Enabled != gate.Default && string(gate.Name) != name && name != string(config.AllAlpha) && name != string(config.AllBeta) {
					t.Errorf("in %v setting %s sets %s", r, name, gate.Name)
				}
			}
		}
	}
}

func TestParseFeaturesOf_Refusals(t *testing.T) {
	for _, tt := range []struct {
		r    release.Release
		flag string
		want string
	}{
		{release.V135, "GenericWorkload=true,GangScheduling=true", ""},
		{release.V136, "GenericWorkload=true,GangScheduling=true", "feature gates of Kubernetes 1.36 that Orrery does not model are turned on: GangScheduling, GenericWorkload: leave them off, or set them to false after AllAlpha and AllBeta"},
		{release.V136, "GenericWorkload=false", ""},
		{release.V137, "GangScheduling=true", "unrecognized feature gate: GangScheduling"},
		{release.V137, "DRADerivedAttributes=true", "feature gates of Kubernetes 1.37 that Orrery does not model are turned on: DRADerivedAttributes: leave them off, or set them to false after AllAlpha and AllBeta"},
		{release.V136, "DRADerivedAttributes=true", "unrecognized feature gate: DRADerivedAttributes"},
		{release.V137, "DRAExtendedResource=false", "cannot set feature gate DRAExtendedResource to false, feature is locked to true"},
		{release.V137, "DRADeviceTaints=false", "DRADeviceTaintRules is enabled, but depends on features that are disabled: [DRADeviceTaints]"},
		{release.V137, "SchedulerPreQueueingHints=true,InterPodAffinityHostnameFastPath=true", ""},
	} {
		f, err := config.ParseFeatureFlagOf(tt.r, tt.flag)
		if got := text(err); got != tt.want {
			t.Errorf("%v with %s: the error is %q, want %q", tt.r, tt.flag, got, tt.want)
		}
		if err != nil && f != config.FeaturesOf(tt.r) {
			t.Errorf("%v with %s: a failed parse left %v", tt.r, tt.flag, f.Changed())
		}
	}
	if _, err := config.ParseFeatureFlagOf(release.V137, "AllAlpha=true"); !strings.Contains(text(err), "CompositePodGroup, DRADerivedAttributes") {
		t.Errorf("all alpha gates of 1.37 give the error %v", err)
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestDefaultPlugins_OrderOfEachRelease(t *testing.T) {
	for r, want := range map[release.Release]string{
		release.V135: "NodeUnschedulable NodeName", release.V136: "NodeUnschedulable NodeName", release.V137: "NodeName NodeUnschedulable",
	} {
		enabled := config.DefaultPlugins(config.FeaturesOf(r)).MultiPoint.Enabled
		if got := enabled[2].Name + " " + enabled[3].Name; got != want {
			t.Errorf("the first filters of %v are %s, want %s", r, got, want)
		}
	}
}

func TestLoad_RatioOnlyWithItsType(t *testing.T) {
	file := func(strategy string) []byte {
		return []byte(`{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": [{"pluginConfig": [
			{"name": "NodeResourcesFit", "args": {"scoringStrategy": {` + strategy + `}}}]}]}`)
	}
	const (
		least = `"type": "LeastAllocated", "requestedToCapacityRatio": {"shape": [{"utilization": 0, "score": 1}]}`
		none  = `"type": "RequestedToCapacityRatio"`
		bad   = `"type": "RequestedToCapacityRatio", "requestedToCapacityRatio": {"shape": []}`
		path  = "profiles[0].pluginConfig[0].args.scoringStrategy."
	)
	for strategy, want := range map[string][2]string{
		least: {"", path + "requestedToCapacityRatio: Forbidden: must be nil when type is not RequestedToCapacityRatio"},
		none:  {path + "requestedToCapacityRatio: Required value: a shape must be given", path + "requestedToCapacityRatio: Required value: must be specified when type is RequestedToCapacityRatio"},
		bad:   {path + "shape: Required value: at least one point", path + "requestedToCapacityRatio.shape: Required value: at least one point"},
	} {
		for i, r := range []release.Release{release.V135, release.V136} {
			_, err := config.Load(file(strategy), config.FeaturesOf(r))
			if want[i] == "" && err != nil || !strings.Contains(text(err), want[i]) {
				t.Errorf("%v with %s: the error is %v, want %q", r, strategy, err, want[i])
			}
		}
	}
}
