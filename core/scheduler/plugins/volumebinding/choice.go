package volumebinding

import (
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/objects/csimigration"
	"orrery/core/scheduler/volumes"
)

// choice is what a pod gets on one node.
type choice struct {
	bindings   []binding
	provisions []provision
}

// binding is a volume for a claim.
type binding struct {
	volume *v1.PersistentVolume
	claim  *v1.PersistentVolumeClaim
}

// provision is a claim for which a volume is made, where there is room for it if anything is known about room.
type provision struct {
	claim    *v1.PersistentVolumeClaim
	capacity *storagev1.CSIStorageCapacity
}

// conflicts is a set of reasons against a node.
type conflicts uint8

const (
	volumeElsewhere conflicts = 1 << iota
	nothingToBind
	notEnoughSpace
	volumeMissing
)

// The texts of conflicts.
const (
	ReasonVolumeElsewhere = "node(s) didn't match PersistentVolume's node affinity"
	ReasonNothingToBind   = "node(s) didn't find available persistent volumes to bind"
	ReasonNotEnoughSpace  = "node(s) did not have enough free storage"
	ReasonVolumeMissing   = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
)

// reasons are the texts in the order in which they are given.
var reasons = [...]string{ReasonVolumeElsewhere, ReasonNothingToBind, ReasonNotEnoughSpace, ReasonVolumeMissing}

var statuses = allStatuses()

func allStatuses() (all [1 << len(reasons)]*fwk.Status) {
	for set := range all {
		var given []string
		for i, reason := range reasons {
			if set&(1<<i) != 0 {
				given = append(given, reason)
			}
		}
		all[set] = rejection(given...)
	}
	return all
}

func (c conflicts) status() *fwk.Status { return statuses[c] }

// choose chooses a volume, or a place to provision one, for every claim on a node. A choice takes little time and, for all
// nodes, much memory: it is made again for the nodes on which it is needed.
func (pl *VolumeBinding) choose(cycle *cycle, node *v1.Node) (conflicts, error) {
	claims, found := cycle.claims, &cycle.found
	found.bindings, found.provisions = found.bindings[:0], found.provisions[:0]
	against, err := checkBound(claims.bound, node.Labels, func(c *boundClaim) (volumes.Reach, error) { return pl.reachOn(c, node.Name) })
	if err != nil {
		return 0, err
	}
	var toProvision []*delayedClaim
	for _, c := range claims.delayed {
		if !c.selected {
			continue
		}
		if c.node != node.Name {
			return against | nothingToBind, nil
		}
		toProvision = append(toProvision, c)
	}
	for _, c := range claims.bySize {
		if c.failure != nil {
			return 0, c.failure
		}
		if pv := c.matching.On(node.Labels, found.has); pv != nil {
			found.bindings = append(found.bindings, binding{pv, c.PersistentVolumeClaim})
		} else {
			toProvision = append(toProvision, c)
		}
	}
	missing, err := pl.provideFor(toProvision, node, found)
	return against | missing, err
}

// has reports whether a volume was chosen for another claim of the pod.
func (c *choice) has(pv *v1.PersistentVolume) bool {
	for i := range c.bindings {
		if c.bindings[i].volume.Name == pv.Name {
			return true
		}
	}
	return false
}

// checkBound checks that every bound volume exists and reaches a node with these labels; the first one that does not decides.
func checkBound(bound []*boundClaim, labels map[string]string, reachOf func(*boundClaim) (volumes.Reach, error)) (conflicts, error) {
	for _, c := range bound {
		if c.held == nil {
			return volumeMissing, nil
		}
		reach, err := reachOf(c)
		if err != nil {
			return 0, err
		}
		if reach.Check(labels) != nil {
			return volumeElsewhere, nil
		}
	}
	return 0, nil
}

// reachOn returns which nodes the volume reaches as one of them sees it: by its in-tree plugin, or by the CSI driver in
// its place.
func (pl *VolumeBinding) reachOn(c *boundClaim, node string) (volumes.Reach, error) {
	if c.plugin == "" {
		return c.reach, nil
	}
	return pl.reachBy(c, pl.csiNode(node))
}

// reachBy is reachOn of a node by its CSINode; nil if it has none.
func (pl *VolumeBinding) reachBy(c *boundClaim, csiNode *storagev1.CSINode) (volumes.Reach, error) {
	if !csimigration.OnNode(c.plugin, csiNode, pl.portworx) {
		return c.reach, nil
	}
	if c.translated == nil {
		reach, err := ReachOn(c.held, csiNode, pl.portworx)
		c.translated, c.failure = &reach, err
	}
	return *c.translated, c.failure
}

// csiNode returns the CSINode of a node; nil if it has none.
func (pl *VolumeBinding) csiNode(name string) *storagev1.CSINode {
	held, _, err := pl.csiNodes.GetByKey(name)
	if err != nil {
		return nil
	}
	csiNode, _ := held.(*storagev1.CSINode)
	return csiNode
}

// ReachOn returns which nodes a volume reaches as the node with this CSINode, nil if it has none, sees it. portworx is the
// gate CSIMigrationPortworx.
func ReachOn(pv *v1.PersistentVolume, csiNode *storagev1.CSINode, portworx bool) (volumes.Reach, error) {
	translated, err := csimigration.Translate(pv, csiNode, portworx)
	if err != nil {
		return volumes.Reach{}, err
	}
	return volumes.ReachOf(translated), nil
}
