package cache

import (
	"fmt"
	"maps"
	"math"
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	podrequests "orrery/core/objects/requests"
	"orrery/core/objects/saturating"
	"orrery/core/scheduler/reuse"
)

// Resource is a resource list converted to integers once, so that filters compare numbers and never parse quantities.
// CPU is in thousandths of a core; memory and ephemeral storage are in bytes; scalars count whole units.
type Resource struct {
	MilliCPU         int64
	Memory           int64
	EphemeralStorage int64
	AllowedPodNumber int
	// ScalarResources may be shared between copies: write it only through AddScalar and SetScalar.
	ScalarResources map[v1.ResourceName]int64

	scalarsShared bool
}

var _ fwk.Resource = (*Resource)(nil)

func (r *Resource) quantities() reuse.Quantities {
	return reuse.Quantities{MilliCPU: r.MilliCPU, Memory: r.Memory, EphemeralStorage: r.EphemeralStorage}
}

// NewResource converts a resource list. Names that scheduling ignores are left out.
func NewResource(list v1.ResourceList) *Resource {
	r := &Resource{}
	r.Add(list)
	return r
}

// GetMilliCPU is the cpu in thousandths of a core.
func (r *Resource) GetMilliCPU() int64 { return r.MilliCPU }

// GetMemory is the memory in bytes.
func (r *Resource) GetMemory() int64 { return r.Memory }

// GetEphemeralStorage is the local storage in bytes.
func (r *Resource) GetEphemeralStorage() int64 { return r.EphemeralStorage }

// GetAllowedPodNumber is the number of pods that a node may run.
func (r *Resource) GetAllowedPodNumber() int { return r.AllowedPodNumber }

// GetScalarResources returns the extended and other countable resources by name; the map is shared and read-only.
func (r *Resource) GetScalarResources() map[v1.ResourceName]int64 { return r.ScalarResources }

// Add adds every countable entry of the list. Sums saturate.
func (r *Resource) Add(list v1.ResourceList) {
	for name, quantity := range list {
		n := podrequests.Amount(name, quantity)
		switch name {
		case v1.ResourceCPU:
			r.MilliCPU = saturating.Add(r.MilliCPU, n)
		case v1.ResourceMemory:
			r.Memory = saturating.Add(r.Memory, n)
		case v1.ResourcePods:
			r.AllowedPodNumber = int(saturating.Add(int64(r.AllowedPodNumber), n))
		case v1.ResourceEphemeralStorage:
			r.EphemeralStorage = saturating.Add(r.EphemeralStorage, n)
		default:
			if podrequests.IsScalar(name) {
				r.AddScalar(name, n)
			}
		}
	}
}

// SetMaxResource raises every entry to that of the list if that is greater, except the number of pods.
func (r *Resource) SetMaxResource(list v1.ResourceList) {
	for name, quantity := range list {
		n := podrequests.Amount(name, quantity)
		switch name {
		case v1.ResourceCPU:
			r.MilliCPU = max(r.MilliCPU, n)
		case v1.ResourceMemory:
			r.Memory = max(r.Memory, n)
		case v1.ResourceEphemeralStorage:
			r.EphemeralStorage = max(r.EphemeralStorage, n)
		default:
			if podrequests.IsScalar(name) {
				r.SetScalar(name, max(r.ScalarResources[name], n))
			}
		}
	}
}

// AddScalar adds to one scalar resource.
func (r *Resource) AddScalar(name v1.ResourceName, quantity int64) {
	r.SetScalar(name, saturating.Add(r.ScalarResources[name], quantity))
}

// SetScalar sets one scalar resource.
func (r *Resource) SetScalar(name v1.ResourceName, quantity int64) {
	switch {
	case r.ScalarResources == nil:
		r.ScalarResources = map[v1.ResourceName]int64{}
	case r.scalarsShared:
		r.ScalarResources = maps.Clone(r.ScalarResources)
	}
	r.scalarsShared = false
	r.ScalarResources[name] = quantity
}

// Clone returns an independent copy.
func (r *Resource) Clone() *Resource {
	r.share()
	copied := *r
	return &copied
}

// share makes the next write to the scalars, here or in a later copy, start with a copy of the map. It writes only if
// the map is not yet marked shared, so many readers can copy a marked Resource.
func (r *Resource) share() {
	if r.ScalarResources != nil && !r.scalarsShared {
		r.scalarsShared = true
	}
}

// add adds one pod's requests.
func (r *Resource) add(requests fwk.Resource) {
	r.MilliCPU = saturating.Add(r.MilliCPU, requests.GetMilliCPU())
	r.Memory = saturating.Add(r.Memory, requests.GetMemory())
	r.EphemeralStorage = saturating.Add(r.EphemeralStorage, requests.GetEphemeralStorage())
	for name, quantity := range requests.GetScalarResources() {
		r.AddScalar(name, quantity)
	}
}

// subtract subtracts one pod's requests. The rest is exact unless a sum was saturated: how much was added to that is not
// known. A scalar that falls to zero stays listed.
func (r *Resource) subtract(requests fwk.Resource) (exact bool) {
	exact = r.MilliCPU < math.MaxInt64 && r.Memory < math.MaxInt64 && r.EphemeralStorage < math.MaxInt64
	r.MilliCPU -= requests.GetMilliCPU()
	r.Memory -= requests.GetMemory()
	r.EphemeralStorage -= requests.GetEphemeralStorage()
	for name, quantity := range requests.GetScalarResources() {
		exact = exact && r.ScalarResources[name] < math.MaxInt64
		r.AddScalar(name, -quantity)
	}
	return exact
}

func (r *Resource) text() string {
	s := fmt.Sprintf("{cpu %dm, memory %d, ephemeral-storage %d, pods %d",
		r.MilliCPU, r.Memory, r.EphemeralStorage, r.AllowedPodNumber)
	for _, name := range slices.Sorted(maps.Keys(r.ScalarResources)) {
		s += fmt.Sprintf(", %s %d", printableName(string(name)), r.ScalarResources[name])
	}
	return s + "}"
}
