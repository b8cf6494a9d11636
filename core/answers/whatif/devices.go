package whatif

import (
	"cmp"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	"orrery/core/answers/change"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/devices"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// changeDevice adds or taints a device.
func (r *run) changeDevice(c change.Change) error {
	if c.Node != "" {
		if _, err := r.node(c.Node); err != nil {
			return err
		}
	}
	slice, err := c.AlterSlices(listed[*resourcev1.ResourceSlice](r, world.ResourceSlice), metav1.Time{Time: r.now})
	if err != nil {
		return err
	}
	slice.ResourceVersion = ""
	return r.cluster.Load(slice)
}

// addSlicesLike gives a new node the devices of the one that it is like.
func (r *run) addSlicesLike(model *v1.Node, name string) error {
	for _, slice := range change.SlicesLike(listed[*resourcev1.ResourceSlice](r, world.ResourceSlice), model, name) {
		if err := r.cluster.Load(slice); err != nil {
			return err
		}
	}
	return nil
}

// changeDeviceClaim frees a claim, or changes what it requests. The pending pods that name it are tried at once.
func (r *run) changeDeviceClaim(c change.Change) error {
	all := findAll(r, world.ResourceClaim, c.Name)
	if err := checkUnique("resource claim", c.Name, len(all)); err != nil {
		return err
	}
	claim := all[0].(*resourcev1.ResourceClaim)
	if c.Verb == change.FreeClaim {
		return r.freeClaim(claim)
	}
	if _, err := r.cluster.Get(world.DeviceClass, "", c.Value); c.Verb == change.SetDeviceClass && err != nil {
		return fmt.Errorf("there is no device class %q", printable.Line(c.Value, 80))
	}
	changed := claim.DeepCopy()
	if err := c.AlterDeviceClaim(changed); err != nil {
		return err
	}
	if err := r.cluster.Load(changed); err != nil {
		return err
	}
	for pod := range objects[*v1.Pod](r.engine.Store(), world.Pod) {
		if pod.Spec.NodeName == "" && pod.Namespace == claim.Namespace && slices.Contains(devices.ClaimNames(pod), claim.Name) {
			r.cluster.RequestActivation(types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name})
		}
	}
	return nil
}

// freeClaim deletes the pods that use a claim: the claim controller takes its devices then. Without such pods they are taken at
// once.
func (r *run) freeClaim(claim *resourcev1.ResourceClaim) error {
	if before := r.base.Devices().StoredClaim(claim.Namespace, claim.Name); before == nil || before.Status.Allocation == nil {
		return fmt.Errorf("claim %q has no devices", printable.Line(claim.Namespace+"/"+claim.Name, 200))
	}
	used := false
	for _, user := range claim.Status.ReservedFor {
		if pod := r.cluster.Pod(claim.Namespace, user.Name); pod != nil && pod.UID == user.UID {
			used = true
			if err := r.cluster.Delete(world.Pod, pod.Namespace, pod.Name, metav1.DeleteOptions{}); err != nil {
				return err
			}
		}
	}
	if used {
		return nil
	}
	freed := claim.DeepCopy()
	freed.Status = resourcev1.ResourceClaimStatus{}
	return r.cluster.Load(freed)
}

// ensureClaimTemplates loads the templates that a pod's claims are made of. No scheduler watches templates: each is told from a
// claim that was made of it, and its name is remembered if there is none.
func (l *loader) ensureClaimTemplates(pod *v1.Pod) error {
	for i := range pod.Spec.ResourceClaims {
		ref := &pod.Spec.ResourceClaims[i]
		if ref.ResourceClaimTemplateName == nil || l.has(memory.ResourceClaimTemplate, pod.Namespace, *ref.ResourceClaimTemplateName) {
			continue
		}
		key := types.NamespacedName{Namespace: pod.Namespace, Name: *ref.ResourceClaimTemplateName}
		l.unknown[key] = true
		name, _, err := resourceclaim.Name(pod, ref)
		if err != nil || name == nil {
			continue
		}
		claim, made := l.source.Object(world.ResourceClaim, pod.Namespace, *name).(*resourcev1.ResourceClaim)
		if !made {
			continue
		}
		delete(l.unknown, key)
		template := &resourcev1.ResourceClaimTemplate{
			ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name},
			Spec:       resourcev1.ResourceClaimTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: claim.Labels}, Spec: *claim.Spec.DeepCopy()},
		}
		if err := l.target.Load(template); err != nil {
			return err
		}
	}
	return nil
}

func compareNames(a, b types.NamespacedName) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

// noteTemplates says of which pods the claims cannot be made.
func (r *run) noteTemplates(unknown []types.NamespacedName) {
	if len(unknown) == 0 {
		return
	}
	text := "resource claim template " + unknown[0].String()
	if more := len(unknown) - 1; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	r.notes = append(r.notes, text+": what it says is not known, as there is no claim of it; its pods stay without claims")
}
