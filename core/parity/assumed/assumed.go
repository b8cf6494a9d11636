// Package assumed reads what schedulers assume of volumes and claims: that they are claimed, or to be provisioned for a node,
// before the API server says so.
package assumed

import (
	"maps"
	"reflect"

	v1 "k8s.io/api/core/v1"
	upframework "k8s.io/kubernetes/pkg/scheduler/framework"
	upvolumebinding "k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"

	"orrery/core/scheduler/store"
	"orrery/core/scheduler/volumes"
	"orrery/core/world"
)

// Objects are the assumed states of volumes by name, and of claims by namespace and name.
type Objects struct {
	Volumes map[string]*v1.PersistentVolume
	Claims  map[string]*v1.PersistentVolumeClaim
}

func none() Objects {
	return Objects{map[string]*v1.PersistentVolume{}, map[string]*v1.PersistentVolumeClaim{}}
}

// Merge puts what several plugins assume together.
func Merge(plugins ...Objects) Objects {
	all := none()
	for _, of := range plugins {
		maps.Copy(all.Volumes, of.Volumes)
		maps.Copy(all.Claims, of.Claims)
	}
	return all
}

// InPlugin reads the assume caches of kube-scheduler's plugin, which it does not export.
func InPlugin(plugin *upvolumebinding.VolumeBinding) Objects {
	binder, all := reflect.ValueOf(plugin.Binder).Elem(), none()
	each := func(cache string, visit func(key string, object reflect.Value)) {
		objects := binder.FieldByName(cache).FieldByName("passiveAssumeCache").Elem().FieldByName("assumed")
		for entries := objects.MapRange(); entries.Next(); {
			visit(entries.Key().String(), entries.Value())
		}
	}
	each("pvCache", func(key string, object reflect.Value) {
		all.Volumes[key] = (*v1.PersistentVolume)(object.UnsafePointer())
	})
	each("pvcCache", func(key string, object reflect.Value) {
		all.Claims[key] = (*v1.PersistentVolumeClaim)(object.UnsafePointer())
	})
	return all
}

// InFrameworks reads the assume caches of all profiles of a kube-scheduler. Each profile has its own.
func InFrameworks[F upframework.Framework](profiles map[string]F) Objects {
	var all []Objects
	for _, profile := range profiles {
		plugin := reflect.ValueOf(profile).Elem().FieldByName("pluginsMap").MapIndex(reflect.ValueOf(upvolumebinding.Name))
		if plugin.IsValid() {
			all = append(all, InPlugin((*upvolumebinding.VolumeBinding)(plugin.Elem().UnsafePointer())))
		}
	}
	return Merge(all...)
}

// InState reads what Orrery assumes of the objects of a store. It panics if the state is inconsistent.
func InState(state *volumes.State, objects store.View) Objects {
	all := none()
	for object := range objects.Objects(world.PersistentVolume) {
		pv := object.(*v1.PersistentVolume)
		if is := state.Volume(pv.Name); is != pv {
			all.Volumes[pv.Name] = is
		}
	}
	for object := range objects.Objects(world.PersistentVolumeClaim) {
		claim := object.(*v1.PersistentVolumeClaim)
		if is := state.Claim(claim.Namespace, claim.Name); is != claim {
			all.Claims[claim.Namespace+"/"+claim.Name] = is
		}
	}
	if err := state.Check(); err != nil {
		panic(err)
	}
	return all
}
