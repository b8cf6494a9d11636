package memory

import (
	"cmp"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	podresource "k8s.io/component-helpers/resource"

	"orrery/core/objects/requests"
	"orrery/core/objects/saturating"
)

// amount is a sum of one resource: cpu in thousandths, everything else in units. Pods count as a resource too.
type amount struct {
	name v1.ResourceName
	sum  saturating.Sum
}

// amounts are sorted by name. They are few, so a slice is faster than a map.
type amounts []amount

func (a amounts) find(name v1.ResourceName) (int, bool) {
	return slices.BinarySearchFunc(a, name, func(x amount, n v1.ResourceName) int { return cmp.Compare(x.name, n) })
}

func (a amounts) of(name v1.ResourceName) int64 {
	if i, ok := a.find(name); ok {
		return a[i].sum.Int64()
	}
	return 0
}

// at returns the sum of a resource, which is inserted if it is missing.
func (a *amounts) at(name v1.ResourceName) *saturating.Sum {
	i, ok := a.find(name)
	if !ok {
		*a = slices.Insert(*a, i, amount{name: name})
	}
	return &(*a)[i].sum
}

// add and sub change the receiver in place, as append does, and never their argument.
func (a amounts) add(b amounts) amounts {
	for _, x := range b {
		sum := a.at(x.name)
		*sum = sum.Add(x.sum)
	}
	return a
}

func (a amounts) sub(b amounts) amounts {
	for _, x := range b {
		sum := a.at(x.name)
		*sum = sum.Sub(x.sum)
	}
	return a
}

func amountsOf(list v1.ResourceList) amounts {
	all := make(amounts, 0, len(list)+1)
	for name, q := range list {
		all = append(all, amount{name, saturating.SumOf(requests.Amount(name, q))})
	}
	slices.SortFunc(all, func(a, b amount) int { return cmp.Compare(a.name, b.name) })
	return all
}

var onePod = amounts{{v1.ResourcePods, saturating.SumOf(1)}}

// requestsOf returns a pod's requests, including one pod.
func requestsOf(pod *v1.Pod) amounts {
	if sum, ok := requests.Plain(pod); ok && !sum.HasOthers() && !requests.PerContainer.ReadsStatus(pod) {
		return amountsOfPlain(&sum)
	}
	return amountsOf(requests.Of(pod, podresource.PodResourcesOptions{UseStatusResources: true})).add(onePod)
}

// amountsOfPlain is requestsOf for a pod that requests no more than its containers do, as nearly all of a loaded cluster: without a list.
func amountsOfPlain(sum *requests.PlainSum) amounts {
	all := make(amounts, 0, 4)
	for _, basic := range [...]struct {
		name     v1.ResourceName
		quantity *resource.Quantity
	}{{v1.ResourceCPU, &sum.CPU}, {v1.ResourceEphemeralStorage, &sum.EphemeralStorage}, {v1.ResourceMemory, &sum.Memory}} {
		if !basic.quantity.IsZero() {
			all = append(all, amount{basic.name, saturating.SumOf(requests.Amount(basic.name, *basic.quantity))})
		}
	}
	return append(all, onePod...)
}

// insufficient returns the first resource, in the kubelet's order, of which there is too little. A resource that is not
// requested is never insufficient.
func insufficient(wanted, used, there amounts) (v1.ResourceName, bool) {
	short := func(name v1.ResourceName) bool {
		want := wanted.of(name)
		return want > 0 && want > saturating.Sub(there.of(name), used.of(name))
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

// ofNode are the amounts without extended resources that a node does not know: others than its kubelet give them.
func (a amounts) ofNode(there amounts) amounts {
	return slices.DeleteFunc(slices.Clone(a), func(x amount) bool {
		_, known := there.find(x.name)
		return !known && (requests.IsExtended(x.name) || strings.HasPrefix(string(x.name), resourcev1.ResourceDeviceClassPrefix))
	})
}

// isLimited reports whether a resource beyond the basic ones is limited on nodes.
func isLimited(name v1.ResourceName) bool {
	s := string(name)
	return strings.HasPrefix(s, v1.ResourceHugePagesPrefix) || strings.HasPrefix(s, v1.ResourceAttachableVolumesPrefix) ||
		strings.Contains(s, "/")
}
