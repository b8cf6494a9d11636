package deviceapi

import (
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Pod checks the claims of a pod's spec, which is at a path, and that its containers use no others.
func Pod(pod *v1.Pod, path *field.Path) field.ErrorList {
	claims := path.Child("resourceClaims")
	var names []string
	var wrong field.ErrorList
	for i := range pod.Spec.ResourceClaims {
		if _, mirror := pod.Annotations[v1.MirrorPodAnnotationKey]; mirror {
			wrong = append(wrong, field.Forbidden(field.NewPath(""), "static pods do not support resource claims"))
			continue
		}
		claim := &pod.Spec.ResourceClaims[i]
		wrong = append(wrong, podClaim(claim, names, claims.Index(i))...)
		names = append(names, claim.Name)
	}
	for _, list := range []struct {
		name       string
		containers []v1.Container
	}{{"containers", pod.Spec.Containers}, {"initContainers", pod.Spec.InitContainers}} {
		for i := range list.containers {
			wrong = append(wrong, containerClaims(list.containers[i].Resources.Claims, pod.Spec.ResourceClaims,
				path.Child(list.name).Index(i).Child("resources", "claims"))...)
		}
	}
	if whole := pod.Spec.Resources; whole != nil {
		wrong = append(wrong, containerClaims(whole.Claims, pod.Spec.ResourceClaims, path.Child("resources", "claims"))...)
	}
	return wrong
}

// podClaim checks one claim of a pod; names are those of the claims before it.
func podClaim(claim *v1.PodResourceClaim, names []string, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	name := path.Child("name")
	switch {
	case claim.Name == "":
		wrong = append(wrong, field.Required(name, ""))
	case slices.Contains(names, claim.Name):
		wrong = append(wrong, field.Duplicate(name, claim.Name))
	default:
		wrong = append(wrong, label(claim.Name, name)...)
	}
	switch {
	case claim.ResourceClaimName != nil && claim.ResourceClaimTemplateName != nil:
		wrong = append(wrong, field.Invalid(path, *claim, "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"))
	case claim.ResourceClaimName == nil && claim.ResourceClaimTemplateName == nil:
		wrong = append(wrong, field.Invalid(path, *claim, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"))
	}
	if of := claim.ResourceClaimName; of != nil {
		wrong = append(wrong, Invalid(path.Child("resourceClaimName"), *of, validation.IsDNS1123Subdomain(*of))...)
	}
	if of := claim.ResourceClaimTemplateName; of != nil {
		wrong = append(wrong, Invalid(path.Child("resourceClaimTemplateName"), *of, validation.IsDNS1123Subdomain(*of))...)
	}
	return wrong
}

// containerClaims checks the claims that a container uses: those of its pod, whole or requests of them, each once.
func containerClaims(used []v1.ResourceClaim, claims []v1.PodResourceClaim, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	seen := map[string]bool{}
	for i := range used {
		at, name, key := path.Index(i), used[i].Name, used[i].Name
		if name == "" {
			wrong = append(wrong, field.Required(at, ""))
			continue
		}
		if request := used[i].Request; request != "" && !seen[name] {
			wrong = append(wrong, label(request, at.Child("request"))...)
			key += "/" + request
		}
		if seen[name] || seen[key] {
			wrong = append(wrong, field.Duplicate(at, key))
		} else if key == name {
			for other := range seen {
				if strings.HasPrefix(other, name+"/") {
					wrong = append(wrong, field.Duplicate(at, name))
				}
			}
		}
		seen[key] = true
		if !slices.ContainsFunc(claims, func(c v1.PodResourceClaim) bool { return c.Name == name }) {
			wrong = append(wrong, unknownClaim(name, claims, at))
		}
	}
	return wrong
}

// unknownClaim is the error of a claim that the pod does not have.
func unknownClaim(name string, claims []v1.PodResourceClaim, path *field.Path) *field.Error {
	var known []string
	for i := range claims {
		if claims[i].Name != "" {
			known = append(known, claims[i].Name)
		}
	}
	slices.Sort(known)
	wrong := field.NotFound(path, name)
	wrong.Detail = "must be one of the names in pod.spec.resourceClaims"
	if len(known) == 0 {
		wrong.Detail += " which is empty"
	} else {
		wrong.Detail += ": " + strings.Join(slices.Compact(known), ", ")
	}
	return wrong
}
