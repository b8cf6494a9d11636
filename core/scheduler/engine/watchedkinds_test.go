package engine_test

import (
	"slices"
	"testing"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// watched returns the kinds that an engine of a configuration needs.
func watched(t *testing.T, configuration string) []world.Kind {
	t.Helper()
	c, err := config.LoadNamed("config.yaml", []byte(configuration), config.DefaultFeatures())
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Options{Config: c})
	if err != nil {
		t.Fatal(err)
	}
	kinds, err := e.WatchedKinds()
	if err != nil {
		t.Fatal(err)
	}
	return kinds
}

const withoutVolumes = `
- schedulerName: default-scheduler
  plugins:
    multiPoint:
      disabled: [{name: VolumeBinding}, {name: VolumeRestrictions}, {name: VolumeZone}, {name: NodeVolumeLimits}]`

// A cluster has many claims and volumes: who does not schedule by them does not watch them, and needs no right to.
func TestWatchedKinds_StorageOnlyForItsPlugins(t *testing.T) {
	storage := []world.Kind{
		world.PersistentVolume, world.PersistentVolumeClaim, world.StorageClass, world.CSINode, world.CSIDriver, world.CSIStorageCapacity, world.VolumeAttachment,
	}
	const head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:"
	isStorage := func(kind world.Kind) bool { return slices.Contains(storage, kind) }
	if kinds := watched(t, head+withoutVolumes); slices.ContainsFunc(kinds, isStorage) || !slices.Contains(kinds, world.Pod) {
		t.Errorf("without plugins for volumes these are watched: %v", kinds)
	}
	const second = "\n- schedulerName: second"
	for name, profiles := range map[string]string{"the default": "\n- schedulerName: default-scheduler", "a second profile has them": withoutVolumes + second} {
		kinds := watched(t, head+profiles)
		for _, kind := range []world.Kind{world.PersistentVolume, world.PersistentVolumeClaim, world.StorageClass} {
			if !slices.Contains(kinds, kind) {
				t.Errorf("%s: %s is not watched: %v", name, kind, kinds)
			}
		}
	}
}
