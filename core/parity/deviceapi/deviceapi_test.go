package deviceapi

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	upstream "k8s.io/kubernetes/pkg/apis/resource"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	"k8s.io/kubernetes/pkg/apis/resource/validation"

	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
	"orrery/core/world/deviceapi"
)

func internal[T runtime.Object](r *difftest.Source, o runtime.Object, into T) T {
	if err := legacyscheme.Scheme.Convert(o, into, nil); err != nil {
		r.Fatalf("converting %T: %v", o, err)
	}
	return into
}

// comparison is what one kind's validation says on the two sides.
type comparison struct {
	object       any
	ours, theirs field.ErrorList
}

var kinds = map[string]func(*difftest.Source, *deviceapi.Validator) comparison{
	"ResourceClaim": func(r *difftest.Source, v *deviceapi.Validator) comparison {
		claim := &resourcev1.ResourceClaim{ObjectMeta: meta("default")}
		newFiller(r).fillField(&claim.Spec)
		return comparison{claim, v.Create(claim), validation.ValidateResourceClaim(internal(r, claim, &upstream.ResourceClaim{}))}
	},
	"ResourceClaim status": func(r *difftest.Source, v *deviceapi.Validator) comparison {
		old, changed := claimsOf(r)
		return comparison{
			[]any{old.Status, changed},
			v.UpdateStatus(changed, old),
			validation.ValidateResourceClaimStatusUpdate(internal(r, changed, &upstream.ResourceClaim{}), internal(r, old, &upstream.ResourceClaim{})),
		}
	},
	"ResourceClaimTemplate": func(r *difftest.Source, v *deviceapi.Validator) comparison {
		template := &resourcev1.ResourceClaimTemplate{ObjectMeta: meta("default")}
		newFiller(r).fillField(&template.Spec.Spec)
		newFiller(r).fillField(&template.Spec.Labels)
		newFiller(r).fillField(&template.Spec.Annotations)
		template.Spec.Name, template.Spec.Namespace = difftest.Pick(r, "", "", "a"), difftest.Pick(r, "", "", "a")
		template.Spec.Finalizers = difftest.Pick(r, nil, nil, []string{"a"})
		return comparison{template, v.Create(template), validation.ValidateResourceClaimTemplate(internal(r, template, &upstream.ResourceClaimTemplate{}))}
	},
	"DeviceClass": func(r *difftest.Source, v *deviceapi.Validator) comparison {
		class := &resourcev1.DeviceClass{ObjectMeta: meta("")}
		newFiller(r).fillField(&class.Spec)
		return comparison{class, v.Create(class), validation.ValidateDeviceClass(internal(r, class, &upstream.DeviceClass{}))}
	},
	"ResourceSlice": func(r *difftest.Source, v *deviceapi.Validator) comparison {
		slice := &resourcev1.ResourceSlice{ObjectMeta: meta("")}
		newFiller(r).fillField(&slice.Spec)
		return comparison{slice, v.Create(slice), validation.ValidateResourceSlice(internal(r, slice, &upstream.ResourceSlice{}))}
	},
	"ResourceSlice update": func(r *difftest.Source, v *deviceapi.Validator) comparison {
		old := &resourcev1.ResourceSlice{ObjectMeta: meta("")}
		newFiller(r).fillField(&old.Spec)
		changed := old.DeepCopy()
		if r.Bool() {
			newFiller(r).fillField(&changed.Spec.Pool)
			newFiller(r).fillField(&changed.Spec.NodeName)
		}
		return comparison{
			[]any{old.Spec, changed},
			v.Update(changed, old),
			validation.ValidateResourceSliceUpdate(internal(r, changed, &upstream.ResourceSlice{}), internal(r, old, &upstream.ResourceSlice{})),
		}
	},
	"ResourceClaim update": func(r *difftest.Source, v *deviceapi.Validator) comparison {
		old := &resourcev1.ResourceClaim{ObjectMeta: meta("default")}
		newFiller(r).fillField(&old.Spec)
		changed := old.DeepCopy()
		changed.Finalizers = difftest.Pick(r, nil, []string{resourcev1.Finalizer}, []string{"example.com/a"})
		if r.Bool() {
			changed.Spec = resourcev1.ResourceClaimSpec{}
			newFiller(r).fillField(&changed.Spec)
		}
		if r.Bool() {
			old.DeletionTimestamp = &metav1.Time{}
			changed.DeletionTimestamp = old.DeletionTimestamp
		}
		return comparison{
			[]any{old, changed},
			v.Update(changed, old),
			validation.ValidateResourceClaimUpdate(internal(r, changed, &upstream.ResourceClaim{}), internal(r, old, &upstream.ResourceClaim{})),
		}
	},
	"DeviceClass update": func(r *difftest.Source, v *deviceapi.Validator) comparison {
		old := &resourcev1.DeviceClass{ObjectMeta: meta("")}
		newFiller(r).fillField(&old.Spec)
		changed := old.DeepCopy()
		if r.Bool() {
			newFiller(r).fillField(&changed.Spec.Selectors)
		}
		return comparison{
			[]any{old.Spec, changed},
			v.Update(changed, old),
			validation.ValidateDeviceClassUpdate(internal(r, changed, &upstream.DeviceClass{}), internal(r, old, &upstream.DeviceClass{})),
		}
	},
	"DeviceTaintRule update": func(r *difftest.Source, v *deviceapi.Validator) comparison {
		old := &resourcev1alpha3.DeviceTaintRule{ObjectMeta: meta("")}
		newFiller(r).fillField(&old.Spec)
		changed := old.DeepCopy()
		if r.Bool() {
			newFiller(r).fillField(&changed.Spec)
		}
		return comparison{
			[]any{old.Spec, changed},
			v.Update(changed, old),
			validation.ValidateDeviceTaintRuleUpdate(internal(r, changed, &upstream.DeviceTaintRule{}), internal(r, old, &upstream.DeviceTaintRule{})),
		}
	},
	"DeviceTaintRule": func(r *difftest.Source, v *deviceapi.Validator) comparison {
		rule := &resourcev1alpha3.DeviceTaintRule{ObjectMeta: meta("")}
		newFiller(r).fillField(&rule.Spec)
		return comparison{rule, v.Create(rule), validation.ValidateDeviceTaintRule(internal(r, rule, &upstream.DeviceTaintRule{}))}
	},
	"Pod": func(r *difftest.Source, _ *deviceapi.Validator) comparison {
		pod := &v1.Pod{ObjectMeta: meta("default")}
		newFiller(r).fillField(&pod.Spec.ResourceClaims)
		resources := v1.ResourceRequirements{}
		newFiller(r).fillField(&resources.Claims)
		pod.Spec.Containers = []v1.Container{{Name: "a", Image: "a", Resources: resources, ImagePullPolicy: v1.PullAlways, TerminationMessagePolicy: v1.TerminationMessageReadFile}}
		pod.Spec.RestartPolicy, pod.Spec.DNSPolicy = v1.RestartPolicyAlways, v1.DNSClusterFirst
		grace := int64(30)
		pod.Spec.TerminationGracePeriodSeconds = &grace
		return comparison{pod, deviceapi.Pod(pod, field.NewPath("spec")), corevalidation.ValidatePodCreate(internal(r, pod, &core.Pod{}), corevalidation.PodValidationOptions{})}
	},
}

// claimsOf draws a claim with two statuses. Results mostly name a request that there is.
func claimsOf(r *difftest.Source) (old, changed *resourcev1.ResourceClaim) {
	old = &resourcev1.ResourceClaim{ObjectMeta: meta("default")}
	old.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "gpu", FirstAvailable: []resourcev1.DeviceSubRequest{{Name: "a"}}}, {Name: "b"}}
	changed = old.DeepCopy()
	if r.OneIn(3) {
		newFiller(r).fillField(&old.Status)
	}
	if changed.Status = *old.Status.DeepCopy(); r.Bool() {
		newFiller(r).fillField(&changed.Status)
	}
	if a := changed.Status.Allocation; a != nil && r.Bool() {
		for i := range changed.Status.Devices {
			if i < len(a.Devices.Results) {
				d := a.Devices.Results[i]
				changed.Status.Devices[i].Driver, changed.Status.Devices[i].Pool, changed.Status.Devices[i].Device = d.Driver, d.Pool, d.Device
				changed.Status.Devices[i].ShareID = (*string)(d.ShareID)
			}
		}
	}
	if r.OneIn(4) {
		changed.DeletionTimestamp = &metav1.Time{}
	}
	return old, changed
}

// TestValidator_SameErrors compares every error: its field, its type and its text.
func TestValidator_SameErrors(t *testing.T) {
	for _, gate := range []featuregate.Feature{"DRAConsumableCapacity", "DRADeviceTaints", "DRAPartitionableDevices", "DRADeviceBindingConditions", "DRAExtendedResource"} {
		featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, gate, true)
	}
	for name, compare := range kinds {
		t.Run(name, func(t *testing.T) {
			valid, texts := 0, map[string]bool{}
			v := &deviceapi.Validator{}
			difftest.Check(t, comparisons.DeviceAPI.Cases, func(r *difftest.Source) {
				c := compare(r, v)
				if diff := cmp.Diff(described(c.theirs), described(c.ours)); diff != "" {
					r.Fatalf("the errors differ (-upstream +orrery):\n%s\nobject: %s", diff, asJSON(c.object))
				}
				if len(c.theirs) == 0 {
					valid++
				}
				for _, err := range c.theirs {
					texts[err.Detail] = true
				}
			})
			t.Logf("%d valid objects, %d different texts", valid, len(texts))
			if valid == 0 || len(texts) == 0 {
				t.Error("the objects are too uniform: some kinds of result were hardly compared")
			}
		})
	}
}

// described are errors as texts, sorted. What is wrong with a share is left out.
func described(all field.ErrorList) []string {
	var texts []string
	for _, err := range all {
		detail := strings.TrimSpace(err.Detail)
		if strings.HasSuffix(err.Field, ".shareID") {
			detail = ""
		}
		texts = append(texts, fmt.Sprintf("%s: %s: %s", err.Field, err.Type, detail))
	}
	slices.Sort(texts)
	return texts
}
