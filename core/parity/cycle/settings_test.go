package cycle

import (
	"fmt"
	"maps"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	upconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"

	"orrery/core/parity/difftest"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/release"
)

// drawnGates are the gates that cases set.
var drawnGates = []string{
	"TaintTolerationComparisonOperators", "InPlacePodLevelResourcesVerticalScaling", "PodLevelResources", "SchedulerPopFromBackoffQ",
	"SchedulerAsyncPreemption", "OpportunisticBatching", "StorageCapacityScoring", "VolumeLimitScaling", "DRAConsumableCapacity",
	"DRAPartitionableDevices", "DRADeviceTaints", "DRAExtendedResource",
}

// gatesHere are the gates of a case in this process, where another one may have set them: those of drawnGates that the case leaves alone have
// their defaults.
func gatesHere(c *clusterCase) map[string]bool {
	all, features := map[string]bool{}, config.FeaturesOf(release.Newest)
	for _, name := range drawnGates {
		all[name] = features.Enabled(featuregate.Feature(name))
	}
	maps.Copy(all, gatesOf(release.Newest, c.Gates))
	return all
}

// settings are a case's configuration as both have loaded it.
type settings struct {
	upstreamConfig *upconfig.KubeSchedulerConfiguration
	orreryConfig   *config.Configuration
	features       config.Features
	popFromBackoff bool // pods may be popped from backoffQ
}

// oneWorker is the parallelism of both, so that nodes are searched in one order.
const oneWorker = 1

// read loads a configuration on both sides. Without settings and without a mismatch both reject it: then there is nothing to
// compare.
func read(c *clusterCase, gates map[string]bool) (_ *settings, mismatch string) {
	all := gatesHere(c)
	maps.Copy(all, gates)
	features, ourErr := config.ParseFeaturesOf(release.Newest, all)
	theirErr := utilfeature.DefaultMutableFeatureGate.SetFromMap(all)
	if ourErr != nil || theirErr != nil {
		return nil, rejected(theirErr, ourErr)
	}
	text := c.ConfigYAML()
	ours, ourErr := config.Load(text, features)
	theirs, theirErr := readTheirs(text)
	if ourErr != nil || theirErr != nil {
		return nil, rejected(theirErr, ourErr)
	}
	ours.Parallelism = oneWorker
	return &settings{theirs, ours, features, all["SchedulerPopFromBackoffQ"]}, ""
}

// rejected is the mismatch of two errors of which one may be nil.
func rejected(theirs, ours error) (mismatch string) {
	if theirs != nil && ours != nil {
		return ""
	}
	return fmt.Sprintf("configuration: only one rejects it: kube-scheduler returned %v, Orrery %v", theirs, ours)
}

func readTheirs(text []byte) (*upconfig.KubeSchedulerConfiguration, error) {
	object, _, err := scheme.Codecs.UniversalDecoder().Decode(text, nil, nil)
	if err != nil {
		return nil, err
	}
	c := object.(*upconfig.KubeSchedulerConfiguration)
	c.APIVersion = "kubescheduler.config.k8s.io/v1"
	if err := validation.ValidateKubeSchedulerConfiguration(c); err != nil {
		return nil, err
	}
	for _, profile := range c.Profiles {
		for _, plugin := range profile.PluginConfig {
			if args, ok := plugin.Args.(*upconfig.NodeResourcesFitArgs); ok { // which the plugin validates itself
				if err := validation.ValidateNodeResourcesFitArgs(nil, args); err != nil {
					return nil, err
				}
			}
		}
	}
	difftest.IgnoreManagedResources(c) // for the runtimes that are compared without a scheduler
	return c, nil
}
