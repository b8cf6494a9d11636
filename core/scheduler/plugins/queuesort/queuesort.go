// Package queuesort orders the active queue: the higher priority first, and of equals the one that has waited longer.
package queuesort

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
)

// Name of the plugin, in configurations, metrics and statuses.
const Name = config.PrioritySort

// PrioritySort is the plugin.
type PrioritySort struct{}

var _ fwk.QueueSortPlugin = (*PrioritySort)(nil)

// New makes the plugin; it takes no arguments.
func New(context.Context, runtime.Object, fwk.Handle, config.Features) (fwk.Plugin, error) {
	return &PrioritySort{}, nil
}

// Name is the plugin's name.
func (*PrioritySort) Name() string { return Name }

// Less reports whether a is before b. The queue orders pods of equal priority and timestamp.
func (*PrioritySort) Less(a, b fwk.QueuedEntityInfo) bool {
	if a.GetPriority() != b.GetPriority() {
		return a.GetPriority() > b.GetPriority()
	}
	return a.GetTimestamp().Before(b.GetTimestamp())
}
