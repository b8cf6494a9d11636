package engine

import (
	"slices"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
)

// Evidence asks a Filter plugin why it rejects the pod on nodes. It is nil if the plugin does not explain itself.
func (x *Explanation) Evidence(plugin string, nodes []string) []framework.Evidence {
	if x.attempt == nil || !x.attempt.profile.Explains(plugin) {
		return nil
	}
	a := x.attempt
	rejected := framework.Rejection{All: slices.Collect(a.engine.Nodes())}
	for _, name := range nodes {
		if info, err := a.engine.snapshot.NodeInfos().Get(name); err == nil {
			others := slices.DeleteFunc(x.RejectedBy(name), func(other string) bool { return other == plugin })
			rejected.Nodes = append(rejected.Nodes, framework.RejectedNode{NodeInfo: info, Others: others})
		}
	}
	return a.profile.Explain(a.engine.ctx, a.state, a.pod, plugin, rejected)
}

// AllEvidence is the Evidence of all nodes on which the plugin rejects the pod. It is asked for once.
func (x *Explanation) AllEvidence(plugin string) []framework.Evidence {
	list, known := x.evidence[plugin]
	if !known {
		list = x.Evidence(plugin, x.RejectedOn(plugin))
		if x.evidence == nil {
			x.evidence = map[string][]framework.Evidence{}
		}
		x.evidence[plugin] = list
	}
	return list
}

// RejectedOn returns the nodes on which a plugin rejects the pod.
func (x *Explanation) RejectedOn(plugin string) []string {
	var names []string
	for i := range x.Nodes {
		for j := range x.Nodes[i].Statuses {
			if s := &x.Nodes[i].Statuses[j]; s.Plugin == plugin && s.Rejects() {
				names = append(names, x.Nodes[i].Node)
			}
		}
	}
	return names
}

// RejectedBy returns the Filter plugins that reject the pod on a node.
func (x *Explanation) RejectedBy(node string) []string {
	if x.indexes == nil {
		x.indexes = make(map[string]int, len(x.Nodes))
		for i := range x.Nodes {
			x.indexes[x.Nodes[i].Node] = i
		}
	}
	i, known := x.indexes[node]
	if !known {
		return nil
	}
	var plugins []string
	for j := range x.Nodes[i].Statuses {
		if s := &x.Nodes[i].Statuses[j]; s.Rejects() {
			plugins = append(plugins, s.Plugin)
		}
	}
	return plugins
}

// Rejects reports whether the plugin rejects the pod, or fails.
func (s *PluginStatus) Rejects() bool { return s.Code != fwk.Success && s.Code != fwk.Skip }
