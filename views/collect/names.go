package collect

import (
	"strings"

	"orrery/core/engine"
	"orrery/core/framework"
	"orrery/core/world"
)

// NodeNames are the names of nodes that begin with a prefix, in their order, n at most.
func NodeNames(e *engine.Engine, prefix string, n int) []string {
	return named(e, world.Node, "", prefix, n)
}

// Namespaces are the names of namespaces that begin with a prefix, in their order, n at most.
func Namespaces(e *engine.Engine, prefix string, n int) []string {
	return named(e, world.Namespace, "", prefix, n)
}

// PodNames are the pods, as "namespace/name", that begin with a prefix, in their order, n at most. A prefix without a
// slash is also the beginning of a name in any namespace.
func PodNames(e *engine.Engine, prefix string, n int) []string {
	if namespace, name, ok := strings.Cut(prefix, "/"); ok {
		return named(e, world.Pod, namespace, name, n)
	}
	var list []string
	for o := range e.Store().Objects(world.Pod) {
		if len(list) >= n {
			break
		}
		if strings.HasPrefix(o.GetNamespace(), prefix) || strings.HasPrefix(o.GetName(), prefix) {
			list = append(list, o.GetNamespace()+"/"+o.GetName())
		}
	}
	return list
}

// named are the objects of a kind whose names begin with a prefix.
func named(e *engine.Engine, kind world.Kind, namespace, prefix string, n int) []string {
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

// PluginNames are the names of plugins that begin with a prefix, whatever the case, in the order in which a pod meets
// them, n at most.
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
