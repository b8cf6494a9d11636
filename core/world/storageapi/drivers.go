package storageapi

import (
	"fmt"
	"slices"
	"strings"

	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"orrery/core/world/deviceapi"
	"orrery/core/world/podapi"
)

func driver(d *storagev1.CSIDriver) field.ErrorList {
	return append(podapi.Meta(&d.ObjectMeta, false, validation.NameIsDNSSubdomain), driverSpec(&d.Spec, field.NewPath("spec"))...)
}

func changedDriver(d, old *storagev1.CSIDriver) field.ErrorList {
	spec := field.NewPath("spec")
	wrong := append(podapi.ChangedMeta(&d.ObjectMeta, &old.ObjectMeta), driverSpec(&d.Spec, spec)...)
	wrong = append(wrong, validation.ValidateImmutableField(d.Spec.AttachRequired, old.Spec.AttachRequired, spec.Child(attachRequired))...)
	return append(wrong, validation.ValidateImmutableField(d.Spec.VolumeLifecycleModes, old.Spec.VolumeLifecycleModes, spec.Child("volumeLifecycleModes"))...)
}

// attachRequired is how the API server's errors call the field attachRequired.
const attachRequired = "attachedRequired"

// minAllocatablePeriod is the least nodeAllocatableUpdatePeriodSeconds.
const minAllocatablePeriod = 10

func driverSpec(s *storagev1.CSIDriverSpec, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	for _, flag := range []struct {
		name  string
		given *bool
	}{
		{attachRequired, s.AttachRequired}, {"podInfoOnMount", s.PodInfoOnMount}, {"storageCapacity", s.StorageCapacity}, {"seLinuxMount", s.SELinuxMount},
	} {
		if flag.given == nil {
			wrong = append(wrong, field.Required(path.Child(flag.name), ""))
		}
	}
	policies := []storagev1.FSGroupPolicy{storagev1.FileFSGroupPolicy, storagev1.NoneFSGroupPolicy, storagev1.ReadWriteOnceWithFSTypeFSGroupPolicy}
	if p := s.FSGroupPolicy; p != nil && !slices.Contains(policies, *p) {
		wrong = append(wrong, field.NotSupported(path.Child("fsGroupPolicy"), *p, policies))
	}
	wrong = append(wrong, tokenRequests(s.TokenRequests, path.Child("tokenRequests"))...)
	modes := []storagev1.VolumeLifecycleMode{storagev1.VolumeLifecyclePersistent, storagev1.VolumeLifecycleEphemeral}
	for _, mode := range s.VolumeLifecycleModes {
		if !slices.Contains(modes, mode) {
			wrong = append(wrong, field.NotSupported(path.Child("volumeLifecycleModes"), mode, modes))
		}
	}
	if period := s.NodeAllocatableUpdatePeriodSeconds; period != nil && *period < minAllocatablePeriod {
		wrong = append(wrong, field.Invalid(path.Child("nodeAllocatableUpdatePeriodSeconds"), *period, "must be greater than or equal to 10 seconds"))
	}
	if secrets := s.ServiceAccountTokenInSecrets; secrets != nil && len(s.TokenRequests) == 0 {
		wrong = append(wrong, field.Invalid(path.Child("serviceAccountTokenInSecrets"), secrets, "serviceAccountTokenInSecrets is set but no tokenRequests are specified"))
	}
	return wrong
}

// Tokens last from ten minutes to 2^32 seconds.
const (
	minExpiration = 600
	maxExpiration = 1 << 32
)

// tokenRequests checks the tokens that a driver gets, of which no two are for one audience.
func tokenRequests(requests []storagev1.TokenRequest, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	seen := map[string]bool{}
	for i, r := range requests {
		if seen[r.Audience] {
			wrong = append(wrong, field.Duplicate(path.Index(i).Child("audience"), r.Audience))
			continue
		}
		seen[r.Audience] = true
		at := path.Index(i).Child("expirationSeconds")
		switch seconds := r.ExpirationSeconds; {
		case seconds == nil:
		case *seconds < minExpiration:
			wrong = append(wrong, field.Invalid(at, *seconds, "may not specify a duration less than 10 minutes"))
		case *seconds > maxExpiration:
			wrong = append(wrong, field.Invalid(at, *seconds, "may not specify a duration larger than 2^32 seconds"))
		}
	}
	return wrong
}

// driverName checks the name of a driver as other objects have it: its letters may be capitals.
func driverName(name string, path *field.Path) field.ErrorList {
	const longest = 63
	if name == "" {
		return field.ErrorList{field.Required(path, "")}
	}
	var wrong field.ErrorList
	if len(name) > longest {
		wrong = append(wrong, field.TooLong(path, name, longest))
	}
	return append(wrong, deviceapi.Invalid(path, name, utilvalidation.IsDNS1123Subdomain(strings.ToLower(name)))...)
}

func driversOfNode(n *storagev1.CSINode) field.ErrorList {
	wrong := podapi.Meta(&n.ObjectMeta, false, validation.NameIsDNSSubdomain)
	path := field.NewPath("spec", "drivers")
	seen := map[string]bool{}
	for i := range n.Spec.Drivers {
		d := &n.Spec.Drivers[i]
		wrong = append(wrong, driverOfNode(d, path.Index(i))...)
		if seen[d.Name] {
			wrong = append(wrong, field.Duplicate(path.Index(i).Child("name"), d.Name))
		}
		seen[d.Name] = true
	}
	return wrong
}

func driverOfNode(d *storagev1.CSINodeDriver, path *field.Path) field.ErrorList {
	const longestID = 256
	wrong := driverName(d.Name, path.Child("name"))
	if d.NodeID == "" {
		wrong = append(wrong, field.Required(path.Child("nodeID"), ""))
	}
	if len(d.NodeID) > longestID {
		wrong = append(wrong, field.Invalid(path.Child("nodeID"), d.NodeID, fmt.Sprintf("must be %d characters or less", longestID)))
	}
	if a := d.Allocatable; a != nil && a.Count != nil {
		wrong = append(wrong, validation.ValidateNonnegativeField(int64(*a.Count), path.Child("allocatable", "count"))...)
	}
	for i, key := range d.TopologyKeys {
		if key == "" {
			wrong = append(wrong, field.Required(path, ""))
		}
		if slices.Contains(d.TopologyKeys[:i], key) {
			wrong = append(wrong, field.Duplicate(path, key))
		}
		wrong = append(wrong, deviceapi.Invalid(path, key, utilvalidation.IsQualifiedName(key))...)
	}
	return wrong
}

// changedDriversOfNode checks that the drivers that stay do so as they are, but for their limits.
func changedDriversOfNode(n, old *storagev1.CSINode) field.ErrorList {
	wrong := driversOfNode(n)
	for _, before := range old.Spec.Drivers {
		for _, after := range n.Spec.Drivers {
			if before.Name == after.Name {
				before.Allocatable, after.Allocatable = nil, nil
				wrong = append(wrong, validation.ValidateImmutableField(&after, &before, field.NewPath("spec", "drivers"))...)
			}
		}
	}
	return wrong
}
