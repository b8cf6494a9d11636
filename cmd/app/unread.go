package app

import (
	"fmt"
	"io"
	"slices"

	"orrery/core/printable"
	"orrery/core/store"
	"orrery/core/world"
	"orrery/core/world/live"
)

// beside are kinds that plugins do not ask for, and that answers are better with: what brings pods back, and what pods are
// made with.
var beside = []world.Kind{
	world.PriorityClass, world.RuntimeClass, world.LimitRange, world.ReplicaSet, world.StatefulSet, world.Deployment, world.DaemonSet, world.Job,
}

// with is a set of kinds and some more.
func with(kinds []world.Kind, more ...world.Kind) []world.Kind {
	return world.InOrder(slices.Concat(kinds, more))
}

// unreadDocument is a kind that could not be read.
type unreadDocument struct {
	Kind string `json:"kind"`
	Why  string `json:"why"`
	// Means is what that does to the answer.
	Means string `json:"means"`
}

// unreadOf says of kinds that could not be read why, and what that means. Without pods or nodes there is no answer at all.
func unreadOf(all []live.Unread) ([]unreadDocument, error) {
	docs := []unreadDocument{}
	for _, u := range all {
		resource := store.ResourceOf(u.Kind).GroupResource().String()
		doc := unreadDocument{Kind: string(u.Kind), Why: "the API server does not serve " + resource, Means: lackOf(u.Kind)}
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

// lacks says what it means that a kind cannot be read.
var lacks = map[world.Kind]string{
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
}

// lackOf is what it means that a kind cannot be read. Kinds that are not in the list are asked for by somebody's plugin.
func lackOf(kind world.Kind) string {
	if text := lacks[kind]; text != "" {
		return text
	}
	return "a plugin of the configuration reads them, and decides as if there were none"
}

// unreadText is for people.
func unreadText(w io.Writer, all []unreadDocument) {
	var lines [][]string
	for _, u := range all {
		lines = append(lines, []string{u.Kind, u.Why + ": " + u.Means})
	}
	section(w, "Not read", lines)
}
