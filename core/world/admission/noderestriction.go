package admission

import (
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apiserver/pkg/authentication/user"
)

// kubeletUser is what the names of kubelets as users begin with.
const kubeletUser = "system:node:"

// KubeletOf is the user that a node's kubelet is.
func KubeletOf(node string) user.Info {
	return &user.DefaultInfo{Name: kubeletUser + node, Groups: []string{user.NodesGroup}}
}

// restrictKubelet keeps a kubelet from other nodes, and from the labels, taints and owners of its own that pods are kept away by.
// It is NodeRestriction, for nodes.
func restrictKubelet(_ Reader, q *Request) error {
	node, is := q.Object.(*v1.Node)
	if !is || q.User == nil || !slices.Contains(q.User.GetGroups(), user.NodesGroup) {
		return nil
	}
	own, is := strings.CutPrefix(q.User.GetName(), kubeletUser)
	switch {
	case !is:
		return nil
	case own == "":
		return q.forbidden("could not determine node from user %q", q.User.GetName())
	case own != node.Name:
		return q.forbidden("node %q is not allowed to modify node %q", own, node.Name)
	}
	if q.Old == nil {
		if labels := reserved(node.Labels, nil); len(labels) > 0 {
			return q.forbidden("node %q is not allowed to set the following labels: %s", own, strings.Join(labels, ", "))
		}
		return nil
	}
	old := q.Old.(*v1.Node)
	if !equality.Semantic.DeepEqual(node.Spec.Taints, old.Spec.Taints) {
		return q.forbidden("node %q is not allowed to modify taints", own)
	}
	if !equality.Semantic.DeepEqual(node.OwnerReferences, old.OwnerReferences) {
		return q.forbidden("node %q is not allowed to modify ownerReferences", own)
	}
	if labels := reserved(node.Labels, old.Labels); len(labels) > 0 {
		return q.forbidden("is not allowed to modify labels: %s", strings.Join(labels, ", "))
	}
	return nil
}

// reserved returns the labels that differ and that a kubelet may not set, sorted.
func reserved(labels, old map[string]string) []string {
	var all []string
	for key, value := range labels {
		if had, has := old[key]; (!has || had != value) && isReserved(key) {
			all = append(all, key)
		}
	}
	for key := range old {
		if _, has := labels[key]; !has && isReserved(key) {
			all = append(all, key)
		}
	}
	slices.Sort(all)
	return all
}

// kubeletLabels are the labels of Kubernetes that kubelets set.
var kubeletLabels = []string{
	v1.LabelHostname, v1.LabelTopologyZone, v1.LabelTopologyRegion, v1.LabelFailureDomainBetaZone, v1.LabelFailureDomainBetaRegion,
	v1.LabelInstanceType, v1.LabelInstanceTypeStable, v1.LabelOSStable, v1.LabelArchStable, "beta.kubernetes.io/os", "beta.kubernetes.io/arch",
}

// isReserved reports whether a label is Kubernetes' own, and none that kubelets set.
func isReserved(key string) bool {
	domain, _, qualified := strings.Cut(key, "/")
	if !qualified {
		return false
	}
	in := func(parents ...string) bool {
		return slices.ContainsFunc(parents, func(p string) bool { return domain == p || strings.HasSuffix(domain, "."+p) })
	}
	return in(v1.LabelNamespaceNodeRestriction) ||
		in("kubernetes.io", "k8s.io") && !slices.Contains(kubeletLabels, key) && !in(v1.LabelNamespaceSuffixKubelet, v1.LabelNamespaceSuffixNode)
}
