package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"

	"orrery/core/objects/requests"
)

// maxTypical bounds the request vectors for measuring fragmentation.
//
//orrery:limit answers; requests by which fragmentation is measured; the less frequent ones do not count
const maxTypical = 32

// requestCounts counts pods by their requests.
type requestCounts struct {
	vectors map[string]*requestVector
	pods    int
}

// requestVector is a combination of requests with the number of pods that have it.
type requestVector struct {
	key      string
	amounts  map[v1.ResourceName]int64 // cpu in millicores
	requests v1.ResourceList
	pods     int
}

func newRequestCounts() *requestCounts { return &requestCounts{vectors: map[string]*requestVector{}} }

func (t *requestCounts) add(pod *v1.Pod) {
	list := requests.Of(pod, resourcehelper.PodResourcesOptions{})
	amounts := make(map[v1.ResourceName]int64, len(list))
	for name, q := range list {
		if n := requests.Amount(name, q); n > 0 {
			amounts[name] = n
		}
	}
	var key strings.Builder
	for _, name := range slices.Sorted(maps.Keys(amounts)) {
		fmt.Fprintf(&key, "%s=%d ", name, amounts[name])
	}
	t.pods++
	had := t.vectors[key.String()]
	if had == nil {
		had = &requestVector{key: key.String(), amounts: amounts, requests: list}
		t.vectors[had.key] = had
	}
	had.pods++
}

// top returns the most frequent vectors.
func (t *requestCounts) top() []*requestVector {
	all := slices.SortedFunc(maps.Values(t.vectors), func(a, b *requestVector) int {
		return cmp.Or(cmp.Compare(b.pods, a.pods), cmp.Compare(a.key, b.key))
	})
	return all[:min(len(all), maxTypical)]
}

func (t *requestCounts) list() []Typical {
	list := []Typical{}
	for _, a := range t.top() {
		list = append(list, Typical{Requests: a.requests, Share: float64(a.pods) / float64(t.pods)})
	}
	return list
}

// resources returns the resources that typical pods request: cpu and memory first, then by name.
func (t *requestCounts) resources() []v1.ResourceName {
	rank := func(name v1.ResourceName) int {
		return 2 - slices.Index([]v1.ResourceName{v1.ResourceMemory, v1.ResourceCPU}, name) // cpu 1, memory 2, others 3
	}
	named := map[v1.ResourceName]bool{}
	for _, a := range t.top() {
		for name := range a.amounts {
			named[name] = true
		}
	}
	return slices.SortedFunc(maps.Keys(named), func(a, b v1.ResourceName) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
}
