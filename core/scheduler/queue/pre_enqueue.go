package queue

import (
	"context"
	"strings"

	fwk "k8s.io/kube-scheduler/framework"
)

// moveToActiveQ puts p into activeQ, unless a PreEnqueue plugin gates it: then p goes to unschedulablePods, if it is
// not already queued. cause is the plugin whose hint moved it.
func (q *Queue) moveToActiveQ(p *Pod, label, cause string, checked bool) bool {
	if !checked {
		if changed := q.runPreEnqueuePlugins(p); p.gate != "" {
			q.holdGated(p, label, changed)
			return false
		}
	}
	if !p.wasActive {
		p.initialAttempt, p.wasActive = q.now, true
	}
	q.removeNamesake(p, label)
	q.detach(p)
	q.insert(p, Active)
	q.recordMove(p, Active, true, label, cause, "")
	if !q.opts.NominateOnAdd && (label == q.labels.add || label == q.labels.update) {
		q.addNomination(p.pod, nil)
	}
	return true
}

// moveToBackoffQ puts p into backoffQ, or after an error into the error backoffQ, which the older rule lacks. With
// PopFromBackoff it runs PreEnqueue first, as Pop may take p from there.
func (q *Queue) moveToBackoffQ(p *Pod, label, cause string) bool {
	if q.opts.PopFromBackoff {
		if changed := q.runPreEnqueuePlugins(p); p.gate != "" {
			q.holdGated(p, label, changed)
			return false
		}
	}
	q.detach(p)
	place := Backoff
	if len(p.rejectors) == 0 && q.opts.RequeueRule == QueueingHints {
		place = ErrorBackoff
	}
	q.insert(p, place)
	q.recordMove(p, place, true, label, cause, "")
	return true
}

// holdGated puts a gated pod into unschedulablePods. A queued pod stays where it is, and a new pod whose name is taken
// is dropped.
func (q *Queue) holdGated(p *Pod, label string, changed bool) {
	p.wasFlushed = false // another event may bring it back
	other := q.pods[p.key]
	switch {
	case other != nil && other != p:
		q.newRejectors = q.newRejectors[:0]
	case p.queuedIn == Gone:
		q.addUnschedulable(p, label, p.gate, p.gateNote)
	case changed:
		q.reindex(p, label, p.gate, p.gateNote)
	case p.queuedIn == Gated:
		q.unschedulablePods.unindex(p) // what its gate says may have changed, and so its group
		q.unschedulablePods.index(p)
	}
}

// removeNamesake removes another queued pod with p's name.
func (q *Queue) removeNamesake(p *Pod, label string) {
	if other := q.pods[p.key]; other != nil && other != p {
		q.remove(other)
		q.recordMove(other, Gone, false, label, "", "")
	}
}

// runPreEnqueuePlugins runs the PreEnqueue plugins, the present gating plugin first; the first that rejects gates the
// pod. changed reports whether the gate or the rejecting plugins have changed.
func (q *Queue) runPreEnqueuePlugins(p *Pod) (changed bool) {
	before := p.gate
	if p.profile == nil {
		p.gate = ""
		return before != ""
	}
	if before != "" {
		for _, plugin := range p.profile.PreEnqueue {
			if plugin.Name() == before {
				if news, refused := q.runPreEnqueuePlugin(p, plugin); refused {
					return news
				}
			}
		}
	}
	for _, plugin := range p.profile.PreEnqueue {
		if plugin.Name() == before {
			continue
		}
		if _, refused := q.runPreEnqueuePlugin(p, plugin); refused {
			return true
		}
	}
	p.gate = ""
	return before != ""
}

func (q *Queue) runPreEnqueuePlugin(p *Pod, plugin fwk.PreEnqueuePlugin) (news, refused bool) {
	status := callPreEnqueue(p, plugin)
	if status.IsSuccess() {
		return false, false
	}
	name := plugin.Name()
	if news = p.addRejector(name); news {
		q.newRejectors = append(q.newRejectors, name)
	}
	p.gate, p.gateNote, p.gateEvents = name, gateNote(status), q.gatingEvents[name]
	return news, true
}

// callPreEnqueue calls and counts a plugin.
func callPreEnqueue(p *Pod, plugin fwk.PreEnqueuePlugin) *fwk.Status {
	status := plugin.PreEnqueue(context.Background(), p.pod)
	count := p.profile.preEnqueueCount(plugin.Name())
	count.Calls++
	if !status.IsSuccess() {
		count.Rejections++
	}
	return status
}

func gateNote(status *fwk.Status) string { return strings.Join(status.Reasons(), ", ") }
