package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"k8s.io/utils/ptr"

	"orrery/core/scheduler/release"
)

const (
	maxShapeScore  = 10  // of a point of a utilization shape
	maxUtilization = 100 // percent
)

var scoringStrategyTypes = []string{string(configv1.LeastAllocated), string(configv1.MostAllocated), string(configv1.RequestedToCapacityRatio)}

// validateArgs checks the args of in-tree plugins and ignores those of others.
func validateArgs(path *field.Path, plugin string, args runtime.Object, features Features) field.ErrorList {
	want := configv1.SchemeGroupVersion.WithKind(plugin + "Args")
	if !scheme.Recognizes(want) {
		return nil
	}
	if !isOfKind(args, want) {
		return field.ErrorList{field.Invalid(path, args, "has to match plugin args")}
	}
	var err error
	switch a := args.(type) {
	case *configv1.DefaultPreemptionArgs:
		err = ValidateDefaultPreemptionArgs(path, a)
	case *configv1.InterPodAffinityArgs:
		err = ValidateInterPodAffinityArgs(path, a)
	case *configv1.NodeAffinityArgs:
		err = ValidateNodeAffinityArgs(path, a)
	case *configv1.NodeResourcesFitArgs:
		err = ValidateNodeResourcesFitArgs(path, a, features)
	case *configv1.NodeResourcesBalancedAllocationArgs:
		err = ValidateNodeResourcesBalancedAllocationArgs(path, a)
	case *configv1.PodTopologySpreadArgs:
		err = ValidatePodTopologySpreadArgs(path, a)
	case *configv1.VolumeBindingArgs:
		err = ValidateVolumeBindingArgs(path, a, features)
	case *configv1.DynamicResourcesArgs:
		err = ValidateDynamicResourcesArgs(path, a, features)
	}
	return asFieldErrors(path, err)
}

// isOfKind compares Go types, since args made in code may lack their kind.
func isOfKind(args runtime.Object, want schema.GroupVersionKind) bool {
	if args == nil {
		return false
	}
	kinds, _, err := scheme.ObjectKinds(args)
	return err == nil && slices.Contains(kinds, want)
}

// ValidateDefaultPreemptionArgs rejects shares and counts of candidate nodes that leave none.
func ValidateDefaultPreemptionArgs(path *field.Path, args *configv1.DefaultPreemptionArgs) error {
	var errs field.ErrorList
	percentage, percentagePath := ptr.Deref(args.MinCandidateNodesPercentage, 0), path.Child("minCandidateNodesPercentage")
	absolute, absolutePath := ptr.Deref(args.MinCandidateNodesAbsolute, 0), path.Child("minCandidateNodesAbsolute")
	if percentage < 0 || percentage > 100 {
		errs = append(errs, field.Invalid(percentagePath, percentage, "not in valid range [0, 100]"))
	}
	if absolute < 0 {
		errs = append(errs, field.Invalid(absolutePath, absolute, "not in valid range [0, inf)"))
	}
	if percentage == 0 && absolute == 0 {
		errs = append(errs,
			field.Invalid(percentagePath, percentage, "cannot be zero at the same time as minCandidateNodesAbsolute"),
			field.Invalid(absolutePath, absolute, "cannot be zero at the same time as minCandidateNodesPercentage"))
	}
	return errs.ToAggregate()
}

// ValidateInterPodAffinityArgs checks the weight of required affinity in scores.
func ValidateInterPodAffinityArgs(path *field.Path, args *configv1.InterPodAffinityArgs) error {
	if w := ptr.Deref(args.HardPodAffinityWeight, 0); w < 0 || w > 100 {
		return field.Invalid(path.Child("hardPodAffinityWeight"), w, "not in valid range [0, 100]")
	}
	return nil
}

// ValidateNodeAffinityArgs checks that the added affinity can be parsed.
func ValidateNodeAffinityArgs(path *field.Path, args *configv1.NodeAffinityArgs) error {
	if args.AddedAffinity == nil {
		return nil
	}
	var errs []error
	path = path.Child("addedAffinity")
	if required := args.AddedAffinity.RequiredDuringSchedulingIgnoredDuringExecution; required != nil {
		_, err := nodeaffinity.NewNodeSelector(required, field.WithPath(path.Child("requiredDuringSchedulingIgnoredDuringExecution")))
		errs = append(errs, err)
	}
	if preferred := args.AddedAffinity.PreferredDuringSchedulingIgnoredDuringExecution; len(preferred) > 0 {
		_, err := nodeaffinity.NewPreferredSchedulingTerms(preferred, field.WithPath(path.Child("preferredDuringSchedulingIgnoredDuringExecution")))
		errs = append(errs, err)
	}
	return utilerrors.Flatten(utilerrors.NewAggregate(errs))
}

// ValidateNodeResourcesFitArgs checks names, weights and the shape of the scoring strategy.
func ValidateNodeResourcesFitArgs(path *field.Path, args *configv1.NodeResourcesFitArgs, features Features) error {
	var errs field.ErrorList
	for i, name := range args.IgnoredResources {
		errs = append(errs, metav1validation.ValidateLabelName(name, path.Child("ignoredResources").Index(i))...)
	}
	for i, group := range args.IgnoredResourceGroups {
		at := path.Child("ignoredResourceGroups").Index(i)
		if strings.Contains(group, "/") {
			errs = append(errs, field.Invalid(at, group, "resource group name can't contain '/'"))
		}
		errs = append(errs, metav1validation.ValidateLabelName(group, at)...)
	}
	if args.ScoringStrategy != nil {
		errs = append(errs, validateScoringStrategy(path.Child("scoringStrategy"), args.ScoringStrategy, features)...)
	}
	return errs.ToAggregate()
}

func validateScoringStrategy(path *field.Path, strategy *configv1.ScoringStrategy, features Features) field.ErrorList {
	var errs field.ErrorList
	if !slices.Contains(scoringStrategyTypes, string(strategy.Type)) {
		errs = append(errs, field.NotSupported(path.Child("type"), strategy.Type, scoringStrategyTypes))
	}
	for i, r := range strategy.Resources {
		if r.Weight <= 0 || r.Weight > 100 {
			errs = append(errs, field.Invalid(path.Child("resources").Index(i).Child("weight"), r.Weight,
				fmt.Sprintf("resource weight of %v not in valid range (0, 100]", r.Name)))
		}
	}
	if features.Has(release.RatioOnlyWithItsType) {
		return append(errs, validateRatio(path.Child("requestedToCapacityRatio"), strategy)...)
	}
	if strategy.RequestedToCapacityRatio != nil {
		return append(errs, validateShape(path.Child("shape"), strategy.RequestedToCapacityRatio.Shape)...)
	}
	if strategy.Type == configv1.RequestedToCapacityRatio {
		errs = append(errs, field.Required(path.Child("requestedToCapacityRatio"), "a shape must be given when the type is RequestedToCapacityRatio"))
	}
	return errs
}

// validateRatio wants a shape with the type that has one, and none with the others.
func validateRatio(path *field.Path, strategy *configv1.ScoringStrategy) field.ErrorList {
	ratio, of := strategy.RequestedToCapacityRatio, strategy.Type == configv1.RequestedToCapacityRatio
	switch {
	case of && ratio == nil:
		return field.ErrorList{field.Required(path, "must be specified when type is RequestedToCapacityRatio")}
	case of:
		return validateShape(path.Child("shape"), ratio.Shape)
	case ratio != nil:
		return field.ErrorList{field.Forbidden(path, "must be nil when type is not RequestedToCapacityRatio")}
	}
	return nil
}

// validateShape checks a piecewise linear function from utilization to score.
func validateShape(path *field.Path, shape []configv1.UtilizationShapePoint) field.ErrorList {
	if len(shape) == 0 {
		return field.ErrorList{field.Required(path, "at least one point must be specified")}
	}
	var errs field.ErrorList
	for i := 1; i < len(shape); i++ {
		if shape[i-1].Utilization >= shape[i].Utilization {
			errs = append(errs, field.Invalid(path.Index(i).Child("utilization"), shape[i].Utilization, "values must be sorted in increasing order"))
			break
		}
	}
	for i, point := range shape {
		if point.Utilization < 0 || point.Utilization > maxUtilization {
			errs = append(errs, field.Invalid(path.Index(i).Child("utilization"), point.Utilization, "not in valid range [0, 100]"))
		}
		if point.Score < 0 || point.Score > maxShapeScore {
			errs = append(errs, field.Invalid(path.Index(i).Child("score"), point.Score, "not in valid range [0, 10]"))
		}
	}
	return errs
}

// ValidateNodeResourcesBalancedAllocationArgs: each resource once, all of the same weight.
func ValidateNodeResourcesBalancedAllocationArgs(path *field.Path, args *configv1.NodeResourcesBalancedAllocationArgs) error {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, r := range args.Resources {
		at := path.Child("resources").Index(i)
		if seen[r.Name] {
			errs = append(errs, field.Duplicate(at.Child("name"), r.Name))
		}
		seen[r.Name] = true
		if r.Weight != 1 {
			errs = append(errs, field.Invalid(at.Child("weight"), r.Weight, "must be 1"))
		}
	}
	return errs.ToAggregate()
}

// ValidatePodTopologySpreadArgs applies the rules of a pod's own constraints to default constraints, and forbids them
// selectors.
func ValidatePodTopologySpreadArgs(path *field.Path, args *configv1.PodTopologySpreadArgs) error {
	var errs field.ErrorList
	typePath := path.Child("defaultingType")
	switch {
	case args.DefaultingType != configv1.SystemDefaulting && args.DefaultingType != configv1.ListDefaulting:
		errs = append(errs, field.NotSupported(typePath, args.DefaultingType, []string{string(configv1.SystemDefaulting), string(configv1.ListDefaulting)}))
	case args.DefaultingType == configv1.SystemDefaulting && len(args.DefaultConstraints) > 0:
		errs = append(errs, field.Invalid(typePath, args.DefaultingType, "when .defaultConstraints are not empty"))
	}
	type identity struct {
		topologyKey string
		action      v1.UnsatisfiableConstraintAction
	}
	seen := map[identity]bool{}
	for i, c := range args.DefaultConstraints {
		at := path.Child("defaultConstraints").Index(i)
		errs = append(errs, validateConstraint(at, c)...)
		if id := (identity{c.TopologyKey, c.WhenUnsatisfiable}); seen[id] {
			errs = append(errs, field.Duplicate(at, fmt.Sprintf("{%v, %v}", c.TopologyKey, c.WhenUnsatisfiable)))
		} else {
			seen[id] = true
		}
	}
	return errs.ToAggregate()
}

func validateConstraint(path *field.Path, c v1.TopologySpreadConstraint) field.ErrorList {
	var errs field.ErrorList
	if c.MaxSkew <= 0 {
		errs = append(errs, field.Invalid(path.Child("maxSkew"), c.MaxSkew, "not in valid range (0, inf)"))
	}
	if c.TopologyKey == "" {
		errs = append(errs, field.Required(path.Child("topologyKey"), "can not be empty"))
	} else {
		errs = append(errs, metav1validation.ValidateLabelName(c.TopologyKey, path.Child("topologyKey"))...)
	}
	switch c.WhenUnsatisfiable {
	case v1.DoNotSchedule, v1.ScheduleAnyway:
	case "":
		errs = append(errs, field.Required(path.Child("whenUnsatisfiable"), "can not be empty"))
	default:
		errs = append(errs, field.NotSupported(path.Child("whenUnsatisfiable"), c.WhenUnsatisfiable, []string{string(v1.DoNotSchedule), string(v1.ScheduleAnyway)}))
	}
	if c.LabelSelector != nil {
		errs = append(errs, field.Forbidden(path.Child("labelSelector"), "constraint must not define a selector, as they deduced for each pod"))
	}
	return errs
}

// ValidateVolumeBindingArgs allows a shape only with StorageCapacityScoring on.
func ValidateVolumeBindingArgs(path *field.Path, args *configv1.VolumeBindingArgs, features Features) error {
	var errs field.ErrorList
	if timeout := ptr.Deref(args.BindTimeoutSeconds, 0); timeout < 0 {
		errs = append(errs, field.Invalid(path.Child("bindTimeoutSeconds"), timeout, "invalid BindTimeoutSeconds, should not be a negative value"))
	}
	if features.Enabled(StorageCapacityScoring) {
		errs = append(errs, validateShape(path.Child("shape"), args.Shape)...)
	} else if args.Shape != nil {
		errs = append(errs, field.Invalid(path.Child("shape"), args.Shape, "unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring"))
	}
	return errs.ToAggregate()
}

// ValidateDynamicResourcesArgs rejects a timeout whose gate is off, since it would have no effect.
func ValidateDynamicResourcesArgs(path *field.Path, args *configv1.DynamicResourcesArgs, features Features) error {
	var errs field.ErrorList
	if filter := args.FilterTimeout; filter != nil {
		at := path.Child("filterTimeout")
		if !features.Enabled(DRASchedulerFilterTimeout) {
			errs = append(errs, field.Forbidden(at, "DRASchedulingFilterTimeout feature gate is disabled"))
		} else if filter.Duration < 0 {
			errs = append(errs, field.Invalid(at, filter, "must be zero or positive"))
		}
	}
	if binding := args.BindingTimeout; binding != nil {
		at := path.Child("bindingTimeout")
		if !bindingConditions(features) {
			errs = append(errs, field.Forbidden(at, "DRADeviceBindingConditions or DRAResourceClaimDeviceStatus feature gate is disabled"))
		} else if binding.Duration < time.Second {
			errs = append(errs, field.Invalid(at, binding, "must be at least 1 second"))
		}
	}
	return errs.ToAggregate()
}
