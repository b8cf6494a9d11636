package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"orrery/core/scheduler/config"
)

const head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

// What becomes of a profile's plugins is told as what differs from the default list, which is
// "..., TaintToleration:3, NodeAffinity:2, NodePorts, NodeResourcesFit:1, ..., ImageLocality:1, DefaultBinder".
// Shows FRAME-30.
func TestMerge_ProfileWithDefaultPlugins(t *testing.T) {
	const (
		first  = "SchedulingGates PrioritySort NodeUnschedulable NodeName "
		middle = " NodePorts NodeResourcesFit:1 VolumeRestrictions NodeVolumeLimits VolumeBinding VolumeZone PodTopologySpread:2 InterPodAffinity:2 DynamicResources:2 DefaultPreemption NodeResourcesBalancedAllocation:1"
		all    = first + "TaintToleration:3 NodeAffinity:2" + middle + " ImageLocality:1 DefaultBinder"
	)
	for _, tt := range []struct {
		name, gates, plugins string
		want                 map[string]string
	}{
		{
			"no plugins: the default ones, at MultiPoint only", "", "{}",
			map[string]string{"multiPoint": all},
		},
		{
			"gang scheduling comes last, after declared features", "GenericWorkload=true,GangScheduling=true,NodeDeclaredFeatures=true", "{}",
			map[string]string{"multiPoint": all + " NodeDeclaredFeatures GangScheduling"},
		},
		{
			"a new plugin is appended", "", "{multiPoint: {enabled: [{name: Own, weight: 4}]}}",
			map[string]string{"multiPoint": all + " Own:4"},
		},
		{
			"a default plugin is reconfigured in its place", "", "{multiPoint: {enabled: [{name: Own}, {name: TaintToleration, weight: 7}]}}",
			map[string]string{"multiPoint": first + "TaintToleration:7 NodeAffinity:2" + middle + " ImageLocality:1 DefaultBinder Own"},
		},
		{
			"a plugin that is reconfigured without a weight loses its default weight", "", "{multiPoint: {enabled: [{name: TaintToleration}]}}",
			map[string]string{"multiPoint": first + "TaintToleration NodeAffinity:2" + middle + " ImageLocality:1 DefaultBinder"},
		},
		{
			"disabled and enabled: moved to the end", "", "{multiPoint: {disabled: [{name: TaintToleration}], enabled: [{name: Own}, {name: TaintToleration, weight: 3}]}}",
			map[string]string{"multiPoint": first + "NodeAffinity:2" + middle + " ImageLocality:1 DefaultBinder Own TaintToleration:3 -TaintToleration"},
		},
		{
			"a star disables all defaults, a weight beside it means nothing", "", `{multiPoint: {disabled: [{name: "*", weight: 3}], enabled: [{name: Own}, {name: NodeName}]}}`,
			map[string]string{"multiPoint": "Own NodeName -*"},
		},
		{
			"what is disabled is kept in its order, known or not", "", `{score: {disabled: [{name: Own}, {name: ImageLocality}]}}`,
			map[string]string{"multiPoint": all, "score": "-Own -ImageLocality"},
		},
		{
			"a specific extension point starts empty and keeps its own lists", "", `{score: {disabled: [{name: "*"}], enabled: [{name: ImageLocality, weight: 5}]}, filter: {disabled: [{name: NodeName}]}}`,
			map[string]string{"multiPoint": all, "score": "ImageLocality:5 -*", "filter": "-NodeName"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			features, err := config.ParseFeatureFlag(tt.gates)
			if err != nil {
				t.Fatal(err)
			}
			c, err := config.Load([]byte(head+"profiles: [{plugins: "+tt.plugins+"}]"), features)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{"multiPoint": spell(c.Profiles[0].Plugins.MultiPoint)}
			for _, point := range config.ExtensionPoints(c.Profiles[0].Plugins) {
				if list := spell(*point.Set); list != "" {
					got[point.Name] = list
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("merged plugins (-want +got)\n%s", diff)
			}
		})
	}
}

func TestMerge_ArgsFollowEnabledPlugins(t *testing.T) {
	load := func(profile string) config.Profile {
		t.Helper()
		c, err := config.Load([]byte(head+"profiles: [{"+profile+"}]"), config.Features{})
		if err != nil {
			t.Fatal(err)
		}
		return c.Profiles[0]
	}
	p := load(`plugins: {multiPoint: {disabled: [{name: "*"}]}, filter: {enabled: [{name: NodeAffinity}, {name: Own}]}, bind: {enabled: [{name: DefaultBinder}]}}`)
	if got := strings.Join(config.EnabledPlugins(p.Plugins), " "); got != "DefaultBinder NodeAffinity Own" {
		t.Errorf("enabled: %s", got)
	}
	if _, ok := p.Args["NodeAffinity"].(*configv1.NodeAffinityArgs); !ok || len(p.Args) != 1 {
		t.Errorf("want default args for NodeAffinity alone, got %v", p.Args)
	}
	p = load(`plugins: {multiPoint: {disabled: [{name: "*"}]}}, pluginConfig: [{name: VolumeBinding}, {name: Own, args: {a: 1}}, {name: Bare}]`)
	if args, ok := p.Args["VolumeBinding"].(*configv1.VolumeBindingArgs); !ok || *args.BindTimeoutSeconds != 600 {
		t.Errorf("args of a plugin that is not enabled were not completed: %v", p.Args["VolumeBinding"])
	}
	if bare, there := p.Args["Bare"]; !there || bare != nil {
		t.Errorf("args that were not written became %v", bare)
	}
}

func spell(set configv1.PluginSet) string {
	var words []string
	for _, p := range set.Enabled {
		word := p.Name
		if p.Weight != nil {
			word += fmt.Sprint(":", *p.Weight)
		}
		words = append(words, word)
	}
	for _, p := range set.Disabled {
		word := "-" + p.Name
		if p.Weight != nil {
			word += fmt.Sprint(":", *p.Weight)
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}
