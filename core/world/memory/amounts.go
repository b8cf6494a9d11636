package memory

import (
	"cmp"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	podresource "k8s.io/component-helpers/resource"

	"orrery/core/requests"
)

// amount is a quantity of one resource: cpu in thousandths, everything else in units. Pods count as a resource too.
type amount struct {
	name  v1.ResourceName
	value int64
}

// amounts are sorted by name. They are few, so a slice is faster than a map.
type amounts []amount

func (a amounts) find(name v1.ResourceName) (int, bool) {
	return slices.BinarySearchFunc(a, name, func(x amount, n v1.ResourceName) int { return cmp.Compare(x.name, n) })
}

func (a amounts) of(name v1.ResourceName) int64 {
	if i, ok := a.find(name); ok {
		return a[i].value
	}
	return 0
}

func (a amounts) addOne(name v1.ResourceName, value int64) amounts {
	i, ok := a.find(name)
	if ok {
		a[i].value += value
		return a
	}
	return slices.Insert(a, i, amount{name, value})
}

// add and sub change the receiver in place, as append does, and never their argument.
func (a amounts) add(b amounts) amounts {
	for _, x := range b {
		a = a.addOne(x.name, x.value)
	}
	return a
}

func (a amounts) sub(b amounts) amounts {
	for _, x := range b {
		a = a.addOne(x.name, -x.value)
	}
	return a
}

func valueOf(name v1.ResourceName, q resource.Quantity) int64 {
	if name == v1.ResourceCPU {
		return q.MilliValue()
	}
	return q.Value()
}

func amountsOf(list v1.ResourceList) amounts {
	all := make(amounts, 0, len(list)+1)
	for name, q := range list {
		all = append(all, amount{name, valueOf(name, q)})
	}
	slices.SortFunc(all, func(a, b amount) int { return cmp.Compare(a.name, b.name) })
	return all
}

// requestsOf returns a pod's requests, including one pod.
func requestsOf(pod *v1.Pod) amounts {
	return amountsOf(requests.Of(pod, podresource.PodResourcesOptions{UseStatusResources: true})).
		addOne(v1.ResourcePods, 1)
}

// insufficient returns the first resource, in the kubelet's order, of which there is too little. A resource that is not
// requested is never insufficient.
func insufficient(wanted, used, there amounts) (v1.ResourceName, bool) {
	short := func(name v1.ResourceName) bool {
		want := wanted.of(name)
		return want > 0 && want > there.of(name)-used.of(name)
	}
	for _, name := range []v1.ResourceName{
		v1.ResourcePods, v1.ResourceCPU, v1.ResourceMemory, v1.ResourceEphemeralStorage,
	} {
		if short(name) {
			return name, true
		}
	}
	for _, x := range wanted {
		if isLimited(x.name) && short(x.name) {
			return x.name, true
		}
	}
	return "", false
}

// isLimited reports whether a resource beyond the basic ones is limited on nodes.
func isLimited(name v1.ResourceName) bool {
	s := string(name)
	return isHugePages(name) || strings.HasPrefix(s, v1.ResourceAttachableVolumesPrefix) ||
		strings.Contains(s, "/")
}
