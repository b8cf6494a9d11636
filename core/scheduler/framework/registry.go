package framework

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
)

// PluginFactory makes one plugin for one profile. The handle is not complete before all plugins have been made: keep
// it, and use it from the first extension point on.
type PluginFactory = func(ctx context.Context, args runtime.Object, h fwk.Handle) (fwk.Plugin, error)

// Registry has a factory for every plugin that a configuration can enable.
type Registry map[string]PluginFactory

// Register adds a plugin under a new name.
func (r Registry) Register(name string, factory PluginFactory) error {
	if _, taken := r[name]; taken {
		return fmt.Errorf("a plugin named %v already exists", name)
	}
	r[name] = factory
	return nil
}

// Merge adds every plugin of another registry, and stops at the first name, in alphabetical order, that is taken.
func (r Registry) Merge(other Registry) error {
	for _, name := range slices.Sorted(maps.Keys(other)) {
		if err := r.Register(name, other[name]); err != nil {
			return err
		}
	}
	return nil
}
