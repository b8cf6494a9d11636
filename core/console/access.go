package console

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes"

	"orrery/core/operate"
	"orrery/core/store"
	"orrery/core/world"
	"orrery/core/world/live"
)

// besides are the kinds that the engine needs nothing of and the screen does: who leads, and what budgets allow.
var besides = []world.Kind{world.Lease, world.LeaseCandidate, world.PodDisruptionBudget}

// unasked are kinds that few clusters serve. Who may not read one is not told: as a rule there is nothing to read, and the API
// server says that only to those who may.
var unasked = []world.Kind{world.LeaseCandidate}

// sight is what a session may see.
type sight struct {
	kinds  []world.Kind
	within map[world.Kind]string
	// unseen are kinds that may not be read at all, and missing the rules that it takes to.
	unseen  []world.Kind
	missing []operate.Rule
	// more are the rules that it takes to see all of those of which only one namespace is seen.
	more []operate.Rule
}

// look finds out what may be seen, everywhere or else in one namespace. A kind that the API server does not serve is left out
// without a word. An error means that there is no API server to ask.
func look(ctx context.Context, client kubernetes.Interface, kinds []world.Kind, namespace string) (s sight, err error) {
	all, err := live.Reachable(ctx, client, kinds, namespace)
	switch {
	case apierrors.IsUnauthorized(err):
		return s, fmt.Errorf("the API server does not know who you are: log in again: %w", err)
	case err != nil:
		return s, fmt.Errorf("connecting to the API server: %w", err)
	}
	s.kinds, s.within = all.Kinds, all.Within
	for _, u := range all.Unread {
		switch {
		case slices.Contains(unasked, u.Kind):
		case u.But != "":
			s.more = append(s.more, rulesOf(u)...)
		case u.Forbidden:
			s.unseen = append(s.unseen, u.Kind)
			s.missing = append(s.missing, rulesOf(u)...)
		}
	}
	for _, rules := range [][]operate.Rule{s.missing, s.more} {
		slices.SortStableFunc(rules, func(a, b operate.Rule) int { return weight(a) - weight(b) })
	}
	return s, nil
}

// weight puts what nothing goes without first.
func weight(r operate.Rule) int {
	if r.Group == "" && (r.Resource == "pods" || r.Resource == "nodes") {
		return 0
	}
	return 1
}

// rulesOf are the rules that one is missing who is forbidden a kind. Who may not list is not told whether they may watch, and
// needs both.
func rulesOf(u live.Unread) []operate.Rule {
	resource := store.ResourceOf(u.Kind)
	list := operate.Rule{Group: resource.Group, Resource: resource.Resource, Verb: "list"}
	watch := list
	watch.Verb = "watch"
	var tried *live.UnreachableError
	if errors.As(u.Err, &tried) && tried.Verb == "watch" {
		return []operate.Rule{watch}
	}
	return []operate.Rule{list, watch}
}

// whole tells whether all objects of a kind are seen.
func (s *sight) whole(kind world.Kind) bool {
	return slices.Contains(s.kinds, kind) && s.within[kind] == ""
}

// namespace is the one that something is seen of only; empty if there is none such.
func (s *sight) namespace() string {
	for _, namespace := range s.within {
		return namespace // they are all the same
	}
	return ""
}

// undecided says why nothing is decided beside the cluster's scheduler; empty if it is. What a node has left is the sum of
// all of its pods, so that all of both have to be seen.
func (s *sight) undecided() string {
	switch {
	case !s.whole(world.Node):
		return "nodes may not be read"
	case s.within[world.Pod] != "":
		return "of pods, only those in namespace " + s.within[world.Pod] + " may be read, and what a node has left is not known without the others"
	case !s.whole(world.Pod):
		return "pods may not be read"
	}
	return ""
}

// unmissed tells whether a rule is about a kind that nobody is told of who may not read it.
func unmissed(r operate.Rule) bool {
	return slices.ContainsFunc(unasked, func(kind world.Kind) bool {
		resource := store.ResourceOf(kind)
		return resource.Group == r.Group && resource.Resource == r.Resource
	})
}

// objectsOf are what rules are about, each once.
func objectsOf(rules []operate.Rule) []string {
	var list []string
	for _, r := range rules {
		if o := r.Object(); !slices.Contains(list, o) {
			list = append(list, o)
		}
	}
	return list
}
