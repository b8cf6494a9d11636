package volumebinding

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/utils/ptr"

	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
	"orrery/core/testing/mk"
)

// drawn are the objects of each resource with a hint, and one of another kind.
var drawn = map[fwk.EventResource]func(*difftest.Source) any{
	fwk.PersistentVolumeClaim: func(t *difftest.Source) any { return someClaim(t, false) },
	fwk.StorageClass:          func(t *difftest.Source) any { return someClass(t) },
	fwk.CSINode:               func(t *difftest.Source) any { return someCSINode(t) },
	fwk.CSIDriver:             func(t *difftest.Source) any { return someDriver(t) },
	fwk.CSIStorageCapacity:    func(t *difftest.Source) any { return someCapacity(t, false) },
	fwk.PersistentVolume:      func(t *difftest.Source) any { return someVolume(t) },
	fwk.Node:                  func(t *difftest.Source) any { return someNode(t, nodeNames[0]) },
}

func TestVolumeBinding_SameHints(t *testing.T) {
	seen := difftest.Coverage{}
	n := difftest.Check(t, comparisons.VolumeBinding.Cases, func(t *difftest.Source) {
		c := newCluster(t, nil)
		theirs, ours := registered(c.upstream), registered(c.orrery)
		if diff := cmp.Diff(keys(theirs), keys(ours)); diff != "" {
			t.Fatalf("registered events (-kube-scheduler +Orrery):\n%s", diff)
		}
		pod := somePod(t)
		for resource, draw := range ordered(theirs) {
			var before any
			after := draw(t)
			if !t.OneIn(4) || resource == fwk.CSIDriver { // which registers updates only
				before = draw(t)
			}
			if t.OneIn(20) {
				after = mk.Node("of another kind").Obj()
			}
			want, got := answer(theirs[resource], pod, before, after), answer(ours[resource], pod, before, after)
			seen.Count("%s: %s", resource, want)
			if want != got && !requeuesOnPurpose(pod, before, after, want, got) {
				t.Fatalf("%s: kube-scheduler %s, Orrery %s\nthe pod:\n%s\nbefore:\n%s\nafter:\n%s", resource, want, got,
					difftest.JSON(pod.Spec.Volumes), difftest.JSON(before), difftest.JSON(after))
			}
		}
	})
	seen.Require(t, n, "storage.k8s.io/StorageClass: QueueSkip", "storage.k8s.io/StorageClass: Queue", "PersistentVolumeClaim: QueueSkip", "PersistentVolumeClaim: Queue",
		"storage.k8s.io/CSINode: QueueSkip", "storage.k8s.io/CSINode: Queue", "storage.k8s.io/CSIDriver: QueueSkip", "storage.k8s.io/CSIDriver: Queue", "storage.k8s.io/CSIStorageCapacity: QueueSkip", "storage.k8s.io/CSIStorageCapacity: Queue")
}

type registration struct {
	actions fwk.ActionType
	hint    fwk.QueueingHintFn
}

func registered(plugin fwk.EnqueueExtensions) map[fwk.EventResource]registration {
	events, err := plugin.EventsToRegister(context.Background())
	must(err)
	all := map[fwk.EventResource]registration{}
	for _, e := range events {
		all[e.Event.Resource] = registration{e.Event.ActionType, e.QueueingHintFn}
	}
	return all
}

func keys(all map[fwk.EventResource]registration) map[fwk.EventResource]fwk.ActionType {
	actions := map[fwk.EventResource]fwk.ActionType{}
	for resource, r := range all {
		actions[resource] = r.actions
	}
	return actions
}

// ordered yields what is drawn of each registered resource, in a fixed order.
func ordered(all map[fwk.EventResource]registration) func(yield func(fwk.EventResource, func(*difftest.Source) any) bool) {
	return func(yield func(fwk.EventResource, func(*difftest.Source) any) bool) {
		for _, resource := range []fwk.EventResource{
			fwk.PersistentVolumeClaim, fwk.StorageClass, fwk.CSINode, fwk.CSIDriver, fwk.CSIStorageCapacity, fwk.PersistentVolume, fwk.Node,
		} {
			if _, ok := all[resource]; ok && !yield(resource, drawn[resource]) {
				return
			}
		}
	}
}

func answer(r registration, pod *v1.Pod, before, after any) string {
	if r.hint == nil {
		return "no hint"
	}
	hint, err := r.hint(klog.Logger{}, pod, before, after)
	if err != nil {
		hint = fwk.Queue // as the queue takes it
	}
	return hint.String()
}

// requeuesOnPurpose reports whether Orrery requeues a pod with claims because a driver no longer publishes its capacity.
func requeuesOnPurpose(pod *v1.Pod, before, after any, theirs, ours string) bool {
	was, _ := before.(*storagev1.CSIDriver)
	is, _ := after.(*storagev1.CSIDriver)
	if was == nil || is == nil || theirs != "QueueSkip" || ours != "Queue" {
		return false
	}
	claims := false
	for _, v := range pod.Spec.Volumes {
		claims = claims || v.PersistentVolumeClaim != nil || v.Ephemeral != nil
	}
	return claims && ptr.Deref(was.Spec.StorageCapacity, false) && !ptr.Deref(is.Spec.StorageCapacity, false)
}
