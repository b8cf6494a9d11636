package clusterapi

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"orrery/core/world/podapi"
)

func node(n *v1.Node) field.ErrorList {
	wrong := podapi.Meta(&n.ObjectMeta, false, validation.NameIsDNSSubdomain)
	return append(wrong, nodeParts(n)...)
}

// changedNode checks a change of a node. What a new node is checked for the API server checks twice then, and so says twice.
func changedNode(n, old *v1.Node) field.ErrorList {
	wrong := podapi.ChangedMeta(&n.ObjectMeta, &old.ObjectMeta)
	wrong = append(wrong, nodeParts(n)...)
	if was := old.Spec.ProviderID; was != "" && was != n.Spec.ProviderID {
		wrong = append(wrong, field.Forbidden(field.NewPath("spec", "providerID"), `node updates may not change providerID except from "" to valid`))
	}
	return wrong
}

func nodeParts(n *v1.Node) field.ErrorList {
	status := field.NewPath("status")
	wrong := podapi.Taints(n.Spec.Taints, field.NewPath("metadata", "taints"))
	wrong = append(wrong, nodeAmounts(n.Status.Capacity, status.Child("capacity"))...)
	wrong = append(wrong, nodeAmounts(n.Status.Allocatable, status.Child("allocatable"))...)
	return append(wrong, declaredFeatures(n.Status.DeclaredFeatures, status.Child("declaredFeatures"))...)
}

func nodeAmounts(list v1.ResourceList, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	for _, name := range slices.Sorted(maps.Keys(list)) {
		wrong = append(wrong, podapi.Quantity(name, list[name], path.Child(string(name)))...)
	}
	return wrong
}

var featureName = regexp.MustCompile(`^[A-Z][a-zA-Z0-9]*(/[a-zA-Z][a-zA-Z0-9]*)*$`)

// declaredFeatures checks the features that a node declares, by name and in order.
func declaredFeatures(list []string, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	for i, name := range list {
		switch {
		case len(name) > utilvalidation.DNS1123SubdomainMaxLength:
			wrong = append(wrong, field.Invalid(path.Index(i), name,
				fmt.Sprintf("invalid feature name %q: must be no more than %d characters", name, utilvalidation.DNS1123SubdomainMaxLength)))
		case !featureName.MatchString(name):
			wrong = append(wrong, field.Invalid(path.Index(i), name, fmt.Sprintf("invalid feature name %q: must start with an UpperCamelCase segment, "+
				"with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes", name)))
		}
		if i == 0 {
			continue
		}
		switch before := list[i-1]; {
		case before == name:
			wrong = append(wrong, field.Duplicate(path.Index(i), name))
		case before > name:
			wrong = append(wrong, field.Invalid(path.Index(i), name, "list must be sorted alphabetically"))
		}
	}
	return wrong
}
