package live_test

import (
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/parity/storage"
	"orrery/core/world"
)

// claimScenarios are about where a claim's volume can be used.
var claimScenarios = []scenario{
	{"a bound volume keeps its pod from all other nodes", func(s *storageFixture) {
		s.volume(localVolume("disk", "node-0"))
		s.claim("data", local, func(c *v1.PersistentVolumeClaim) { c.Spec.VolumeName = "disk" })
		byAffinity := withClaims(small("by-affinity"), "data")
		byAffinity.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
			NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{
				{Key: v1.LabelHostname, Operator: v1.NodeSelectorOpIn, Values: []string{"node-1"}},
			}}},
		}}}
		s.add(byAffinity, on(withClaims(small("by-selector"), "data"), v1.LabelHostname, "node-1"))
		for _, name := range []string{"by-affinity", "by-selector"} {
			s.waits(name, "1 node(s) didn't match PersistentVolume's node affinity", "2 node(s) didn't match Pod's node affinity/selector")
		}
		s.add(withClaims(small("anywhere"), "data"))
		s.runsOn("node-0", "anywhere")
	}},
	{"pods that share a volume share its node, at once and one after the other", func(s *storageFixture) {
		s.volume(localVolume("disk", "node-2"))
		s.claim("data", local, nil)
		s.add(withClaims(small("first"), "data"), withClaims(small("second"), "data"))
		s.runsOn("node-2", "first")
		s.runsOn("node-2", "second")
		s.deletePod("first")
		s.deletePod("second")
		s.add(withClaims(small("third"), "data"))
		s.runsOn("node-2", "third")
	}},
	{"a volume and a claim that name each other are for each other only", func(s *storageFixture) {
		s.claim("named", local, nil)
		named := localVolume("for-named", "node-1")
		named.Spec.ClaimRef = &v1.ObjectReference{Namespace: metav1.NamespaceDefault, Name: "named"}
		s.volume(named)
		s.add(withClaims(small("pod-of-named"), "named"))
		s.runsOn("node-1", "pod-of-named")
		s.claim("other", local, nil)
		s.add(withClaims(small("pod-of-other"), "other"))
		s.waits("pod-of-other", "3 node(s) didn't find available persistent volumes to bind")
		s.volume(localVolume("for-other", "node-2"))
		s.runsOn("node-2", "pod-of-other")
	}},
	{"a claim that is being deleted admits no further pod, and stays while one runs", func(s *storageFixture) {
		s.claim("data", delayed, nil)
		s.add(withClaims(small("first"), "data"))
		s.runs("first")
		s.deleteClaim("data")
		s.add(withClaims(small("second"), "data"))
		s.waits("second", `persistentvolumeclaim "data" is being deleted`)
		if claims := s.claims(); len(claims) != 1 || claims[0].DeletionTimestamp == nil {
			s.t.Errorf("want one claim that is terminating: %v", claims)
		}
		s.deletePod("second")
		s.deletePod("first")
		s.eventually(func() error {
			if n := len(s.claims()); n > 0 {
				return fmt.Errorf("%d claims are left", n)
			}
			return nil
		})
	}},
	{"an immediate volume is made first, and its zone decides", func(s *storageFixture) {
		s.claim("data", immediate, nil)
		s.add(on(withClaims(small("elsewhere"), "data"), v1.LabelTopologyZone, "zone-2"))
		s.waits("elsewhere", "1 node(s) didn't match PersistentVolume's node affinity")
		s.add(withClaims(small("there"), "data"))
		s.runsOn("node-1", "there")
	}},
	{"a class allows one zone", func(s *storageFixture) {
		s.restrictDelayed("only-zone-2", "zone-2")
		s.claim("here", "only-zone-2", nil)
		s.claim("there", "only-zone-2", nil)
		s.add(on(withClaims(small("excluded"), "here"), v1.LabelTopologyZone, "zone-0"), withClaims(small("allowed"), "there"))
		s.runsOn("node-2", "allowed")
		s.waits("excluded", "1 node(s) didn't find available persistent volumes to bind")
	}},
	{"capacity that is tracked is awaited", func(s *storageFixture) {
		s.trackCapacity(true)
		defer s.trackCapacity(false)
		s.claim("data", delayed, nil)
		s.add(withClaims(small("pod"), "data"))
		s.waits("pod", "3 node(s) did not have enough free storage")
		s.capacity("too-little", "zone-0", "1Mi")
		s.capacity("enough", "zone-1", "100Gi")
		s.runsOn("node-1", "pod")
	}},
	{"a zone without room gives the claim back, and is tried again", func(s *storageFixture) {
		s.SetRoom("zone-0", 0)
		s.claim("data", delayed, nil)
		s.add(on(withClaims(small("pod"), "data"), v1.LabelTopologyZone, "zone-0"))
		s.eventually(func() error {
			list, err := s.client.CoreV1().Events(metav1.NamespaceDefault).List(s.ctx, metav1.ListOptions{FieldSelector: "reason=ProvisioningFailed"})
			if err == nil && len(list.Items) == 0 {
				err = errors.New("the provisioner has not failed")
			}
			return err
		})
		s.SetRoom("zone-0", 10<<30)
		s.runsOn("node-0", "pod")
	}},
	{"a node takes as many volumes as its limit, ephemeral ones included", func(s *storageFixture) {
		s.limit("node-0", 2)
		defer s.limit("node-0", 0)
		s.claim("first", delayed, nil)
		s.claim("third", delayed, nil)
		s.add(on(withClaims(small("one"), "first"), v1.LabelHostname, "node-0"), on(withEphemeral(small("two")), v1.LabelHostname, "node-0"))
		s.runs("one", "two")
		s.add(on(withClaims(small("three"), "third"), v1.LabelHostname, "node-0"))
		s.waits("three", "1 node(s) exceed max volume count")
		s.deletePod("one")
		s.runs("three")
	}},
	{"a volume for one pod only is waited for, or taken by priority", func(s *storageFixture) {
		s.claim("data", delayed, func(c *v1.PersistentVolumeClaim) {
			c.Spec.AccessModes = []v1.PersistentVolumeAccessMode{v1.ReadWriteOncePod}
		})
		s.add(withClaims(small("holder"), "data"))
		s.runs("holder")
		s.add(withClaims(small("next"), "data"))
		s.waits("next", "3 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod")
		s.deletePod("holder")
		s.runs("next")
		urgent := withClaims(small("urgent"), "data")
		urgent.Spec.PriorityClassName = "high"
		s.add(urgent)
		s.runs("urgent")
		if _, err := s.client.CoreV1().Pods(metav1.NamespaceDefault).Get(s.ctx, "next", metav1.GetOptions{}); err == nil {
			s.t.Error("the pod that had the volume was not preempted")
		}
	}},
}

// withEphemeral makes a pod mount a generic ephemeral volume.
func withEphemeral(pod *v1.Pod) *v1.Pod {
	pod.Spec.Volumes = append(pod.Spec.Volumes, v1.Volume{Name: "scratch", VolumeSource: v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{
		VolumeClaimTemplate: &v1.PersistentVolumeClaimTemplate{Spec: newClaim("", delayed).Spec},
	}}})
	return pod
}

// restrictDelayed creates a class with delayed binding whose volumes can be in one zone only.
func (s *storageFixture) restrictDelayed(name, zone string) {
	class := storage.Class(name, storage.Driver, storagev1.VolumeBindingWaitForFirstConsumer)
	class.AllowedTopologies = []v1.TopologySelectorTerm{{MatchLabelExpressions: []v1.TopologySelectorLabelRequirement{
		{Key: v1.LabelTopologyZone, Values: []string{zone}},
	}}}
	s.class(class)
}

// trackCapacity sets whether the driver tells its capacity.
func (s *storageFixture) trackCapacity(yes bool) {
	s.t.Helper()
	patch := fmt.Appendf(nil, `{"spec":{"storageCapacity":%v}}`, yes)
	if _, err := s.client.StorageV1().CSIDrivers().Patch(s.ctx, storage.Driver, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		s.t.Fatal(err)
	}
	knows(s, world.CSIDriver, "", storage.Driver, func(o *storagev1.CSIDriver) bool {
		return o.Spec.StorageCapacity != nil && *o.Spec.StorageCapacity == yes
	})
}

// capacity tells how much room the delayed class has in a zone.
func (s *storageFixture) capacity(name, zone, amount string) {
	s.t.Helper()
	quantity := resource.MustParse(amount)
	_, err := s.client.StorageV1().CSIStorageCapacities(metav1.NamespaceDefault).Create(s.ctx, &storagev1.CSIStorageCapacity{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: metav1.NamespaceDefault}, StorageClassName: delayed, Capacity: &quantity,
		NodeTopology: &metav1.LabelSelector{MatchLabels: map[string]string{v1.LabelTopologyZone: zone}},
	}, metav1.CreateOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
}

// limit registers the driver on a node again, with another limit; zero means any number.
func (s *storageFixture) limit(node string, volumes int32) {
	s.t.Helper()
	nodes := s.client.StorageV1().CSINodes()
	old, err := nodes.Get(s.ctx, node, metav1.GetOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	again := &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: node}, Spec: old.Spec}
	again.Spec.Drivers[0].Allocatable = nil
	if volumes > 0 {
		again.Spec.Drivers[0].Allocatable = &storagev1.VolumeNodeResources{Count: &volumes}
	}
	deleteErr := nodes.Delete(s.ctx, node, metav1.DeleteOptions{})
	_, createErr := nodes.Create(s.ctx, again, metav1.CreateOptions{})
	if err := errors.Join(deleteErr, createErr); err != nil {
		s.t.Fatal(err)
	}
	knows(s, world.CSINode, "", node, func(o *storagev1.CSINode) bool {
		return len(o.Spec.Drivers) == 1 && (o.Spec.Drivers[0].Allocatable != nil) == (volumes > 0)
	})
}
