package drawn

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"
)

func quantity(text string) resource.Quantity { return resource.MustParse(text) }

// Written writes a workload with so many pods. Its extra lines belong to the spec of a pod.
func Written(kind, name, labels string, n int, cpu string, extra ...string) string {
	spec := func(indent string) string {
		lines := append([]string{
			"containers:", "- name: main", "  image: registry/app:1", fmt.Sprintf("  resources: {requests: {cpu: %s}}", cpu),
			"  env: [{name: SECRET, value: hidden}]",
		}, extra...)
		return indent + strings.Join(lines, "\n"+indent) + "\n"
	}
	head := fmt.Sprintf("kind: %s\nmetadata: {name: %s, labels: {%s}}\n", kind, name, labels)
	switch kind {
	case "Pod":
		return "apiVersion: v1\n" + head + "spec:\n" + spec("  ")
	case "Job":
		return "apiVersion: batch/v1\n" + head + fmt.Sprintf("spec:\n  parallelism: %d\n  completions: %d\n  template:\n    metadata: {labels: {%s}}\n    spec:\n      restartPolicy: Never\n", n, n, labels) + spec("      ")
	case "DaemonSet":
		return "apiVersion: apps/v1\n" + head + fmt.Sprintf("spec:\n  selector: {matchLabels: {%s}}\n  template:\n    metadata: {labels: {%s}}\n    spec:\n", labels, labels) + spec("      ")
	}
	return "apiVersion: apps/v1\n" + head + fmt.Sprintf("spec:\n  replicas: %d\n  selector: {matchLabels: {%s}}\n  template:\n    metadata: {labels: {%s}}\n    spec:\n", n, labels, labels) + spec("      ")
}

func class(name string, value int) string {
	return fmt.Sprintf("apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: %s}\nvalue: %d\n", name, value)
}

func pdb(name, app string, least int) string {
	return fmt.Sprintf("apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: %s}\nspec:\n  minAvailable: %d\n  selector: {matchLabels: {app: %s}}\n", name, least, app)
}

// documents joins manifests.
func documents(all ...string) string { return strings.Join(all, "---\n") }

// Cluster draws a cluster: nodes in zones, workloads of two priorities, and budgets.
func Cluster(t *rapid.T) string {
	all := []string{class("low", 10), class("high", 1000)}
	for i := range rapid.IntRange(1, 5).Draw(t, "nodes") {
		all = append(all, fmt.Sprintf("node n%d %d %s\n", i, rapid.IntRange(1, 6).Draw(t, "cores"), rapid.SampledFrom([]string{"a", "b"}).Draw(t, "zone")))
	}
	for i := range rapid.IntRange(1, 3).Draw(t, "workloads") {
		name := fmt.Sprintf("old%d", i)
		n := rapid.IntRange(1, 4).Draw(t, "replicas")
		all = append(all, Written(rapid.SampledFrom([]string{"ReplicaSet", "StatefulSet"}).Draw(t, "kind"), name, "app: "+name, n,
			rapid.SampledFrom([]string{"300m", "900m", "1700m"}).Draw(t, "cpu"), priority(t)...))
		if rapid.Bool().Draw(t, "budget") {
			all = append(all, pdb(name, name, rapid.IntRange(0, n).Draw(t, "least")))
		}
	}
	return documents(all...)
}

// priority draws the class of a pod, or none.
func priority(t *rapid.T) []string {
	if name := rapid.SampledFrom([]string{"", "low", "high"}).Draw(t, "class"); name != "" {
		return []string{"priorityClassName: " + name}
	}
	return nil
}

// Workload draws what is to fit.
func Workload(t *rapid.T, kinds ...string) string {
	extra := priority(t)
	switch rapid.IntRange(0, 5).Draw(t, "constraint") {
	case 0:
		extra = append(extra, "nodeSelector: {topology.kubernetes.io/zone: a}")
	case 1:
		extra = append(extra, "topologySpreadConstraints:",
			"- {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {set: new}}}")
	case 2:
		extra = append(extra, "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "+
			"[{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {set: new}}}]}}")
	}
	return Written(rapid.SampledFrom(kinds).Draw(t, "kind"), "new", "set: new", rapid.IntRange(1, 5).Draw(t, "pods"),
		rapid.SampledFrom([]string{"200m", "700m", "1100m", "2"}).Draw(t, "cpu"), extra...)
}
