package world

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
)

// Custom is an object of a kind that is not built in and that a plugin registered for, usually a custom resource. Its
// Kind is the resource with its version and group, as plugins register it: "foos.v1.example.com".
type Custom struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	// Resource is the object's kind, see [Kind.Custom].
	Resource Kind
	// Whole is the object as the API server sent it. In a recording it is nil: only the plugin knows its content, which
	// may be secret.
	Whole *unstructured.Unstructured
}

// CustomOf makes a Custom of an object from the API server and takes ownership of it.
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

// NewCustom returns an empty object of a custom kind, or false if the name is not one of a custom kind.
func NewCustom(kind Kind) (*Custom, bool) {
	if _, ok := kind.Custom(); !ok {
		return nil, false
	}
	return &Custom{Resource: kind}, true
}

// Custom parses the name of a custom kind. It returns false for any other name.
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

// Unstructured returns the object as plugins receive it. They must not change it.
func (c *Custom) Unstructured() *unstructured.Unstructured {
	if c.Whole != nil {
		return c.Whole
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&metav1.PartialObjectMetadata{
		TypeMeta: c.TypeMeta, ObjectMeta: c.ObjectMeta,
	})
	if err != nil { // an unrepresentable time
		content = map[string]any{"metadata": map[string]any{"name": c.Name, "namespace": c.Namespace}}
	}
	return &unstructured.Unstructured{Object: content}
}

// DeepCopyObject returns a deep copy.
func (c *Custom) DeepCopyObject() runtime.Object {
	copied := &Custom{TypeMeta: c.TypeMeta, ObjectMeta: *c.ObjectMeta.DeepCopy(), Resource: c.Resource}
	if c.Whole != nil {
		copied.Whole = c.Whole.DeepCopy()
	}
	return copied
}

// metadata is the part that Size, MarshalToSizedBuffer and Unmarshal encode as a protocol buffer, for recordings; the whole object
// is not recorded.
func (c *Custom) metadata() *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{ObjectMeta: c.ObjectMeta}
}

// Size is the encoded length in bytes.
func (c *Custom) Size() int { return c.metadata().Size() }

// MarshalToSizedBuffer writes the metadata to the end of a buffer, which has their size.
func (c *Custom) MarshalToSizedBuffer(to []byte) (int, error) {
	return c.metadata().MarshalToSizedBuffer(to)
}

// Unmarshal reads the metadata.
func (c *Custom) Unmarshal(from []byte) error {
	var m metav1.PartialObjectMetadata
	err := m.Unmarshal(from)
	c.ObjectMeta = m.ObjectMeta
	return err
}
