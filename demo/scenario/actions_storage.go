package scenario

import (
	"fmt"
	"maps"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	storagevolume "k8s.io/component-helpers/storage/volume"

	"orrery/core/world"
)

// deleteClaims deletes claims, whether pods use them or not.
func (d *ScriptRunner) deleteClaims(m *moment) error {
	if m.Storage == nil {
		return nil
	}
	for _, word := range m.Storage.DeleteClaims {
		namespace, name := claimName(word)
		if err := d.server.Delete(world.PersistentVolumeClaim, namespace, name, metav1.DeleteOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// changeStorage changes what drivers have left and can do.
func (s *simulation) changeStorage(m *moment) error {
	change := m.Storage
	if change == nil {
		return nil
	}
	for _, name := range sortedKeys(change.Capacity) {
		driver := s.file.Cluster.Storage.Drivers[name]
		for _, value := range sortedKeys(change.Capacity[name]) {
			free := change.Capacity[name][value]
			s.cluster.SetCapacity(name, driver.segment(value), free.Value())
		}
	}
	for _, name := range sortedKeys(change.ProvisionerHangs) {
		s.cluster.HangProvisioner(name, change.ProvisionerHangs[name].of())
	}
	for _, word := range sortedKeys(change.DetachFails) {
		namespace, name := claimName(word)
		o, err := s.cluster.Get(world.PersistentVolumeClaim, namespace, name)
		if err != nil {
			return err
		}
		volume := o.(*v1.PersistentVolumeClaim).Spec.VolumeName
		if volume == "" {
			return fmt.Errorf("claim %s is not bound to a volume", word)
		}
		s.cluster.FailDetach(volume, change.DetachFails[word].of())
	}
	return nil
}

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
