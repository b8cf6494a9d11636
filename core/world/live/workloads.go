package live

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"orrery/core/objects/workloads"
	"orrery/core/world"
)

// workloadsIn reads the Workloads of a namespace, or of all, in the version that the API server serves.
func (c Client) workloadsIn(namespace string) served {
	var versions []string
	for _, v := range workloads.GroupVersions {
		versions = append(versions, v.Version)
	}
	return served{c.Custom, world.Workload.Resource().GroupResource(), versions, c.workloads, namespace, workloadOf}
}

// refersByWorkload reports whether pods refer to groups of workloads, by a field that client-go does not know: in the version of 1.35, which
// is taken for the served one until another was.
func (c Client) refersByWorkload() bool { return c.workloads.last.Load() == 0 }

// withServedWorkloads leaves workloads out of kinds unless they can be read, and finds out in which version: pods are read by that.
func withServedWorkloads(ctx context.Context, c kubernetes.Interface, kinds []world.Kind) []world.Kind {
	client, able := c.(Client)
	if !able || !slices.Contains(kinds, world.Workload) {
		return kinds
	}
	if _, err := client.workloadsIn(allNamespaces).List(page{kind: world.Workload, packed: true}.context(ctx), metav1.ListOptions{Limit: 1}); err == nil {
		return kinds
	}
	return slices.DeleteFunc(slices.Clone(kinds), func(kind world.Kind) bool { return kind == world.Workload })
}
