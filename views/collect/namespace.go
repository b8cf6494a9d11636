package collect

import (
	"orrery/core/scheduler/engine"
	"orrery/views"
)

// maxOfNamespace bounds the pods of a part of the queue among which those of the chosen namespace are found: a part is not kept by
// namespace.
//
//orrery:limit screen; pods of a part of the queue that are looked through for those of a chosen namespace; the others are not counted
const maxOfNamespace = 20000

// queueIn returns the heads of the queue's parts with the pods of one namespace, at most as many of each, and the counts of that
// namespace.
func (c *Collector) queueIn(e *engine.Engine, namespace string, most int) *views.Queue {
	v := &views.Queue{}
	for _, u := range e.BindingsFrom(0, maxOfNamespace) {
		if u.Pod.Namespace != namespace {
			continue
		}
		if c.placedState(len(u.Waiting) > 0) == views.Decided {
			v.Counts.Decided++
		} else {
			v.Counts.InFlight++
		}
		if len(v.Next) < most {
			v.Next = append(v.Next, c.bindingRow(e, &u))
		}
	}
	counts := [len(queueParts)]*int{&v.Counts.Active, &v.Counts.Backoff, &v.Counts.Unschedulable, &v.Counts.Gated}
	heads := [len(queueParts)]*[]views.PodRow{&v.Next, &v.Soon, &v.Stuck, &v.Held}
	for i, part := range queueParts {
		c.pods = e.Queue().Window(c.pods[:0], part, 0, maxOfNamespace)
		for _, p := range c.pods {
			if p.Pod().Namespace != namespace {
				continue
			}
			*counts[i]++
			if len(*heads[i]) < most {
				*heads[i] = append(*heads[i], c.rows.row(e, p))
			}
		}
	}
	return v
}
