package config_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/component-base/featuregate"
	"pgregory.net/rapid"

	"orrery/core/scheduler/config"
)

func TestParseFeatures_NonDefaultGates(t *testing.T) {
	for _, tt := range []struct {
		name, flag, flipped string
	}{
		{"nothing set leaves all at their defaults", "", ""},
		{"a gate set to its default is not a difference", "SchedulerPopFromBackoffQ=true,SidecarContainers=true", ""},
		{"a gate is set by name", "SchedulerPopFromBackoffQ=false", "SchedulerPopFromBackoffQ=false"},
		{"spaces, empty pairs and kube's own prefix are allowed", " ,kube:SchedulerAsyncAPICalls = 1,, ", "SchedulerAsyncAPICalls=true"},
		{"gates of other components are taken as well", "NodeSwap=true,GracefulNodeShutdown=true,SchedulerAsyncAPICalls=true", "SchedulerAsyncAPICalls=true"},
		{"the last value counts", "GenericWorkload=true,GenericWorkload=false", ""},
		{"GA gates that are not locked can be turned off", "VolumeAttributesClass=false", "VolumeAttributesClass=false"},
		{
			"AllBeta turns off beta gates but neither alpha nor GA ones", "AllBeta=false",
			"ClearingNominatedNodeNameAfterBinding=false ContextualLogging=false DRAAdminAccess=false DRAPrioritizedList=false " +
				"DRAResourceClaimDeviceStatus=false DRASchedulerFilterTimeout=false MatchLabelKeysInPodTopologySpread=false " +
				"MatchLabelKeysInPodTopologySpreadSelectorMerge=false MutableCSINodeAllocatableCount=false " +
				"NominatedNodeNameForExpectation=false OpportunisticBatching=false PodLevelResources=false " +
				"SchedulerAsyncPreemption=false SchedulerPopFromBackoffQ=false",
		},
		{
			"AllBeta turns on the beta gates that are off, and a gate's own name wins", "CoordinatedLeaderElection=false,AllBeta=true",
			"AllBeta=true SchedulerAsyncAPICalls=true",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := config.ParseFeatureFlag(tt.flag)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.flipped, flipped(f)); diff != "" {
				t.Errorf("gates off their defaults (-want +got)\n%s", diff)
			}
		})
	}
}

func TestParseFeatures_BoundsGates(t *testing.T) {
	set := map[string]bool{}
	for i := range 1001 {
		set[strconv.Itoa(i)] = true
	}
	if _, err := config.ParseFeatures(set); err == nil || err.Error() != "1001 feature gates are set: there are not so many" {
		t.Errorf("the error is %v", err)
	}
}

func TestParseFeatures_ReportsAllErrors(t *testing.T) {
	for _, tt := range []struct {
		name, flag string
		want       []string
	}{
		{"an unknown gate", "Sharding=true", []string{"unrecognized feature gate: Sharding"}},
		{"a locked gate of another component", "NodeSwap=false", []string{"cannot set feature gate NodeSwap to false, feature is locked to true"}},
		{"a gate without value", "AllAlpha", []string{"missing bool value for AllAlpha"}},
		{"a value that is not a boolean", "AllAlpha=maybe", []string{`invalid value of AllAlpha=maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax`}},
		{"a locked gate", "SidecarContainers=false", []string{"cannot set feature gate SidecarContainers to false, feature is locked to true"}},
		{"a child without its parent", "GangScheduling=true", []string{"GangScheduling is enabled, but depends on features that are disabled: [GenericWorkload]"}},
		{"a parent turned off under its child", "MatchLabelKeysInPodTopologySpread=false", []string{
			"MatchLabelKeysInPodTopologySpreadSelectorMerge is enabled, but depends on features that are disabled: [MatchLabelKeysInPodTopologySpread]",
		}},
		{"a child of several parents names those that are off", "InPlacePodLevelResourcesVerticalScaling=true,PodLevelResources=false", []string{
			"InPlacePodLevelResourcesVerticalScaling is enabled, but depends on features that are disabled: [NodeDeclaredFeatures PodLevelResources]",
		}},
		{"all of it at once, and hostile names made visible", "x\x1b[2J=true,Y,SchedulerQueueingHints=0,DRADeviceTaintRules=1", []string{
			"missing bool value for Y",
			"cannot set feature gate SchedulerQueueingHints to false, feature is locked to true",
			`unrecognized feature gate: x\x1b[2J`,
			"DRADeviceTaintRules is enabled, but depends on features that are disabled: [DRADeviceTaints]",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := config.ParseFeatureFlag(tt.flag)
			if err == nil {
				t.Fatalf("no error, but %s", flipped(f))
			}
			if diff := cmp.Diff(tt.want, strings.Split(err.Error(), "\n")); diff != "" {
				t.Errorf("errors (-want +got)\n%s", diff)
			}
			if f != config.DefaultFeatures() {
				t.Errorf("a failed parse left %s", flipped(f))
			}
		})
	}
}

func TestFeatures_UnknownGatePanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("asking for a gate that does not exist went unnoticed")
		}
	}()
	config.DefaultFeatures().Enabled("SchedulerMagic")
}

func TestFeatures_ListIsSorted(t *testing.T) {
	byName := func(a, b config.FeatureStatus) int { return strings.Compare(string(a.Name), string(b.Name)) }
	list := config.DefaultFeatures().List()
	if !slices.IsSortedFunc(list, byName) || len(list) != 218 {
		t.Errorf("%d gates, or they are not sorted, which Enabled relies on", len(list))
	}
	for _, f := range list {
		if f.Enabled != f.Default || f.Enabled != config.DefaultFeatures().Enabled(f.Name) {
			t.Errorf("%s is %v by default", f.Name, f.Enabled)
		}
	}
}

// Whatever is accepted is as it was asked for, and keeps every gate's parents on.
func TestParseFeatures_RequiredGates(t *testing.T) {
	list := config.DefaultFeatures().List()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(list).Filter(func(f config.FeatureStatus) bool { return !f.Locked })
		set := rapid.MapOfN(rapid.Map(name, func(f config.FeatureStatus) string { return string(f.Name) }), rapid.Bool(), 0, 6).Draw(t, "gates")
		f, err := config.ParseFeatures(set)
		if err != nil {
			return
		}
		for gate, on := range set {
			if f.Enabled(featuregate.Feature(gate)) != on {
				t.Errorf("%s was to be %v", gate, on)
			}
		}
		for _, s := range f.List() {
			if parentsOff := slices.DeleteFunc(s.Requires, f.Enabled); s.Enabled && len(parentsOff) > 0 {
				t.Errorf("%s is on without %v", s.Name, parentsOff)
			}
		}
	})
}

func TestFeatures_ChangedGatesReadBack(t *testing.T) {
	for _, flag := range []string{"", "SchedulerPopFromBackoffQ=false,GenericWorkload=true", "AllBeta=false", "AllBeta=true,SchedulerAsyncAPICalls=false"} {
		f, err := config.ParseFeatureFlag(flag)
		if err != nil {
			t.Fatal(err)
		}
		again, err := config.ParseFeatureFlag(f.Changed()...)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(f.Changed(), again.Changed()); diff != "" {
			t.Errorf("%q: read back (-want +got)\n%s", flag, diff)
		}
	}
	if f, _ := config.ParseFeatureFlag("SchedulerPopFromBackoffQ=false,GenericWorkload=true,NodeSwap=true"); !slices.Equal(f.Changed(), []string{"GenericWorkload=true", "SchedulerPopFromBackoffQ=false"}) {
		t.Errorf("changed are %v", f.Changed())
	}
}

// flipped lists the gates of scheduling that are not at their defaults.
func flipped(f config.Features) string {
	var out []string
	for _, s := range f.List() {
		if s.Enabled != s.Default && !s.Foreign {
			out = append(out, fmt.Sprintf("%s=%v", s.Name, s.Enabled))
		}
	}
	return strings.Join(out, " ")
}
