package app

import (
	"fmt"
	"io"
	"slices"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/plugins/unreadable"
	"orrery/core/world"
	"orrery/core/world/live"
)

// extraKinds are kinds that no plugin reads, but results depend on: the owners that recreate pods, and the classes and
// limits for creating pods.
var extraKinds = []world.Kind{
	world.PriorityClass, world.RuntimeClass, world.LimitRange, world.ReplicaSet, world.StatefulSet, world.Deployment, world.DaemonSet, world.Job,
}

// optionalKinds are kinds that few clusters serve. That one is not read is not reported: without rights, a request does not show whether the API
// server serves it.
var optionalKinds = world.GroupKinds()

// withKinds adds kinds to a set.
func withKinds(kinds []world.Kind, more ...world.Kind) []world.Kind {
	return world.SortKinds(slices.Concat(kinds, more))
}

// unreadableDocument is a kind that could not be read.
type unreadableDocument struct {
	Kind string `json:"kind"`
	Why  string `json:"why"`
	// Means is the consequence for the answer.
	Means string `json:"means"`
}

// unreadableOf describes kinds that could not be read, but for optional ones that the configuration does not watch. Without pods or nodes it is an
// error.
func unreadableOf(all []live.Unreadable, watched []world.Kind) ([]unreadableDocument, error) {
	docs := []unreadableDocument{}
	for _, u := range all {
		if slices.Contains(optionalKinds, u.Kind) && !slices.Contains(watched, u.Kind) {
			continue
		}
		resource := u.Kind.Resource().GroupResource().String()
		doc := unreadableDocument{Kind: string(u.Kind), Why: "the API server does not serve " + resource, Means: consequenceOf(u.Kind)}
		if u.Forbidden {
			doc.Why = "there is no right to list " + resource
		}
		if u.Kind == world.Pod || u.Kind == world.Node {
			return nil, fmt.Errorf(`%s, without which nothing can be said; "orrery manifests --shadow" prints a role with the rights: %s`,
				doc.Why, printable.Line(u.Err.Error(), 300))
		}
		docs = append(docs, doc)
	}
	return docs, nil
}

// forbiddenOf returns the kinds that there is no right to read. Of one that the API server does not serve there are no objects.
func forbiddenOf(all []live.Unreadable) []world.Kind {
	var kinds []world.Kind
	for _, u := range all {
		if u.Forbidden {
			kinds = append(kinds, u.Kind)
		}
	}
	return kinds
}

// consequences are the effects of not reading a kind on the result.
var consequences = map[world.Kind]string{
	world.Namespace:             "affinity terms that select namespaces by their labels find none",
	world.Service:               "pods of services are not spread by default as kube-scheduler would",
	world.ReplicationController: "pods of replication controllers are not spread by default as kube-scheduler would",
	world.ReplicaSet:            "pods of replica sets are not spread by default as kube-scheduler would, and what-ifs do not bring them back",
	world.StatefulSet:           "pods of stateful sets are not spread by default as kube-scheduler would, and what-ifs do not bring them back",
	world.PodDisruptionBudget:   "pods are preempted and drained as if there were no disruption budgets",
	world.Deployment:            "what-ifs cannot scale deployments",
	world.DaemonSet:             "what-ifs put no pods of daemon sets on new nodes",
	world.Job:                   "what-ifs do not bring pods of jobs back",
	world.PriorityClass:         "what-ifs know the priorities of pods and not of their classes",
	world.RuntimeClass:          "what-ifs know the overhead of pods and not of their runtime classes",
	world.LimitRange:            "what-ifs give new pods no default requests",
	world.Lease:                 "who leads is not known",
	world.PersistentVolume:      claimsNotEvaluated,
	world.PersistentVolumeClaim: claimsNotEvaluated,
	world.StorageClass:          claimsNotEvaluated,
	world.CSINode:               claimsNotEvaluated,
	world.CSIDriver:             claimsNotEvaluated,
	world.CSIStorageCapacity:    claimsNotEvaluated,
	world.VolumeAttachment:      claimsNotEvaluated,
	world.Workload:              "gangs of Kubernetes 1.35 are decided about as if there were none",
	world.CompositePodGroup:     groupsNotShown,
	world.PodGroup:              groupsNotShown,
}

const groupsNotShown = "groups of pods are neither shown nor explained"

const claimsNotEvaluated = "pods with a PersistentVolumeClaim are held back, and not evaluated"

// guarded returns the configuration for what could be read: without volumes, it holds the pods with claims back.
func guarded(c *config.Configuration, left []live.Unreadable) *config.Configuration {
	var kinds []world.Kind
	for _, u := range left {
		kinds = append(kinds, u.Kind)
	}
	return unreadable.Guard(c, kinds)
}

// consequenceOf returns the consequence of not reading a kind. Kinds without an entry are read by third-party plugins.
func consequenceOf(kind world.Kind) string {
	if text := consequences[kind]; text != "" {
		return text
	}
	return "a plugin of the configuration reads them, and decides as if there were none"
}

// writeUnreadable writes the unreadable kinds as text.
func writeUnreadable(w io.Writer, all []unreadableDocument) {
	var lines [][]string
	for _, u := range all {
		lines = append(lines, []string{u.Kind, u.Why + ": " + u.Means})
	}
	section(w, "Not read", lines)
}
