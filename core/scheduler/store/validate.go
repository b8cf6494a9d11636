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

// Validate returns why an object must be rejected, or nil. It rejects objects that no API server admits and quantities that
// would overflow; see the package comment. An object of an unknown kind passes.
func Validate(o world.Object) error {
	if isNil(o) {
		return errors.New("there is no object to check")
	}
	if kind := world.KindOf(o); kind.Resource() != (schema.GroupVersionResource{}) {
		return validate(kind, o)
	}
	return nil
}

func validate(kind world.Kind, o world.Object) error {
	if err := validateIdentity(kind, o); err != nil {
		return err
	}
	if f := validateObject(o); f != nil {
		return rejectError(kind, o, f)
	}
	return nil
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
	name := quoted(o.GetName())
	if hasNamespace(kind, o) {
		name = quoted(o.GetNamespace() + "/" + o.GetName())
	}
	return fmt.Errorf("refusing %s %s: %s %s", kind, name, printable.Line(f.field, 2*maxQuoted), f.problem)
}

// fieldError is an invalid field: its path and the problem.
type fieldError struct{ field, problem string }

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
