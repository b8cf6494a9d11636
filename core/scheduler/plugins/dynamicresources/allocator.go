package dynamicresources

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"reflect"
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/api"
	"k8s.io/klog/v2"
)

// The allocator is that of kube-scheduler. It depends on three things that a replay could not repeat: a deadline, the order
// of a map, and random identifiers. The context that it gets, and its results, are where each is replaced.

// WithPoolOrder returns a context in which one allocation has its pools in the order of driver and name, those with binding
// conditions last.
func WithPoolOrder(ctx context.Context) context.Context { return withAllocationLog(ctx, nil) }

// withAllocationLog is WithPoolOrder with a limit that is told what evaluations cost; nil for none.
func withAllocationLog(ctx context.Context, limit *stepLimit) context.Context {
	return klog.NewContext(ctx, klog.New(&allocationLog{limit: limit}))
}

// allocationLog is a log that changes what is logged: the allocator logs the list of its pools, which it takes from a map, before
// it uses the list. It is sorted by driver and pool then. After that only the costs of evaluations are asked for, where they are limited.
type allocationLog struct {
	sorted bool
	limit  *stepLimit
}

// logLevel is the level of the messages that have the pools, and what an evaluation has cost.
const logLevel = 7

// Init does nothing.
func (*allocationLog) Init(klog.RuntimeInfo) {}

// Enabled asks for the messages while there is one to come.
func (l *allocationLog) Enabled(level int) bool {
	return level == logLevel && (!l.sorted || l.limit != nil && l.limit.evaluating)
}

// Info sorts the pools of a message, or takes the steps of an evaluation.
func (l *allocationLog) Info(_ int, _ string, keysAndValues ...any) {
	for i := 1; i < len(keysAndValues); i += 2 {
		switch keysAndValues[i-1] {
		case "pools":
			sortPools(keysAndValues[i])
			l.sorted = true
		case "actualCost":
			if cost, is := keysAndValues[i].(uint64); is && l.limit != nil {
				l.limit.settle(cost)
			}
		}
	}
}

// Error does nothing.
func (*allocationLog) Error(error, string, ...any) {}

// WithValues returns the log itself.
func (l *allocationLog) WithValues(...any) klog.LogSink { return l }

// WithName returns the log itself.
func (l *allocationLog) WithName(string) klog.LogSink { return l }

// sortPools sorts pools by how they print; those with devices that have binding conditions stay after the others, where the
// allocator puts them. The type of pools cannot be named outside the allocator.
func sortPools(list any) {
	value := reflect.ValueOf(list)
	if value.Kind() != reflect.Slice {
		return
	}
	type item struct {
		conditions int // 1 if any device has binding conditions
		text       string
		value      reflect.Value
	}
	items := make([]item, value.Len())
	for i := range items {
		held := reflect.New(value.Type().Elem()).Elem()
		held.Set(value.Index(i))
		items[i].value = held
		if named, ok := held.Interface().(fmt.Stringer); ok {
			items[i].text = named.String()
		}
		if waitsForConditions(held) {
			items[i].conditions = 1
		}
	}
	slices.SortFunc(items, func(a, b item) int {
		return cmp.Or(cmp.Compare(a.conditions, b.conditions), cmp.Compare(a.text, b.text))
	})
	for i := range items {
		value.Index(i).Set(items[i].value)
	}
}

// waitsForConditions reports whether any device of a pool has binding conditions.
func waitsForConditions(pool reflect.Value) bool {
	if pool.Kind() != reflect.Pointer || pool.IsNil() || pool.Elem().Kind() != reflect.Struct {
		return false
	}
	field := pool.Elem().FieldByName("DeviceSlicesTargetingNode")
	if !field.IsValid() {
		return false
	}
	all, _ := field.Interface().([]*api.ResourceSlice)
	return slices.ContainsFunc(all, func(s *api.ResourceSlice) bool {
		return slices.ContainsFunc(s.Spec.Devices, func(d api.Device) bool { return d.BindingConditions != nil })
	})
}

// withNamedShares returns an allocation for a claim, with other identifiers of parts of devices than the random ones. Each is
// made of the claim and of the position among its devices, so that no two parts of a device have the same.
func withNamedShares(claim *resourcev1.ResourceClaim, result resourcev1.AllocationResult) *resourcev1.AllocationResult {
	shared := func(r resourcev1.DeviceRequestAllocationResult) bool { return r.ShareID != nil }
	if !slices.ContainsFunc(result.Devices.Results, shared) {
		return &result
	}
	result.Devices.Results = slices.Clone(result.Devices.Results)
	for i := range result.Devices.Results {
		if one := &result.Devices.Results[i]; one.ShareID != nil {
			one.ShareID = shareOf(claim.UID, i)
		}
	}
	return &result
}

// shareOf is a UUID of version 8, which leaves its bits to the maker.
func shareOf(claim types.UID, position int) *types.UID {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", claim, position))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	share := types.UID(fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16]))
	return &share
}
