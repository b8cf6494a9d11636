package collect

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// storageIndex keeps claims and volumes in the order of their lists, and what their states depend on. A refresh costs only
// what has changed since the last one. The first ones read everything, some thousand objects each.
type storageIndex struct {
	engine *engine.Engine
	marks  [len(storageKinds)]uint64 // up to where the changes of a kind were read
	stamp  uint64                    // counts refreshes that found changes
	unread storageNames              // what is still to be read

	claims, volumes objectOrder[*storageObject]

	// naming are the claims that name a volume, users the pods that name a claim, claimsOf the claims that a pod names.
	naming          map[string][]types.NamespacedName
	users, claimsOf map[types.NamespacedName][]types.NamespacedName
	// attachments are the VolumeAttachments by name, with their names by volume and by node.
	attachments      map[string]attachment
	ofVolume, onNode map[string][]string
	unready          map[string]bool // whether a node is not ready, or absent

	totals   storageTotals
	segments segmentCache
	limits   limitCache
}

type attachment struct{ volume, node string }

// storageKinds are the kinds whose changes the index reads, in the order in which it reads everything: what a state depends
// on comes first.
var storageKinds = [...]world.Kind{
	aPod: world.Pod, aNode: world.Node, aClass: world.StorageClass, anAttachment: world.VolumeAttachment,
	aCSINode: world.CSINode, aCapacity: world.CSIStorageCapacity, aVolume: world.PersistentVolume, aClaim: world.PersistentVolumeClaim,
}

// storageNames are names of objects by kind.
type storageNames [len(storageKinds)][]types.NamespacedName

// The kinds by their place in storageKinds.
const (
	aPod = iota
	aNode
	aClass
	anAttachment
	aCSINode
	aCapacity
	aVolume
	aClaim
)

// maxRead is how many objects one refresh reads of everything: some tens of milliseconds.
//
//orrery:limit screen; objects that one refresh reads of everything; the others are read by the next
const maxRead = 4096

// refresh brings the index up to date with an engine.
func (x *storageIndex) refresh(e *engine.Engine) {
	if x.engine != e {
		*x = storageIndex{engine: e}
	}
	changes := e.Profile(e.Profiles()[0])
	var names storageNames
	all, changed := false, false
	for i, kind := range storageKinds {
		var known bool
		names[i], x.marks[i], known = changes.ObjectChanges(kind, x.marks[i])
		all = all || !known || i == aClass && len(names[i]) > 0
		changed = changed || len(names[i]) > 0
	}
	switch {
	case all:
		x.readAll()
	case changed:
		x.read(&names, false)
	}
	if part, some := x.unread.take(maxRead); some {
		x.read(&part, true)
	} else if !all && !changed {
		return
	}
	x.stamp++
}

// reading reports whether something is still to be read.
func (x *storageIndex) reading() bool {
	return slices.ContainsFunc(x.unread[:], func(names []types.NamespacedName) bool { return len(names) > 0 })
}

// take takes out the first names, and reports whether there were any.
func (n *storageNames) take(most int) (part storageNames, some bool) {
	for i := range n {
		part[i], n[i] = n[i][:min(most, len(n[i]))], n[i][min(most, len(n[i])):]
		most -= len(part[i])
		some = some || len(part[i]) > 0
	}
	return part, some
}

// readAll begins to read every object.
func (x *storageIndex) readAll() {
	stamp, marks := x.stamp, x.marks
	*x = storageIndex{
		engine: x.engine, stamp: stamp, marks: marks, naming: map[string][]types.NamespacedName{}, users: map[types.NamespacedName][]types.NamespacedName{},
		claimsOf: map[types.NamespacedName][]types.NamespacedName{}, attachments: map[string]attachment{}, ofVolume: map[string][]string{},
		onNode: map[string][]string{}, unready: map[string]bool{}, totals: newStorageTotals(),
	}
	for i, kind := range storageKinds {
		for o := range x.engine.Store().Objects(kind) {
			x.unread[i] = append(x.unread[i], types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()})
		}
	}
}

// dirty are the objects whose state has to be found again.
type dirty struct {
	volumes, claims map[types.NamespacedName]struct{}
	// first says that everything is read for the first time: what depends on an object is read after it, unless it does not
	// exist.
	first bool
}

func (d *dirty) volume(name string) {
	if !d.first {
		d.volumes[types.NamespacedName{Name: name}] = struct{}{}
	}
}

func (d *dirty) claim(name types.NamespacedName) {
	if !d.first {
		d.claims[name] = struct{}{}
	}
}

// read takes in the objects of these names.
func (x *storageIndex) read(names *storageNames, first bool) {
	d := dirty{map[types.NamespacedName]struct{}{}, map[types.NamespacedName]struct{}{}, first}
	for _, name := range names[aPod] {
		x.podChanged(name, &d)
	}
	for _, name := range names[anAttachment] {
		x.attachmentChanged(name.Name, &d)
	}
	for _, name := range names[aNode] {
		x.nodeChanged(name.Name, &d)
	}
	for _, name := range names[aCSINode] {
		x.limits.changed(name.Name)
	}
	for _, name := range names[aCapacity] {
		x.segments.changed(x.engine, name)
	}
	for _, name := range names[aVolume] {
		d.volumes[name] = struct{}{}
	}
	for _, name := range names[aClaim] {
		d.claims[name] = struct{}{}
	}
	x.volumes.begin(len(d.volumes))
	for name := range d.volumes {
		x.volumeChanged(name, &d)
	}
	x.volumes.end()
	x.claims.begin(len(d.claims))
	for name := range d.claims {
		x.claimChanged(name)
	}
	x.claims.end()
}

// podChanged takes in which claims a pod names.
func (x *storageIndex) podChanged(name types.NamespacedName, d *dirty) {
	var claims []types.NamespacedName
	if pod := x.engine.Store().Pod(name.Namespace, name.Name); pod != nil {
		for i := range pod.Spec.Volumes {
			if claim, is := world.ClaimOf(pod, &pod.Spec.Volumes[i]); is && claim != "" {
				claims = append(claims, types.NamespacedName{Namespace: name.Namespace, Name: claim})
			}
		}
	}
	for _, claim := range x.claimsOf[name] {
		d.claim(claim)
		dropName(x.users, claim, name)
	}
	delete(x.claimsOf, name)
	for _, claim := range claims {
		if d.claim(claim); x.claim(claim) == nil {
			d.claims[claim] = struct{}{}
		}
		if !slices.Contains(x.users[claim], name) {
			x.users[claim] = append(x.users[claim], name)
		}
	}
	if len(claims) > 0 {
		x.claimsOf[name] = claims
	}
}

func (x *storageIndex) attachmentChanged(name string, d *dirty) {
	if was, known := x.attachments[name]; known {
		delete(x.attachments, name)
		dropName(x.ofVolume, was.volume, name)
		dropName(x.onNode, was.node, name)
		d.volume(was.volume)
		x.limits.changed(was.node)
	}
	a := x.attachment(name)
	if a == nil || a.Spec.Source.PersistentVolumeName == nil {
		return
	}
	is := attachment{*a.Spec.Source.PersistentVolumeName, a.Spec.NodeName}
	if _, known := x.unready[is.node]; !known {
		x.unready[is.node] = x.nodeTrouble(is.node) != ""
	}
	x.attachments[name] = is
	x.ofVolume[is.volume] = append(x.ofVolume[is.volume], name)
	x.onNode[is.node] = append(x.onNode[is.node], name)
	d.volume(is.volume)
	x.limits.changed(is.node)
}

func (x *storageIndex) attachment(name string) *storagev1.VolumeAttachment {
	a, _ := x.engine.Store().Object(world.VolumeAttachment, "", name).(*storagev1.VolumeAttachment)
	return a
}

// dropName takes a name out of a list, and the list out of the map with its last name.
func dropName[K, N comparable](from map[K][]N, key K, name N) {
	left := slices.DeleteFunc(from[key], func(other N) bool { return other == name })
	if from[key] = left; len(left) == 0 {
		delete(from, key)
	}
}

// nodeChanged marks the volumes that are attached to a node that came, went, or changed between ready and not.
func (x *storageIndex) nodeChanged(name string, d *dirty) {
	unready := x.nodeTrouble(name) != ""
	if was, known := x.unready[name]; known && was == unready {
		return
	}
	x.unready[name] = unready
	for _, a := range x.onNode[name] {
		d.volume(x.attachments[a].volume)
	}
}

// volumeChanged finds the state of a volume again, and marks the claims that name it and the nodes that have it.
func (x *storageIndex) volumeChanged(name types.NamespacedName, d *dirty) {
	for _, a := range x.ofVolume[name.Name] {
		x.limits.changed(x.attachments[a].node)
	}
	for _, claim := range x.naming[name.Name] {
		d.claim(claim)
	}
	if was := x.volumes.byName[name]; was != nil {
		x.totals.addVolume(was, -1)
	}
	pv := x.volume(name.Name)
	if pv == nil {
		x.volumes.remove(name)
		return
	}
	is := x.volumeObject(pv)
	x.volumes.put(is)
	x.totals.addVolume(is, 1)
}

// claimChanged finds the state of a claim again.
func (x *storageIndex) claimChanged(name types.NamespacedName) {
	if was := x.claims.byName[name]; was != nil {
		x.totals.addClaim(was, -1)
		dropName(x.naming, was.volume, name)
	}
	is := x.claimObject(name)
	if is == nil {
		x.claims.remove(name)
		return
	}
	x.claims.put(is)
	x.totals.addClaim(is, 1)
	if is.volume != "" {
		x.naming[is.volume] = append(x.naming[is.volume], name)
	}
	for _, user := range x.users[name] {
		if pod := x.engine.Store().Pod(user.Namespace, user.Name); pod != nil {
			x.limits.changed(pod.Spec.NodeName)
		}
	}
}

func (x *storageIndex) volume(name string) *v1.PersistentVolume {
	pv, _ := x.engine.Store().Object(world.PersistentVolume, "", name).(*v1.PersistentVolume)
	return pv
}

func (x *storageIndex) claim(name types.NamespacedName) *v1.PersistentVolumeClaim {
	c, _ := x.engine.Store().Object(world.PersistentVolumeClaim, name.Namespace, name.Name).(*v1.PersistentVolumeClaim)
	return c
}

// storageObject is a claim or a volume as the index has it: its state is a views.ClaimState or a views.VolumeState.
type storageObject struct {
	rank
	class string
	bytes int64
	// volume is what a claim names; claim is the claim of a volume, where the place of that.
	volume string
	claim  types.NamespacedName
	where  string
}
