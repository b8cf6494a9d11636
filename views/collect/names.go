package collect

import (
	"maps"
	"slices"
	"strings"

	"orrery/core/objects/workloads"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/world"
)

// NodeNames returns up to n names of nodes with a prefix, sorted.
func NodeNames(e *engine.Engine, prefix string, n int) []string {
	return namesOf(e, world.Node, "", prefix, n)
}

// NodeLabels returns up to n labels of nodes with a prefix, as KEY=VALUE, sorted.
func NodeLabels(e *engine.Engine, prefix string, n int) []string {
	labels := map[string]bool{}
	for o := range e.Store().Objects(world.Node) {
		for key, value := range o.GetLabels() {
			if label := key + "=" + value; strings.HasPrefix(label, prefix) {
				labels[label] = true
			}
		}
	}
	list := slices.Sorted(maps.Keys(labels))
	return list[:min(len(list), n)]
}

// Namespaces returns up to n names of namespaces with a prefix, sorted: those of the pods, where no namespaces are known.
func Namespaces(e *engine.Engine, prefix string, n int) []string {
	if e.Store().Len(world.Namespace) > 0 {
		return namesOf(e, world.Namespace, "", prefix, n)
	}
	var list []string
	for o := range e.Store().Objects(world.Pod) {
		name := o.GetNamespace()
		if len(list) == n {
			break
		}
		if strings.HasPrefix(name, prefix) && (len(list) == 0 || list[len(list)-1] != name) {
			list = append(list, name)
		}
	}
	return list
}

// ProfileNames returns up to n names of the scheduler's profiles with a prefix, sorted.
func ProfileNames(e *engine.Engine, prefix string, n int) []string {
	list := slices.DeleteFunc(slices.Clone(e.Profiles()), func(name string) bool { return !strings.HasPrefix(name, prefix) })
	slices.Sort(list)
	return list[:min(n, len(list))]
}

// PriorityClassNames returns up to n priority classes with a prefix.
func PriorityClassNames(e *engine.Engine, prefix string, n int) []string {
	return namesOf(e, world.PriorityClass, "", prefix, n)
}

// PodNames returns up to n pods with a prefix, as "namespace/name", sorted. A prefix without a slash matches namespaces
// and names in any namespace.
func PodNames(e *engine.Engine, prefix string, n int) []string {
	return fullNamesOf(e, world.Pod, prefix, n)
}

// ClaimNames is PodNames for PersistentVolumeClaims.
func ClaimNames(e *engine.Engine, prefix string, n int) []string {
	return fullNamesOf(e, world.PersistentVolumeClaim, prefix, n)
}

// ClassNames returns up to n storage classes with a prefix.
func ClassNames(e *engine.Engine, prefix string, n int) []string {
	return namesOf(e, world.StorageClass, "", prefix, n)
}

// ResourceClaimNames returns up to n claims for devices, NAMESPACE/NAME, with a prefix.
func ResourceClaimNames(e *engine.Engine, prefix string, n int) []string {
	return fullNamesOf(e, world.ResourceClaim, prefix, n)
}

// DeviceClassNames returns up to n device classes with a prefix.
func DeviceClassNames(e *engine.Engine, prefix string, n int) []string {
	return namesOf(e, world.DeviceClass, "", prefix, n)
}

// GangNames returns up to n pod groups with pods, as filters find them, with a prefix. One without a slash matches namespaces
// and workloads in any namespace.
func GangNames(e *engine.Engine, prefix string, n int) []string {
	var list []string
	for _, key := range e.Gangs().Keys() {
		name := scopeOfGang(key)
		if len(list) == n {
			break
		}
		if strings.HasPrefix(name, prefix) || strings.HasPrefix(key.Workload, prefix) || key.IsPodGroup() && strings.HasPrefix(key.Group, prefix) {
			list = append(list, name)
		}
	}
	return list
}

// PodGroupNames returns up to n groups of workloads, NAMESPACE/WORKLOAD/GROUP, with a prefix.
func PodGroupNames(e *engine.Engine, prefix string, n int) []string {
	var list []string
	for o := range e.Store().Objects(world.Workload) {
		workload := o.(*workloads.Workload)
		for i := range workload.Spec.PodGroups {
			name := workload.Namespace + "/" + workload.Name + "/" + workload.Spec.PodGroups[i].Name
			if len(list) < n && strings.HasPrefix(name, prefix) {
				list = append(list, name)
			}
		}
	}
	return list
}

// DeviceNames returns up to n devices, POOL/DEVICE, with a prefix.
func DeviceNames(e *engine.Engine, prefix string, n int) []string {
	var list []string
	for _, slice := range e.Devices().Slices() {
		for i := range slice.Spec.Devices {
			name := slice.Spec.Pool.Name + "/" + slice.Spec.Devices[i].Name
			if len(list) == n {
				return list
			}
			if strings.HasPrefix(name, prefix) {
				list = append(list, name)
			}
		}
	}
	return list
}

func fullNamesOf(e *engine.Engine, kind world.Kind, prefix string, n int) []string {
	if namespace, name, ok := strings.Cut(prefix, "/"); ok {
		return namesOf(e, kind, namespace, name, n)
	}
	var list []string
	for o := range e.Store().Objects(kind) {
		if len(list) >= n {
			break
		}
		if strings.HasPrefix(o.GetNamespace(), prefix) || strings.HasPrefix(o.GetName(), prefix) {
			list = append(list, o.GetNamespace()+"/"+o.GetName())
		}
	}
	return list
}

// namesOf returns up to n objects of a kind whose names have a prefix.
func namesOf(e *engine.Engine, kind world.Kind, namespace, prefix string, n int) []string {
	var list []string
	for o := range e.Store().Objects(kind) {
		if len(list) >= n {
			break
		}
		if o.GetNamespace() != namespace || !strings.HasPrefix(o.GetName(), prefix) {
			continue
		}
		if namespace != "" {
			list = append(list, namespace+"/"+o.GetName())
		} else {
			list = append(list, o.GetName())
		}
	}
	return list
}

// PluginNames returns up to n names of plugins with a prefix, ignoring case, in the order of the extension points.
func PluginNames(e *engine.Engine, prefix string, n int) []string {
	var list []string
	seen := map[string]bool{}
	for _, name := range e.Profiles() {
		profile := e.Profile(name)
		plugins := profile.Enabled(framework.PreEnqueue)
		for _, count := range profile.Counts() {
			plugins = append(plugins, count.Plugin)
		}
		for _, plugin := range plugins {
			match := len(plugin) >= len(prefix) && strings.EqualFold(plugin[:len(prefix)], prefix)
			if match && !seen[plugin] && len(list) < n {
				seen[plugin] = true
				list = append(list, plugin)
			}
		}
	}
	return list
}
