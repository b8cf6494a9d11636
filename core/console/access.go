package console

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes"

	"orrery/core/operate"
	"orrery/core/world"
	"orrery/core/world/live"
)

// besides are the kinds that the engine needs nothing of and the screen does: who leads, and what budgets allow.
var besides = []world.Kind{world.Lease, world.PodDisruptionBudget}

// Reachable sorts kinds into those that can be listed and watched and those that are missing, with the rules that they take.
// A kind that the API server does not serve is left out without a word. An error means that there is no API server to ask.
func Reachable(ctx context.Context, client kubernetes.Interface, kinds []world.Kind) (can []world.Kind, missing []operate.Rule, err error) {
	tries := make([]error, len(kinds))
	var group sync.WaitGroup
	for i, kind := range kinds {
		group.Go(func() { tries[i] = live.Reach(ctx, client, kind) })
	}
	group.Wait()
	for i, kind := range kinds {
		switch try := tries[i]; {
		case try == nil:
			can = append(can, kind)
		case apierrors.IsForbidden(try):
			missing = append(missing, rulesOf(kind, try)...)
		case apierrors.IsNotFound(try):
		case apierrors.IsUnauthorized(try):
			return nil, nil, fmt.Errorf("the API server does not know who you are: log in again: %w", try)
		default:
			return nil, nil, fmt.Errorf("connecting to the API server: %w", try)
		}
	}
	slices.SortStableFunc(missing, func(a, b operate.Rule) int { return weight(a) - weight(b) })
	return can, missing, nil
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
func rulesOf(kind world.Kind, err error) []operate.Rule {
	rule := operate.Rule{Resource: strings.ToLower(string(kind)) + "s"}
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		if d := status.Status().Details; d != nil && d.Kind != "" {
			rule.Group, rule.Resource = d.Group, d.Kind
		}
	}
	list, watch := rule, rule
	list.Verb, watch.Verb = "list", "watch"
	var tried *live.UnreachableError
	if errors.As(err, &tried) && tried.Verb == "watch" {
		return []operate.Rule{watch}
	}
	return []operate.Rule{list, watch}
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
