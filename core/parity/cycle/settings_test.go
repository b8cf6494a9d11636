package cycle

import (
	"fmt"
	"maps"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	upconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"

	"orrery/core/parity/difftest"
	"orrery/core/scheduler/config"
)

// defaultGates are the gates that cases set, with their values in other cases.
var defaultGates = map[string]bool{
	"TaintTolerationComparisonOperators":      false,
	"NodeDeclaredFeatures":                    false,
	"InPlacePodLevelResourcesVerticalScaling": false,
	"PodLevelResources":                       true,
	"SchedulerPopFromBackoffQ":                true,
	"SchedulerAsyncPreemption":                true,
	"OpportunisticBatching":                   true,
	"VolumeAttributesClass":                   true,
	"StorageCapacityScoring":                  false,
	"GenericWorkload":                         false,
	"GangScheduling":                          false,
	"DRAConsumableCapacity":                   false,
	"DRAPartitionableDevices":                 false,
	"DRADeviceTaints":                         false,
	"DRAPrioritizedList":                      true,
	"DRAAdminAccess":                          true,
}

// settings are a case's configuration as both have loaded it.
type settings struct {
	upstreamConfig *upconfig.KubeSchedulerConfiguration
	orreryConfig   *config.Configuration
	features       config.Features
	popFromBackoff bool // pods may be popped from backoffQ
}

// read loads a configuration on both sides. Without settings and without a mismatch both reject it: then there is nothing to
// compare.
func read(c *clusterCase, gates map[string]bool) (_ *settings, mismatch string) {
	all := maps.Clone(defaultGates)
	maps.Copy(all, c.Gates)
	maps.Copy(all, gates)
	features, ourErr := config.ParseFeatures(all)
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
	difftest.IgnoreManagedResources(c) // for the runtimes that are compared without a scheduler
	return c, nil
}
