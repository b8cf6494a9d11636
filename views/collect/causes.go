package collect

import (
	"cmp"
	"slices"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/queue"
	"orrery/core/world"
	"orrery/views"
)

// maxCausePods bounds the pods whose causes are counted for a row of the list of clusters, which is done once a second for each.
//
//orrery:limit screen; pods of one cluster whose causes the list of clusters counts, those pending for the longest; it says so
const maxCausePods = 2000

// pendingCauses counts why pods are pending, in the words of the scheduler: the reason of the most nodes for a pod that was tried, and
// what its gate says for a gated one.
func (c *Collector) pendingCauses(e *engine.Engine) *views.PendingCauses {
	counts := c.queueCounts(e)
	p := &views.PendingCauses{Pending: counts.Waiting()}
	number := map[string]int64{}
	for _, part := range [...]queue.State{queue.Unschedulable, queue.Backoff, queue.Gated} {
		c.pods = e.Queue().Window(c.pods[:0], part, 0, maxCausePods-p.Counted)
		p.Counted += len(c.pods)
		for _, pod := range c.pods {
			number[causeOf(pod)]++
		}
	}
	for name, n := range map[string]int{"to be tried": counts.Active, "to be bound": counts.InFlight + counts.Decided} {
		if n > 0 {
			number[name] = int64(n)
			p.Counted += n
		}
	}
	for name, n := range number {
		p.Causes = append(p.Causes, views.NamedCount{Name: printable.Line(name, maxCause), Count: n})
	}
	slices.SortFunc(p.Causes, func(a, b views.NamedCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	p.Causes = slices.Clone(p.Causes[:min(len(p.Causes), maxCauses)])
	return p
}

// The bounds of a row's text.
const (
	//orrery:limit screen; causes in a row of the list of clusters; the rarer ones are left out
	maxCauses = 6
	//orrery:limit screen; the text of such a cause, in characters; cut off
	maxCause = 160
)

// causeOf returns why a pod is not placed.
func causeOf(p *queue.Pod) string {
	if reason := framework.MainOf(world.PendingMessage(p.Pod())).Reason; reason != "" {
		return reason
	}
	if p.GetGatingPlugin() != "" {
		return "held by " + p.GetGatingPlugin()
	}
	if rejectors := p.GetUnschedulablePlugins(); len(rejectors) > 0 {
		return slices.Min(rejectors.UnsortedList())
	}
	return "backing off"
}
