package collect

import (
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// storageIndex keeps claims and volumes in the order of their lists, and what their states depend on.
type storageIndex struct {
	changeFeed

	claims, volumes objectOrder[*storageObject]

	naming map[string][]types.NamespacedName // the claims that name a volume
	users  claimUsers
	// attachments are the VolumeAttachments by name, with their names by volume and by node.
	attachments      map[string]attachment
	ofVolume, onNode map[string][]string
	unready          map[string]bool // whether a node is not ready, or absent

	totals   storageTotals
	segments segmentCache
	limits   limitCache
}

type attachment struct{ volume, node string }

// storageKinds are the kinds whose changes the index reads.
var storageKinds = []world.Kind{
	world.Pod, world.Node, world.StorageClass, world.VolumeAttachment, world.CSINode, world.CSIStorageCapacity, world.PersistentVolume,
	world.PersistentVolumeClaim,
}

// refresh brings the index up to date with an engine. Any claim may be of a class that has changed.
func (x *storageIndex) refresh(e *engine.Engine) {
	if x.engine != e {
		*x = storageIndex{changeFeed: newChangeFeed(e, storageKinds...)}
	}
	changed, known := x.next()
	x.feed(x, changed, known && len(changed[world.StorageClass]) == 0)
}

// readAll begins to read every object.
func (x *storageIndex) readAll() {
	*x = storageIndex{
		changeFeed: x.changeFeed, naming: map[string][]types.NamespacedName{}, users: newClaimUsers(x.engine), attachments: map[string]attachment{},
		ofVolume: map[string][]string{}, onNode: map[string][]string{}, unready: map[string]bool{}, totals: newStorageTotals(),
	}
	x.startOver(storageKinds...)
}

// dirty are the objects whose state has to be found again.
type dirty struct {
	volumes, claims map[types.NamespacedName]struct{}
	// first means that everything is read for the first time: what depends on an object is read after it, unless it does not
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
func (x *storageIndex) read(changed names, first bool) {
	d := dirty{map[types.NamespacedName]struct{}{}, map[types.NamespacedName]struct{}{}, first}
	for _, name := range changed[world.Pod] {
		x.podChanged(name, &d)
	}
	for _, name := range changed[world.VolumeAttachment] {
		x.attachmentChanged(name.Name, &d)
	}
	for _, name := range changed[world.Node] {
		x.nodeChanged(name.Name, &d)
	}
	for _, name := range changed[world.CSINode] {
		x.limits.changed(name.Name)
	}
	for _, name := range changed[world.CSIStorageCapacity] {
		x.segments.changed(x.engine, name)
	}
	for _, name := range changed[world.PersistentVolume] {
		d.volumes[name] = struct{}{}
	}
	for _, name := range changed[world.PersistentVolumeClaim] {
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
	x.users.change(name, claims, func(claim types.NamespacedName) {
		if d.claim(claim); x.claim(claim) == nil {
			d.claims[claim] = struct{}{}
		}
	})
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
	for _, user := range x.users.pods[name] {
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
