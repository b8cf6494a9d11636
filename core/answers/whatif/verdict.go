package whatif

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"orrery/core/evict/budget"
	"orrery/core/safe/plural"
)

// Blocks reports whether a budget keeps a drain from its end.
func (a *Result) Blocks() bool { return len(a.Blocked) > 0 }

// Verdict says in one line what the changes would do: first what they would not do, then what would become worse, then
// the rest.
func (a *Result) Verdict() string {
	counts := map[ChangeKind]int{}
	for _, p := range a.Pods {
		counts[p.Kind]++
	}
	var parts []string
	for _, kind := range []ChangeKind{Evicted, BecomesPending, Gone, Placed, Moved, OtherNode, Created, NotEvicted} {
		n, what := counts[kind], strconv.Itoa(counts[kind])
		if len(parts) == 0 && !a.Blocks() {
			what = plural.Count(n, "pod")
		}
		if n > 0 {
			parts = append(parts, what+" "+verdictWords[kind])
		}
	}
	rest := strings.Join(parts, ", ")
	switch {
	case a.Blocks():
		blocked := fmt.Sprintf("blocked: %d of %s cannot be evicted (%s)", len(a.Blocked), plural.Count(a.ToEvict, "pod"), a.blockers())
		if rest != "" {
			blocked += "; " + rest
		}
		return blocked
	case a.Worse():
		return "worse: " + rest
	case rest == "":
		return "no pod would change outcome"
	}
	return rest
}

var verdictWords = map[ChangeKind]string{
	Placed: "placed", Moved: "moved", OtherNode: "on a different node", Evicted: "evicted and left pending",
	BecomesPending: "pending", Created: "created", NotEvicted: "no longer evicted", Gone: "deleted",
}

// blockers names the budgets of the blocked evictions.
func (a *Result) blockers() string {
	var all []string
	for _, b := range a.Blocked {
		words := b.Message
		if len(b.Causes) > 0 {
			switch b.Causes[0].Kind {
			case budget.MultipleBudgets, budget.NotObserved, budget.SyncFailed:
				words = b.Causes[0].Detail // what is allowed is not known, or does not count
			default:
				words = fmt.Sprintf("budget %s/%s allows %s", b.Pod.Namespace, b.Budget, plural.Count(b.DisruptionsAllowed, "disruption"))
			}
		}
		if !slices.Contains(all, words) {
			all = append(all, words)
		}
	}
	return strings.Join(all, ", ")
}
