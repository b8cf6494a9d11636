package clusterapi_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/utils/ptr"

	"orrery/core/testing/mk"
	"orrery/core/world/clusterapi"
)

func class(name string, value int32) *schedulingv1.PriorityClass {
	return &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value}
}

// notSubdomain is the API server's message about a name that is not a DNS subdomain.
func notSubdomain(name string) string {
	return fmt.Sprintf("Invalid value: %q: %s", name, validation.IsDNS1123Subdomain(name)[0])
}

// Shows PRE-03.
func TestCreate_Refusals(t *testing.T) {
	for name, tc := range map[string]struct {
		o    any
		want []string
	}{
		"a priority class":                          {class("high", 1_000_000_000), nil},
		"a class above what users have":             {class("top", 1_000_000_001), []string{"value: Forbidden: maximum allowed value of a user defined priority is 1000000000"}},
		"the system's class":                        {class("system-node-critical", 2_000_001_000), nil},
		"the system's class, but higher":            {class("system-node-critical", 7), []string{"metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: value of system-node-critical PriorityClass must be 2000001000"}},
		"a class with a reserved name":              {class("system-mine", 7), []string{"metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-mine is not a known system priority class"}},
		"a class whose name is not a DNS subdomain": {class("Top_Priority", 7), []string{"metadata.name: " + notSubdomain("Top_Priority")}},
		"a taint twice": {
			mk.Node("n").Taint("a", "1", v1.TaintEffectNoSchedule).Taint("a", "2", v1.TaintEffectNoSchedule).Obj(),
			[]string{`metadata.taints[1]: Duplicate value: {"key":"a","value":"2","effect":"NoSchedule"}: taints must be unique by key and effect pair`},
		},
		"half a device": {
			mk.Node("n").Resource("example.com/gpu", "500m").Obj(),
			[]string{`status.capacity.example.com/gpu: Invalid value: "500m": must be an integer`, `status.allocatable.example.com/gpu: Invalid value: "500m": must be an integer`},
		},
		"a budget of both sorts": {
			&policyv1.PodDisruptionBudget{Spec: policyv1.PodDisruptionBudgetSpec{MinAvailable: ptr.To(intstr.FromString("101%")), MaxUnavailable: ptr.To(intstr.FromInt32(-1))}},
			[]string{"spec: minAvailable and maxUnavailable cannot be both set", "spec.minAvailable: must not be greater than 100%", "spec.maxUnavailable: must be greater than or equal to 0"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, err := range clusterapi.Create(tc.o) {
				text := err.Error()
				if _, isBudget := tc.o.(*policyv1.PodDisruptionBudget); isBudget {
					text = err.Field + ": " + err.Detail
				}
				got = append(got, text)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDefault_LimitsOfContainers(t *testing.T) {
	r := &v1.LimitRange{Spec: v1.LimitRangeSpec{Limits: []v1.LimitRangeItem{{
		Type: v1.LimitTypeContainer, Max: mk.Resources("cpu", "2"), Min: mk.Resources("memory", "1Gi"),
	}}}}
	clusterapi.Default(r)
	got := r.Spec.Limits[0]
	if got.Default.Cpu().String() != "2" || got.DefaultRequest.Cpu().String() != "2" || got.DefaultRequest.Memory().String() != "1Gi" || len(got.Default) != 1 {
		t.Errorf("by default the limits are %v and the requests %v, want 2 cpus of each and a request of 1Gi", got.Default, got.DefaultRequest)
	}
}
