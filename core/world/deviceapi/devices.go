package deviceapi

import (
	"fmt"
	"regexp"
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// maxKey is the longest name of an attribute or a capacity with its domain.
const maxKey = resourcev1.DeviceMaxDomainLength + 1 + resourcev1.DeviceMaxIDLength

// device checks a device of a slice; old is the same one before, nil for a new one. Taints that did not change are not checked
// again.
func device(d, old *resourcev1.Device, perDevice bool, path *field.Path) field.ErrorList {
	wrong := label(d.Name, path.Child("name"))
	if n := len(d.Attributes) + len(d.Capacity); n > resourcev1.ResourceSliceMaxAttributesAndCapacitiesPerDevice {
		wrong = append(wrong, field.Invalid(path, n, fmt.Sprintf("the total number of attributes and capacities must not exceed %d",
			resourcev1.ResourceSliceMaxAttributesAndCapacitiesPerDevice)))
	}
	wrong = append(wrong, eachEntry(d.Attributes, unlimited, maxKey, path.Child("attributes"), attributeName, attribute)...)
	wrong = append(wrong, eachEntry(d.Capacity, unlimited, maxKey, path.Child("capacity"), attributeName,
		func(c resourcev1.DeviceCapacity, at *field.Path) field.ErrorList {
			return capacity(&c, d.AllowMultipleAllocations != nil && *d.AllowMultipleAllocations, at)
		})...)
	if old == nil || !equality.Semantic.DeepEqual(old.Taints, d.Taints) {
		wrong = append(wrong, each(d.Taints, resourcev1.DeviceTaintsMaxLength, path.Child("taints"),
			func(t *resourcev1.DeviceTaint, at *field.Path) field.ErrorList {
				return taint(t.Key, t.Value, string(t.Effect), false, at)
			})...)
	}
	wrong = append(wrong, eachOnce(d.ConsumesCounters, resourcev1.ResourceSliceMaxDeviceCounterConsumptionsPerDevice, path.Child("consumesCounters"),
		func(u *resourcev1.DeviceCounterConsumption) string { return u.CounterSet },
		func(u *resourcev1.DeviceCounterConsumption, at *field.Path) field.ErrorList {
			return append(requiredLabel(u.CounterSet, at.Child("counterSet")),
				counters(u.Counters, resourcev1.ResourceSliceMaxCountersPerDeviceCounterConsumption, at.Child("counters"))...)
		})...)
	wrong = append(wrong, deviceNodes(d, perDevice, path)...)
	return append(wrong, bindingConditions(d.BindingConditions, d.BindingFailureConditions, path)...)
}

// deviceNodes checks which nodes reach a device, which it says if its slice leaves it to the devices.
func deviceNodes(d *resourcev1.Device, perDevice bool, path *field.Path) field.ErrorList {
	if !perDevice {
		if d.NodeName != nil || d.NodeSelector != nil || d.AllNodes != nil {
			return field.ErrorList{field.Invalid(path, nil,
				"`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec")}
		}
		return nil
	}
	var wrong field.ErrorList
	var set []string
	if name := d.NodeName; name != nil {
		at := path.Child("nodeName")
		if *name == "" {
			wrong = append(wrong, field.Invalid(at, *name, "must not be empty"))
		} else {
			set = append(set, "`nodeName`")
			wrong = append(wrong, Invalid(at, *name, validation.IsDNS1123Subdomain(*name))...)
		}
	}
	if d.NodeSelector != nil {
		set = append(set, "`nodeSelector`")
		wrong = append(wrong, NodeSelector(d.NodeSelector, path.Child("nodeSelector"))...)
	}
	wrong = append(wrong, onlyTrue(d.AllNodes, "`allNodes`", &set, path.Child("allNodes"))...)
	const one = "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec"
	switch len(set) {
	case 0:
		return append(wrong, field.Required(path, one))
	case 1:
		return wrong
	}
	return append(wrong, conflict(path, set, one))
}

// semver is a version of semver.org 2.0.0: three numbers, and perhaps a pre-release and a build.
var semver = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)` +
	`(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?` +
	`(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$`)

// attribute checks that an attribute has one value.
func attribute(a resourcev1.DeviceAttribute, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	n := 0
	for _, is := range []bool{a.BoolValue != nil, a.IntValue != nil, a.StringValue != nil, a.VersionValue != nil} {
		if is {
			n++
		}
	}
	if text := a.StringValue; text != nil && len(*text) > resourcev1.DeviceAttributeMaxValueLength {
		wrong = append(wrong, field.TooLong(path.Child("string"), "", resourcev1.DeviceAttributeMaxValueLength))
	}
	if version := a.VersionValue; version != nil {
		at := path.Child("version")
		if !semver.MatchString(*version) {
			wrong = append(wrong, field.Invalid(at, *version, "must be a string compatible with semver.org spec 2.0.0"))
		}
		if len(*version) > resourcev1.DeviceAttributeMaxValueLength {
			wrong = append(wrong, field.TooLong(at, "", resourcev1.DeviceAttributeMaxValueLength))
		}
	}
	switch n {
	case 0:
		wrong = append(wrong, field.Invalid(path, "", "exactly one value must be specified"))
	case 1:
	default:
		wrong = append(wrong, field.Invalid(path, a, "exactly one value must be specified"))
	}
	return wrong
}

// bindingConditions checks the conditions of a device's binding and of its failure: they go together, and differ.
func bindingConditions(ready, failed []string, path *field.Path) field.ErrorList {
	readyPath, failedPath := path.Child("bindingConditions"), path.Child("bindingFailureConditions")
	wrong := conditionTypes(ready, resourcev1.BindingConditionsMaxSize, readyPath)
	wrong = append(wrong, conditionTypes(failed, resourcev1.BindingFailureConditionsMaxSize, failedPath)...)
	for i, condition := range failed {
		if slices.Contains(ready, condition) {
			wrong = append(wrong, field.Invalid(failedPath.Index(i), condition, "bindingFailureConditions must not overlap with bindingConditions"))
		}
	}
	if len(ready) == 0 && len(failed) > 0 {
		wrong = append(wrong, field.Invalid(readyPath, ready, "bindingConditions are required to use bindingFailureConditions"))
	}
	if len(failed) == 0 && len(ready) > 0 {
		wrong = append(wrong, field.Invalid(failedPath, failed, "bindingFailureConditions are required to use bindingConditions"))
	}
	return wrong
}

// conditionTypes checks the types of conditions. Duplicates are found in a list that is too long, too.
func conditionTypes(list []string, most int, path *field.Path) field.ErrorList {
	wrong := each(list, most, path, func(s *string, at *field.Path) field.ErrorList { return labelKey(*s, at) })
	for i, condition := range list {
		if slices.Contains(list[:i], condition) {
			wrong = append(wrong, field.Duplicate(path.Index(i), condition))
		}
	}
	return wrong
}
