package dynamicresources

import (
	"encoding/binary"
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/devices"
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

// requestSet has the verdicts on claims with the same requests.
type requestSet struct {
	key      string
	classes  []*resourcev1.DeviceClass // in the order of the requests
	verdicts map[devices.ReachKey]*verdict
	devices  int // in the results, and one for each verdict
}

// verdictCache has the verdicts on the latest sets of requests.
type verdictCache struct {
	sets    []*requestSet // the latest first
	devices int
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
	key, err := requestsKey(claims)
	if err != nil {
		return nil
	}
	set := pl.kept.find(key)
	if classes := pl.classesOf(claims); !slices.Equal(set.classes, classes) {
		pl.kept.devices -= set.devices
		set.classes, set.verdicts, set.devices = classes, map[devices.ReachKey]*verdict{}, 0
	}
	return set
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
func requestsKey(claims []*resourcev1.ResourceClaim) (string, error) {
	var key []byte
	for _, claim := range claims {
		encoded, err := claim.Spec.Marshal()
		if err != nil {
			return "", err
		}
		key = append(binary.AppendUvarint(key, uint64(len(encoded))), encoded...)
	}
	return string(key), nil
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

// find returns the set of a key as the latest, and drops the oldest if there are too many.
func (k *verdictCache) find(key string) *requestSet {
	at := slices.IndexFunc(k.sets, func(set *requestSet) bool { return set.key == key })
	var set *requestSet
	switch {
	case at >= 0:
		set = k.sets[at]
		k.sets = slices.Delete(k.sets, at, at+1)
	case len(k.sets) == maxRequestSets:
		k.dropOldest()
		fallthrough
	default:
		set = &requestSet{key: key, verdicts: map[devices.ReachKey]*verdict{}}
	}
	k.sets = slices.Insert(k.sets, 0, set)
	return set
}

func (k *verdictCache) dropOldest() {
	last := len(k.sets) - 1
	k.devices -= k.sets[last].devices
	k.sets = slices.Delete(k.sets, last, last+1)
}

// keep keeps a verdict in a set, if that is one of the latest. Older sets give way to it; if that is not enough it is not kept.
func (k *verdictCache) keep(set *requestSet, key devices.ReachKey, v *verdict) {
	if !slices.Contains(k.sets, set) {
		return
	}
	if old := set.verdicts[key]; old != nil {
		k.count(set, -old.size())
		delete(set.verdicts, key)
	}
	for k.devices+v.size() > maxKeptDevices && k.sets[len(k.sets)-1] != set {
		k.dropOldest()
	}
	if k.devices+v.size() <= maxKeptDevices {
		set.verdicts[key] = v
		k.count(set, v.size())
	}
}

func (k *verdictCache) count(set *requestSet, n int) {
	k.devices += n
	set.devices += n
}

func (v *verdict) size() int {
	n := 1
	for i := range v.results {
		n += len(v.results[i].Devices.Results)
	}
	return n
}
