package devices

import (
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"orrery/core/scheduler/store"
	"orrery/core/world"
)

// Class returns a device class, or nil.
func (s *State) Class(name string) *resourcev1.DeviceClass {
	class, _ := s.store.Object(world.DeviceClass, "", name).(*resourcev1.DeviceClass)
	return class
}

// ClassOf returns the class whose devices are counted as an extended resource; nil without one, or without the gate
// DRAExtendedResource.
func (s *State) ClassOf(resource v1.ResourceName) *resourcev1.DeviceClass { return s.classes[resource] }

// classesByResource maps the extended resources to their classes: those that classes name, and one that each class has by its
// own name. Of classes that name the same one, the newest has it; of equally old ones, the first by name.
func classesByResource(s store.View) map[v1.ResourceName]*resourcev1.DeviceClass {
	classes := map[v1.ResourceName]*resourcev1.DeviceClass{}
	for object := range s.Objects(world.DeviceClass) {
		class, ok := object.(*resourcev1.DeviceClass)
		if !ok {
			continue
		}
		classes[v1.ResourceName(resourcev1.ResourceDeviceClassPrefix+class.Name)] = class
		if class.Spec.ExtendedResourceName == nil {
			continue
		}
		name := v1.ResourceName(*class.Spec.ExtendedResourceName)
		if other := classes[name]; other == nil || class.CreationTimestamp.After(other.CreationTimestamp.Time) {
			classes[name] = class
		}
	}
	return classes
}

// ClassNames returns the names of all classes, in order.
func (s *State) ClassNames() []string {
	names := make([]string, 0, s.store.Len(world.DeviceClass))
	for object := range s.store.Objects(world.DeviceClass) {
		names = append(names, object.GetName())
	}
	return names
}
