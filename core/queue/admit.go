package queue

import (
	"context"
	"strings"

	fwk "k8s.io/kube-scheduler/framework"
)

// toActive puts p into activeQ, unless a PreEnqueue plugin holds it back: then it is parked, if it is not already
// somewhere. Where it came from does not matter. cause is the plugin whose hint let it go.
func (q *Queue) toActive(p *Pod, label, cause string, checked bool) bool {
	if !checked {
		if note, changed := q.runGates(p); p.gate != "" {
			q.hold(p, label, note, changed)
			return false
		}
	}
	if p.initialAttempt == nil {
		at := q.now
		p.initialAttempt = &at
	}
	q.replace(p, label)
	q.detach(p)
	q.insert(p, Active)
	q.record(p, Active, true, label, cause, "")
	if label == labelPodAdd || label == labelPodUpdate {
		q.nominate(p.pod, nil)
	}
	return true
}

// toBackoff puts p into the backoffQ for those turned down, or the one for errors, which the older rule does not know.
// Where pods may be popped from there, PreEnqueue plugins have their say now.
func (q *Queue) toBackoff(p *Pod, label, cause string) bool {
	if q.opts.PopFromBackoff {
		if note, changed := q.runGates(p); p.gate != "" {
			q.hold(p, label, note, changed)
			return false
		}
	}
	q.detach(p)
	place := Backoff
	if len(p.rejectors) == 0 && q.opts.Rule == HintRule {
		place = ErrorBackoff
	}
	q.insert(p, place)
	q.record(p, place, true, label, cause, "")
	return true
}

// hold parks a gated pod. A pod that is parked stays where it is, and a newcomer whose name is taken is dropped.
func (q *Queue) hold(p *Pod, label, note string, changed bool) {
	other := q.pods[p.key]
	switch {
	case other != nil && other != p:
		q.blamed = q.blamed[:0]
	case p.place == Gone:
		q.park(p, label, p.gate, note)
	case changed:
		q.reseat(p, label, p.gate, note)
	}
}

// replace drops the pod that has p's name in the queue, if it is not p.
func (q *Queue) replace(p *Pod, label string) {
	if other := q.pods[p.key]; other != nil && other != p {
		q.forget(other)
		q.record(other, Gone, false, label, "", "")
	}
}

// runGates asks the PreEnqueue plugins, the one that gates the pod now before the others; the first to refuse gates it.
// changed tells whether the gate or the rejectors are not what they were.
func (q *Queue) runGates(p *Pod) (note string, changed bool) {
	before := p.gate
	if p.profile == nil {
		p.gate = ""
		return "", before != ""
	}
	if before != "" {
		for _, plugin := range p.profile.PreEnqueue {
			if plugin.Name() == before {
				if note, news, refused := q.runGate(p, plugin); refused {
					return note, news
				}
			}
		}
	}
	for _, plugin := range p.profile.PreEnqueue {
		if plugin.Name() == before {
			continue
		}
		if note, _, refused := q.runGate(p, plugin); refused {
			return note, true
		}
	}
	p.gate = ""
	return "", before != ""
}

func (q *Queue) runGate(p *Pod, plugin fwk.PreEnqueuePlugin) (note string, news, refused bool) {
	status, name := plugin.PreEnqueue(context.Background(), p.pod), plugin.Name()
	count := p.profile.gateCount(name)
	count.Calls++
	if status.IsSuccess() {
		return "", false, false
	}
	count.Refusals++
	if news = p.blame(name); news {
		q.blamed = append(q.blamed, name)
	}
	p.gate, p.gateEvents = name, q.gating[name]
	if q.opts.Observe != nil {
		note = strings.Join(status.Reasons(), ", ")
	}
	return note, news, true
}
