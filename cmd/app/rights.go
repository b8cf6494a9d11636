package app

import (
	"slices"
	"strings"

	modelled "orrery/core/scheduler/release"
	"orrery/core/world"
)

// right is a rule of a role, with a comment.
type right struct {
	For                             string
	Groups, Resources, Names, Verbs []string
}

// List writes words as a YAML list.
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

// readingRights are the rules to list and watch kinds, one for each API group.
func readingRights(what string, kinds []world.Kind) []right {
	var rights []right
	for _, kind := range kinds {
		resource := kind.Resource()
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

// schedulerRights are the rules of a scheduler whose plugins read these kinds.
func schedulerRights(watched []world.Kind) []right {
	rights := append(
		readingRights("Kinds that the plugins of the configuration read. Add those of your own plugins.", watched),
		right{
			For:    "To check a binding with an unknown outcome, and a status before it is patched.",
			Groups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"},
		},
		right{For: "Bindings.", Groups: []string{""}, Resources: []string{"pods/binding"}, Verbs: []string{"create"}},
		right{
			For:    "The conditions PodScheduled and DisruptionTarget, and the nominated node.",
			Groups: []string{""}, Resources: []string{"pods/status"}, Verbs: []string{"patch"},
		},
		right{For: "Victims of preemption, and with --controllers pods on tainted nodes and devices.", Groups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"delete"}},
		right{For: "Events.", Groups: []string{"events.k8s.io"}, Resources: []string{"events"}, Verbs: []string{"create", "patch"}},
		right{For: "That a replica leads is a core event, once for each replica.", Groups: []string{""}, Resources: []string{"events"}, Verbs: []string{"create"}},
	)
	if slices.Contains(watched, world.PersistentVolumeClaim) {
		rights = append(rights, right{
			For:       "Volumes and their claims, before a pod is bound; they are read if it is unknown whether that was written.",
			Groups:    []string{world.PersistentVolumeClaim.Resource().Group},
			Resources: []string{world.PersistentVolumeClaim.Resource().Resource, world.PersistentVolume.Resource().Resource},
			Verbs:     []string{"get", "patch"},
		})
	}
	if slices.Contains(watched, world.ResourceClaim) {
		rights = append(rights, resourceClaimRights()...)
	}
	return rights
}

// rightsIn leaves out the rights that an API server of a release does not ask for.
func rightsIn(rights []right, r modelled.Release) []right {
	return slices.DeleteFunc(rights, func(one right) bool {
		return !r.AsksForClaimBinding() && slices.Contains(one.Resources, world.ResourceClaim.Resource().Resource+"/binding")
	})
}

// resourceClaimRights are the rules to reserve claims for devices.
func resourceClaimRights() []right {
	group, claims := []string{world.ResourceClaim.Resource().Group}, world.ResourceClaim.Resource().Resource
	return []right{
		{For: "Claims for devices, before a pod is bound: their finalizer, and their devices and users.", Groups: group, Resources: []string{claims}, Verbs: []string{"get", "update"}},
		{Groups: group, Resources: []string{claims + "/status"}, Verbs: []string{"patch", "update"}},
		{
			For:    "Since Kubernetes 1.36 who writes which devices a claim has, or whose it is, needs this, too. Older API servers do not ask for it.",
			Groups: group, Resources: []string{claims + "/binding"}, Verbs: []string{"patch", "update"},
		},
	}
}

// taintRuleRights are the rules for the controller that evicts pods from tainted devices.
func taintRuleRights() []right {
	group, rules := []string{world.DeviceTaintRule.Resource().Group}, world.DeviceTaintRule.Resource().Resource
	return []right{
		{For: "How far the evictions of a rule are.", Groups: group, Resources: []string{rules}, Verbs: []string{"get"}},
		{Groups: group, Resources: []string{rules + "/status"}, Verbs: []string{"update"}},
	}
}

// extendedResourceRights is the rule for the claims of extended resources that devices serve.
func extendedResourceRights() right {
	resource := world.ResourceClaim.Resource()
	return right{
		For:    "Claims for the extended resources of pods that devices serve.",
		Groups: []string{resource.Group}, Resources: []string{resource.Resource}, Verbs: []string{"create", "delete"},
	}
}

// leaseRights are the rules of leader election.
func leaseRights(lease string) []right {
	group := []string{world.Lease.Resource().Group}
	return []right{
		{For: "Rules for create cannot be limited to a name.", Groups: group, Resources: []string{"leases"}, Verbs: []string{"create"}},
		{Groups: group, Resources: []string{"leases"}, Names: []string{lease}, Verbs: []string{"get", "update"}},
	}
}

// attachRights are the rules of users who read the stream of the leader, whose pod they reach through the API server: in the lease's
// namespace, and in that of the pods.
func attachRights(lease, deployment string) (find, reach []right) {
	find = []right{{Groups: []string{world.Lease.Resource().Group}, Resources: []string{"leases"}, Names: []string{lease}, Verbs: []string{"get"}}}
	reach = []right{
		{For: "A Deployment is named as in deploy/NAME, and its pods are listed.", Groups: []string{"apps"}, Resources: []string{"deployments"}, Names: []string{deployment}, Verbs: []string{"get"}},
		{Groups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get", "list"}},
		{For: "A port-forward by websocket is a get, since Kubernetes 1.35 also a create, and by SPDY a create.", Groups: []string{""}, Resources: []string{"pods/portforward"}, Verbs: []string{"create", "get"}},
	}
	return find, reach
}

// candidateRights are the additional rules of coordinated leader election, for the cluster and for the lease's namespace.
func candidateRights() (everywhere, beside right) {
	group, candidates := []string{world.LeaseCandidate.Resource().Group}, []string{world.LeaseCandidate.Resource().Resource}
	return right{For: "To answer the control plane's pings of candidates.", Groups: group, Resources: candidates, Verbs: []string{"list", "watch"}},
		right{For: "To be a candidate, under a generated name.", Groups: group, Resources: candidates, Verbs: []string{"create", "update"}}
}

// shadowRights are the rules for recordings and queries of a cluster of any release: since Kubernetes 1.37 the taints of devices are read by
// default, and groups of pods where they are served.
func shadowRights(watched []world.Kind) []right {
	return readingRights("Kinds that the plugins of the default configuration read, owners of pods, groups of pods, and leases.", withKinds(watched, slices.Concat(extraKinds, optionalKinds, []world.Kind{world.Lease, world.LeaseCandidate, world.DeviceTaintRule})...))
}
