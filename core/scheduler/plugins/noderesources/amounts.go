package noderesources

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	v1 "k8s.io/api/core/v1"

	"orrery/core/objects/requests"
)

// request is a pod's resource request. No amount is negative.
type request struct {
	milliCPU  int64
	memory    int64 // bytes
	ephemeral int64 // bytes
	scalars   []scalar
}

// scalar is an amount of an extended resource, of huge pages, of attachable volumes or of anything else that is only
// counted. Scalars are kept in order of name.
type scalar struct {
	name   v1.ResourceName
	amount int64
}

// newRequest reads a resource list. Resources that the scheduler does not count, such as pods, are left out.
func newRequest(list v1.ResourceList) request {
	var r request
	for name, quantity := range list {
		switch name {
		case v1.ResourceCPU:
			r.milliCPU = requests.Amount(name, quantity)
		case v1.ResourceMemory:
			r.memory = requests.Amount(name, quantity)
		case v1.ResourceEphemeralStorage:
			r.ephemeral = requests.Amount(name, quantity)
		default:
			if requests.IsScalar(name) {
				r.scalars = append(r.scalars, scalar{name, requests.Amount(name, quantity)})
			}
		}
	}
	r.sortScalars()
	return r
}

func (r *request) sortScalars() {
	slices.SortFunc(r.scalars, func(a, b scalar) int { return cmp.Compare(a.name, b.name) })
}

func (r *request) equal(other *request) bool {
	return r.milliCPU == other.milliCPU && r.memory == other.memory && r.ephemeral == other.ephemeral && slices.Equal(r.scalars, other.scalars)
}

// amount is the amount of one resource, in its own unit.
func (r *request) amount(name v1.ResourceName) int64 {
	switch name {
	case v1.ResourceCPU:
		return r.milliCPU
	case v1.ResourceMemory:
		return r.memory
	case v1.ResourceEphemeralStorage:
		return r.ephemeral
	}
	for i := range r.scalars {
		if r.scalars[i].name == name {
			return r.scalars[i].amount
		}
	}
	return 0
}

// names yields the resources with an amount above zero.
func (r *request) names(yield func(v1.ResourceName) bool) {
	if r.milliCPU > 0 && !yield(v1.ResourceCPU) ||
		r.memory > 0 && !yield(v1.ResourceMemory) ||
		r.ephemeral > 0 && !yield(v1.ResourceEphemeralStorage) {
		return
	}
	for i := range r.scalars {
		if r.scalars[i].amount > 0 && !yield(r.scalars[i].name) {
			return
		}
	}
}

// amountIn reads one resource of a list in the unit that requests use.
func amountIn(list v1.ResourceList, name v1.ResourceName) int64 {
	return requests.Amount(name, list[name])
}

// percent is 100*part/total, rounded down, for 0 <= part <= total and total > 0.
func percent(part, total int64) int64 {
	if part <= math.MaxInt64/100 {
		return part * 100 / total
	}
	high, low := bits.Mul64(uint64(part), 100)
	quotient, _ := bits.Div64(high, low, uint64(total))
	return int64(quotient)
}
