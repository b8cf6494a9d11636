package workloads

import (
	"bytes"
	"encoding/json"

	"google.golang.org/protobuf/encoding/protowire"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// The numbers of the fields in the protocol buffers of pods, templates and their owners.
const (
	specField        protowire.Number = 2
	workloadRefField protowire.Number = 42
)

// place is where an object has the metadata of pods, and the numbers of the fields that lead to their spec in its protocol buffer.
func place(object runtime.Object) (meta *metav1.ObjectMeta, path []protowire.Number) {
	in := func(t *v1.PodTemplateSpec, number protowire.Number) (*metav1.ObjectMeta, []protowire.Number) {
		return &t.ObjectMeta, []protowire.Number{specField, number, specField}
	}
	switch o := object.(type) {
	case *v1.Pod:
		return &o.ObjectMeta, []protowire.Number{specField}
	case *appsv1.ReplicaSet:
		return in(&o.Spec.Template, 3)
	case *appsv1.StatefulSet:
		return in(&o.Spec.Template, 3)
	case *appsv1.Deployment:
		return in(&o.Spec.Template, 3)
	case *appsv1.DaemonSet:
		return in(&o.Spec.Template, 2)
	case *batchv1.Job:
		return in(&o.Spec.Template, 6)
	case *v1.ReplicationController:
		if o.Spec.Template != nil {
			return in(o.Spec.Template, 3)
		}
	}
	return nil, nil
}

var workloadRefTag = protowire.AppendTag(nil, workloadRefField, protowire.BytesType)

// FromProto gives a pod, or the template in an owner of pods, the reference that is in the protocol buffer which it was decoded from.
func FromProto(object runtime.Object, encoded []byte) error {
	if !bytes.Contains(encoded, workloadRefTag) {
		return nil
	}
	meta, path := place(object)
	if meta == nil {
		return nil
	}
	return atPath(encoded, path, func(spec []byte) error {
		return eachField(spec, func(f field) error {
			if f.number != workloadRefField {
				return nil
			}
			var ref Reference
			err := texts(f.bytes, &ref.Name, &ref.PodGroup, &ref.PodGroupReplicaKey)
			SetRef(meta, ref)
			return err
		})
	})
}

// atPath calls do with the messages at the end of a path of fields.
func atPath(message []byte, path []protowire.Number, do func([]byte) error) error {
	if len(path) == 0 {
		return do(message)
	}
	return eachField(message, func(f field) error {
		if f.number != path[0] {
			return nil
		}
		return atPath(f.bytes, path[1:], do)
	})
}

// FromJSON gives a pod, or the template in an owner of pods, the reference that is in the JSON which it was decoded from.
func FromJSON(object runtime.Object, text []byte) error {
	if !bytes.Contains(text, []byte("workloadRef")) {
		return nil
	}
	meta, path := place(object)
	if meta == nil {
		return nil
	}
	type spec struct {
		WorkloadRef *Reference `json:"workloadRef"`
	}
	var in struct {
		Spec struct {
			spec
			Template struct {
				Spec spec `json:"spec"`
			} `json:"template"`
		} `json:"spec"`
	}
	err := json.Unmarshal(text, &in)
	ref := in.Spec.WorkloadRef
	if len(path) > 1 {
		ref = in.Spec.Template.Spec.WorkloadRef
	}
	if err == nil && ref != nil {
		SetRef(meta, *ref)
	}
	return err
}
