package deviceapi

import (
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// slice checks a resource slice. Its pool's name, its driver and its node never change.
func slice(spec, old *resourcev1.ResourceSliceSpec, path *field.Path) field.ErrorList {
	wrong := driverName(spec.Driver, path.Child("driver"))
	wrong = append(wrong, pool(&spec.Pool, path.Child("pool"))...)
	if old != nil {
		wrong = append(wrong, validation.ValidateImmutableField(spec.Pool.Name, old.Pool.Name, path.Child("pool", "name"))...)
		wrong = append(wrong, validation.ValidateImmutableField(spec.Driver, old.Driver, path.Child("driver"))...)
		wrong = append(wrong, validation.ValidateImmutableField(spec.NodeName, old.NodeName, path.Child("nodeName"))...)
	}
	wrong = append(wrong, sliceNodes(spec, path)...)
	if spec.SharedCounters != nil && spec.Devices != nil {
		wrong = append(wrong, field.Invalid(path, "", "only one of `sharedCounters` or `devices` is allowed"))
	}
	perDevice := spec.PerDeviceNodeSelection != nil && *spec.PerDeviceNodeSelection
	wrong = append(wrong, eachOnce(spec.Devices, mostDevices(spec), path.Child("devices"),
		func(d *resourcev1.Device) string { return d.Name },
		func(d *resourcev1.Device, at *field.Path) field.ErrorList {
			return device(d, deviceNamed(old, d.Name), perDevice, at)
		})...)
	return append(wrong, eachOnce(spec.SharedCounters, resourcev1.ResourceSliceMaxCounterSets, path.Child("sharedCounters"),
		func(s *resourcev1.CounterSet) string { return s.Name }, counterSet)...)
}

func pool(p *resourcev1.ResourcePool, path *field.Path) field.ErrorList {
	wrong := poolName(p.Name, path.Child("name"))
	if p.ResourceSliceCount <= 0 {
		wrong = append(wrong, field.Invalid(path.Child("resourceSliceCount"), p.ResourceSliceCount, "must be greater than zero"))
	}
	if p.Generation < 0 {
		wrong = append(wrong, field.Invalid(path.Child("generation"), p.Generation, "must be greater than or equal to zero"))
	}
	return wrong
}

// sliceNodes checks that a slice says in one way which nodes reach its devices.
func sliceNodes(spec *resourcev1.ResourceSliceSpec, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	var set []string
	if name := spec.NodeName; name != nil {
		at := path.Child("nodeName")
		if *name == "" {
			wrong = append(wrong, field.Invalid(at, *name, "must be either unset or set to a non-empty string"))
		} else {
			set = append(set, "`nodeName`")
			wrong = append(wrong, Invalid(at, *name, utilvalidation.IsDNS1123Subdomain(*name))...)
		}
	}
	if selector := spec.NodeSelector; selector != nil {
		at := path.Child("nodeSelector")
		set = append(set, "`nodeSelector`")
		wrong = append(wrong, NodeSelector(selector, at)...)
		if len(selector.NodeSelectorTerms) != 1 {
			wrong = append(wrong, field.Invalid(at.Child("nodeSelectorTerms"), selector.NodeSelectorTerms, "must have exactly one node selector term"))
		}
	}
	wrong = append(wrong, onlyTrue(spec.AllNodes, "`allNodes`", &set, path.Child("allNodes"))...)
	wrong = append(wrong, onlyTrue(spec.PerDeviceNodeSelection, "`perDeviceNodeSelection`", &set, path.Child("perDeviceNodeSelection"))...)
	const one = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"
	switch len(set) {
	case 0:
		return append(wrong, field.Required(path, one))
	case 1:
		return wrong
	}
	return append(wrong, conflict(path, set, one+", but multiple fields are set"))
}

// onlyTrue checks a flag that is true or not there, and adds it to the fields that are set.
func onlyTrue(flag *bool, name string, set *[]string, path *field.Path) field.ErrorList {
	switch {
	case flag == nil:
		return nil
	case !*flag:
		return field.ErrorList{field.Invalid(path, *flag, "must be either unset or set to true")}
	}
	*set = append(*set, name)
	return nil
}

// mostDevices is how many devices a slice may have: fewer, if some of them are large.
func mostDevices(spec *resourcev1.ResourceSliceSpec) int {
	large := func(d resourcev1.Device) bool { return len(d.Taints)+len(d.ConsumesCounters) > 0 }
	if slices.ContainsFunc(spec.Devices, large) {
		return resourcev1.ResourceSliceMaxDevicesWithTaintsOrConsumesCounters
	}
	return resourcev1.ResourceSliceMaxDevices
}

func deviceNamed(spec *resourcev1.ResourceSliceSpec, name string) *resourcev1.Device {
	if spec == nil {
		return nil
	}
	for i := range spec.Devices {
		if spec.Devices[i].Name == name {
			return &spec.Devices[i]
		}
	}
	return nil
}

func counterSet(s *resourcev1.CounterSet, path *field.Path) field.ErrorList {
	return append(requiredLabel(s.Name, path.Child("name")),
		counters(s.Counters, resourcev1.ResourceSliceMaxCountersPerCounterSet, path.Child("counters"))...)
}

func requiredLabel(name string, path *field.Path) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Required(path, "")}
	}
	return label(name, path)
}

// counters checks the names of counters; any quantity does.
func counters(m map[string]resourcev1.Counter, most int, path *field.Path) field.ErrorList {
	if len(m) == 0 {
		return field.ErrorList{field.Required(path, "")}
	}
	return eachEntry(m, most, utilvalidation.DNS1123LabelMaxLength, path, label,
		func(resourcev1.Counter, *field.Path) field.ErrorList { return nil })
}
