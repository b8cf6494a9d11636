package trace

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/objects/workloads"
)

// podReader decodes pods as Unmarshal does, but only once what they have alike: those of one controller differ in little but their
// names, nodes and times. They share the parts, as the pods of a cluster that is followed do (trim.Pool).
//
//	metadata ──► name, UID, version, times │ the rest, by its bytes ──► decoded before, or now
//	spec ──────► node, volumes             │ the rest …
//	status ────► start                     │ the rest …
//	  └ conditions, each ──► times         │ the rest …
//
// The zero value is ready for use.
type podReader struct {
	metas      sharedParts[metav1.ObjectMeta, *metav1.ObjectMeta]
	specs      sharedParts[v1.PodSpec, *v1.PodSpec]
	statuses   sharedParts[v1.PodStatus, *v1.PodStatus]
	conditions sharedParts[v1.PodCondition, *v1.PodCondition]
	nodes      map[string]string // names, themselves
	others     []byte            // used again for each pod
}

// The numbers of the fields of pods and their parts that are decoded here, or that each pod has for itself.
const (
	podMetaField, podSpecField, podStatusField = 1, 2, 3
	nodeNameField                              = 10
	conditionsField                            = 2
)

var (
	// ownMeta are name, UID, resourceVersion, generation, and the times and the grace of creation and deletion.
	ownMeta = fieldSet(1, 5, 6, 7, 8, 9, 10)
	// ownSpec are the volumes, of which a StatefulSet's pods have one claim each, and the node.
	ownSpec = fieldSet(1, nodeNameField)
	// ownStatus are the conditions and the time of the start.
	ownStatus = fieldSet(conditionsField, 7)
	// ownCondition are the two times and the generation.
	ownCondition = fieldSet(3, 4, 7)
)

// unmarshal decodes an object into an empty one.
func (r *podReader) unmarshal(to protoObject, data []byte) error {
	pod, ok := to.(*v1.Pod)
	if ok && r.decode(pod, data) {
		return workloads.FromProto(pod, data)
	}
	if ok {
		*pod = v1.Pod{}
	}
	if err := to.Unmarshal(data); err != nil {
		return err
	}
	return workloads.FromProto(to, data)
}

// decode reports false for an encoding that Unmarshal refuses, or in which a part comes twice. What it has decoded by then is of no use.
func (r *podReader) decode(to *v1.Pod, data []byte) bool {
	var seen [podStatusField + 1]bool
	for len(data) > 0 {
		number, value, size := nextField(data)
		if number < podMetaField || number > podStatusField || value == nil || seen[number] {
			return false
		}
		seen[number], data = true, data[size:]
		decoded := false
		switch number {
		case podMetaField:
			decoded = r.metas.decode(&to.ObjectMeta, value, ownMeta)
		case podSpecField:
			decoded = r.spec(&to.Spec, value)
		case podStatusField:
			decoded = r.status(&to.Status, value)
		}
		if !decoded {
			return false
		}
	}
	return true
}

func (r *podReader) spec(to *v1.PodSpec, data []byte) bool {
	own, ok := r.specs.shared(to, data, ownSpec)
	if !ok {
		return false
	}
	return r.eachField(own, nodeNameField, func(name []byte) bool {
		to.NodeName = r.node(name)
		return true
	}) && to.Unmarshal(r.others) == nil
}

func (r *podReader) status(to *v1.PodStatus, data []byte) bool {
	own, ok := r.statuses.shared(to, data, ownStatus)
	if !ok {
		return false
	}
	if n := countFields(own, conditionsField); n > 0 {
		to.Conditions = make([]v1.PodCondition, 0, n)
	}
	return r.eachField(own, conditionsField, func(condition []byte) bool {
		to.Conditions = append(to.Conditions, v1.PodCondition{})
		return r.conditions.decode(&to.Conditions[len(to.Conditions)-1], condition, ownCondition)
	}) && to.Unmarshal(r.others) == nil
}

// eachField calls do with the texts or messages in a field, until it returns false, and gathers the other fields in r.others.
func (r *podReader) eachField(data []byte, wanted int32, do func(value []byte) bool) bool {
	r.others = r.others[:0]
	for len(data) > 0 {
		number, value, size := nextField(data)
		switch {
		case size == 0:
			return false
		case number != wanted || value == nil:
			r.others = append(r.others, data[:size]...)
		case !do(value):
			return false
		}
		data = data[size:]
	}
	return true
}

func (r *podReader) node(name []byte) string {
	if known, ok := r.nodes[string(name)]; ok {
		return known
	}
	if r.nodes == nil || len(r.nodes) >= maxSharedParts {
		r.nodes = map[string]string{}
	}
	own := string(name)
	r.nodes[own] = own
	return own
}
