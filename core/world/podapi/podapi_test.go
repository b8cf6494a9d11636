package podapi_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"orrery/core/testing/mk"
	"orrery/core/world/podapi"
)

// refused completes and checks a pod, and returns the errors.
func refused(o podapi.Options, pod *v1.Pod) []string {
	podapi.Default(pod)
	podapi.Prepare(pod, metav1.Time{})
	var texts []string
	for _, err := range o.Create(pod) {
		texts = append(texts, err.Error())
	}
	return texts
}

func spreads(list ...v1.TopologySpreadConstraint) *v1.Pod {
	pod := mk.Pod("p").Obj()
	for i := range list {
		list[i].MaxSkew, list[i].LabelSelector = 1, &metav1.LabelSelector{}
	}
	pod.Spec.TopologySpreadConstraints = list
	return pod
}

// Shows SPREAD-02, SPREAD-06 and SPREAD-07.
func TestOptions_SpreadConstraints(t *testing.T) {
	const at = "spec.topologySpreadConstraints[0]."
	host := func(when v1.UnsatisfiableConstraintAction) v1.TopologySpreadConstraint {
		return v1.TopologySpreadConstraint{TopologyKey: v1.LabelHostname, WhenUnsatisfiable: when}
	}
	domains := func(n int32, when v1.UnsatisfiableConstraintAction) v1.TopologySpreadConstraint {
		return v1.TopologySpreadConstraint{TopologyKey: "zone", WhenUnsatisfiable: when, MinDomains: &n}
	}
	for name, tc := range map[string]struct {
		pod  *v1.Pod
		want []string
	}{
		"two of a key and a kind": {
			spreads(host(v1.DoNotSchedule), host(v1.DoNotSchedule)),
			[]string{at + `{topologyKey, whenUnsatisfiable}: Duplicate value: "{kubernetes.io/hostname, DoNotSchedule}"`},
		},
		"two of a key": {spreads(host(v1.DoNotSchedule), host(v1.ScheduleAnyway)), nil},
		"no kind":      {spreads(host("")), []string{at + `whenUnsatisfiable: Unsupported value: "": supported values: "DoNotSchedule", "ScheduleAnyway"`}},
		"a domain":     {spreads(domains(1, v1.DoNotSchedule)), nil},
		"no domains":   {spreads(domains(0, v1.DoNotSchedule)), []string{at + "minDomains: Invalid value: 0: must be greater than zero"}},
		"at most wanted": {
			spreads(domains(2, v1.ScheduleAnyway)),
			[]string{at + "minDomains: Invalid value: 2: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, refused(podapi.Options{}, tc.pod)); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
		})
	}
}

// Shows IPA-12.
func TestOptions_TopologyKeyOfAffinity(t *testing.T) {
	pod := mk.Pod("p").Obj()
	pod.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution:  []v1.PodAffinityTerm{{}},
		PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{{Weight: 101, PodAffinityTerm: v1.PodAffinityTerm{TopologyKey: "zone"}}},
	}}
	got := refused(podapi.Options{}, pod)
	if len(got) != 4 || got[0] != "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Required value: can not be empty" ||
		got[3] != "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101: must be in the range 1-100" {
		t.Errorf("errors: %q", got)
	}
}

// Shows TAINT-05, TAINT-13 and TAINT-15.
func TestOptions_Tolerations(t *testing.T) {
	const at = "spec.tolerations[0]."
	for name, tc := range map[string]struct {
		t    v1.Toleration
		off  []string // what is wrong without the gate for Gt and Lt, and with it
		with []string
	}{
		"every key": {t: v1.Toleration{Operator: v1.TolerationOpExists}},
		"a value of no key": {
			v1.Toleration{Value: "a"},
			[]string{at + `operator: Invalid value: "": operator must be Exists when ` + "`key`" + ` is empty, which means "match all values and all keys"`},
			[]string{at + `operator: Invalid value: "": operator must be Exists when ` + "`key`" + ` is empty, which means "match all values and all keys"`},
		},
		"a number": {
			v1.Toleration{Key: "level", Operator: v1.TolerationOpGt, Value: "900"},
			[]string{at + `operator: Unsupported value: "Gt": supported values: "Equal", "Exists", "Lt", "Gt"`},
			nil,
		},
		"a word to compare with": {
			v1.Toleration{Key: "level", Operator: v1.TolerationOpLt, Value: "high"},
			[]string{at + `operator: Unsupported value: "Lt": supported values: "Equal", "Exists", "Lt", "Gt"`},
			[]string{
				at + `value: Invalid value: "high": must be a valid decimal integer in canonical form`,
				at + `value: Invalid value: "high": strconv.ParseInt: parsing "high": invalid syntax`,
			},
		},
		"a time for an effect that does not evict": {
			v1.Toleration{Key: "a", Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoSchedule, TolerationSeconds: ptr.To(int64(5))},
			[]string{at + `effect: Invalid value: "NoSchedule": effect must be 'NoExecute' when ` + "`tolerationSeconds`" + ` is set`},
			[]string{at + `effect: Invalid value: "NoSchedule": effect must be 'NoExecute' when ` + "`tolerationSeconds`" + ` is set`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for on, want := range map[bool][]string{false: tc.off, true: tc.with} {
				if diff := cmp.Diff(want, refused(podapi.Options{ComparisonOperators: on}, mk.Pod("p").Toleration(tc.t).Obj())); diff != "" {
					t.Errorf("errors with the gate %t (-want +got):\n%s", on, diff)
				}
			}
		})
	}
}

// A label under matchLabelKeys may change, but the selector keeps the value that it was given, and the keys stay. Shows
// SPREAD-14.
func TestOptions_LabelKeysAfterCreation(t *testing.T) {
	old := spreads(v1.TopologySpreadConstraint{TopologyKey: "zone", WhenUnsatisfiable: v1.DoNotSchedule, MatchLabelKeys: []string{"hash"}})
	old.Labels, old.ResourceVersion = map[string]string{"hash": "x1"}, "1"
	if got := refused(podapi.Options{}, old); got != nil {
		t.Fatalf("errors: %q", got)
	}
	changed := old.DeepCopy()
	changed.Labels["hash"] = "x2"
	if wrong := (podapi.Options{}).Update(changed, old); len(wrong) > 0 {
		t.Errorf("changing the label: %v", wrong)
	}
	changed.Spec.TopologySpreadConstraints[0].MatchLabelKeys = nil
	if wrong := (podapi.Options{}).Update(changed, old); len(wrong) != 1 || wrong[0].Field != "spec" {
		t.Errorf("changing the keys: %v, want that the spec may not change", wrong)
	}
}

// A pod in the host's network gets its ports when it is made. Until then two containers of a template may have the same one.
func TestOptions_HostNetwork(t *testing.T) {
	other := []string{"spec.containers[1].ports[0].hostPort: Invalid value: 81: must match `containerPort` when `hostNetwork` is true"}
	for name, tc := range map[string]struct {
		hostPorts         []int32
		ofTemplate, ofPod []string
	}{
		"none":        {[]int32{0}, nil, nil},
		"the same":    {[]int32{0, 0}, nil, []string{`spec.containers[1].ports[0].hostPort: Duplicate value: "TCP//80"`}},
		"not its own": {[]int32{80, 81}, other, other},
	} {
		t.Run(name, func(t *testing.T) {
			pod := mk.Pod("p").Container("c", "app", nil).Obj()
			pod.Spec.HostNetwork = true
			pod.Spec.Containers[0].Image = "app"
			for i, port := range tc.hostPorts {
				pod.Spec.Containers[i].Ports = []v1.ContainerPort{{ContainerPort: 80, HostPort: port}}
			}
			var texts []string
			template := &v1.PodTemplateSpec{Spec: pod.Spec}
			for _, err := range (podapi.Options{}).Template(template, nil) {
				texts = append(texts, err.Error())
			}
			if diff := cmp.Diff(tc.ofTemplate, texts); diff != "" {
				t.Errorf("errors of the template (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.ofPod, refused(podapi.Options{}, pod)); diff != "" {
				t.Errorf("errors of the pod (-want +got):\n%s", diff)
			}
		})
	}
}
