package allocate

import "orrery/core/scheduler/release"

// Features are the feature gates that change what is allocated, and the rules of releases that are followed.
type Features struct {
	AdminAccess, PrioritizedList, PartitionableDevices, DeviceTaints bool
	// DeviceBindingAndStatus is the gates for binding conditions and for what drivers report of devices, together.
	DeviceBindingAndStatus bool
	ConsumableCapacity     bool
	// Rules are none for 1.35.
	Rules Rules
}

// Rules has a bit for each rule that is followed.
type Rules uint64

// RulesOf returns the rules that decisions follow.
func RulesOf(follows func(release.Rule) bool) Rules {
	var all Rules
	for _, rule := range release.Rules() {
		if follows(rule) {
			all |= 1 << rule
		}
	}
	return all
}

// RulesIn returns the rules that a release follows.
func RulesIn(r release.Release) Rules {
	return RulesOf(func(rule release.Rule) bool { return rule.In(r) })
}

// Has reports whether a rule is followed.
func (r Rules) Has(rule release.Rule) bool { return r&(1<<rule) != 0 }

// variant is one of the allocators that a release of kube-scheduler has. It takes the first that supports the gates which are on.
type variant uint8

const (
	stable variant = iota
	incubating
	experimental
)

func (f *Features) variant() variant {
	early := f.AdminAccess || f.PrioritizedList || f.PartitionableDevices || f.DeviceTaints
	late := f.DeviceBindingAndStatus || f.ConsumableCapacity
	graduated := f.Rules.Has(release.AllocatorsGraduated)
	switch {
	case late && graduated, early && !late && !graduated:
		return incubating
	case late:
		return experimental
	}
	return stable
}

// traits are how an allocator decides where the allocators differ, by release, variant and gates.
type traits struct {
	oldest bool // the allocator without gates up to 1.35, which knows less of pools, limits and tolerations
	late   bool // it knows binding conditions and capacity, and constraints by distinct attributes

	conditionsLast  bool // slices with binding conditions come after the others of a pool
	poolsBySort     bool // pools with binding conditions come after the others
	ownFirst        bool // slices of the node come before the others until the pool is sorted by name
	combinations    bool // a request goes on after its last device, and does not try other orders of the same devices
	rollback        bool // a device that was rejected, or given back, leaves nothing behind
	alternativesAll bool // alternatives for all devices are looked up by their own number
	sharesCount     bool // devices with shared parts consume counters

	countersByDriver  bool // counters are those of a pool of one driver
	countersAnywhere  bool // counters of slices that the node does not reach count, and are not a reason to reach them
	limitByRequest    bool // the limit on devices is checked at each request, without overflow
	staticCapacity    bool // a request for all devices counts those whose capacity is used up
	representable     bool // capacity that cannot be added up ends the allocation
	configOnce        bool // a configuration is listed once
	distinctPairwise  bool // distinct attributes are compared with all devices of a request
	errorsNameDevice  bool // errors of selectors name the device
	partsWithoutCount bool // shared parts without capacity are in use
}

func (f *Features) traits() traits {
	v, is := f.variant(), f.Rules.Has
	graduated := is(release.AllocatorsGraduated)
	return traits{
		oldest: v == stable && !graduated,
		late:   v == experimental || v == incubating && graduated,

		conditionsLast:  v == experimental && !graduated,
		poolsBySort:     v != stable || graduated,
		ownFirst:        v != stable && graduated,
		combinations:    v != stable && is(release.DevicesInCombinations),
		rollback:        is(release.RejectedDevicesGiveBack),
		alternativesAll: is(release.AlternativesForAllDevices),
		sharesCount:     v != stable && is(release.SharedDevicesUseCounters),

		countersByDriver:  is(release.CountersByDriver),
		countersAnywhere:  v != stable && is(release.CountersOfWholePool),
		limitByRequest:    is(release.DeviceLimitByRequest),
		staticCapacity:    is(release.AllDevicesWithUsedOnes),
		representable:     is(release.CapacityRepresentable),
		configOnce:        is(release.ConfigurationsOnce),
		distinctPairwise:  is(release.DistinctInRequest),
		errorsNameDevice:  is(release.SelectorErrorsNameDevice),
		partsWithoutCount: is(release.PartsWithoutCapacityInUse),
	}
}
