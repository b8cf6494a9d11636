package console

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes"

	"orrery/core/operator/actions"
	"orrery/core/process/contact"
	"orrery/core/world"
	"orrery/core/world/live"
)

// screenKinds are kinds that only the screen needs: the leader's lease, PodDisruptionBudgets, and groups of pods.
var screenKinds = append(world.GroupKinds(), world.Lease, world.LeaseCandidate, world.PodDisruptionBudget)

// optionalKinds are kinds that few clusters serve. Missing rights for them are not reported: without rights, a request
// does not show whether the API server serves them.
var optionalKinds = append(world.GroupKinds(), world.LeaseCandidate)

// access is what a session may read.
type access struct {
	kinds      []world.Kind
	namespaces map[world.Kind]string
	// unreadable are the kinds that may not be read at all, missingRules the rules for them.
	unreadable   []world.Kind
	missingRules []actions.Rule
	// moreRules are the rules to read all namespaces of the kinds in namespaces.
	moreRules []actions.Rule
	// watched are the kinds that the engine needs. Of optionalKinds the others are optional.
	watched []world.Kind
}

// checkAccess tries to read each kind, in all namespaces or else in one. It silently leaves out a kind that the API
// server does not serve. The engine needs those that are watched. An error means that the API server is unreachable.
func checkAccess(ctx context.Context, client kubernetes.Interface, kinds, watched []world.Kind, namespace string) (s access, err error) {
	s.watched = watched
	all, err := live.CheckAccess(ctx, client, kinds, namespace)
	switch {
	case apierrors.IsUnauthorized(err):
		return s, fmt.Errorf("%w: %w", contact.ErrUnauthorized, err)
	case err != nil:
		return s, fmt.Errorf("connecting to the API server: %w", err)
	}
	s.kinds, s.namespaces = all.Kinds, all.Namespaces
	for _, u := range all.Unreadable {
		switch {
		case s.isOptional(u.Kind):
		case u.OnlyIn != "":
			s.moreRules = append(s.moreRules, rulesOf(u)...)
		case u.Forbidden:
			s.unreadable = append(s.unreadable, u.Kind)
			s.missingRules = append(s.missingRules, rulesOf(u)...)
		}
	}
	for _, rules := range [][]actions.Rule{s.missingRules, s.moreRules} {
		slices.SortStableFunc(rules, func(a, b actions.Rule) int { return ruleOrder(a) - ruleOrder(b) })
	}
	return s, nil
}

// ruleOrder sorts pods and nodes first.
func ruleOrder(r actions.Rule) int {
	if r.Group == "" && (r.Resource == "pods" || r.Resource == "nodes") {
		return 0
	}
	return 1
}

// rulesOf returns the missing rules of a kind. Without list it is unknown whether watch is permitted, and both are needed.
func rulesOf(u live.Unreadable) []actions.Rule {
	resource := u.Kind.Resource()
	list := actions.Rule{Group: resource.Group, Resource: resource.Resource, Verb: "list"}
	watch := list
	watch.Verb = "watch"
	var problem *live.AccessError
	if errors.As(u.Err, &problem) && problem.Verb == "watch" {
		return []actions.Rule{watch}
	}
	return []actions.Rule{list, watch}
}

// readsAll reports whether all objects of a kind can be read.
func (s *access) readsAll(kind world.Kind) bool {
	return slices.Contains(s.kinds, kind) && s.namespaces[kind] == ""
}

// notWholly returns the kinds of which not all objects can be read.
func (s *access) notWholly() []world.Kind {
	return append(slices.Clone(s.unreadable), slices.Sorted(maps.Keys(s.namespaces))...)
}

// namespace returns the only namespace that is read of some kinds; empty if there are no such kinds.
func (s *access) namespace() string {
	for _, namespace := range s.namespaces {
		return namespace // all are the same
	}
	return ""
}

// whyNotDeciding returns why the session does not shadow the scheduler; empty if it does. The free resources of a node
// depend on all of its pods, so all pods and nodes have to be readable.
func (s *access) whyNotDeciding() string {
	switch {
	case !s.readsAll(world.Node):
		return "nodes may not be read"
	case s.namespaces[world.Pod] != "":
		return "only the pods in namespace " + s.namespaces[world.Pod] + " are readable, and a node's free resources depend on all of its pods"
	case !s.readsAll(world.Pod):
		return "pods may not be read"
	}
	return ""
}

// isOptional reports whether a kind is one of optionalKinds, and not needed by the engine.
func (s *access) isOptional(kind world.Kind) bool {
	return slices.Contains(optionalKinds, kind) && !slices.Contains(s.watched, kind)
}

// isOptionalRule reports whether a rule is about an optional kind.
func (s *access) isOptionalRule(r actions.Rule) bool {
	return slices.ContainsFunc(optionalKinds, func(kind world.Kind) bool {
		resource := kind.Resource()
		return resource.Group == r.Group && resource.Resource == r.Resource && s.isOptional(kind)
	})
}

// resourcesOf returns the resources of rules, without duplicates.
func resourcesOf(rules []actions.Rule) []string {
	var list []string
	for _, r := range rules {
		if o := r.Object(); !slices.Contains(list, o) {
			list = append(list, o)
		}
	}
	return list
}
