package cycle

import (
	"fmt"
	"slices"
	"strconv"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/storage/volume"

	"orrery/core/testing/mk"
	"orrery/core/world"
)

// objectKey identifies an object of storage.
type objectKey struct {
	kind            world.Kind
	namespace, name string
}

func keyOf(o world.Object) objectKey {
	return objectKey{world.KindOf(o), o.GetNamespace(), o.GetName()}
}

// store adds or replaces objects, drop deletes those that exist.
func (p *decisionCase) store(objects []world.Object) string {
	for _, object := range objects {
		op := world.Modified
		if p.storage[keyOf(object)] == nil {
			op = world.Added
		}
		if mismatch := p.apply(op, object.DeepCopyObject().(world.Object)); mismatch != "" {
			return mismatch
		}
	}
	return ""
}

func (p *decisionCase) drop(objects []world.Object) string {
	for _, object := range objects {
		held := p.storage[keyOf(object)]
		if held == nil {
			continue
		}
		if mismatch := p.apply(world.Deleted, held.DeepCopyObject().(world.Object)); mismatch != "" {
			return mismatch
		}
	}
	return ""
}

// compareWritten compares the volumes and claims that both have written, in order. kube-scheduler also writes volumes that
// need no change.
func (p *decisionCase) compareWritten() string {
	theirs, ours := p.needed(p.client.written), p.needed(p.orrery.client.written)
	for _, action := range p.orrery.written {
		ours = append(ours, p.after(action))
	}
	if diff := cmp.Diff(theirs, ours); diff != "" {
		return "volumes and claims: writes in order (-kube-scheduler +Orrery):\n" + diff
	}
	return ""
}

// needed leaves out volumes that are written without a change.
func (p *decisionCase) needed(written []world.Object) (list []world.Object) {
	for _, object := range written {
		if _, isVolume := object.(*v1.PersistentVolume); !isVolume || !cmp.Equal(object, p.storage[keyOf(object)]) {
			list = append(list, object)
		}
	}
	return list
}

// stored returns an object that kube-scheduler has written as the API server has it, until it is read back.
func (p *decisionCase) stored(sent world.Object) world.Object {
	if cmp.Equal(sent, p.storage[keyOf(sent)]) {
		return sent
	}
	p.version++
	object := sent.DeepCopyObject().(world.Object)
	object.SetResourceVersion(strconv.Itoa(p.version))
	return object
}

// compareAssumed compares what is assumed of volumes and claims.
func (p *decisionCase) compareAssumed(after string) string {
	if len(p.storage) == 0 || p.divergence != "" {
		return ""
	}
	theirs, ours := p.theirAssumed(), p.ourAssumed()
	for _, object := range p.client.written { // a failed binding makes kube-scheduler forget the claims that it wrote
		name := object.GetNamespace() + "/" + object.GetName()
		if ours.Claims[name] != nil && theirs.Claims[name] == nil {
			delete(ours.Claims, name)
			p.seen.Count("written claims that kube-scheduler forgets")
		}
	}
	p.seen["assumed volumes"] += len(theirs.Volumes)
	p.seen["assumed claims"] += len(theirs.Claims)
	if diff := cmp.Diff(theirs, ours); diff != "" {
		return "assumed: after " + after + " (-kube-scheduler +Orrery):\n" + diff
	}
	return ""
}

func (p *decisionCase) severalVolumesNameAClaim() bool {
	named := map[objectKey]bool{}
	for _, object := range p.storage {
		pv, ok := object.(*v1.PersistentVolume)
		if !ok || pv.Spec.ClaimRef == nil {
			continue
		}
		claim := objectKey{world.PersistentVolumeClaim, pv.Spec.ClaimRef.Namespace, pv.Spec.ClaimRef.Name}
		if named[claim] {
			return true
		}
		named[claim] = true
	}
	return false
}

// after is the object of one of Orrery's writes after it.
func (p *decisionCase) after(action world.Action) world.Object {
	switch act := action.(type) {
	case world.ClaimVolume:
		pv := p.storage[objectKey{world.PersistentVolume, "", act.Volume.Name}].DeepCopyObject().(*v1.PersistentVolume)
		ref := world.ClaimReference(act.Claim)
		pv.Spec.ClaimRef = &ref
		if act.ByController {
			metav1.SetMetaDataAnnotation(&pv.ObjectMeta, volume.AnnBoundByController, "yes")
		}
		return pv
	case world.SelectNode:
		claim := p.storage[objectKey{world.PersistentVolumeClaim, act.Claim.Namespace, act.Claim.Name}].DeepCopyObject().(*v1.PersistentVolumeClaim)
		metav1.SetMetaDataAnnotation(&claim.ObjectMeta, volume.AnnSelectedNode, act.Node)
		return claim
	}
	panic(fmt.Sprintf("unexpected action of type %T", action))
}

// bindVolumes compares what both wrote of volumes and claims since the decision at a time. Then kube-scheduler reads the
// writes back, and what the volume controller made of them, just before it looks for the first time, one second after its last
// write; Orrery reads them at that very time.
func (p *decisionCase) bindVolumes(decided time.Time) string {
	theirs := append(slices.Clone(p.client.written), p.awaitedVolumes()...)
	mismatch := p.compareWritten()
	p.client.written, p.orrery.written, p.orrery.client.written = nil, nil, nil
	if mismatch != "" || len(theirs) == 0 {
		return mismatch
	}
	written := map[objectKey]bool{}
	theirs = slices.DeleteFunc(theirs, func(object world.Object) bool { // a pod may name a claim twice
		again := written[keyOf(object)]
		written[keyOf(object)] = true
		return again
	})
	p.seen.Count("bindings of volumes")
	poll := decided.Add(time.Second)
	p.upstream.elapse(time.Until(poll) - 1)
	var changes []world.Changed
	change := func(c world.Changed) {
		p.remember(c.Op, c.Object)
		p.applyUpstream(c)
		if p.hosting.bindsHere() { // kube-scheduler's plugin looks once a second, here as there
			p.orrery.apply(c)
			p.orrery.carryOutEffects()
			return
		}
		changes = append(changes, c)
	}
	for _, object := range theirs {
		change(world.Changed{Op: world.Modified, Object: object.DeepCopyObject().(world.Object)})
	}
	for _, object := range theirs {
		for _, c := range p.controller(object) {
			change(c)
		}
	}
	synctest.Wait()
	p.upstream.elapse(time.Nanosecond)
	for _, c := range changes {
		p.orrery.apply(c)
		p.orrery.carryOutEffects()
	}
	p.orrery.awaitPlugins()
	if mismatch := p.compareEvents(); mismatch != "" {
		return mismatch
	}
	return p.carryOut()
}

// awaitedVolumes are volumes that need no change, but whose claims are to be bound. kube-scheduler's own plugin writes them.
func (p *decisionCase) awaitedVolumes() (list []world.Object) {
	if p.hosting != hostedThere {
		return nil
	}
	for _, b := range p.orrery.engine.Bindings() {
		for _, object := range b.Objects {
			if pv := p.storage[objectKey{object.Kind, "", object.Name}]; object.Kind == world.PersistentVolume && pv != nil {
				list = append(list, pv)
			}
		}
	}
	return list
}

// controller returns the changes by which a claimed volume, or a claim with a selected node, is bound.
func (p *decisionCase) controller(object world.Object) []world.Changed {
	switch o := p.storage[keyOf(object)].DeepCopyObject().(type) {
	case *v1.PersistentVolume:
		claim, ok := p.storage[objectKey{world.PersistentVolumeClaim, o.Spec.ClaimRef.Namespace, o.Spec.ClaimRef.Name}].(*v1.PersistentVolumeClaim)
		if !ok {
			return nil
		}
		o.Status.Phase = v1.VolumeBound
		return []world.Changed{{Op: world.Modified, Object: o}, {Op: world.Modified, Object: bound(claim, o.Name)}}
	case *v1.PersistentVolumeClaim:
		if o.Spec.VolumeName != "" || p.unbound[o.Name] { // the first by a volume, if the pod names the claim twice
			return nil
		}
		if p.unprovisioned[o.Name] {
			delete(p.unprovisioned, o.Name)
			if delete(o.Annotations, volume.AnnSelectedNode); len(o.Annotations) == 0 {
				o.Annotations = nil // as the API server has it
			}
			return []world.Changed{{Op: world.Modified, Object: o}}
		}
		name := "for-" + o.Namespace + "-" + o.Name
		pv := mk.Volume(name).Class(*o.Spec.StorageClassName).CSI(*o.Spec.StorageClassName, name).For(o).Obj()
		pv.Spec.Capacity = o.Spec.Resources.Requests
		op := world.Added
		if p.storage[keyOf(pv)] != nil {
			op = world.Modified
		}
		return []world.Changed{{Op: op, Object: pv}, {Op: world.Modified, Object: bound(o, name)}}
	}
	return nil
}

func bound(claim *v1.PersistentVolumeClaim, volumeName string) *v1.PersistentVolumeClaim {
	claim = claim.DeepCopy()
	claim.Spec.VolumeName = volumeName
	metav1.SetMetaDataAnnotation(&claim.ObjectMeta, volume.AnnBindCompleted, "yes")
	claim.Status.Phase = v1.ClaimBound
	return claim
}
