package podapi

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	upstream "k8s.io/kubernetes/pkg/registry/core/pod"

	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
	"orrery/core/parity/draw"
	"orrery/core/world/podapi"
)

// ours completes and checks a new pod.
func ours(pod *v1.Pod, o podapi.Options) (*v1.Pod, field.ErrorList) {
	pod = pod.DeepCopy()
	podapi.Default(pod)
	podapi.Prepare(pod, metav1.Time{})
	return pod, o.Create(pod)
}

// theirs completes and checks a new pod as the API server does between two admissions.
func theirs(r *difftest.Source, pod *v1.Pod) (*core.Pod, field.ErrorList) {
	inside := internal(r, pod)
	upstream.Strategy.PrepareForCreate(context.Background(), inside)
	return inside, upstream.Strategy.Validate(context.Background(), inside)
}

// internal is a pod as the API server has it after reading it.
func internal(r *difftest.Source, pod *v1.Pod) *core.Pod {
	pod = pod.DeepCopy()
	legacyscheme.Scheme.Default(pod)
	var inside core.Pod
	if err := legacyscheme.Scheme.Convert(pod, &inside, nil); err != nil {
		r.Fatalf("converting: %v", err)
	}
	return &inside
}

// external is a pod as the API server writes it, without the fields that Orrery does not set.
func external(r *difftest.Source, inside *core.Pod) *v1.Pod {
	var pod v1.Pod
	if err := legacyscheme.Scheme.Convert(inside, &pod, nil); err != nil {
		r.Fatalf("converting: %v", err)
	}
	pod.Generation = 0
	pod.Spec.SecurityContext, pod.Spec.EnableServiceLinks = nil, nil
	for c := range podapi.Containers(&pod.Spec) {
		c.TerminationMessagePath, c.TerminationMessagePolicy = "", ""
	}
	for i := range pod.Status.Conditions {
		pod.Status.Conditions[i].LastTransitionTime = metav1.Time{}
	}
	return &pod
}

// compared counts what was compared, so that a test of uniform pods fails.
type compared struct {
	valid int
	texts map[string]bool
}

func (c *compared) add(wrong field.ErrorList) {
	if len(wrong) == 0 {
		c.valid++
	}
	for _, err := range wrong {
		if c.texts == nil {
			c.texts = map[string]bool{}
		}
		c.texts[string(err.Type)+err.Detail] = true
	}
}

func (c *compared) check(t *testing.T, texts int) {
	t.Helper()
	t.Logf("%d valid pods, %d different texts", c.valid, len(c.texts))
	if c.valid == 0 || len(c.texts) < texts {
		t.Errorf("the pods are too uniform: want some that are valid, and at least %d texts", texts)
	}
}

// eachGate runs a comparison with the gate for Gt and Lt off and on.
func eachGate(t *testing.T, compare func(t *testing.T, o podapi.Options)) {
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, "GenericWorkload", true)
	for name, on := range map[string]bool{"comparisons off": false, "comparisons on": true} {
		t.Run(name, func(t *testing.T) {
			featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, "TaintTolerationComparisonOperators", on)
			compare(t, podapi.Options{ComparisonOperators: on})
		})
	}
}

// TestPod_SameNewPods compares what becomes of new pods, and every error: its field, its type, its text and its value.
// Shows CONF-12.
func TestPod_SameNewPods(t *testing.T) {
	eachGate(t, func(t *testing.T, o podapi.Options) {
		var seen compared
		difftest.Check(t, comparisons.PodAPI.Cases, func(r *difftest.Source) {
			pod := draw.NewPod(r)
			got, wrong := ours(pod, o)
			inside, want := theirs(r, pod)
			if diff := cmp.Diff(difftest.FieldErrors(want), difftest.FieldErrors(wrong)); diff != "" {
				r.Fatalf("the errors differ (-upstream +orrery):\n%s\npod: %s", diff, difftest.JSON(pod))
			}
			if made := external(r, inside); len(want) == 0 && !equality.Semantic.DeepEqual(made, got) {
				r.Fatalf("the pods differ (-upstream +orrery):\n%s", cmp.Diff(made, got))
			}
			seen.add(want)
		})
		seen.check(t, 60)
	})
}

// TestPod_SameUpdates is TestPod_SameNewPods for changes of pods.
func TestPod_SameUpdates(t *testing.T) {
	eachGate(t, func(t *testing.T, o podapi.Options) {
		var seen compared
		difftest.Check(t, comparisons.PodAPI.Cases, func(r *difftest.Source) {
			old, wrong := ours(draw.PlausiblePod(r), o)
			if len(wrong) > 0 {
				return
			}
			changed := draw.ChangedPod(r, old)
			podapi.Default(changed)
			wrong = o.Update(changed, old)
			before, after := internal(r, old), internal(r, changed)
			upstream.Strategy.PrepareForUpdate(context.Background(), after, before)
			want := upstream.Strategy.ValidateUpdate(context.Background(), after, before)
			if diff := cmp.Diff(difftest.FieldErrors(want), difftest.FieldErrors(wrong)); diff != "" {
				r.Fatalf("the errors differ (-upstream +orrery):\n%s\nchange: %s", diff, cmp.Diff(old, changed))
			}
			seen.add(want)
		})
		seen.check(t, 25)
	})
}
