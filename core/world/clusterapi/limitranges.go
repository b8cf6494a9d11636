package clusterapi

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/api/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"orrery/core/world/podapi"
)

func limitRange(r *v1.LimitRange) field.ErrorList {
	wrong := podapi.Meta(&r.ObjectMeta, true, validation.NameIsDNSSubdomain)
	seen := map[v1.LimitType]bool{}
	for i := range r.Spec.Limits {
		l := limits{&r.Spec.Limits[i], field.NewPath("spec", "limits").Index(i)}
		wrong = append(wrong, l.kind()...)
		if seen[l.Type] {
			wrong = append(wrong, field.Duplicate(l.path.Child("type"), l.Type))
		}
		seen[l.Type] = true
		wrong = append(wrong, l.names()...)
		wrong = append(wrong, l.bounds()...)
	}
	return wrong
}

// limits is an item of a limit range, with its path.
type limits struct {
	*v1.LimitRangeItem
	path *field.Path
}

func (l limits) kind() field.ErrorList {
	path := l.path.Child("type")
	var wrong field.ErrorList
	for _, message := range utilvalidation.IsQualifiedName(string(l.Type)) {
		wrong = append(wrong, field.Invalid(path, l.Type, message))
	}
	known := []v1.LimitType{v1.LimitTypePod, v1.LimitTypeContainer, v1.LimitTypePersistentVolumeClaim}
	if len(wrong) == 0 && !strings.Contains(string(l.Type), "/") && !slices.Contains(known, l.Type) {
		wrong = append(wrong, field.Invalid(path, l.Type, "must be a standard limit type or fully qualified"))
	}
	return wrong
}

// names checks which resources are limited.
func (l limits) names() field.ErrorList {
	wrong := l.namesIn(l.Max, "max")
	wrong = append(wrong, l.namesIn(l.Min, "min")...)
	if l.Type == v1.LimitTypePod {
		const notOfPods = "may not be specified when `type` is 'Pod'"
		if len(l.Default) > 0 {
			wrong = append(wrong, field.Forbidden(l.path.Child("default"), notOfPods))
		}
		if len(l.DefaultRequest) > 0 {
			wrong = append(wrong, field.Forbidden(l.path.Child("defaultRequest"), notOfPods))
		}
	} else {
		wrong = append(wrong, l.namesIn(l.Default, "default")...)
		wrong = append(wrong, l.namesIn(l.DefaultRequest, "defaultRequest")...)
	}
	_, least := l.Min[v1.ResourceStorage]
	_, most := l.Max[v1.ResourceStorage]
	if l.Type == v1.LimitTypePersistentVolumeClaim && !least && !most {
		wrong = append(wrong, field.Required(l.path.Child("limits"), "either minimum or maximum storage value is required, but neither was provided"))
	}
	return append(wrong, l.namesIn(l.MaxLimitRequestRatio, "maxLimitRequestRatio")...)
}

func (l limits) namesIn(list v1.ResourceList, part string) field.ErrorList {
	check := podapi.ResourceName
	if l.Type == v1.LimitTypePod || l.Type == v1.LimitTypeContainer {
		check = podapi.ContainerResourceName
	}
	var wrong field.ErrorList
	for _, name := range slices.Sorted(maps.Keys(list)) {
		wrong = append(wrong, check(name, l.path.Child(part).Key(string(name)))...)
	}
	return wrong
}

// bounds checks the amounts of each resource against each other.
func (l limits) bounds() field.ErrorList {
	defaults, defaultRequests := l.Default, l.DefaultRequest
	if l.Type == v1.LimitTypePod {
		defaults, defaultRequests = nil, nil
	}
	all := map[v1.ResourceName]bool{}
	for _, list := range []v1.ResourceList{l.Min, l.Max, defaults, defaultRequests, l.MaxLimitRequestRatio} {
		for name := range list {
			all[name] = true
		}
	}
	var wrong field.ErrorList
	for _, name := range slices.Sorted(maps.Keys(all)) {
		b := bound{l.path, name}
		wrong = append(wrong, b.order("min", "min value", l.Min, "max value", l.Max)...)
		wrong = append(wrong, b.orderAt("defaultRequest", defaultRequests, "min value", l.Min, "default request value", defaultRequests)...)
		wrong = append(wrong, b.order("defaultRequest", "default request value", defaultRequests, "max value", l.Max)...)
		wrong = append(wrong, b.order("defaultRequest", "default request value", defaultRequests, "default limit value", defaults)...)
		wrong = append(wrong, b.orderAt("default", l.Min, "min value", l.Min, "default value", defaults)...)
		wrong = append(wrong, b.order("default", "default value", defaults, "max value", l.Max)...)
		wrong = append(wrong, b.ratio(l.LimitRangeItem)...)
		limit, limited := defaults[name]
		request, requested := defaultRequests[name]
		if limited && requested && !podapi.MayOvercommit(name) && limit.Cmp(request) != 0 {
			wrong = append(wrong, b.invalid("defaultRequest", request,
				fmt.Sprintf("default value %s must equal to defaultRequest value %s in %s", limit.String(), request.String(), name)))
		}
	}
	return wrong
}

// bound are the bounds of one resource.
type bound struct {
	path *field.Path
	name v1.ResourceName
}

func (b bound) invalid(part string, q resource.Quantity, text string) *field.Error {
	return field.Invalid(b.path.Child(part).Key(string(b.name)), q, text)
}

// order checks that the amount in a list, which is the one to correct, is no more than that in another.
func (b bound) order(part, less string, lessList v1.ResourceList, more string, moreList v1.ResourceList) field.ErrorList {
	return b.orderAt(part, lessList, less, lessList, more, moreList)
}

func (b bound) orderAt(part string, shown v1.ResourceList, less string, lessList v1.ResourceList, more string, moreList v1.ResourceList) field.ErrorList {
	low, hasLow := lessList[b.name]
	high, hasHigh := moreList[b.name]
	if !hasLow || !hasHigh || low.Cmp(high) <= 0 {
		return nil
	}
	return field.ErrorList{b.invalid(part, shown[b.name], fmt.Sprintf("%s %s is greater than %s %s", less, low.String(), more, high.String()))}
}

// ratio checks that a limit may be at least as large as the request, and no larger than the bounds allow.
func (b bound) ratio(item *v1.LimitRangeItem) field.ErrorList {
	ratio, given := item.MaxLimitRequestRatio[b.name]
	if !given {
		return nil
	}
	var wrong field.ErrorList
	if ratio.Cmp(*resource.NewQuantity(1, resource.DecimalSI)) < 0 {
		wrong = append(wrong, b.invalid("maxLimitRequestRatio", ratio, fmt.Sprintf("ratio %s is less than 1", ratio.String())))
	}
	least, hasLeast := item.Min[b.name]
	most, hasMost := item.Max[b.name]
	if most := most.AsApproximateFloat64() / least.AsApproximateFloat64(); hasLeast && hasMost && ratio.AsApproximateFloat64() > most {
		wrong = append(wrong, b.invalid("maxLimitRequestRatio", ratio, fmt.Sprintf("ratio %s is greater than max/min = %f", ratio.String(), most)))
	}
	return wrong
}
