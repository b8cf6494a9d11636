package engine

import (
	"iter"
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
	return a.profile.Explain(a.engine.ctx, a.state, a.pod, plugin, x.Rejection(plugin, nodes))
}

// Rejection returns what a plugin is asked about: nodes that it rejects, with its reasons and the other plugins that do. It is empty for a
// decision that was not made here.
func (x *Explanation) Rejection(plugin string, nodes []string) framework.Rejection {
	if x.attempt == nil {
		return framework.Rejection{}
	}
	rejected := framework.Rejection{All: slices.Collect(x.attempt.engine.Nodes())}
	for i := range x.Statuses {
		if s := &x.Statuses[i]; s.Plugin == plugin && s.Rejects() {
			rejected.Reasons = append(rejected.Reasons, s.Reasons...)
		}
	}
	for _, name := range nodes {
		info, err := x.attempt.engine.snapshot.NodeInfos().Get(name)
		if err != nil {
			continue
		}
		n := framework.RejectedNode{NodeInfo: info}
		for s := range x.rejections(name) {
			if s.Plugin == plugin {
				n.Reasons, n.Failed = append(n.Reasons, s.Reasons...), s.Code == fwk.Error
			} else {
				n.Others = append(n.Others, s.Plugin)
			}
		}
		rejected.Nodes = append(rejected.Nodes, n)
	}
	return rejected
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
	var plugins []string
	for s := range x.rejections(node) {
		plugins = append(plugins, s.Plugin)
	}
	return plugins
}

// rejections visits the statuses that reject the pod on a node.
func (x *Explanation) rejections(node string) iter.Seq[*PluginStatus] {
	if x.indexes == nil {
		x.indexes = make(map[string]int, len(x.Nodes))
		for i := range x.Nodes {
			x.indexes[x.Nodes[i].Node] = i
		}
	}
	return func(yield func(*PluginStatus) bool) {
		i, known := x.indexes[node]
		if !known {
			return
		}
		for j := range x.Nodes[i].Statuses {
			if s := &x.Nodes[i].Statuses[j]; s.Rejects() && !yield(s) {
				return
			}
		}
	}
}

// Rejects reports whether the plugin rejects the pod, or fails.
func (s *PluginStatus) Rejects() bool { return s.Code != fwk.Success && s.Code != fwk.Skip }
