package dynamicresources_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/utils/ptr"

	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
	"orrery/core/world"
)

func TestQueueingHints(t *testing.T) {
	pending, allocated := claim().Obj(), claim().Allocated("n", "gpu", driver, "a", "1").Obj()
	other, otherAllocated := mk.ResourceClaim("other").Obj(), mk.ResourceClaim("other").Allocated("n", "gpu", driver, "a", "2").Obj()
	finalized := claim().Obj()
	finalized.Finalizers = []string{"f"}
	generated := mk.Pod("ada").Obj()
	generated.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "gpu", ResourceClaimTemplateName: ptr.To("t")}}
	made := generated.DeepCopy()
	made.Status.ResourceClaimStatuses = []v1.PodResourceClaimStatus{{Name: "gpu"}}
	stranger := mk.Pod("bob").Obj()
	for name, tt := range map[string]struct {
		resource      fwk.EventResource
		action        fwk.ActionType
		pod           *v1.Pod
		before, after world.Object
		want          string
	}{
		"the pod's claim is added":              {fwk.ResourceClaim, fwk.Add, user(), nil, pending, "Queue"},
		"another claim is added":                {fwk.ResourceClaim, fwk.Add, user(), nil, other, "QueueSkip"},
		"the pod's claim is allocated":          {fwk.ResourceClaim, fwk.Update, user(), pending, allocated, "Queue"},
		"the pod's claim gets a finalizer":      {fwk.ResourceClaim, fwk.Update, user(), pending, finalized, "QueueSkip"},
		"another claim is allocated":            {fwk.ResourceClaim, fwk.Update, user(), other, otherAllocated, "QueueSkip"},
		"another claim is deallocated":          {fwk.ResourceClaim, fwk.Update, user(), otherAllocated, other, "Queue"},
		"one is deallocated, but a claim lacks": {fwk.ResourceClaim, fwk.Update, mk.Pod("ada").ResourceClaim("none").Obj(), otherAllocated, other, "QueueSkip"},
		"the pod's claim is generated":          {fwk.Pod, fwk.UpdatePodGeneratedResourceClaim, generated, generated, made, "Queue"},
		"none is generated yet":                 {fwk.Pod, fwk.UpdatePodGeneratedResourceClaim, generated, generated, generated, "QueueSkip"},
		"another pod's claim is generated":      {fwk.Pod, fwk.UpdatePodGeneratedResourceClaim, generated, stranger, stranger, "QueueSkip"},
		"a class":                               {fwk.DeviceClass, fwk.Add, user(), nil, mk.DeviceClass("gpu"), "Queue"},
		"a slice":                               {fwk.ResourceSlice, fwk.Update, user(), mk.ResourceSlice("s", driver, "p").Obj(), mk.ResourceSlice("s", driver, "p").Obj(), "Queue"},
		"a node":                                {fwk.Node, fwk.Add, user(), nil, mk.Node("n").Obj(), "Queue"},
		"a deleted claim":                       {fwk.ResourceClaim, fwk.Delete, user(), other, nil, "not registered"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, "", pending, other)
			var before, after any
			if tt.before != nil {
				before = tt.before
			}
			if tt.after != nil {
				after = tt.after
			}
			if got := plugintest.Hint(t, f.plugin, tt.resource, tt.action, tt.pod, before, after); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// Shows BATCH-03.
func TestSignPod_NotWithClaims(t *testing.T) {
	f := newFixture(t, "")
	if diff := cmp.Diff(map[string]string{}, plugintest.Signature(t, f.plugin, mk.Pod("ada").Obj())); diff != "" {
		t.Errorf("a pod without claims (-want +got):\n%s", diff)
	}
	if got := plugintest.Signature(t, f.plugin, user()); got != nil {
		t.Errorf("a pod with claims was signed: %v", got)
	}
}
