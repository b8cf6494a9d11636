package dynamicresources

import (
	"encoding/binary"
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/devices"
	"orrery/core/scheduler/reuse"
)

// What the allocator decides follows from the requests, the classes that they name, and what of the devices the node reaches.
// So a verdict is kept for the next pod with the same requests: until a class is replaced, or a slice, or a device is taken or
// freed that the node reaches. Nodes that reach the same devices share it.

// verdict is what the allocator decided about claims on a node.
type verdict struct {
	changed uint64                        // that of the devices that the node reached
	results []resourcev1.AllocationResult // of the claims, in their order; they must not be changed
	score   int64                         // of the alternatives that the claims got
	status  *fwk.Status                   // nil if they got devices
}

// requestSet has the verdicts on claims with the same requests. What it takes of the cache is the devices in its results, and one
// for each verdict.
type requestSet struct {
	entry    *reuse.Entry[*requestSet]
	classes  []*resourcev1.DeviceClass // in the order of the requests
	verdicts map[devices.ReachKey]*verdict
	uses     int             // how many cycles had it
	nodes    *verdictClasses // nil until it comes again
}

// verdictCache has the verdicts on the latest sets of requests.
type verdictCache struct{ reuse.LRU[*requestSet] }

func newVerdictCache() verdictCache {
	return verdictCache{reuse.NewLRU[*requestSet](maxRequestSets, maxKeptDevices, nil)}
}

const (
	// maxRequestSets is how many sets of requests have their verdicts kept: pods of a few templates are pending at a time.
	//
	//orrery:limit scheduler; sets of device requests whose verdicts are kept; the oldest goes
	maxRequestSets = 32
	// maxKeptDevices limits the memory of verdicts. A device in a result takes some 300 bytes, with its share of the verdict.
	//
	//orrery:limit scheduler; devices in kept verdicts; the verdicts of the oldest sets go
	maxKeptDevices = 150_000
)

// verdictsOn returns the verdicts on claims; nil if their requests cannot be compared.
func (pl *DynamicResources) verdictsOn(claims []*resourcev1.ResourceClaim) *requestSet {
	return pl.setOf(claims, nil)
}

// setOf returns the set of the requests of claims, with what else a pod asks for.
func (pl *DynamicResources) setOf(claims []*resourcev1.ResourceClaim, beside reuse.Signature) *requestSet {
	key, err := requestsKey(claims)
	if err != nil {
		return nil
	}
	set := pl.kept.find(append(key, beside...))
	if classes := pl.classesOf(claims); !slices.Equal(set.classes, classes) {
		pl.kept.clear(set)
		set.classes = classes
		pl.forgetNodes(set)
	}
	set.uses++
	return set
}

// forgetNodes has the nodes divided anew.
func (pl *DynamicResources) forgetNodes(set *requestSet) {
	pl.classed = slices.DeleteFunc(pl.classed, func(other *requestSet) bool { return other == set })
	set.nodes = nil
}

// on returns the verdict on a node that reaches some devices; nil if none is kept.
func (set *requestSet) on(reached devices.Reached) *verdict {
	if set == nil {
		return nil
	}
	if v := set.verdicts[reached.Key]; v != nil && v.changed == reached.Changed {
		return v
	}
	return nil
}

// requestsKey is equal for claims that request the same.
func requestsKey(claims []*resourcev1.ResourceClaim) (reuse.Signature, error) {
	var key reuse.Signature
	for _, claim := range claims {
		encoded, err := claim.Spec.Marshal()
		if err != nil {
			return nil, err
		}
		key = append(binary.AppendUvarint(key, uint64(len(encoded))), encoded...)
	}
	return key, nil
}

// classesOf returns the classes that claims name; nil for one that does not exist.
func (pl *DynamicResources) classesOf(claims []*resourcev1.ResourceClaim) []*resourcev1.DeviceClass {
	var classes []*resourcev1.DeviceClass
	for _, claim := range claims {
		for i := range claim.Spec.Devices.Requests {
			request := &claim.Spec.Devices.Requests[i]
			if request.Exactly != nil {
				classes = append(classes, pl.devices.Class(request.Exactly.DeviceClassName))
			}
			for j := range request.FirstAvailable {
				classes = append(classes, pl.devices.Class(request.FirstAvailable[j].DeviceClassName))
			}
		}
	}
	return classes
}

// find returns the set of a key.
func (k *verdictCache) find(key reuse.Signature) *requestSet {
	if known := k.Get(key); known != nil {
		return known.Value
	}
	set := &requestSet{verdicts: map[devices.ReachKey]*verdict{}}
	set.entry = k.Add(key, set)
	return set
}

// clear drops the verdicts of a set.
func (k *verdictCache) clear(set *requestSet) {
	clear(set.verdicts)
	k.Resize(set.entry, 0)
}

// keep keeps a verdict in a set, if that is one of the latest. Older sets give way to it; if that is not enough it is not kept.
func (k *verdictCache) keep(set *requestSet, key devices.ReachKey, v *verdict) {
	if set == nil || !k.Has(set.entry) {
		return
	}
	if old := set.verdicts[key]; old != nil {
		k.Resize(set.entry, set.entry.Size()-old.size())
		delete(set.verdicts, key)
	}
	if k.Resize(set.entry, set.entry.Size()+v.size()); k.Taken() > maxKeptDevices {
		k.Resize(set.entry, set.entry.Size()-v.size())
		return
	}
	set.verdicts[key] = v
}

func (v *verdict) size() int {
	n := 1
	for i := range v.results {
		n += len(v.results[i].Devices.Results)
	}
	return n
}
