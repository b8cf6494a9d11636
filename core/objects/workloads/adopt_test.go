package workloads_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"

	"orrery/core/objects/workloads"
)

var ref = workloads.Reference{Name: "training", PodGroup: "workers", PodGroupReplicaKey: "0"}

// owners are the objects that have the metadata of pods, each with the fields that lead to the spec of these in its protocol buffer.
var owners = map[string]struct {
	object   func() runtime.Object
	template protowire.Number // zero for a pod
	meta     func(runtime.Object) map[string]string
}{
	"Pod": {
		func() runtime.Object { return &v1.Pod{} }, 0,
		func(o runtime.Object) map[string]string { return o.(*v1.Pod).Annotations },
	},
	"Job": {
		func() runtime.Object { return &batchv1.Job{} }, 6,
		func(o runtime.Object) map[string]string { return o.(*batchv1.Job).Spec.Template.Annotations },
	},
	"Deployment": {
		func() runtime.Object { return &appsv1.Deployment{} }, 3,
		func(o runtime.Object) map[string]string { return o.(*appsv1.Deployment).Spec.Template.Annotations },
	},
	"DaemonSet": {
		func() runtime.Object { return &appsv1.DaemonSet{} }, 2,
		func(o runtime.Object) map[string]string { return o.(*appsv1.DaemonSet).Spec.Template.Annotations },
	},
}

func message(number protowire.Number, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), content)
}

// encoded is the protocol buffer of an object of 1.35 whose pods are members of the group.
func encoded(template protowire.Number) []byte {
	spec := message(42, slices.Concat(message(1, []byte(ref.Name)), message(2, []byte(ref.PodGroup)), message(3, []byte(ref.PodGroupReplicaKey))))
	if template == 0 {
		return message(2, spec)
	}
	return message(2, message(template, message(2, spec)))
}

func TestFromProto_AdoptsReferenceOf135(t *testing.T) {
	for kind, of := range owners {
		o := of.object()
		if err := workloads.FromProto(o, encoded(of.template)); err != nil {
			t.Fatal(err)
		}
		checkReference(t, kind, of.meta(o))
	}
}

func TestFromJSON_AdoptsReferenceOf135(t *testing.T) {
	for kind, of := range owners {
		text := `{"workloadRef": {"name": "training", "podGroup": "workers", "podGroupReplicaKey": "0"}}`
		if of.template != 0 {
			text = `{"template": {"spec": ` + text + `}}`
		}
		o := of.object()
		if err := workloads.FromJSON(o, []byte(`{"spec": `+text+`}`)); err != nil {
			t.Fatal(err)
		}
		checkReference(t, kind, of.meta(o))
	}
}

func checkReference(t *testing.T, kind string, annotations map[string]string) {
	t.Helper()
	pod := &v1.Pod{}
	pod.Annotations = annotations
	if got, is := workloads.RefOf(pod); !is || got != ref {
		t.Errorf("pods of a %s are of %+v, want %+v", kind, got, ref)
	}
}

// FuzzReference reads references to groups and workloads, encoded and as JSON. A workload is the same after it was encoded again.
//
//orrery:reads core/objects/workloads
func FuzzReference(f *testing.F) {
	for _, of := range owners {
		f.Add(encoded(of.template))
	}
	f.Add([]byte(`{"spec": {"workloadRef": {"name": "training"}, "template": {"spec": {"workloadRef": {}}}}}`))
	gang := &workloads.Workload{Spec: workloads.Spec{
		ControllerRef: &workloads.ControllerRef{Kind: "Job", Name: "training"},
		PodGroups:     []workloads.PodGroup{{Name: "workers", Policy: workloads.Policy{Gang: &workloads.GangPolicy{MinCount: -3}}}, {}},
	}}
	templates := &workloads.Workload{Spec: workloads.Spec{PodGroupTemplates: []schedulingv1beta1.PodGroupTemplate{
		{Name: "workers", SchedulingPolicy: schedulingv1beta1.PodGroupSchedulingPolicy{Gang: &schedulingv1beta1.GangSchedulingPolicy{MinCount: 8}}},
		{},
	}}}
	for _, w := range []*workloads.Workload{gang, templates} {
		bytes, err := w.Marshal()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(bytes)
	}
	f.Fuzz(func(t *testing.T, from []byte) {
		for _, of := range owners {
			_ = workloads.FromProto(of.object(), from)
			_ = workloads.FromJSON(of.object(), from)
		}
		var w, again workloads.Workload
		if w.Unmarshal(from) != nil {
			return
		}
		encoded, err := w.Marshal()
		if err != nil || len(encoded) != w.Size() {
			t.Fatalf("encoding %+v: %d bytes, said %d; %v", w, len(encoded), w.Size(), err)
		}
		if err := again.Unmarshal(encoded); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(w.Spec, again.Spec); diff != "" {
			t.Errorf("after encoding it (-want +got):\n%s", diff)
		}
	})
}
