package config

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	configv1 "k8s.io/kube-scheduler/config/v1"
)

// DefaultArgs returns the args of a plugin for which none are configured, or nil if the plugin takes none.
func DefaultArgs(plugin string, features Features) runtime.Object {
	kind := configv1.SchemeGroupVersion.WithKind(plugin + "Args")
	args, err := scheme.New(kind)
	if err != nil {
		return nil // not an in-tree plugin, or one without args
	}
	setArgsDefaults(args, features)
	args.GetObjectKind().SetGroupVersionKind(kind)
	return args
}

// setArgsDefaults sets the defaults of a plugin's args, in place.
func setArgsDefaults(args runtime.Object, features Features) {
	switch a := args.(type) {
	case *configv1.DefaultPreemptionArgs:
		setDefault(&a.MinCandidateNodesPercentage, 10)
		setDefault(&a.MinCandidateNodesAbsolute, 100)
	case *configv1.InterPodAffinityArgs:
		setDefault(&a.HardPodAffinityWeight, 1)
	case *configv1.PodTopologySpreadArgs:
		setNonZero(&a.DefaultingType, configv1.SystemDefaulting)
	case *configv1.NodeResourcesFitArgs:
		setScoringStrategyDefaults(a)
	case *configv1.NodeResourcesBalancedAllocationArgs:
		a.Resources = withResourceDefaults(a.Resources)
	case *configv1.VolumeBindingArgs:
		setDefault(&a.BindTimeoutSeconds, 600)
		if len(a.Shape) == 0 && features.Enabled(StorageCapacityScoring) {
			a.Shape = []configv1.UtilizationShapePoint{{Utilization: 0, Score: maxShapeScore}, {Utilization: 100, Score: 0}}
		}
	case *configv1.DynamicResourcesArgs:
		if features.Enabled(DRASchedulerFilterTimeout) {
			setDefault(&a.FilterTimeout, metav1.Duration{Duration: configv1.DynamicResourcesFilterTimeoutDefault})
		}
		if bindingConditions(features) {
			setDefault(&a.BindingTimeout, metav1.Duration{Duration: configv1.DynamicResourcesBindingTimeoutDefault})
		}
	}
}

// setScoringStrategyDefaults keeps an empty type if a strategy is written: validation then rejects it.
func setScoringStrategyDefaults(a *configv1.NodeResourcesFitArgs) {
	setDefault(&a.ScoringStrategy, configv1.ScoringStrategy{Type: configv1.LeastAllocated})
	a.ScoringStrategy.Resources = withResourceDefaults(a.ScoringStrategy.Resources)
}

func withResourceDefaults(specs []configv1.ResourceSpec) []configv1.ResourceSpec {
	if len(specs) == 0 {
		return []configv1.ResourceSpec{{Name: "cpu", Weight: 1}, {Name: "memory", Weight: 1}}
	}
	for i := range specs {
		setNonZero(&specs[i].Weight, 1)
	}
	return specs
}

// bindingConditions reports whether PreBind may wait for devices to become ready.
func bindingConditions(features Features) bool {
	return features.Enabled(DRADeviceBindingConditions) && features.Enabled(DRAResourceClaimDeviceStatus)
}
