package admission

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	podresource "k8s.io/component-helpers/resource"

	"orrery/core/world"
)

// limitsAnnotation says what LimitRanger has set.
const limitsAnnotation = "kubernetes.io/limit-ranger"

// defaultFromLimitRanges gives the containers of a pod that is new or resized the default requests and limits of its
// namespace. It is the first half of LimitRanger.
func defaultFromLimitRanges(r Reader, q *Request) error {
	pod, isPod := q.Object.(*v1.Pod)
	if !isPod || !isLimited(q) {
		return nil
	}
	for limits := range limitRanges(r, pod.Namespace) {
		var set []string
		for i := range pod.Spec.Containers {
			set = append(set, complete(&pod.Spec.Containers[i], limits, "container")...)
		}
		for i := range pod.Spec.InitContainers {
			set = append(set, complete(&pod.Spec.InitContainers[i], limits, "init container")...)
		}
		if len(set) > 0 {
			if pod.Annotations == nil {
				pod.Annotations = map[string]string{}
			}
			pod.Annotations[limitsAnnotation] = "LimitRanger plugin set: " + strings.Join(set, "; ")
		}
	}
	return nil
}

// limitRanges yields the limit ranges of a namespace.
func limitRanges(r Reader, namespace string) func(yield func(*v1.LimitRange) bool) {
	return func(yield func(*v1.LimitRange) bool) {
		for _, o := range r.List(world.LimitRange) {
			if o.GetNamespace() == namespace && !yield(o.(*v1.LimitRange)) {
				return
			}
		}
	}
}

// complete sets a container's missing requests and limits, and says which.
func complete(c *v1.Container, limits *v1.LimitRange, what string) []string {
	given := c.Resources.DeepCopy()
	for _, item := range limits.Spec.Limits {
		if item.Type == v1.LimitTypeContainer {
			c.Resources.Limits = with(c.Resources.Limits, given.Limits, item.Default)
			c.Resources.Requests = with(c.Resources.Requests, given.Requests, item.DefaultRequest)
		}
	}
	var set []string
	for _, part := range []struct {
		name      string
		had, have v1.ResourceList
	}{{"request", given.Requests, c.Resources.Requests}, {"limit", given.Limits, c.Resources.Limits}} {
		var names []string
		for _, name := range slices.Sorted(maps.Keys(part.have)) {
			if _, had := part.had[name]; !had {
				names = append(names, string(name))
			}
		}
		if len(names) > 0 {
			set = append(set, fmt.Sprintf("%s %s for %s %s", strings.Join(names, ", "), part.name, what, c.Name))
		}
	}
	return set
}

// with returns a list with the defaults for what is not given.
func with(list, given, defaults v1.ResourceList) v1.ResourceList {
	for name, q := range defaults {
		if _, said := given[name]; said {
			continue
		}
		if list == nil {
			list = v1.ResourceList{}
		}
		list[name] = q.DeepCopy()
	}
	return list
}

// withinLimitRanges refuses pods and claims for volumes that are out of the bounds of their namespace. It is the second half
// of LimitRanger.
func withinLimitRanges(r Reader, q *Request) error {
	if !isLimited(q) {
		return nil
	}
	for limits := range limitRanges(r, q.Object.GetNamespace()) {
		var errs []error
		for i := range limits.Spec.Limits {
			errs = append(errs, outOfBounds(&limits.Spec.Limits[i], q.Object)...)
		}
		if len(errs) > 0 {
			return q.forbidden("%w", utilerrors.NewAggregate(errs))
		}
	}
	return nil
}

// isLimited reports whether limit ranges hold for a request: for new pods, new and changed claims, and resizing.
func isLimited(q *Request) bool {
	if q.Old != nil && q.Old.GetDeletionTimestamp() != nil {
		return false
	}
	switch q.Object.(type) {
	case *v1.Pod:
		return q.Old == nil || q.Subresource == "resize"
	case *v1.PersistentVolumeClaim:
		return q.Subresource == ""
	}
	return false
}

func outOfBounds(item *v1.LimitRangeItem, o world.Object) []error {
	b := bounds{item}
	pod, isPod := o.(*v1.Pod)
	claim, isClaim := o.(*v1.PersistentVolumeClaim)
	var errs []error
	switch {
	case isPod && item.Type == v1.LimitTypeContainer:
		for c := range Containers(&pod.Spec) {
			errs = append(errs, b.check(c.Resources.Requests, c.Resources.Limits)...)
		}
	case isPod && item.Type == v1.LimitTypePod:
		options := podresource.PodResourcesOptions{ExcludeOverhead: true}
		return b.check(podresource.PodRequests(pod, options), podresource.PodLimits(pod, options))
	case isClaim && item.Type == v1.LimitTypePersistentVolumeClaim:
		return b.checkClaim(claim.Spec.Resources.Requests)
	}
	return errs
}

// bounds are those of one item of a limit range.
type bounds struct{ *v1.LimitRangeItem }

func (b bounds) check(requests, limits v1.ResourceList) []error {
	errs := b.each(b.Min, func(name v1.ResourceName, q resource.Quantity) string { return b.below(name, q, requests, limits) })
	errs = append(errs, b.each(b.Max, func(name v1.ResourceName, q resource.Quantity) string { return b.above(name, q, requests, limits) })...)
	return append(errs, b.each(b.MaxLimitRequestRatio, func(name v1.ResourceName, q resource.Quantity) string {
		return b.burstable(name, q, requests, limits)
	})...)
}

func (b bounds) checkClaim(requests v1.ResourceList) []error {
	errs := b.each(b.Min, func(name v1.ResourceName, q resource.Quantity) string { return b.below(name, q, requests, nil) })
	return append(errs, b.each(b.Max, func(name v1.ResourceName, q resource.Quantity) string {
		request, requested := requests[name]
		switch {
		case !requested:
			return fmt.Sprintf("maximum %s usage per %s is %s.  No request is specified", name, b.Type, q.String())
		case request.Cmp(q) > 0:
			return fmt.Sprintf("maximum %s usage per %s is %s, but request is %s", name, b.Type, q.String(), request.String())
		}
		return ""
	})...)
}

// each makes errors of what is out of bounds of resources, by their names.
func (b bounds) each(list v1.ResourceList, check func(v1.ResourceName, resource.Quantity) string) []error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(list)) {
		if why := check(name, list[name]); why != "" {
			errs = append(errs, fmt.Errorf("%s", why))
		}
	}
	return errs
}

func (b bounds) below(name v1.ResourceName, q resource.Quantity, requests, limits v1.ResourceList) string {
	request, requested := requests[name]
	limit, limited := limits[name]
	switch {
	case !requested:
		return fmt.Sprintf("minimum %s usage per %s is %s.  No request is specified", name, b.Type, q.String())
	case request.Cmp(q) < 0:
		return fmt.Sprintf("minimum %s usage per %s is %s, but request is %s", name, b.Type, q.String(), request.String())
	case limited && limit.Cmp(q) < 0:
		return fmt.Sprintf("minimum %s usage per %s is %s, but limit is %s", name, b.Type, q.String(), limit.String())
	}
	return ""
}

func (b bounds) above(name v1.ResourceName, q resource.Quantity, requests, limits v1.ResourceList) string {
	request, requested := requests[name]
	limit, limited := limits[name]
	switch {
	case !limited:
		return fmt.Sprintf("maximum %s usage per %s is %s.  No limit is specified", name, b.Type, q.String())
	case limit.Cmp(q) > 0:
		return fmt.Sprintf("maximum %s usage per %s is %s, but limit is %s", name, b.Type, q.String(), limit.String())
	case requested && request.Cmp(q) > 0:
		return fmt.Sprintf("maximum %s usage per %s is %s, but request is %s", name, b.Type, q.String(), request.String())
	}
	return ""
}

// burstable checks how many times its request a limit may be.
func (b bounds) burstable(name v1.ResourceName, q resource.Quantity, requests, limits v1.ResourceList) string {
	request, limit := requests[name], limits[name]
	if request.IsZero() {
		return fmt.Sprintf("%s max limit to request ratio per %s is %s, but no request is specified or request is 0", name, b.Type, q.String())
	}
	if limit.IsZero() {
		return fmt.Sprintf("%s max limit to request ratio per %s is %s, but no limit is specified or limit is 0", name, b.Type, q.String())
	}
	if ratio := limit.AsApproximateFloat64() / request.AsApproximateFloat64(); ratio > q.AsApproximateFloat64() {
		return fmt.Sprintf("%s max limit to request ratio per %s is %s, but provided ratio is %f", name, b.Type, q.String(), ratio)
	}
	return ""
}
