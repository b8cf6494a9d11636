package scenario

import (
	"maps"

	v1 "k8s.io/api/core/v1"
	storagevolume "k8s.io/component-helpers/storage/volume"

	"orrery/core/world"
)

// setInitialCapacity gives drivers their capacity, less what the volumes of the warm-up take.
func (s *simulation) setInitialCapacity() {
	drivers := s.file.Cluster.Storage.Drivers
	for _, name := range sortedKeys(drivers) {
		for _, value := range sortedKeys(drivers[name].Capacity) {
			total, segment := drivers[name].Capacity[value], drivers[name].segment(value)
			s.cluster.SetCapacity(name, segment, max(0, total.Value()-s.provisioned(name, segment)))
		}
	}
}

// provisioned is the size of the volumes that a driver has made in a segment.
func (s *simulation) provisioned(driver string, segment map[string]string) int64 {
	sum := int64(0)
	for _, o := range s.cluster.List(world.PersistentVolume) {
		volume := o.(*v1.PersistentVolume)
		if volume.Annotations[storagevolume.AnnDynamicallyProvisioned] == driver && maps.Equal(segmentOf(volume), segment) {
			sum += volume.Spec.Capacity.Storage().Value()
		}
	}
	return sum
}

// segmentOf is the segment that a provisioned volume is accessible from.
func segmentOf(volume *v1.PersistentVolume) map[string]string {
	segment := map[string]string{}
	if a := volume.Spec.NodeAffinity; a != nil {
		for _, e := range a.Required.NodeSelectorTerms[0].MatchExpressions {
			segment[e.Key] = e.Values[0]
		}
	}
	return segment
}
