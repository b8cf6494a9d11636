package admission

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	registry "k8s.io/kubernetes/pkg/registry/core/pod"

	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
	"orrery/core/parity/draw"
	"orrery/core/world"
	"orrery/core/world/admission"
)

// TestDefault_SameDefaults compares what objects leave out, by kind; of pods, also what the API server derives.
// Shows CONF-12.
func TestDefault_SameDefaults(t *testing.T) {
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, "GenericWorkload", true)
	for kind, drawn := range draw.All {
		t.Run(string(kind), func(t *testing.T) {
			changed := 0
			difftest.Check(t, comparisons.Admission.Cases, func(r *difftest.Source) {
				o := drawn(draw.New(r))
				ours, theirs := o.DeepCopyObject().(world.Object), defaulted(r, o)
				admission.Default(ours, metav1.Unix(1, 0))
				if pod, is := ours.(*v1.Pod); is {
					if theirs == nil { // a pod that the API server refuses
						return
					}
					admission.Prepare(pod, metav1.Time{})
				}
				withoutTimes(ours)
				withoutTimes(theirs)
				if !equality.Semantic.DeepEqual(theirs, ours) {
					r.Fatalf("the objects differ (-upstream +orrery):\n%s", cmp.Diff(theirs, ours))
				}
				if !equality.Semantic.DeepEqual(o, ours) {
					changed++
				}
			})
			if changed == 0 {
				t.Error("no object left anything out")
			}
		})
	}
}

// defaulted is an object with the API server's defaults, or nil for a pod that it refuses.
func defaulted(r *difftest.Source, o world.Object) world.Object {
	o = o.DeepCopyObject().(world.Object)
	legacyscheme.Scheme.Default(o)
	switch o := o.(type) {
	case *v1.Namespace:
		o.Status.Phase = v1.NamespaceActive
	case *v1.Pod:
		return prepared(r, o)
	}
	return o
}

// prepared is a pod as the API server stores it, without the fields that Orrery does not set.
func prepared(r *difftest.Source, pod *v1.Pod) world.Object {
	inside := internal(r, pod).(*core.Pod)
	registry.Strategy.PrepareForCreate(context.Background(), inside)
	if len(registry.Strategy.Validate(context.Background(), inside)) > 0 {
		return nil
	}
	made := external(r, inside).(*v1.Pod)
	made.Generation = 0
	made.Spec.SecurityContext, made.Spec.EnableServiceLinks = nil, nil
	for c := range admission.Containers(&made.Spec) {
		c.TerminationMessagePath, c.TerminationMessagePolicy = "", ""
	}
	return made
}

// withoutTimes makes all times that are set the same.
func withoutTimes(o world.Object) {
	switch o := o.(type) {
	case *v1.Pod:
		for i := range o.Status.Conditions {
			o.Status.Conditions[i].LastTransitionTime = metav1.Time{}
		}
	case *resourcev1.ResourceSlice:
		for i := range o.Spec.Devices {
			for j := range o.Spec.Devices[i].Taints {
				at := &o.Spec.Devices[i].Taints[j].TimeAdded
				if *at != nil {
					*at = &metav1.Time{Time: time.Unix(0, 0)}
				}
			}
		}
	}
}
