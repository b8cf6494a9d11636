package app

import (
	"slices"
	"strings"

	"orrery/core/store"
	"orrery/core/world"
)

// right is a rule of a role, and what it is for.
type right struct {
	For                             string
	Groups, Resources, Names, Verbs []string
}

// List writes words as YAML does.
func (r right) List(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = w
		if w == "" {
			quoted[i] = `""`
		}
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// readingRights are the rights to follow kinds: one for each API group.
func readingRights(what string, kinds []world.Kind) []right {
	var rights []right
	for _, kind := range kinds {
		resource := store.ResourceOf(kind)
		i := slices.IndexFunc(rights, func(r right) bool { return r.Groups[0] == resource.Group })
		if i < 0 {
			i = len(rights)
			rights = append(rights, right{Groups: []string{resource.Group}, Verbs: []string{"list", "watch"}})
		}
		rights[i].Resources = append(rights[i].Resources, resource.Resource)
	}
	for i := range rights {
		slices.Sort(rights[i].Resources)
	}
	slices.SortFunc(rights, func(a, b right) int { return strings.Compare(a.Groups[0], b.Groups[0]) })
	if len(rights) > 0 {
		rights[0].For = what
	}
	return rights
}

// schedulerRights are what a scheduler does in a cluster whose plugins read these kinds.
func schedulerRights(watched []world.Kind) []right {
	return append(
		readingRights("What the plugins of the configuration read. A plugin that reads more needs more here.", watched),
		right{
			For:    "A binding whose outcome is not known, and a status that is to be patched, are looked at first.",
			Groups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"},
		},
		right{For: "Bindings.", Groups: []string{""}, Resources: []string{"pods/binding"}, Verbs: []string{"create"}},
		right{
			For:    "Why a pod is not scheduled, the node it is nominated for, and that it is about to be disrupted.",
			Groups: []string{""}, Resources: []string{"pods/status"}, Verbs: []string{"patch"},
		},
		right{For: "Victims of preemption, and with --controllers=taint-eviction pods on tainted nodes.", Groups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"delete"}},
		right{For: "Events: core ones are about the lease.", Groups: []string{"", "events.k8s.io"}, Resources: []string{"events"}, Verbs: []string{"create", "patch"}},
	)
}

// leaseRights are what an election takes.
func leaseRights(lease string) []right {
	group := []string{store.ResourceOf(world.Lease).Group}
	return []right{
		{For: "What is to be created has no name yet that a rule could ask for.", Groups: group, Resources: []string{"leases"}, Verbs: []string{"create"}},
		{Groups: group, Resources: []string{"leases"}, Names: []string{lease}, Verbs: []string{"get", "update"}},
	}
}

// candidateRights are what a replica takes besides where the control plane chooses the leader, in the whole cluster and where
// the lease is: it watches for what is asked of it wherever that might be written.
func candidateRights() (everywhere, beside right) {
	group, candidates := []string{store.ResourceOf(world.LeaseCandidate).Group}, []string{store.ResourceOf(world.LeaseCandidate).Resource}
	return right{For: "Whether the control plane asks a candidate if it is still there.", Groups: group, Resources: candidates, Verbs: []string{"list", "watch"}},
		right{For: "To be a candidate, under a name that is made up at the start.", Groups: group, Resources: candidates, Verbs: []string{"create", "get", "update"}}
}

// shadowRights are what recordings and questions read.
func shadowRights(watched []world.Kind) []right {
	return readingRights("What the plugins of the default configuration read, what brings pods back, and who leads.", with(watched, append(beside, world.Lease, world.LeaseCandidate)...))
}
