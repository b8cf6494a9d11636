package nodevolumelimits

import (
	"slices"

	storagev1 "k8s.io/api/storage/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/objects/csimigration"
)

// usage is what a node has attached, and may have. It never changes.
type usage struct {
	csiNode *storagev1.CSINode // nil if the node has none
	scope   csimigration.Scope
	drivers []driverUsage // those with a limit
	// inUse are the volumes of those drivers that the node's pods use. An attachment alone is not in use: the volume of a new
	// pod counts beside it.
	inUse   volumeSet
	failure *fwk.Status // the volumes of a pod on the node could not be read
}

// driverUsage is one driver's limit, and how many of its volumes are in use or attached.
type driverUsage struct {
	name            string
	attached, limit int64
}

// measure reads the usage of a node. attached names its VolumeAttachments; read, which may be nil, receives what was read.
func (o *objects) measure(node fwk.NodeInfo, attached []string, read *readObjects) *usage {
	name := node.Node().Name
	read.add(aCSINode, "", name)
	csiNode, err := o.csiNodes.Get(name)
	if err != nil {
		csiNode = nil
	}
	u := &usage{csiNode: csiNode, scope: o.scopeOf(csiNode), drivers: limitsOf(csiNode)}
	if len(u.drivers) == 0 {
		return u
	}
	u.failure = u.countPods(o, node.GetPods(), read)
	if u.failure == nil {
		u.countAttachments(o, attached, read)
	}
	return u
}

func (o *objects) scopeOf(csiNode *storagev1.CSINode) csimigration.Scope {
	scope := csimigration.ScopeOf(csiNode, o.portworx)
	if scope == csimigration.WithoutPortworx && o.portworxAnywhere {
		return csimigration.WithPortworx
	}
	return scope
}

// countPods counts the volumes of a node's pods, until those of one cannot be read.
func (u *usage) countPods(o *objects, pods []fwk.PodInfo, read *readObjects) *fwk.Status {
	var all []volumeID
	volumes := reading{objects: o, scope: u.scope, read: read, found: func(id volumeID) { all = append(all, id) }}
	var failure *fwk.Status
	for _, info := range pods {
		if err := volumes.pod(info.GetPod(), false); err != nil {
			failure = fwk.AsStatus(err)
			break
		}
	}
	u.inUse = u.count(all)
	return failure
}

// count counts volumes of the drivers that have a limit, each once, and returns them.
func (u *usage) count(volumes []volumeID) volumeSet {
	counted := newVolumeSet(slices.DeleteFunc(volumes, func(id volumeID) bool { return u.driver(id.driver) == nil }))
	for _, id := range counted {
		u.driver(id.driver).attached++
	}
	return counted
}

// countAttachments counts the attached volumes that no pod of the node uses: their pods are gone, or not known yet.
func (u *usage) countAttachments(o *objects, attached []string, read *readObjects) {
	var unused []volumeID
	for _, name := range attached {
		attachment, err := o.attachments.Get(name)
		if err != nil || attachment.Spec.Attacher == "" || attachment.Spec.Source.PersistentVolumeName == nil {
			continue
		}
		read.add(aVolume, "", *attachment.Spec.Source.PersistentVolumeName)
		pv, err := o.volumes.Get(*attachment.Spec.Source.PersistentVolumeName)
		if err != nil || pv.Spec.CSI == nil {
			continue
		}
		id := volumeID{driver: attachment.Spec.Attacher, handle: pv.Spec.CSI.VolumeHandle}
		if !u.inUse.has(id) {
			unused = append(unused, id)
		}
	}
	u.count(unused)
}

func (u *usage) driver(name string) *driverUsage {
	for i := range u.drivers {
		if u.drivers[i].name == name {
			return &u.drivers[i]
		}
	}
	return nil
}

// exceeds reports whether volumes would be more than a driver can attach. Only drivers of new volumes are looked at.
func (u *usage) exceeds(volumes []volumeID) bool {
	for i := range u.drivers {
		driver := &u.drivers[i]
		if driver.attached+int64(len(volumes)) <= driver.limit {
			continue // whatever of them is new
		}
		if added := u.added(driver.name, volumes); added > 0 && driver.attached+added > driver.limit {
			return true
		}
	}
	return false
}

// added counts the volumes of a driver that the node's pods do not use yet.
func (u *usage) added(driver string, volumes []volumeID) int64 {
	added := int64(0)
	for _, id := range volumes {
		if id.driver == driver && !u.inUse.has(id) {
			added++
		}
	}
	return added
}

// installed reports whether the node has a driver.
func (u *usage) installed(driver string) bool {
	if u.csiNode == nil {
		return false
	}
	for i := range u.csiNode.Spec.Drivers {
		if u.csiNode.Spec.Drivers[i].Name == driver {
			return true
		}
	}
	return false
}

// limitsOf returns the drivers of a node that have a limit. Of several entries for a driver the last one holds.
func limitsOf(csiNode *storagev1.CSINode) []driverUsage {
	if csiNode == nil {
		return nil
	}
	u := &usage{}
	for i := range csiNode.Spec.Drivers {
		d := &csiNode.Spec.Drivers[i]
		if d.Allocatable == nil || d.Allocatable.Count == nil {
			continue
		}
		if known := u.driver(d.Name); known != nil {
			known.limit = int64(*d.Allocatable.Count)
			continue
		}
		u.drivers = append(u.drivers, driverUsage{name: d.Name, limit: int64(*d.Allocatable.Count)})
	}
	return u.drivers
}
