package apiobjects

import (
	"errors"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

func podWith(change func(*v1.PodSpec)) *v1.Pod {
	pod := mk.Pod("web").Obj()
	pod.Spec.Containers[0].Image = "app"
	change(&pod.Spec)
	return pod
}

// spreads is a pod with constraints that spread it over zones.
func spreads(changes ...func(*v1.TopologySpreadConstraint)) *v1.Pod {
	return podWith(func(s *v1.PodSpec) {
		for _, change := range changes {
			c := v1.TopologySpreadConstraint{MaxSkew: 1, TopologyKey: "zone", WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: &metav1.LabelSelector{}}
			change(&c)
			s.TopologySpreadConstraints = append(s.TopologySpreadConstraints, c)
		}
	})
}

func tolerates(t v1.Toleration) *v1.Pod {
	return podWith(func(s *v1.PodSpec) { s.Tolerations = []v1.Toleration{t} })
}

func apart(required []v1.PodAffinityTerm, preferred []v1.WeightedPodAffinityTerm) *v1.Pod {
	return podWith(func(s *v1.PodSpec) {
		s.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: required, PreferredDuringSchedulingIgnoredDuringExecution: preferred,
		}}
	})
}

func labelled(o world.Object, key string) world.Object {
	o.SetLabels(map[string]string{key: "true"})
	return o
}

// TestServer_Refuses shows what a started API server refuses, with the end of what it reports; of what it takes the text is empty.
// Shows IPA-12, IPA-13, SPREAD-02, SPREAD-06, SPREAD-07, SPREAD-14, TAINT-05, TAINT-15, PRE-03, PRE-04, DRA-09, DRA-34 and SEL-03.
func TestServer_Refuses(t *testing.T) {
	reserved := "example.com.node-restriction.kubernetes.io/fips"
	preference := func(weight int32, key string) []v1.WeightedPodAffinityTerm {
		return []v1.WeightedPodAffinityTerm{{Weight: weight, PodAffinityTerm: v1.PodAffinityTerm{TopologyKey: key}}}
	}
	slice := func(devices []resourcev1.Device, counters []resourcev1.CounterSet) *resourcev1.ResourceSlice {
		return &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "s"}, Spec: resourcev1.ResourceSliceSpec{
			Driver: "d.example.com", Pool: resourcev1.ResourcePool{Name: "p", ResourceSliceCount: 2}, AllNodes: ptr.To(true), Devices: devices, SharedCounters: counters,
		}}
	}
	counters := []resourcev1.CounterSet{{Name: "set", Counters: map[string]resourcev1.Counter{"memory": {Value: resource.MustParse("8Gi")}}}}
	class := func(name string, value int32) *schedulingv1.PriorityClass {
		return &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value}
	}
	for _, tc := range []struct {
		name string
		o    world.Object
		as   rest.ImpersonationConfig
		want string
		// simulated is whether the simulated API server refuses it, too, for the same fields.
		simulated bool
	}{
		{name: "a pod", o: podWith(func(*v1.PodSpec) {})},
		{name: "no containers", o: podWith(func(s *v1.PodSpec) { s.Containers = nil }), want: "spec.containers: Required value", simulated: true},
		{name: "no topology key", o: apart([]v1.PodAffinityTerm{{}}, nil), want: "topologyKey: Required value: can not be empty"},
		{name: "no topology key of a preference", o: apart(nil, preference(1, "")), want: "podAffinityTerm.topologyKey: Required value: can not be empty"},
		{name: "a heavy preference", o: apart(nil, preference(101, "zone")), want: "must be in the range 1-100", simulated: true},
		{name: "apart by node", o: apart([]v1.PodAffinityTerm{{TopologyKey: v1.LabelHostname, LabelSelector: &metav1.LabelSelector{}}}, nil)},
		{
			name: "apart by zone", o: apart([]v1.PodAffinityTerm{{TopologyKey: v1.LabelTopologyZone, LabelSelector: &metav1.LabelSelector{}}}, nil),
			want: "has TopologyKey topology.kubernetes.io/zone but only key kubernetes.io/hostname is allowed",
		},
		{
			name: "two constraints of a key and a kind", o: spreads(func(*v1.TopologySpreadConstraint) {}, func(*v1.TopologySpreadConstraint) {}),
			want: `{topologyKey, whenUnsatisfiable}: Duplicate value: "{zone, DoNotSchedule}"`,
		},
		{name: "two constraints of a key", o: spreads(func(*v1.TopologySpreadConstraint) {}, func(c *v1.TopologySpreadConstraint) { c.WhenUnsatisfiable = v1.ScheduleAnyway })},
		{
			name: "no kind of constraint", o: spreads(func(c *v1.TopologySpreadConstraint) { c.WhenUnsatisfiable = "" }),
			want: `whenUnsatisfiable: Unsupported value: "": supported values: "DoNotSchedule", "ScheduleAnyway"`,
		},
		{name: "no skew", o: spreads(func(c *v1.TopologySpreadConstraint) { c.MaxSkew = 0 }), want: "maxSkew: Invalid value: 0: must be greater than zero", simulated: true},
		{name: "no domains", o: spreads(func(c *v1.TopologySpreadConstraint) { c.MinDomains = ptr.To[int32](0) }), want: "minDomains: Invalid value: 0: must be greater than zero"},
		{name: "a domain", o: spreads(func(c *v1.TopologySpreadConstraint) { c.MinDomains = ptr.To[int32](1) })},
		{name: "domains of a preference", o: spreads(func(c *v1.TopologySpreadConstraint) {
			c.MinDomains, c.WhenUnsatisfiable = ptr.To[int32](2), v1.ScheduleAnyway
		}), want: "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway"},
		{name: "keys without a selector", o: spreads(func(c *v1.TopologySpreadConstraint) {
			c.LabelSelector, c.MatchLabelKeys = nil, []string{"hash"}
		}), want: "matchLabelKeys: Forbidden: must not be specified when labelSelector is not set"},
		{name: "a key that the selector has", o: labelled(spreads(func(c *v1.TopologySpreadConstraint) {
			c.LabelSelector.MatchLabels, c.MatchLabelKeys = map[string]string{"app": "true"}, []string{"app"}
		}), "app"), want: "exists in both matchLabelKeys and labelSelector"},
		{name: "every key tolerated", o: tolerates(v1.Toleration{Operator: v1.TolerationOpExists})},
		{name: "a value of no key", o: tolerates(v1.Toleration{Value: "a"}), want: "operator must be Exists when `key` is empty, which means \"match all values and all keys\""},
		{name: "Gt without the gate", o: tolerates(v1.Toleration{Key: "level", Operator: v1.TolerationOpGt, Value: "900"}), want: `operator: Unsupported value: "Gt"`, simulated: true},
		{name: "a class", o: class("high", 1_000_000_000)},
		{name: "a class above what users have", o: class("top", 1_000_000_001), want: "maximum allowed value of a user defined priority is 1000000000"},
		{name: "a class with a reserved name", o: class("system-mine", 7), want: "system-mine is not a known system priority class"},
		{name: "a class whose name is not a DNS subdomain", o: class("Top_Priority", 7), want: "a lowercase RFC 1123 subdomain", simulated: true},
		{name: "a claim of no name", o: podWith(func(s *v1.PodSpec) {
			s.ResourceClaims = []v1.PodResourceClaim{{Name: "gpu"}}
		}), want: "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"},
		{name: "a claim that the pod does not list", o: podWith(func(s *v1.PodSpec) {
			s.Containers[0].Resources.Claims = []v1.ResourceClaim{{Name: "gpu"}}
		}), want: `spec.containers[0].resources.claims[0]: Not found: "gpu"`},
		{name: "devices alone", o: slice([]resourcev1.Device{{Name: "a"}}, nil)},
		{name: "counters alone", o: slice(nil, counters)},
		{name: "devices and counters", o: slice([]resourcev1.Device{{Name: "a"}}, counters), want: "only one of `sharedCounters` or `devices` is allowed"},
		{name: "a label of an administrator", o: labelled(mk.Node("n1").Obj(), reserved)},
		{name: "a label that kubelets may not set", o: labelled(mk.Node("n1").Obj(), reserved), as: kubeletOf("n1"), want: "is not allowed to set the following labels: " + reserved},
		{name: "another kubelet's node", o: mk.Node("n1").Obj(), as: kubeletOf("n2"), want: `node "n2" is not allowed to modify node "n1"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			theirs := try(tc.o, tc.as)
			if tc.want == "" && theirs != nil || tc.want != "" && (theirs == nil || !strings.Contains(theirs.Error(), tc.want)) {
				t.Fatalf("it reports %v, want %q", theirs, tc.want)
			}
			_, ours := memory.New(memory.Options{}).Create(tc.o)
			if (ours != nil) != tc.simulated || tc.simulated && !sameFields(theirs, ours) {
				t.Errorf("the simulated API server reports %v, want that it refuses it as the started one: %t", ours, tc.simulated)
			}
		})
	}
}

// sameFields reports whether the first error is about all fields that the second one is about.
func sameFields(theirs, ours error) bool {
	fields := map[string]bool{}
	for _, cause := range causes(theirs) {
		fields[cause.Field+string(cause.Type)] = true
	}
	for _, cause := range causes(ours) {
		if !fields[cause.Field+string(cause.Type)] {
			return false
		}
	}
	return len(causes(ours)) > 0
}

func causes(err error) []metav1.StatusCause {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		return nil
	}
	return status.Status().Details.Causes
}
