package engine_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/storage/volume"
	"k8s.io/utils/ptr"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// The scenarios of storage are small clusters of three zones, whose pods have claims of classes that provision volumes or
// find them, at once or with the pod. Everything goes wrong at random: the provisioner hangs, a zone's storage runs out,
// claims are reset, pods, claims, volumes and nodes are deleted, volumes stay attached, the API server restarts. A seed is
// a scenario.
const (
	// storageTail is longer than any provisioner hangs plus bindTimeoutSeconds. At its beginning there is room for everything:
	// pods whose volumes cannot be made are tried again and again.
	storageTail = 30 * time.Minute
	disks       = "disks.example.com"
)

var (
	storageZones   = []string{"z1", "z2", "z3"}
	storageClasses = []string{"late", "late", "narrow", "static", "now"}
)

// storageFaults are all faults, those of the writes of volumes and claims included.
func storageFaults() memory.Faults {
	f := allFaults()
	f.Calls[memory.CallVolume] = f.Calls[memory.CallPatchStatus]
	return f
}

// storageScenario returns a cluster with all its changes scheduled.
func storageScenario(seed uint64, faults memory.Faults) *memory.Cluster {
	s := &storageDraw{Rand: rand.New(rand.NewPCG(seed, 0xd15c))}
	latency := memory.TypicalLatency()
	if s.IntN(4) == 0 {
		latency = memory.Latency{}
	}
	s.c = memory.New(memory.Options{
		Start: start, Seed: seed, Latency: latency, Faults: faults,
		PodBehavior: func(pod *v1.Pod) memory.PodBehavior {
			life := memory.DefaultPodBehavior(pod)
			if pod.Labels["app"] == "batch" {
				life.Run = 15 * time.Second
			}
			return life
		},
	})
	s.createStorage()
	for i := range 3 + s.IntN(3) {
		s.createNode(i)
	}
	for i := range 5 {
		must(s.c.Create(s.volume(i)))
	}
	if s.IntN(3) == 0 {
		must(s.c.Create(s.database()))
	}
	for i := range 8 + s.IntN(10) {
		claim, pod := s.claim(i%8), s.pod(i)
		s.at(func(c *memory.Cluster) { _, _ = c.Create(claim) })
		s.at(func(c *memory.Cluster) { _, _ = c.Create(pod) })
	}
	for range 6 + s.IntN(20) {
		s.trouble()
	}
	s.c.At(start.Add(scenarioLength), func(c *memory.Cluster) {
		for _, zone := range storageZones {
			s.setRoom(c, zone, 1000)
		}
	})
	return s.c
}

// storageDraw draws a scenario.
type storageDraw struct {
	*rand.Rand
	c *memory.Cluster
}

// at schedules a change at some time of the scenario.
func (s *storageDraw) at(change func(*memory.Cluster)) {
	s.c.At(start.Add(time.Duration(s.Int64N(int64(scenarioLength)))), change)
}

func (s *storageDraw) createStorage() {
	driver := mk.CSIDriver(disks)
	driver.Spec.StorageCapacity = ptr.To(s.IntN(3) > 0)
	narrow := mk.Class("narrow", disks).WaitForFirstConsumer().Obj()
	narrow.AllowedTopologies = []v1.TopologySelectorTerm{{
		MatchLabelExpressions: []v1.TopologySelectorLabelRequirement{{Key: v1.LabelTopologyZone, Values: []string{"z1", "z2"}}},
	}}
	for _, o := range []world.Object{
		driver, narrow, mk.Class("late", disks).WaitForFirstConsumer().Obj(), mk.Class("now", disks).Obj(),
		mk.Class("static", volume.NotSupportedProvisioner).WaitForFirstConsumer().Obj(),
	} {
		must(s.c.Create(o))
	}
	for _, name := range storageZones {
		s.setRoom(s.c, name, s.IntN(12))
	}
}

func (s *storageDraw) setRoom(c *memory.Cluster, zone string, gigabytes int) {
	c.SetCapacity(disks, map[string]string{v1.LabelTopologyZone: zone}, int64(gigabytes)<<30)
}

func (s *storageDraw) createNode(i int) {
	name := "n" + strconv.Itoa(i)
	must(s.c.Create(mk.Node(name).CPU(pick(s.Rand, "1", "2", "4")).Memory("8Gi").Zone(storageZones[i%3]).Obj()))
	must(s.c.Create(s.csiNode(name)))
}

func (s *storageDraw) csiNode(name string) *storagev1.CSINode {
	b := mk.CSINode(name)
	if limit := s.IntN(4); limit > 0 {
		b.Limit(disks, int32(limit))
	} else {
		b.Driver(disks)
	}
	b.Obj().Spec.Drivers[0].TopologyKeys = []string{v1.LabelTopologyZone}
	return b.Obj()
}

func (s *storageDraw) size() string { return fmt.Sprintf("%dGi", 1+s.IntN(4)) }

func (s *storageDraw) volume(i int) *v1.PersistentVolume {
	b := mk.Volume("pv"+strconv.Itoa(i)).Size(s.size()).Class(pick(s.Rand, "static", "static", "late")).CSI(disks, strconv.Itoa(i))
	switch s.IntN(3) {
	case 0:
		b.On(v1.LabelTopologyZone, pick(s.Rand, storageZones...))
	case 1:
		b.On(v1.LabelHostname, "n"+strconv.Itoa(s.IntN(3)))
	}
	return b.Obj()
}

func (s *storageDraw) claim(i int) *v1.PersistentVolumeClaim {
	return mk.Claim("c" + strconv.Itoa(i)).Size(s.size()).Class(pick(s.Rand, storageClasses...)).Obj()
}

func (s *storageDraw) pod(i int) *v1.Pod {
	b := mk.Pod(fmt.Sprintf("p%02d", i)).UID("").CPU(pick(s.Rand, "0", "100m", "1")).Label("app", pick(s.Rand, "web", "batch"))
	switch s.IntN(6) {
	case 0:
		claim := s.claim(0)
		b.Volume("own", v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{VolumeClaimTemplate: &v1.PersistentVolumeClaimTemplate{Spec: claim.Spec}}})
	case 1: // two; for a claim that a pod names twice, kube-scheduler and Orrery take two volumes
		first := s.IntN(8)
		b.PVC("c" + strconv.Itoa(first)).PVC("c" + strconv.Itoa((first+1+s.IntN(7))%8))
	default:
		b.PVC("c" + strconv.Itoa(s.IntN(8)))
	}
	if s.IntN(3) == 0 {
		b.Obj().Spec.SchedulerName = secondScheduler
	}
	return b.Obj()
}

func (s *storageDraw) database() *appsv1.StatefulSet {
	replicas, labels := int32(3), map[string]string{"app": "db"}
	return &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: "db", Namespace: "default"},
		Spec: appsv1.StatefulSetSpec{
			Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels}, PodManagementPolicy: appsv1.ParallelPodManagement,
			Template:             v1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: mk.Pod("").CPU("200m").Obj().Spec},
			VolumeClaimTemplates: []v1.PersistentVolumeClaim{*mk.Claim("data").Size("1Gi").Class("late").Obj()},
		},
	}
}

// trouble schedules one thing that goes wrong, or its repair.
func (s *storageDraw) trouble() {
	claim, pod, pv, node := "c"+strconv.Itoa(s.IntN(8)), fmt.Sprintf("p%02d", s.IntN(18)), "pv"+strconv.Itoa(s.IntN(5)), "n"+strconv.Itoa(s.IntN(5))
	zone, room, long := pick(s.Rand, storageZones...), s.IntN(12), time.Duration(s.Int64N(int64(15*time.Minute)))
	again := s.csiNode(node)
	s.at([]func(*memory.Cluster){
		func(c *memory.Cluster) { c.HangProvisioner(disks, long) },
		func(c *memory.Cluster) { c.FailDetach(pv, long) },
		func(c *memory.Cluster) { s.setRoom(c, zone, 0) },
		func(c *memory.Cluster) { s.setRoom(c, zone, room) },
		func(c *memory.Cluster) {
			_ = c.Delete(world.PersistentVolumeClaim, "default", claim, metav1.DeleteOptions{})
		},
		func(c *memory.Cluster) { _ = c.Delete(world.PersistentVolume, "", pv, metav1.DeleteOptions{}) },
		func(c *memory.Cluster) { _ = c.Delete(world.Pod, "default", pod, metav1.DeleteOptions{}) },
		func(c *memory.Cluster) { _ = c.Delete(world.Node, "", node, metav1.DeleteOptions{}) },
		func(c *memory.Cluster) { _ = c.LoseNode(node) },
		func(c *memory.Cluster) { _ = c.RecoverNode(node) },
		func(c *memory.Cluster) { c.RestartServer(long / 60) },
		func(c *memory.Cluster) { changeObject(c, world.PersistentVolumeClaim, "default", claim, resetNode) },
		func(c *memory.Cluster) { changeObject(c, world.PersistentVolumeClaim, "default", claim, resetClaim) },
		func(c *memory.Cluster) { changeObject(c, world.PersistentVolumeClaim, "default", claim, touch) },
		func(c *memory.Cluster) { changeObject(c, world.PersistentVolume, "", pv, touch) },
		func(c *memory.Cluster) {
			changeObject(c, world.CSINode, "", node, func(o world.Object) { o.(*storagev1.CSINode).Spec = again.Spec })
		},
	}[s.IntN(16)])
}

// changeObject changes an object, if it exists.
func changeObject(c *memory.Cluster, kind world.Kind, namespace, name string, change func(world.Object)) {
	if o, err := c.Get(kind, namespace, name); err == nil {
		o = o.DeepCopyObject().(world.Object)
		change(o)
		_, _ = c.Update(o)
	}
}

// resetNode makes the scheduler select a node anew, as a provisioner that has failed does.
func resetNode(o world.Object) { delete(o.GetAnnotations(), volume.AnnSelectedNode) }

func resetClaim(o world.Object) { o.SetAnnotations(nil) }

// touch gives an object a new version, so that a write of the old one conflicts.
func touch(o world.Object) { o.SetLabels(map[string]string{"touched": o.GetResourceVersion()}) }

const secondScheduler = "second-scheduler"

// newStorageEngine has two profiles, whose pods want the same volumes.
func newStorageEngine(t *testing.T, seed uint64) *engine.Engine {
	t.Helper()
	features, err := config.ParseFeatures(map[string]bool{string(config.StorageCapacityScoring): seed%3 == 0})
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Load([]byte("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"+
		"profiles: [{schedulerName: default-scheduler}, {schedulerName: "+secondScheduler+"}]\n"), features)
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Options{Config: c, Seed: seed, Start: start})
	if err != nil {
		t.Fatal(err)
	}
	return e
}
