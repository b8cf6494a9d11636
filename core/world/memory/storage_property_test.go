package memory_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	storagevolume "k8s.io/component-helpers/storage/volume"
	"pgregory.net/rapid"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// storageSteps are the steps of a random script that are about storage. Claims are c0 to c5, of which the even ones are of
// a delayed class; volumes are v0 to v5, and nodes n0 to n3, in two zones.
var storageSteps = []string{
	"driver", "csi node", "csi node", "claim", "claim", "claim", "drop claim", "volume", "volume", "drop volume", "pod with claim",
	"pod with claim", "pod with claim", "ephemeral", "database", "drop database", "claim volume", "claim volume", "select node",
	"select node", "schedule", "schedule", "schedule", "schedule", "schedule", "capacity", "hang", "fail detach", "out of service", "force delete",
}

func classOfClaim(i int) string { return [...]string{"late", "now"}[i%2] }

func playStorage(c *memory.Cluster, do func(world.Action), s step) {
	n, on := strconv.Itoa(s.A), "n"+strconv.Itoa(s.B)
	switch s.What {
	case "driver":
		_, _ = c.Create(disksDriver())
		_, _ = c.Create(delayedClass("late", disks))
		_, _ = c.Create(immediateClass("now", disks))
	case "csi node":
		_, _ = c.Create(mk.Node(on).Zone(strconv.Itoa(s.B % 2)).CPU("4").Memory("8Gi").Obj())
		_, _ = c.Create(csiNode(on, int32(s.B))) // n0 has no limit
	case "claim":
		made := claim("c"+n, strconv.Itoa(1+s.B)+"Gi")
		made.Spec.StorageClassName = ptr(classOfClaim(s.A))
		_, _ = c.Create(made)
	case "drop claim":
		_ = c.Delete(world.PersistentVolumeClaim, "default", "c"+n, metav1.DeleteOptions{})
	case "volume":
		made := everywhere("v" + n)
		made.Spec.StorageClassName, made.Spec.Capacity = classOfClaim(s.B), mk.Resources("storage", strconv.Itoa(1+s.B)+"Gi")
		_, _ = c.Create(made)
	case "drop volume":
		_ = c.Delete(world.PersistentVolume, "", "v"+n, metav1.DeleteOptions{})
	case "pod with claim":
		_, _ = c.Create(mk.Pod("p" + n).PVC("c" + strconv.Itoa(s.B)).Obj())
	case "ephemeral":
		_, _ = c.Create(ephemeralPod("p" + n))
	case "database":
		set := database(int32(s.B), nil)
		set.Spec.VolumeClaimTemplates[0].Spec.StorageClassName = ptr(classOfClaim(s.A))
		_, _ = c.Create(set)
	case "drop database":
		_ = c.Delete(world.StatefulSet, "default", "db", metav1.DeleteOptions{})
	case "claim volume":
		o, err := c.Get(world.PersistentVolume, "", "v"+n)
		to, missing := c.Get(world.PersistentVolumeClaim, "default", "c"+strconv.Itoa(s.B))
		if err == nil && missing == nil && o.(*v1.PersistentVolume).Spec.ClaimRef == nil {
			do(world.ClaimVolume{Volume: referTo(o), Claim: referTo(to), ByController: true})
		}
	case "select node":
		if o, err := c.Get(world.PersistentVolumeClaim, "default", "c"+n); err == nil {
			do(world.SelectNode{Claim: referTo(o), Node: on})
		}
	case "schedule":
		for _, o := range c.List(world.Pod) {
			scheduleWithClaims(c, do, o.(*v1.Pod), s.B)
		}
	case "capacity":
		c.SetCapacity(disks, zone(strconv.Itoa(s.B%2)), int64(s.A)<<30)
	case "hang":
		c.HangProvisioner(disks, s.Wait*2)
	case "fail detach":
		c.FailDetach("v"+n, s.Wait*2)
	case "out of service":
		if had := c.Node(on); had != nil {
			off := had.DeepCopy()
			off.Spec.Taints = append(off.Spec.Taints, v1.Taint{Key: v1.TaintNodeOutOfService, Effect: v1.TaintEffectNoExecute})
			_, _ = c.Update(off)
		}
	case "force delete":
		_ = c.Delete(world.Pod, "default", "p"+n, graceOf(0))
	}
}

// scheduleWithClaims selects a node for a pod's unbound claims or, if they are bound, binds the pod to the first node from
// the given one on that their volumes reach.
func scheduleWithClaims(c *memory.Cluster, do func(world.Action), pod *v1.Pod, first int) {
	if pod.Spec.NodeName != "" {
		return
	}
	var volumes []*v1.PersistentVolume
	for _, name := range claimNames(pod) {
		o, err := c.Get(world.PersistentVolumeClaim, "default", name)
		if err != nil {
			return
		}
		volume, err := c.Get(world.PersistentVolume, "", o.(*v1.PersistentVolumeClaim).Spec.VolumeName)
		if err != nil {
			do(world.SelectNode{Pod: world.PodRefOf(pod), Claim: referTo(o), Node: "n" + strconv.Itoa(first)})
			return
		}
		volumes = append(volumes, volume.(*v1.PersistentVolume))
	}
	for i := range 4 {
		on := "n" + strconv.Itoa((first+i)%4)
		reached := c.Node(on) != nil
		for _, volume := range volumes {
			reached = reached && storagevolume.CheckNodeAffinity(volume, c.Node(on).Labels) == nil
		}
		if reached {
			do(world.Bind{Pod: world.PodRefOf(pod), Node: on})
			return
		}
	}
}

// claimNames are the claims that a pod refers to.
func claimNames(pod *v1.Pod) []string {
	var all []string
	for _, v := range pod.Spec.Volumes {
		if v.PersistentVolumeClaim != nil {
			all = append(all, v.PersistentVolumeClaim.ClaimName)
		} else {
			all = append(all, pod.Name+"-"+v.Name)
		}
	}
	return all
}

func TestStorage_AtRest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, effect := memory.New(troubled(anyOptions(t))), world.EffectID(0)
		steps := rapid.SampledFrom(append(storageSteps, "bind", "lose", "recover", "drop node", "delete", "restart"))
		play(c, &effect, step{What: "driver"})
		for i := range 4 {
			play(c, &effect, step{What: "csi node", B: i, Wait: time.Minute})
		}
		dropped := false
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			what := steps.Draw(t, "what")
			dropped = dropped || what == "drop node"
			play(c, &effect, step{
				What: what, A: rapid.IntRange(0, 5).Draw(t, "a"), B: rapid.IntRange(0, 3).Draw(t, "b"),
				Wait: time.Duration(rapid.IntRange(0, 60_000).Draw(t, "wait")) * time.Millisecond,
			})
		}
		rest(c, func(world.Input) {})
		problems := storageErrors(c)
		if !dropped { // a node that comes back has volumes from when it had no CSINode
			problems = append(problems, limitErrors(c)...)
		}
		for _, one := range problems {
			t.Error(one)
		}
	})
}

// referTo is the present version of an object.
func referTo(o world.Object) world.ObjectRef {
	return world.ObjectRef{Namespace: o.GetNamespace(), Name: o.GetName(), UID: o.GetUID(), ResourceVersion: o.GetResourceVersion()}
}

// storageErrors lists what must never be true of a cluster at rest.
func storageErrors(c *memory.Cluster) []string {
	var problems []string
	fail := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	claimOf := map[string]string{}
	for _, o := range c.List(world.PersistentVolumeClaim) {
		claim := o.(*v1.PersistentVolumeClaim)
		if claim.Status.Phase != v1.ClaimBound {
			continue
		}
		if other, taken := claimOf[claim.Spec.VolumeName]; taken {
			fail("volume %s is bound to %s and to %s", claim.Spec.VolumeName, other, claim.Name)
		}
		claimOf[claim.Spec.VolumeName] = claim.Name
		volume, err := c.Get(world.PersistentVolume, "", claim.Spec.VolumeName)
		if err != nil {
			fail("claim %s is bound to no volume: %v", claim.Name, err)
		} else if ref := volume.(*v1.PersistentVolume).Spec.ClaimRef; ref == nil || ref.UID != claim.UID {
			fail("claim %s is bound to volume %s, which is claimed by %v", claim.Name, volume.GetName(), ref)
		}
	}
	attached := map[string]string{}
	for _, o := range c.List(world.VolumeAttachment) {
		a := o.(*storagev1.VolumeAttachment)
		if other, taken := attached[*a.Spec.Source.PersistentVolumeName]; taken {
			fail("volume %s is attached to %s and to %s", *a.Spec.Source.PersistentVolumeName, other, a.Spec.NodeName)
		}
		attached[*a.Spec.Source.PersistentVolumeName] = a.Spec.NodeName
	}
	used := map[string]bool{}
	for _, o := range c.List(world.Pod) {
		pod := o.(*v1.Pod)
		for _, name := range claimNames(pod) {
			used[name] = used[name] || pod.Spec.NodeName != ""
			bound, err := c.Get(world.PersistentVolumeClaim, "default", name)
			if pod.Status.Phase != v1.PodRunning {
				continue
			}
			if err != nil {
				fail("pod %s runs without its claim %s", pod.Name, name)
			} else if volume := bound.(*v1.PersistentVolumeClaim).Spec.VolumeName; attached[volume] != pod.Spec.NodeName {
				fail("pod %s runs on %s, and its volume %s is on %q", pod.Name, pod.Spec.NodeName, volume, attached[volume])
			}
		}
	}
	for _, o := range c.List(world.PersistentVolumeClaim) {
		if o.GetDeletionTimestamp() != nil && !used[o.GetName()] {
			fail("claim %s is not deleted, though no pod uses it", o.GetName())
		}
	}
	for _, o := range c.List(world.PersistentVolume) {
		if volume := o.(*v1.PersistentVolume); volume.DeletionTimestamp != nil && volume.Status.Phase != v1.VolumeBound {
			fail("volume %s is not deleted, though it is %s", volume.Name, volume.Status.Phase)
		}
	}
	return problems
}

// limitErrors lists the nodes that have more volumes than they can.
func limitErrors(c *memory.Cluster) []string {
	var problems []string
	onNode := map[string]int{}
	for _, o := range c.List(world.VolumeAttachment) {
		if a := o.(*storagev1.VolumeAttachment); a.Status.Attached {
			onNode[a.Spec.NodeName]++
		}
	}
	for _, o := range c.List(world.CSINode) {
		if limit := o.(*storagev1.CSINode).Spec.Drivers[0].Allocatable; limit != nil && onNode[o.GetName()] > int(*limit.Count) {
			problems = append(problems, fmt.Sprintf("node %s has %d volumes, its limit is %d", o.GetName(), onNode[o.GetName()], *limit.Count))
		}
	}
	return problems
}
