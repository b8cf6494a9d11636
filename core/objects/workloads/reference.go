package workloads

import (
	"maps"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Reference names the group of a workload that a pod is a member of: spec.workloadRef.
type Reference struct {
	Name     string `json:"name" protobuf:"bytes,1,opt,name=name"`
	PodGroup string `json:"podGroup" protobuf:"bytes,2,opt,name=podGroup"`
	// PodGroupReplicaKey tells replicas of a group apart.
	PodGroupReplicaKey string `json:"podGroupReplicaKey,omitempty" protobuf:"bytes,3,opt,name=podGroupReplicaKey"`
}

// Annotation is where a pod, or the template of one, has its reference: the parts with slashes between, of which no name has one. An API
// server takes no annotation of such a name, so that none is mistaken for a reference.
const Annotation = "~spec.workloadRef"

// IsMember reports whether a pod is of a group.
func IsMember(pod *v1.Pod) bool {
	_, is := pod.Annotations[Annotation]
	return is
}

// RefOf returns which group a pod is a member of, if of any.
func RefOf(pod *v1.Pod) (ref Reference, is bool) {
	text, is := pod.Annotations[Annotation]
	if !is {
		return ref, false
	}
	ref.Name, text, _ = strings.Cut(text, "/")
	ref.PodGroup, ref.PodGroupReplicaKey, _ = strings.Cut(text, "/")
	return ref, true
}

// SetRef makes a pod, or those of a template, members of a group. Other annotations stay; the map, which others may share, is not written to.
func SetRef(meta *metav1.ObjectMeta, ref Reference) {
	all := maps.Clone(meta.Annotations)
	if all == nil {
		all = map[string]string{}
	}
	all[Annotation] = strings.TrimSuffix(ref.Name+"/"+ref.PodGroup+"/"+ref.PodGroupReplicaKey, "/")
	meta.Annotations = all
}
