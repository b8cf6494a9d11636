package memory_test

import (
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	schedulingv1alpha1 "k8s.io/api/scheduling/v1alpha1"

	"orrery/core/testing/mk"
	"orrery/core/world/memory"
)

func TestAdmission_Workloads(t *testing.T) {
	both := mk.Gang("g", 1)
	both.Policy.Basic = &schedulingv1alpha1.BasicSchedulingPolicy{}
	badRef := mk.Workload("w", mk.Gang("g", 1))
	badRef.Spec.ControllerRef = &schedulingv1alpha1.TypedLocalObjectReference{APIGroup: "B_atch", Kind: "Jo/b"}
	for name, tc := range map[string]struct {
		workload *schedulingv1alpha1.Workload
		want     []string
	}{
		"a gang":                   {mk.Workload("w", mk.Gang("g", 1)), nil},
		"no group":                 {mk.Workload("w"), []string{"spec.podGroups: Required value: must have at least one item"}},
		"too many groups":          {mk.Workload("w", make([]schedulingv1alpha1.PodGroup, 9)...), []string{"spec.podGroups: Too many: 9: must have at most 8 items"}},
		"a group twice":            {mk.Workload("w", mk.Gang("g", 1), mk.Gang("g", 1)), []string{`spec.podGroups[1].name: Duplicate value: "g"`}},
		"a name that is none":      {mk.Workload("w", mk.Gang("G", 1)), []string{`spec.podGroups[0].name: Invalid value: "G": a lowercase RFC 1123 label`}},
		"no policy":                {mk.Workload("w", schedulingv1alpha1.PodGroup{Name: "g"}), []string{"spec.podGroups[0].policy: Required value: exactly one of `basic`, `gang` is required"}},
		"two policies":             {mk.Workload("w", both), []string{"spec.podGroups[0].policy: Invalid value: \"{`basic`, `gang`}\": exactly one of `basic`, `gang` is required, but multiple fields are set"}},
		"a gang of none":           {mk.Workload("w", mk.Gang("g", 0)), []string{"spec.podGroups[0].policy.gang.minCount: Invalid value: 0: must be greater than zero"}},
		"a controller that is not": {badRef, []string{`spec.controllerRef.apiGroup: Invalid value: "B_atch"`, `spec.controllerRef.kind: Invalid value: "Jo/b": may not contain '/'`, "spec.controllerRef.name: Required value"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, memory.Options{})
			_, err := s.Create(tc.workload)
			if (err == nil) != (tc.want == nil) {
				t.Fatalf("the error is %v, want %q", err, tc.want)
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error is %v, want %s", err, want)
				}
			}
		})
	}
}

func TestAdmission_WorkloadKeepsGroups(t *testing.T) {
	s := newScene(t, memory.Options{})
	create(s, mk.Workload("w", mk.Gang("g", 2)))
	_, err := s.Update(mk.Workload("w", mk.Gang("g", 3)))
	wantRejected(t, err, "podGroups: Invalid value")
}

func TestAdmission_WorkloadReference(t *testing.T) {
	for ref, want := range map[v1.WorkloadReference]string{
		{Name: "W", PodGroup: "g"}: `spec.workloadRef.name: Invalid value: "W"`,
		{Name: "w"}:                `spec.workloadRef.podGroup: Invalid value: ""`,
		{Name: "w", PodGroup: "g", PodGroupReplicaKey: "a.b"}: `spec.workloadRef.podGroupReplicaKey: Invalid value: "a.b"`,
	} {
		s := newScene(t, memory.Options{})
		pod := mk.Pod("p").Obj()
		pod.Spec.WorkloadRef = &ref
		_, err := s.Create(pod)
		wantRejected(t, err, want)
	}
}
