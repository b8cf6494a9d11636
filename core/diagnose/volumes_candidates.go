package diagnose

import (
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/engine"
	"orrery/core/plugins/volumebinding"
	"orrery/core/plugins/volumerestrictions"
	"orrery/core/whatif/change"
	"orrery/core/world"
)

// maxStorage bounds the candidates of each kind.
const maxStorage = 2

// storageRemedies returns changes of storage worth trying: more of it where only VolumeBinding rejects the pod, another
// class, or the end of a pod that holds a claim or a disk.
func (p *pendingPod) storageRemedies(all []rejection) []Remedy {
	var remedies []Remedy
	links := p.claimLinks()
	for i := range links {
		if l := &links[i]; l.State == ClaimDelayed {
			remedies = append(remedies, p.moreStorage(l, all)...)
			remedies = append(remedies, p.otherClass(l)...)
		}
	}
	return append(remedies, p.endHolders()...)
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

// otherClass returns other classes that make a volume for the claim when its pod is placed.
func (p *pendingPod) otherClass(l *ClaimLink) []Remedy {
	var remedies []Remedy
	for o := range p.engine.Store().Objects(world.StorageClass) {
		class := o.(*storagev1.StorageClass)
		mode := class.VolumeBindingMode
		if class.Name == l.Class.Name || mode == nil || *mode != storagev1.VolumeBindingWaitForFirstConsumer || !volumebinding.Provisions(class) {
			continue
		}
		remedies = append(remedies, Remedy{
			Change: change.Change{Verb: change.SetClass, Name: p.pod.Namespace + "/" + l.Claim, Value: class.Name},
			Text:   "create claim " + l.Claim + " with class " + class.Name,
		})
	}
	slices.SortFunc(remedies, func(a, b Remedy) int { return strings.Compare(a.Text, b.Text) })
	return remedies[:min(len(remedies), maxStorage)]
}

// endHolders returns the deletion of pods that hold a claim of mode ReadWriteOncePod, or a disk.
func (p *pendingPod) endHolders() []Remedy {
	var remedies []Remedy
	end := func(pod, held string) {
		remedies = append(remedies, Remedy{Change: change.Change{Verb: change.DeletePod, Name: pod}, Text: "delete pod " + pod + ", which uses " + held})
	}
	for _, h := range p.claimHolders().(*ClaimHolders).Holders {
		end(h.Pod, "claim "+h.Claim)
	}
	for _, name := range slices.Sorted(maps.Keys(p.nodes)) {
		for _, other := range p.nodes[name].GetPods() {
			if v := volumerestrictions.Conflict(p.pod, other.GetPod()); v != nil {
				end(fullName(other.GetPod()), diskText(&v.VolumeSource))
			}
		}
	}
	return remedies[:min(len(remedies), maxStorage)]
}

// alteredStorage returns the object with a change of storage, or the pod to be deleted; nil if the change is impossible.
func alteredStorage(e *engine.Engine, c change.Change) (world.Object, world.Op) {
	namespace, name, _ := strings.Cut(c.Name, "/")
	var object world.Object
	var err error
	op := world.Modified
	switch c.Verb {
	case change.DeletePod:
		if pod := e.Store().Pod(namespace, name); pod != nil {
			return pod, world.Deleted
		}
		return nil, op
	case change.AddVolume:
		object, err = c.NewVolume("diagnose-new")
		op = world.Added
	case change.SetClass:
		claim := e.Volumes().StoredClaim(namespace, name).DeepCopy()
		object, err = claim, c.AlterClaim(claim)
	case change.SetCapacity:
		object, op, err = alteredCapacity(e, c)
	}
	if err != nil {
		return nil, op
	}
	object.SetResourceVersion("")
	if op == world.Added {
		object.SetUID(types.UID("diagnose-" + object.GetName()))
	}
	return object, op
}

// alteredCapacity changes the first capacity that the change is of, or makes one.
func alteredCapacity(e *engine.Engine, c change.Change) (world.Object, world.Op, error) {
	var nodes []*v1.Node
	for o := range e.Store().Objects(world.Node) {
		nodes = append(nodes, o.(*v1.Node))
	}
	for o := range e.Store().Objects(world.CSIStorageCapacity) {
		if published := o.(*storagev1.CSIStorageCapacity); c.Covers(published, nodes) {
			changed := published.DeepCopy()
			return changed, world.Modified, c.AlterCapacity(changed)
		}
	}
	made, err := c.NewCapacity(metav1.NamespaceDefault, "diagnose-new")
	return made, world.Added, err
}
