package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"

	"orrery/core/requests"
)

// mostTypical bounds the request vectors that fragmentation is measured by: the most frequent ones.
const mostTypical = 32

// tally counts what pods ask for.
type tally struct {
	seen map[string]*asked
	pods int
}

// asked is one request vector and how many pods have it.
type asked struct {
	key      string
	amounts  map[v1.ResourceName]int64 // cpu in thousandths
	requests v1.ResourceList
	pods     int
}

func newTally() *tally { return &tally{seen: map[string]*asked{}} }

func (t *tally) count(pod *v1.Pod) {
	list := requests.Of(pod, resourcehelper.PodResourcesOptions{})
	amounts := make(map[v1.ResourceName]int64, len(list))
	for name, q := range list {
		if n := amount(name, q); n > 0 {
			amounts[name] = n
		}
	}
	var key strings.Builder
	for _, name := range slices.Sorted(maps.Keys(amounts)) {
		fmt.Fprintf(&key, "%s=%d ", name, amounts[name])
	}
	t.pods++
	had := t.seen[key.String()]
	if had == nil {
		had = &asked{key: key.String(), amounts: amounts, requests: list}
		t.seen[had.key] = had
	}
	had.pods++
}

func amount(name v1.ResourceName, q resource.Quantity) int64 {
	if name == v1.ResourceCPU {
		return q.MilliValue()
	}
	return q.Value()
}

// top are the most frequent vectors.
func (t *tally) top() []*asked {
	all := slices.SortedFunc(maps.Values(t.seen), func(a, b *asked) int {
		return cmp.Or(cmp.Compare(b.pods, a.pods), cmp.Compare(a.key, b.key))
	})
	return all[:min(len(all), mostTypical)]
}

func (t *tally) list() []Typical {
	list := []Typical{}
	for _, a := range t.top() {
		list = append(list, Typical{Requests: a.requests, Share: float64(a.pods) / float64(t.pods)})
	}
	return list
}

// resources are those that typical pods ask for: cpu and memory first, then by name.
func (t *tally) resources() []v1.ResourceName {
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
