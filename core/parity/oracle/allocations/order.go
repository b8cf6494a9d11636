package allocations

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/go-logr/logr"
	"k8s.io/dynamic-resource-allocation/api"
	"k8s.io/klog/v2"
)

// WithPoolOrder returns a context in which one allocation has its pools in the order of driver and name, those with binding
// conditions last.
func WithPoolOrder(ctx context.Context) context.Context { return withOrder(ctx, nil) }

// withOrder is WithPoolOrder with a limit that is told what evaluations cost; nil for none.
func withOrder(ctx context.Context, limit *Limit) context.Context {
	return klog.NewContext(ctx, klog.New(&order{limit: limit}))
}

// order is a log that changes what is logged: the allocator logs the list of its pools, which it takes from a map, before it uses the
// list. It is sorted then. After that only the costs of evaluations are asked for, where they are limited.
type order struct {
	sorted bool
	limit  *Limit
}

// logLevel is the level of the messages that have the pools, and what an evaluation has cost. Since 1.36, that with the pools has another.
const (
	logLevel   = 7
	poolsLevel = 5
)

// Init does nothing.
func (*order) Init(klog.RuntimeInfo) {}

// Enabled asks for the messages while there is one to come.
func (o *order) Enabled(level int) bool {
	switch level {
	case poolsLevel: // since 1.36
		return !o.sorted
	case logLevel:
		return !o.sorted || o.limit != nil && o.limit.evaluating
	}
	return false
}

// Info sorts the pools of a message, or takes the steps of an evaluation.
func (o *order) Info(_ int, _ string, keysAndValues ...any) {
	for i := 1; i < len(keysAndValues); i += 2 {
		switch keysAndValues[i-1] {
		case "pools":
			sortPools(keysAndValues[i])
			o.sorted = true
		case "actualCost":
			if cost, is := keysAndValues[i].(uint64); is && o.limit != nil {
				o.limit.settle(cost)
			}
		}
	}
}

// Error does nothing.
func (*order) Error(error, string, ...any) {}

// WithValues returns the log itself.
func (o *order) WithValues(...any) klog.LogSink { return o }

// WithName returns the log itself.
func (o *order) WithName(string) klog.LogSink { return o }

// sortPools sorts pools by how they print; those with devices that have binding conditions stay after the others, where the allocators
// that know binding conditions put them. The type of pools cannot be named outside the allocator.
func sortPools(list any) {
	if marshaler, is := list.(logr.Marshaler); is {
		fields, _ := marshaler.MarshalLog().(map[string]any)
		list = fields["content"]
	}
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
