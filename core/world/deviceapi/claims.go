package deviceapi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// requestNames are the requests of a claim, each with its subrequests.
type requestNames map[string][]string

func namesOf(claim *resourcev1.DeviceClaim) requestNames {
	names := requestNames{}
	for i := range claim.Requests {
		r := &claim.Requests[i]
		names[r.Name] = nil
		for j := range r.FirstAvailable {
			names[r.Name] = append(names[r.Name], r.FirstAvailable[j].Name)
		}
	}
	return names
}

// notReference says what a reference to a request is to be.
const notReference = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"

// reference checks a reference to a request or a subrequest.
func (n requestNames) reference(name *string, path *field.Path) field.ErrorList {
	parts := strings.Split(*name, "/")
	if len(parts) > 2 {
		return field.ErrorList{field.Invalid(path, *name, notReference)}
	}
	var wrong field.ErrorList
	for _, part := range parts {
		wrong = append(wrong, label(part, path)...)
	}
	subrequests, known := n[parts[0]]
	if !known || len(parts) == 2 && !slices.Contains(subrequests, parts[1]) {
		wrong = append(wrong, field.Invalid(path, *name, notReference))
	}
	return wrong
}

// references checks a list of references.
func (n requestNames) references(list []string, path *field.Path) field.ErrorList {
	return eachOnce(list, resourcev1.DeviceRequestsMaxSize, path, itself, n.reference)
}

// template checks the spec of a claim template. Of metadata, it has labels and annotations only.
func (v *Validator) template(spec *resourcev1.ResourceClaimTemplateSpec, path *field.Path) field.ErrorList {
	meta := path.Child("metadata")
	wrong := validation.ValidateAnnotations(spec.Annotations, meta.Child("annotations"))
	wrong = append(wrong, metav1validation.ValidateLabels(spec.Labels, meta.Child("labels"))...)
	wrong = append(wrong, otherMeta(&spec.ObjectMeta, meta)...)
	return append(wrong, v.claim(&spec.Spec.Devices, path.Child("spec", "devices"), false)...)
}

// otherMeta rejects the metadata that a template cannot have.
func otherMeta(m *metav1.ObjectMeta, path *field.Path) field.ErrorList {
	set := map[string]bool{
		"name": m.Name != "", "generateName": m.GenerateName != "", "namespace": m.Namespace != "",
		"finalizers": len(m.Finalizers) > 0, "ownerReferences": len(m.OwnerReferences) > 0,
	}
	var wrong field.ErrorList
	for _, name := range []string{"name", "generateName", "namespace", "ownerReferences", "finalizers"} {
		if set[name] {
			wrong = append(wrong, field.Forbidden(path.Child(name), "cannot be set"))
		}
	}
	return wrong
}

// claim checks what a claim requests.
func (v *Validator) claim(claim *resourcev1.DeviceClaim, path *field.Path, stored bool) field.ErrorList {
	names := namesOf(claim)
	wrong := eachOnce(claim.Requests, resourcev1.DeviceRequestsMaxSize, path.Child("requests"),
		func(r *resourcev1.DeviceRequest) string { return r.Name },
		func(r *resourcev1.DeviceRequest, at *field.Path) field.ErrorList { return v.request(r, at, stored) })
	wrong = append(wrong, each(claim.Constraints, resourcev1.DeviceConstraintsMaxSize, path.Child("constraints"),
		func(c *resourcev1.DeviceConstraint, at *field.Path) field.ErrorList { return constraint(c, at, names) })...)
	return append(wrong, each(claim.Config, resourcev1.DeviceConfigMaxSize, path.Child("config"),
		func(c *resourcev1.DeviceClaimConfiguration, at *field.Path) field.ErrorList {
			return append(names.references(c.Requests, at.Child("requests")), configuration(&c.DeviceConfiguration, at, stored)...)
		})...)
}

func (v *Validator) request(r *resourcev1.DeviceRequest, path *field.Path, stored bool) field.ErrorList {
	wrong := label(r.Name, path.Child("name"))
	const one = "exactly one of `exactly` or `firstAvailable` is required"
	switch {
	case r.Exactly == nil && len(r.FirstAvailable) == 0:
		return append(wrong, field.Required(path, one))
	case r.Exactly != nil && len(r.FirstAvailable) > 0:
		return append(wrong, field.Invalid(path, nil, one+", but multiple fields are set"))
	case r.Exactly != nil:
		return append(wrong, v.devices(path.Child("exactly"), stored, r.Exactly.DeviceClassName, r.Exactly.Selectors,
			r.Exactly.AllocationMode, r.Exactly.Count, r.Exactly.Tolerations)...)
	}
	return append(wrong, eachOnce(r.FirstAvailable, resourcev1.FirstAvailableDeviceRequestMaxSize, path.Child("firstAvailable"),
		func(s *resourcev1.DeviceSubRequest) string { return s.Name },
		func(s *resourcev1.DeviceSubRequest, at *field.Path) field.ErrorList {
			return append(label(s.Name, at.Child("name")), v.devices(at, stored, s.DeviceClassName, s.Selectors,
				s.AllocationMode, s.Count, s.Tolerations)...)
		})...)
}

// devices checks what requests and subrequests have in common.
func (v *Validator) devices(
	path *field.Path, stored bool, class string, selectors []resourcev1.DeviceSelector,
	mode resourcev1.DeviceAllocationMode, count int64, tolerations []resourcev1.DeviceToleration,
) field.ErrorList {
	wrong := className(class, path.Child("deviceClassName"))
	wrong = append(wrong, v.selectorList(selectors, path.Child("selectors"), stored)...)
	switch mode {
	case resourcev1.DeviceAllocationModeAll:
		if count != 0 {
			wrong = append(wrong, field.Invalid(path.Child("count"), count,
				fmt.Sprintf("must not be specified when allocationMode is '%s'", mode)))
		}
	case resourcev1.DeviceAllocationModeExactCount:
		if count <= 0 {
			wrong = append(wrong, field.Invalid(path.Child("count"), count, "must be greater than zero"))
		}
	default:
		wrong = append(wrong, field.NotSupported(path.Child("allocationMode"), mode, []resourcev1.DeviceAllocationMode{
			resourcev1.DeviceAllocationModeAll, resourcev1.DeviceAllocationModeExactCount,
		}))
	}
	return append(wrong, each(tolerations, unlimited, path.Child("tolerations"), toleration)...)
}

func constraint(c *resourcev1.DeviceConstraint, path *field.Path, names requestNames) field.ErrorList {
	wrong := names.references(c.Requests, path.Child("requests"))
	switch {
	case c.MatchAttribute != nil:
		return append(wrong, fullName(*c.MatchAttribute, path.Child("matchAttribute"))...)
	case c.DistinctAttribute != nil:
		return append(wrong, fullName(*c.DistinctAttribute, path.Child("distinctAttribute"))...)
	}
	return append(wrong, field.Required(path, `exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set`))
}

// configuration checks a driver's parameters. Stored ones may be longer than new ones.
func configuration(c *resourcev1.DeviceConfiguration, path *field.Path, stored bool) field.ErrorList {
	path = path.Child("opaque")
	if c.Opaque == nil {
		return field.ErrorList{field.Required(path, "")}
	}
	most := resourcev1.OpaqueParametersMaxLength
	if stored {
		most = unlimited
	}
	return append(driverName(c.Opaque.Driver, path.Child("driver")), jsonObject(c.Opaque.Parameters, path.Child("parameters"), most)...)
}

// jsonObject checks a JSON object of some length at most.
func jsonObject(raw runtime.RawExtension, path *field.Path, most int) field.ErrorList {
	if len(raw.Raw) == 0 {
		return field.ErrorList{field.Required(path, "")}
	}
	if most >= 0 && len(raw.Raw) > most {
		return field.ErrorList{field.TooLong(path, "", most)}
	}
	var value any
	if err := json.Unmarshal(raw.Raw, &value); err != nil {
		return field.ErrorList{field.Invalid(path, "<value omitted>", fmt.Sprintf("error parsing data as JSON: %v", err))}
	}
	if value == nil {
		return field.ErrorList{field.Required(path, "")}
	}
	if _, is := value.(map[string]any); !is {
		return field.ErrorList{field.Invalid(path, "<value omitted>", "must be a valid JSON object")}
	}
	return nil
}
