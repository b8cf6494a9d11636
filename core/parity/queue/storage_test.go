package queue

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientinformers "k8s.io/client-go/informers"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/component-helpers/storage/volume"
	fwk "k8s.io/kube-scheduler/framework"
	upconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	upplugins "k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	"k8s.io/utils/ptr"

	"orrery/core/parity/informers"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins"
	"orrery/core/scheduler/release"
	"orrery/core/scheduler/store"
	"orrery/core/scheduler/volumes"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// storagePlugins are the plugins of volumes on both sides, whose hints are their own, with the objects that they read.
type storagePlugins struct {
	objects      *informers.Factory
	store        *store.Store
	theirs, ours []fwk.EnqueueExtensions
}

// storagePluginNames are plugins that reject pods in scripts, after those of rejectors.
var storagePluginNames = []string{"VolumeBinding", "VolumeZone", "VolumeRestrictions", "NodeVolumeLimits"}

// storageHandle has the methods that these plugins use when they are made.
type storageHandle struct {
	fwk.Handle
	objects clientinformers.SharedInformerFactory
	csi     fwk.CSIManager
	state   *volumes.State
}

func (h storageHandle) SharedInformerFactory() clientinformers.SharedInformerFactory {
	return h.objects
}
func (h storageHandle) SharedCSIManager() fwk.CSIManager       { return h.csi }
func (h storageHandle) SnapshotSharedLister() fwk.SharedLister { return nil }
func (h storageHandle) ClientSet() clientset.Interface         { return nil }
func (h storageHandle) Volumes() *volumes.State                { return h.state }

func newStoragePlugins() *storagePlugins {
	s := &storagePlugins{objects: informers.New(), store: store.New()}
	theirs := storageHandle{objects: s.objects, csi: nodevolumelimits.NewCSIManager(s.objects.Storage().V1().CSINodes().Lister())}
	ours := storageHandle{objects: s.store.Informers(), csi: framework.CSINodes(s.store.Informers()), state: volumes.New(s.store)}
	theirRegistry, ourRegistry := upplugins.NewInTreeRegistry(), plugins.Registry(config.FeaturesOf(release.Newest))
	for _, name := range storagePluginNames {
		var theirArgs, ourArgs runtime.Object
		if name == "VolumeBinding" {
			shape := []upconfig.UtilizationShapePoint{{Utilization: 0, Score: 10}, {Utilization: 100, Score: 0}}
			theirArgs, ourArgs = &upconfig.VolumeBindingArgs{BindTimeoutSeconds: 600, Shape: shape}, config.DefaultArgs(name, config.FeaturesOf(release.Newest))
		}
		their, err := theirRegistry[name](context.Background(), theirArgs, theirs)
		must(err)
		our, err := ourRegistry[name](context.Background(), ourArgs, ours)
		must(err)
		s.theirs, s.ours = append(s.theirs, their.(fwk.EnqueueExtensions)), append(s.ours, our.(fwk.EnqueueExtensions))
	}
	return s
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// apply applies a change to the objects of both sides.
func (s *storagePlugins) apply(op world.Op, object world.Object) {
	s.objects.Apply(op, object)
	_, err := s.store.Apply(world.Changed{Op: op, Object: object})
	must(err)
}

func (s *storagePlugins) held(object world.Object) world.Object {
	held := s.store.Object(world.KindOf(object), object.GetNamespace(), object.GetName())
	if held == nil || reflect.ValueOf(held).IsNil() {
		return nil
	}
	return held
}

// storageResources are the resources of the events of 5.13 that are about storage.
var storageResources = map[world.Kind]fwk.EventResource{
	world.PersistentVolume: fwk.PersistentVolume, world.PersistentVolumeClaim: fwk.PersistentVolumeClaim,
	world.StorageClass: fwk.StorageClass, world.CSINode: fwk.CSINode, world.CSIDriver: fwk.CSIDriver,
	world.CSIStorageCapacity: fwk.CSIStorageCapacity, world.VolumeAttachment: fwk.VolumeAttachment,
}

// storageMoves are the events of storage with which pods must have been requeued.
var storageMoves = []string{
	"PersistentVolumeAdd", "PersistentVolumeUpdate", "PersistentVolumeClaimAdd", "PersistentVolumeClaimUpdate",
	"storage.k8s.io/StorageClassAdd", "storage.k8s.io/StorageClassUpdate", "storage.k8s.io/CSINodeAdd", "storage.k8s.io/CSINodeUpdate",
	"storage.k8s.io/CSIDriverUpdate", "storage.k8s.io/CSIStorageCapacityAdd", "storage.k8s.io/CSIStorageCapacityUpdate",
	"storage.k8s.io/VolumeAttachmentDelete",
}

// storageEvent adds, changes or deletes an object of storage.
func (p *player) storageEvent(s step) {
	d := newStorageDraw(s)
	object := d.object()
	p.version++
	object.SetResourceVersion(fmt.Sprint(p.version))
	event := fwk.ClusterEvent{Resource: storageResources[world.KindOf(object)]}
	held := p.storage.held(object)
	p.about = fmt.Sprintf("%s %s\nbefore: %+v\nafter: %+v", event.Resource, object.GetName(), held, object)
	switch {
	case held == nil:
		event.ActionType = fwk.Add
		p.storage.apply(world.Added, object)
		p.move(event, nil, object, nil)
	case d.IntN(4) == 0:
		event.ActionType = fwk.Delete
		p.storage.apply(world.Deleted, held)
		p.move(event, held, nil, nil)
	default:
		keepPublishing(held, object)
		event.ActionType = fwk.Update
		p.storage.apply(world.Modified, object)
		p.move(event, held, object, nil)
	}
}

// keepPublishing leaves out the one intended difference of hints: when a driver ceases to publish its capacity.
func keepPublishing(was, is world.Object) {
	if driver, ok := is.(*storagev1.CSIDriver); ok && ptr.Deref(was.(*storagev1.CSIDriver).Spec.StorageCapacity, false) {
		driver.Spec.StorageCapacity = ptr.To(true)
	}
}

// storageDraw draws objects and volumes from the numbers of a step.
type storageDraw struct{ *rand.Rand }

func newStorageDraw(s step) storageDraw {
	return storageDraw{rand.New(rand.NewPCG(uint64(s.a), uint64(s.b)<<16|uint64(s.c)))}
}

func (d storageDraw) pick(from ...string) string { return from[d.IntN(len(from))] }

func (d storageDraw) driver() string   { return d.pick("ebs.csi.aws.com", "disk.example.com") }
func (d storageDraw) zone() string     { return d.pick("a", "b") }
func (d storageDraw) number() string   { return fmt.Sprint(d.IntN(3)) }
func (d storageDraw) class() string    { return "class-" + d.number() }
func (d storageDraw) pvName() string   { return "volume-" + d.number() }
func (d storageDraw) nodeName() string { return "n" + d.number() }

func (d storageDraw) claimName() string {
	if d.IntN(4) == 0 {
		return fmt.Sprint("p", d.IntN(podSlots), "-own") // of a generic ephemeral volume
	}
	return "claim-" + d.number()
}

// podVolumes draws the volumes of a pod.
func (d storageDraw) podVolumes() (list []v1.Volume) {
	for i := range d.IntN(3) {
		var source v1.VolumeSource
		switch d.IntN(6) {
		case 0:
			source.AWSElasticBlockStore = &v1.AWSElasticBlockStoreVolumeSource{VolumeID: "vol-" + d.number()}
		case 1:
			source.CSI = &v1.CSIVolumeSource{Driver: d.driver()}
		case 2:
			list = append(list, v1.Volume{Name: "own", VolumeSource: v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{}}})
			continue
		default:
			source.PersistentVolumeClaim = &v1.PersistentVolumeClaimVolumeSource{ClaimName: "claim-" + d.number()}
		}
		list = append(list, v1.Volume{Name: fmt.Sprint("v", i), VolumeSource: source})
	}
	return list
}

func (d storageDraw) object() world.Object {
	switch d.IntN(8) {
	case 0, 1:
		return d.claim()
	case 2:
		return d.volume()
	case 3:
		return d.storageClass()
	case 4:
		return d.csiNode()
	case 5:
		driver := mk.CSIDriver(d.driver())
		driver.Spec.StorageCapacity = []*bool{nil, ptr.To(false), ptr.To(true)}[d.IntN(3)]
		return driver
	case 6:
		c := mk.StorageCapacity("in-"+d.zone(), d.class(), d.pick("0", "1Gi", "10Gi"), v1.LabelTopologyZone, d.zone())
		if d.IntN(4) == 0 {
			c.Capacity = nil
		}
		return c
	}
	return mk.Attachment("attachment-"+d.number(), d.nodeName(), d.driver(), d.pvName())
}

func (d storageDraw) claim() *v1.PersistentVolumeClaim {
	b := mk.Claim(d.claimName()).Namespace(d.pick("ns", "ns", "ns", "other")).Size(d.pick("1Gi", "5Gi")).Class(d.class())
	switch d.IntN(4) {
	case 0:
		b.Bound(d.pvName())
	case 1:
		b.Annotation(volume.AnnSelectedNode, d.nodeName())
	case 2:
		b.Mode(v1.ReadWriteOncePod)
	}
	return b.Obj()
}

func (d storageDraw) volume() *v1.PersistentVolume {
	b := mk.Volume(d.pvName()).Size(d.pick("1Gi", "5Gi")).Class(d.class()).CSI(d.driver(), d.number())
	if d.IntN(2) == 0 {
		b.Label(v1.LabelTopologyZone, d.zone())
	}
	if d.IntN(4) == 0 {
		b.Label("other", d.number())
	}
	return b.Obj()
}

func (d storageDraw) storageClass() *storagev1.StorageClass {
	b := mk.Class(d.class(), d.driver())
	if d.IntN(3) > 0 {
		b.WaitForFirstConsumer()
	}
	class := b.Obj()
	if d.IntN(2) == 0 {
		class.AllowedTopologies = []v1.TopologySelectorTerm{{
			MatchLabelExpressions: []v1.TopologySelectorLabelRequirement{{Key: v1.LabelTopologyZone, Values: []string{d.zone()}}},
		}}
	}
	return class
}

func (d storageDraw) csiNode() *storagev1.CSINode {
	b := mk.CSINode(d.nodeName()).Limit("ebs.csi.aws.com", int32(d.IntN(3))).Limit("disk.example.com", int32(d.IntN(3)))
	if d.IntN(2) == 0 {
		b.Migrated("kubernetes.io/aws-ebs")
	}
	return b.Obj()
}
