package store

import (
	"errors"
	"fmt"
	"unicode"
	"unicode/utf8"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"orrery/core/safe/printable"
	"orrery/core/world"
)

// MaxNameLength bounds a name, a namespace and a UID, as in Kubernetes; maxQuoted bounds a quoted text in an error.
const (
	//orrery:limit API server; a name, a namespace or a UID, in bytes; the object is left out
	MaxNameLength = 253
	//orrery:limit text; a text of an object in an error, in characters; cut off
	maxQuoted = 80
)

// Validate returns the first problem of an object, or nil: the store refuses the object, or uses it without a field; see the
// package comment. An object of an unknown kind passes.
func Validate(o world.Object) error {
	if isNil(o) {
		return errors.New("there is no object to check")
	}
	kind := world.KindOf(o)
	if kind.Resource() == (schema.GroupVersionResource{}) {
		return nil
	}
	if err := validateIdentity(kind, o); err != nil {
		return err
	}
	if f := validateObject(o); f != nil {
		return rejectError(kind, o, f)
	}
	return nil
}

// check reports whether the store holds an object, and why it does not, or which field it does without. The latter is an error
// once: not if the held object, which may be nil, has the same.
func check(kind world.Kind, o, held world.Object) (holds bool, err error) {
	if err := validateIdentity(kind, o); err != nil {
		return false, err
	}
	if world.IsTerminated(o) {
		return true, nil
	}
	f := validateObject(o)
	if f == nil {
		return true, nil
	}
	use := ""
	switch o := o.(type) {
	case *v1.Node:
	case *v1.Pod:
		if o.Spec.NodeName == "" {
			return true, nil // the scheduling cycle asks for UnusableField
		}
		use = " on node " + quoted(o.Spec.NodeName)
	default:
		return false, rejectError(kind, o, f)
	}
	if before := heldProblem(o, held); before != nil && *before == *f {
		return true, nil
	}
	return true, fmt.Errorf("using %s%s without a field: %s", describe(kind, o), use, f.text())
}

// heldProblem is the problem of the held state of an object that was reported.
func heldProblem(o, held world.Object) *fieldError {
	if isNil(held) || held.GetUID() != o.GetUID() {
		return nil
	}
	if pod, is := held.(*v1.Pod); is && pod.Spec.NodeName == "" {
		return nil
	}
	return validateObject(held)
}

// UnusableField names the first field of a pod's spec with a value that the scheduler cannot go by, and what is wrong with it; empty if
// there is none. Such a pod is not scheduled by guessing.
func UnusableField(pod *v1.Pod) string {
	if f := validateSpec(&pod.Spec); f != nil {
		return f.text()
	}
	return ""
}

// validateIdentity checks the fields that identify an object.
func validateIdentity(kind world.Kind, o world.Object) error {
	f := validateName("metadata.name", o.GetName())
	namespaced := hasNamespace(kind, o)
	if f == nil && namespaced {
		f = validateName("metadata.namespace", o.GetNamespace())
	}
	if f == nil && o.GetNamespace() != "" && !namespaced {
		f = &fieldError{"metadata.namespace", "is set, though the kind has no namespaces"}
	}
	if f == nil && (requiresUID(kind) || o.GetUID() != "") {
		f = validateName("metadata.uid", string(o.GetUID()))
	}
	if f == nil {
		return nil
	}
	return rejectError(kind, o, f)
}

// rejectError returns the error of an invalid object.
func rejectError(kind world.Kind, o world.Object, f *fieldError) error {
	return fmt.Errorf("refusing %s: %s", describe(kind, o), f.text())
}

func describe(kind world.Kind, o world.Object) string {
	name := o.GetName()
	if hasNamespace(kind, o) {
		name = o.GetNamespace() + "/" + name
	}
	return string(kind) + " " + quoted(name)
}

// fieldError is an invalid field: its path and the problem.
type fieldError struct{ field, problem string }

func (f *fieldError) text() string { return printable.Line(f.field, 2*maxQuoted) + " " + f.problem }

// below puts the field of an error below another one.
func (f *fieldError) below(format string, args ...any) *fieldError {
	if f == nil {
		return nil
	}
	return &fieldError{fmt.Sprintf(format, args...) + "." + f.field, f.problem}
}

func validateObject(o world.Object) *fieldError {
	switch o := o.(type) {
	case *v1.Pod:
		return validatePod(o)
	case *v1.Node:
		return validateNode(o)
	case *v1.PersistentVolume:
		return validateVolume(o)
	case *v1.PersistentVolumeClaim:
		return validateClaim(o)
	case *storagev1.StorageClass:
		return validateClass(o)
	case *storagev1.CSIStorageCapacity:
		return validateCapacity(o)
	case *storagev1.CSINode:
		return validateDrivers(o.Spec.Drivers)
	case *resourcev1.ResourceClaim:
		return validateDeviceCounts(o.Spec.Devices.Requests)
	}
	return nil
}

func validateDeviceCounts(requests []resourcev1.DeviceRequest) *fieldError {
	negative := &fieldError{"count", "is negative"}
	for i := range requests {
		if exactly := requests[i].Exactly; exactly != nil && exactly.Count < 0 {
			return negative.below("spec.devices.requests[%d].exactly", i)
		}
		for j := range requests[i].FirstAvailable {
			if requests[i].FirstAvailable[j].Count < 0 {
				return negative.below("spec.devices.requests[%d].firstAvailable[%d]", i, j)
			}
		}
	}
	return nil
}

// validateName checks that a text can be a name: it is a part of keys and paths, and is shown everywhere.
func validateName(field, name string) *fieldError {
	switch {
	case isUsualName(name):
		return nil
	case name == "":
		return &fieldError{field, "is missing"}
	case len(name) > MaxNameLength:
		return &fieldError{field, fmt.Sprintf("has %d bytes, and at most %d are allowed", len(name), MaxNameLength)}
	case name == ".", name == "..":
		return &fieldError{field, "is a path: " + quoted(name)}
	case !utf8.ValidString(name):
		return &fieldError{field, "is not UTF-8: " + quoted(name)}
	}
	for _, r := range name {
		// A UID may hold a slash: it is no part of a key.
		if unicode.IsControl(r) || (r == '/' && field != "metadata.uid") {
			return &fieldError{field, "holds a character that no name may hold: " + quoted(name)}
		}
	}
	return nil
}

// isUsualName reports whether a name is one that needs no closer look, as nearly all are: lower-case letters, digits and dashes.
func isUsualName(name string) bool {
	for i := range len(name) {
		if c := name[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return name != "" && len(name) <= MaxNameLength
}

// quoted quotes a text for an error.
func quoted(text string) string { return `"` + printable.Line(text, maxQuoted) + `"` }
