package engine_test

import (
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/component-helpers/storage/volume"

	"orrery/core/testing/mk"
	"orrery/core/world"
)

// newStorage starts an object of storage, to be changed by key=value arguments.
func newStorage(kind, name string) world.Object {
	switch kind {
	case "volume":
		return mk.Volume(name).Size("1Gi").Class("local").Obj()
	case "claim":
		return mk.Claim(name).Size("1Gi").Class("local").Obj()
	}
	return mk.Class(name, volume.NotSupportedProvisioner).WaitForFirstConsumer().Obj()
}

func (s *storyRun) changeStorage(o world.Object, key, value string) {
	switch o := o.(type) {
	case *v1.PersistentVolume:
		s.changeVolume(o, key, value)
	case *v1.PersistentVolumeClaim:
		s.changeClaim(o, key, value)
	case *storagev1.StorageClass:
		o.Provisioner = value
	}
}

func (s *storyRun) changeVolume(pv *v1.PersistentVolume, key, value string) {
	switch {
	case key == "size":
		pv.Spec.Capacity = mk.Resources("storage", value)
	case key == "class":
		pv.Spec.StorageClassName = value
	case key == "zone":
		pv.Spec.NodeAffinity = mk.Volume("").On(v1.LabelTopologyZone, value).Obj().Spec.NodeAffinity
	case key == "claim" && value == "":
		pv.Spec.ClaimRef = nil
	case key == "claim":
		pv.Spec.ClaimRef = mk.Volume("").For(s.objects[value].(*v1.PersistentVolumeClaim)).Obj().Spec.ClaimRef
	default:
		s.t.Fatalf("unknown key %q of a volume", key)
	}
}

func (s *storyRun) changeClaim(claim *v1.PersistentVolumeClaim, key, value string) {
	switch key {
	case "size":
		claim.Spec.Resources.Requests = mk.Resources("storage", value)
	case "class":
		claim.Spec.StorageClassName = &value
	case "node":
		annotate(claim, volume.AnnSelectedNode, value)
	case "volume":
		claim.Spec.VolumeName, claim.Status.Phase = value, v1.ClaimBound
		annotate(claim, volume.AnnBindCompleted, "yes")
	default:
		s.t.Fatalf("unknown key %q of a claim", key)
	}
}

// annotate sets an annotation; an empty value removes it.
func annotate(o world.Object, key, value string) {
	annotations := o.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[key] = value
	if value == "" {
		delete(annotations, key)
	}
	o.SetAnnotations(annotations)
}

func (p *player) assumed() {
	volumes, claims := p.Volumes().Assumed()
	p.logf("%d volumes, %d claims; errors %+v", volumes, claims, p.Volumes().Errors)
}
