package world

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
)

// Custom is an object of a kind that nobody here knows and a plugin asked for: a custom resource, mostly. Its Kind is the
// name that plugins register such events under, the resource with its version and group: "foos.v1.example.com".
type Custom struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	// Resource is its kind, see [Kind.Custom].
	Resource Kind
	// Whole is the object as the API server sent it. In a recording it is nil: what is in it is known to no one but the
	// plugin, and may be a secret.
	Whole *unstructured.Unstructured
}

// CustomOf makes a Custom of what the API server sent, which belongs to it from then on.
func CustomOf(resource Kind, whole *unstructured.Unstructured) *Custom {
	c := &Custom{
		TypeMeta: metav1.TypeMeta{APIVersion: whole.GetAPIVersion(), Kind: whole.GetKind()},
		ObjectMeta: metav1.ObjectMeta{
			Name: whole.GetName(), GenerateName: whole.GetGenerateName(), Namespace: whole.GetNamespace(),
			UID: whole.GetUID(), ResourceVersion: whole.GetResourceVersion(), Generation: whole.GetGeneration(),
			CreationTimestamp: whole.GetCreationTimestamp(), DeletionTimestamp: whole.GetDeletionTimestamp(),
			DeletionGracePeriodSeconds: whole.GetDeletionGracePeriodSeconds(), Labels: whole.GetLabels(),
			Annotations: whole.GetAnnotations(), OwnerReferences: whole.GetOwnerReferences(), Finalizers: whole.GetFinalizers(),
		},
		Resource: resource, Whole: whole,
	}
	return c
}

// NewCustom is an empty object of a custom kind, and false if there can be no such kind.
func NewCustom(kind Kind) (*Custom, bool) {
	if _, ok := kind.Custom(); !ok {
		return nil, false
	}
	return &Custom{Resource: kind}, true
}

// Custom takes the name of a custom kind apart. It is false for what is no such name.
func (k Kind) Custom() (schema.GroupVersionResource, bool) {
	parts := strings.SplitN(string(k), ".", 3)
	if len(parts) < 3 || len(k) > validation.DNS1123SubdomainMaxLength {
		return schema.GroupVersionResource{}, false
	}
	for _, label := range parts[:2] {
		if len(validation.IsDNS1123Label(label)) > 0 {
			return schema.GroupVersionResource{}, false
		}
	}
	if group := parts[2]; group != "" && len(validation.IsDNS1123Subdomain(group)) > 0 {
		return schema.GroupVersionResource{}, false
	}
	return schema.GroupVersionResource{Resource: parts[0], Version: parts[1], Group: parts[2]}, true
}

// Unstructured is the object as plugins are handed it. They must not change it.
func (c *Custom) Unstructured() *unstructured.Unstructured {
	if c.Whole != nil {
		return c.Whole
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&metav1.PartialObjectMetadata{
		TypeMeta: c.TypeMeta, ObjectMeta: c.ObjectMeta,
	})
	if err != nil { // a time that no calendar has
		content = map[string]any{"metadata": map[string]any{"name": c.Name, "namespace": c.Namespace}}
	}
	return &unstructured.Unstructured{Object: content}
}

// DeepCopyObject is a copy that shares nothing.
func (c *Custom) DeepCopyObject() runtime.Object {
	twin := &Custom{TypeMeta: c.TypeMeta, ObjectMeta: *c.ObjectMeta.DeepCopy(), Resource: c.Resource}
	if c.Whole != nil {
		twin.Whole = c.Whole.DeepCopy()
	}
	return twin
}

// Size, MarshalTo and Unmarshal put the metadata into a protocol buffer and back, as recordings hold it; the whole object
// does not enter one.

func (c *Custom) metadata() *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{ObjectMeta: c.ObjectMeta}
}

// Size is how many bytes MarshalTo takes.
func (c *Custom) Size() int { return c.metadata().Size() }

// MarshalTo writes the metadata.
func (c *Custom) MarshalTo(to []byte) (int, error) { return c.metadata().MarshalTo(to) }

// Unmarshal reads the metadata.
func (c *Custom) Unmarshal(from []byte) error {
	var m metav1.PartialObjectMetadata
	err := m.Unmarshal(from)
	c.ObjectMeta = m.ObjectMeta
	return err
}
