package store

import (
	"errors"
	"fmt"
	"unicode"
	"unicode/utf8"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"

	"orrery/core/printable"
	"orrery/core/world"
)

// longestName is what Kubernetes allows a name, a namespace and a UID; longestShown is what an error shows of a text.
const (
	longestName  = 253
	longestShown = 80
)

// Check says why an object must be refused, or nil. What is refused is what no API server admits and what cannot be
// reckoned with; see the package comment. An object of a kind that the store does not know passes.
func Check(o world.Object) error {
	if missing(o) {
		return errors.New("there is no object to check")
	}
	kind := world.KindOf(o)
	if number, known := numberByKind[kind]; known {
		return (&shelf{entry: &kindTable[number]}).check(o)
	}
	if _, custom := kind.Custom(); custom {
		return (&shelf{entry: &kindEntry{kind: kind, custom: true}}).check(o)
	}
	return nil
}

func (sh *shelf) check(o world.Object) error {
	if err := sh.checkIdentity(o); err != nil {
		return err
	}
	if f := faultOf(o); f != nil {
		return sh.refuse(o, f)
	}
	return nil
}

// checkIdentity says whether an object can be told from every other one.
func (sh *shelf) checkIdentity(o world.Object) error {
	f := nameFault("metadata.name", o.GetName())
	if f == nil && (sh.entry.namespaced || (sh.entry.custom && o.GetNamespace() != "")) {
		f = nameFault("metadata.namespace", o.GetNamespace())
	}
	if f == nil && !sh.entry.namespaced && !sh.entry.custom && o.GetNamespace() != "" {
		f = &fault{"metadata.namespace", "is set, though the kind has no namespaces"}
	}
	if f == nil && (sh.entry.countedByUID || o.GetUID() != "") {
		f = nameFault("metadata.uid", string(o.GetUID()))
	}
	if f == nil {
		return nil
	}
	return sh.refuse(o, f)
}

// refuse is the error of an object with a fault.
func (sh *shelf) refuse(o world.Object, f *fault) error {
	name := show(o.GetName())
	if sh.entry.namespaced || (sh.entry.custom && o.GetNamespace() != "") {
		name = show(o.GetNamespace() + "/" + o.GetName())
	}
	return fmt.Errorf("refusing %s %s: %s %s", sh.entry.kind, name, printable.Line(f.field, 2*longestShown), f.problem)
}

// fault is what is wrong with an object: the path of a field, and what is wrong there, to be read after it.
type fault struct{ field, problem string }

// at puts a fault below a field.
func (f *fault) at(format string, args ...any) *fault {
	if f == nil {
		return nil
	}
	return &fault{fmt.Sprintf(format, args...) + "." + f.field, f.problem}
}

func faultOf(o world.Object) *fault {
	switch o := o.(type) {
	case *v1.Pod:
		return podFault(o)
	case *v1.Node:
		return nodeFault(o)
	case *v1.PersistentVolume:
		return quantityFault(o.Spec.Capacity, anyAmount).at("spec.capacity")
	case *v1.PersistentVolumeClaim:
		return claimSizeFault(o)
	case *storagev1.CSIStorageCapacity:
		return capacityFault(o)
	case *storagev1.CSINode:
		return driverFault(o.Spec.Drivers)
	case *resourcev1.ResourceClaim:
		return deviceCountFault(o.Spec.Devices.Requests)
	}
	return nil
}

func claimSizeFault(claim *v1.PersistentVolumeClaim) *fault {
	if f := quantityFault(claim.Spec.Resources.Requests, anyAmount); f != nil {
		return f.at("spec.resources.requests")
	}
	return quantityFault(claim.Status.Capacity, anyAmount).at("status.capacity")
}

func capacityFault(c *storagev1.CSIStorageCapacity) *fault {
	if c.Capacity != nil && c.Capacity.Sign() < 0 {
		return &fault{"capacity", "is negative"}
	}
	if c.MaximumVolumeSize != nil && c.MaximumVolumeSize.Sign() < 0 {
		return &fault{"maximumVolumeSize", "is negative"}
	}
	return nil
}

func driverFault(drivers []storagev1.CSINodeDriver) *fault {
	for i := range drivers {
		if a := drivers[i].Allocatable; a != nil && a.Count != nil && *a.Count < 0 {
			return (&fault{"allocatable.count", "is negative"}).at("spec.drivers[%d]", i)
		}
	}
	return nil
}

func deviceCountFault(requests []resourcev1.DeviceRequest) *fault {
	negative := &fault{"count", "is negative"}
	for i := range requests {
		if exactly := requests[i].Exactly; exactly != nil && exactly.Count < 0 {
			return negative.at("spec.devices.requests[%d].exactly", i)
		}
		for j := range requests[i].FirstAvailable {
			if requests[i].FirstAvailable[j].Count < 0 {
				return negative.at("spec.devices.requests[%d].firstAvailable[%d]", i, j)
			}
		}
	}
	return nil
}

// nameFault says whether a text can name something: it is a part of keys and paths, and is shown everywhere.
func nameFault(field, name string) *fault {
	switch {
	case name == "":
		return &fault{field, "is missing"}
	case len(name) > longestName:
		return &fault{field, fmt.Sprintf("has %d bytes, and at most %d are allowed", len(name), longestName)}
	case name == ".", name == "..":
		return &fault{field, "is a path: " + show(name)}
	case !utf8.ValidString(name):
		return &fault{field, "is not UTF-8: " + show(name)}
	}
	for _, r := range name {
		// A UID may hold a slash: nothing is looked up by it.
		if unicode.IsControl(r) || (r == '/' && field != "metadata.uid") {
			return &fault{field, "holds a character that no name may hold: " + show(name)}
		}
	}
	return nil
}

// show quotes a text for an error.
func show(text string) string { return `"` + printable.Line(text, longestShown) + `"` }
