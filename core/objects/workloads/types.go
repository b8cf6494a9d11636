package workloads

import (
	"slices"

	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is where the API server of 1.35 serves workloads.
var GroupVersion = schema.GroupVersion{Group: "scheduling.k8s.io", Version: "v1alpha1"}

// GroupVersions are all in which workloads are read: since 1.37 with templates instead of groups. That of 1.36, v1alpha2, is not read.
var GroupVersions = []schema.GroupVersion{GroupVersion, schedulingv1beta1.SchemeGroupVersion}

// Workload names groups of pods that are scheduled by a policy: the groups themselves in 1.35, and since 1.37 templates of PodGroups.
type Workload struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	Spec Spec `json:"spec" protobuf:"bytes,2,opt,name=spec"`
}

// Spec is what a workload asks for.
type Spec struct {
	ControllerRef *ControllerRef `json:"controllerRef,omitempty" protobuf:"bytes,1,opt,name=controllerRef"`
	// PodGroups are the groups in 1.35, whose members refer to them.
	PodGroups []PodGroup `json:"podGroups,omitempty" protobuf:"bytes,2,rep,name=podGroups"`
	// PodGroupTemplates are what PodGroups are made from since 1.37. The field's number is that of recordings, since another field had
	// upstream's in 1.35. Templates of CompositePodGroups, which nest, are left out: the objects that are made from them are read.
	PodGroupTemplates []schedulingv1beta1.PodGroupTemplate `json:"podGroupTemplates,omitempty" protobuf:"bytes,101,rep,name=podGroupTemplates"`
}

// ControllerRef names the object that the workload describes.
type ControllerRef struct {
	APIGroup string `json:"apiGroup,omitempty" protobuf:"bytes,1,opt,name=apiGroup"`
	Kind     string `json:"kind" protobuf:"bytes,2,opt,name=kind"`
	Name     string `json:"name" protobuf:"bytes,3,opt,name=name"`
}

// PodGroup is a group of a workload.
type PodGroup struct {
	Name   string `json:"name" protobuf:"bytes,1,opt,name=name"`
	Policy Policy `json:"policy" protobuf:"bytes,3,opt,name=policy"`
}

// Policy is how the pods of a group are scheduled: one by one, or as a gang.
type Policy struct {
	Basic *BasicPolicy `json:"basic,omitempty" protobuf:"bytes,2,opt,name=basic"`
	Gang  *GangPolicy  `json:"gang,omitempty" protobuf:"bytes,3,opt,name=gang"`
}

// BasicPolicy has the pods scheduled one by one.
type BasicPolicy struct{}

// GangPolicy has at least MinCount pods bound together.
type GangPolicy struct {
	MinCount int32 `json:"minCount" protobuf:"varint,1,opt,name=minCount"`
}

// DeepCopy returns a deep copy.
func (w *Workload) DeepCopy() *Workload {
	c := *w
	c.ObjectMeta = *w.ObjectMeta.DeepCopy()
	if w.Spec.ControllerRef != nil {
		of := *w.Spec.ControllerRef
		c.Spec.ControllerRef = &of
	}
	c.Spec.PodGroups = slices.Clone(w.Spec.PodGroups)
	for i := range c.Spec.PodGroups {
		c.Spec.PodGroups[i].Policy = w.Spec.PodGroups[i].Policy.copy()
	}
	c.Spec.PodGroupTemplates = slices.Clone(w.Spec.PodGroupTemplates)
	for i := range c.Spec.PodGroupTemplates {
		w.Spec.PodGroupTemplates[i].DeepCopyInto(&c.Spec.PodGroupTemplates[i])
	}
	return &c
}

func (p Policy) copy() Policy {
	if p.Basic != nil {
		p.Basic = &BasicPolicy{}
	}
	if p.Gang != nil {
		gang := *p.Gang
		p.Gang = &gang
	}
	return p
}

// DeepCopyObject returns a deep copy.
func (w *Workload) DeepCopyObject() runtime.Object { return w.DeepCopy() }

// Resource is what plugins register for to hear of workloads.
const Resource = "scheduling.k8s.io/Workload"
