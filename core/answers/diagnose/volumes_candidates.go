package diagnose

import (
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"orrery/core/answers/change"
	"orrery/core/scheduler/plugins/volumebinding"
	"orrery/core/world"
)

// maxStorage bounds the candidates of each kind.
//
//orrery:limit answers; remedies about volumes of each kind; the others are not tried
const maxStorage = 2

// storageRemedies returns changes of storage worth trying: more of it where only VolumeBinding rejects the pod, or another
// class.
func (p *pendingPod) storageRemedies(all []rejection) []Remedy {
	var remedies []Remedy
	links := p.claimLinks()
	for i := range links {
		switch l := &links[i]; {
		case l.State == ClaimDelayed:
			remedies = append(remedies, p.moreStorage(l, all)...)
			remedies = append(remedies, p.otherClass(l)...)
		case l.State == ClaimUnbound && l.object.Spec.VolumeName == "":
			remedies = append(remedies, p.otherClass(l)...)
			remedies = append(remedies, volumeFor(l)...)
		}
	}
	return remedies
}

// moreStorage returns more capacity, or a volume, for a claim in each of the zones whose nodes only VolumeBinding rejects.
func (p *pendingPod) moreStorage(l *ClaimLink, all []rejection) []Remedy {
	if l.Requested == "" {
		return nil
	}
	verb, text := change.AddVolume, "add a PersistentVolume of "+l.Requested+" and class "+l.Class.Name
	if volumebinding.Provisions(l.class) && p.tracked(l.class) {
		verb, text = change.SetCapacity, "have "+l.Requested+" of storage of class "+l.Class.Name
	}
	var remedies []Remedy
	for _, r := range all {
		node := r.node.Node()
		if !r.only(volumebinding.Name) || verb == change.SetCapacity && !volumebinding.Allows(l.class, node.Labels) {
			continue
		}
		c := change.Change{Verb: verb, Name: l.Class.Name, Requests: change.Storage(l.Requested), Value: node.Labels[v1.LabelTopologyZone]}
		place := " in " + zoneName(c.Value)
		if c.Value == "" {
			place = ""
			if verb == change.AddVolume {
				c.Node, place = node.Name, " on node "+node.Name
			}
		}
		if !slices.ContainsFunc(remedies, func(other Remedy) bool { return other.Change.String() == c.String() }) {
			remedies = append(remedies, Remedy{Change: c, Text: text + place})
		}
		if len(remedies) == maxStorage {
			break
		}
	}
	return remedies
}

// otherClass returns other classes that make a volume for the claim: for one that waits for its pod, when the pod is placed.
func (p *pendingPod) otherClass(l *ClaimLink) []Remedy {
	var remedies []Remedy
	for o := range p.engine.Store().Objects(world.StorageClass) {
		class := o.(*storagev1.StorageClass)
		if l.Class != nil && class.Name == l.Class.Name || !volumebinding.Provisions(class) || l.State == ClaimDelayed && !isDelayed(class) {
			continue
		}
		remedies = append(remedies, Remedy{
			Change: change.Change{Verb: change.SetClass, Name: p.pod.Namespace + "/" + l.Claim, Value: class.Name},
			Text:   "recreate claim " + l.Claim + " with storageClassName " + class.Name,
		})
	}
	slices.SortFunc(remedies, func(a, b Remedy) int { return strings.Compare(a.Text, b.Text) })
	return remedies[:min(len(remedies), maxStorage)]
}

// volumeFor returns a volume that the controller binds to the claim, where no provisioner makes one.
func volumeFor(l *ClaimLink) []Remedy {
	if l.Requested == "" || !suits(l.object) || l.class != nil && volumebinding.Provisions(l.class) {
		return nil
	}
	c := change.Change{Verb: change.AddVolume, Requests: change.Storage(l.Requested)}
	text := "add a PersistentVolume of " + l.Requested
	if l.Class != nil {
		c.Name = l.Class.Name
		text += " and class " + c.Name
	}
	return []Remedy{{Change: c, Text: text}}
}

// suits reports whether a volume without labels or attributes, and with a file system, may serve the claim.
func suits(claim *v1.PersistentVolumeClaim) bool {
	return claim.Spec.Selector == nil && claim.Spec.VolumeAttributesClassName == nil &&
		(claim.Spec.VolumeMode == nil || *claim.Spec.VolumeMode == v1.PersistentVolumeFilesystem)
}
