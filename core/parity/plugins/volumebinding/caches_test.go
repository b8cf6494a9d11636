package volumebinding

import (
	"reflect"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/storage/volume"

	"orrery/core/world"
)

// assumed is what is assumed of volumes and claims, by name.
type assumed struct {
	Volumes map[string]*v1.PersistentVolume
	Claims  map[string]*v1.PersistentVolumeClaim
}

// theirAssumed reads upstream's assume caches, which it does not export.
func (c *cluster) theirAssumed() assumed {
	binder := reflect.ValueOf(c.upstream.Binder).Elem()
	a := assumed{map[string]*v1.PersistentVolume{}, map[string]*v1.PersistentVolumeClaim{}}
	each := func(cache string, visit func(key string, object reflect.Value)) {
		objects := binder.FieldByName(cache).FieldByName("passiveAssumeCache").Elem().FieldByName("assumed")
		for entries := objects.MapRange(); entries.Next(); {
			visit(entries.Key().String(), entries.Value())
		}
	}
	each("pvCache", func(key string, object reflect.Value) {
		a.Volumes[key] = (*v1.PersistentVolume)(object.UnsafePointer())
	})
	each("pvcCache", func(key string, object reflect.Value) {
		a.Claims[key] = (*v1.PersistentVolumeClaim)(object.UnsafePointer())
	})
	return a
}

func (c *cluster) ourAssumed() assumed {
	a := assumed{map[string]*v1.PersistentVolume{}, map[string]*v1.PersistentVolumeClaim{}}
	for object := range c.store.Objects(world.PersistentVolume) {
		pv := object.(*v1.PersistentVolume)
		if is := c.state.Volume(pv.Name); is != pv {
			a.Volumes[pv.Name] = is
		}
	}
	for object := range c.store.Objects(world.PersistentVolumeClaim) {
		claim := object.(*v1.PersistentVolumeClaim)
		if is := c.state.Claim(claim.Namespace, claim.Name); is != claim {
			a.Claims[claim.Namespace+"/"+claim.Name] = is
		}
	}
	if volumes, claims := c.state.Assumed(); volumes != len(a.Volumes) || claims != len(a.Claims) {
		panic("something is assumed of an object that does not exist, or of another version")
	}
	return a
}

// ambiguous reports whether several volumes name a claim of the pod.
func (c *cluster) ambiguous(pod *v1.Pod) bool {
	for i := range pod.Spec.Volumes {
		claim := c.state.Claim(pod.Namespace, claimName(pod, &pod.Spec.Volumes[i]))
		if claim == nil {
			continue
		}
		naming := 0
		for pv := range c.store.Objects(world.PersistentVolume) {
			if volume.IsVolumeBoundToClaim(c.state.Volume(pv.GetName()), claim) {
				naming++
			}
		}
		if naming > 1 {
			return true
		}
	}
	return false
}

func claimName(pod *v1.Pod, v *v1.Volume) string {
	switch {
	case v.PersistentVolumeClaim != nil:
		return v.PersistentVolumeClaim.ClaimName
	case v.Ephemeral != nil:
		return pod.Name + "-" + v.Name
	}
	return ""
}
