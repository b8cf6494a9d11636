package framework

import (
	"errors"

	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/codec"
)

// CodeState codes the pods that wait in order of entry, and the deadlines in their order.
func (w *WaitingPods) CodeState(c *codec.Coder) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.ended) > 0 {
		c.Fail(errors.New("a pod's wait has just ended"))
		return
	}
	var entered []*waitingPod
	for _, pod := range w.entered {
		if !pod.done {
			entered = append(entered, pod)
		}
	}
	codec.Slice(c, &entered, func(pod **waitingPod) { w.codePod(c, pod) })
	if c.Reading() {
		w.entered = entered
	}
	w.codeDeadlines(c)
}

func (w *WaitingPods) codePod(c *codec.Coder, to **waitingPod) {
	if c.Reading() {
		*to = &waitingPod{owner: w}
	}
	p := *to
	codec.Object(c, &p.pod)
	c.Time(&p.since)
	codec.Slice(c, &p.pending, func(wait *PluginWait) {
		codec.Text(c, &wait.Plugin)
		codec.Int(c, &wait.Timeout)
	})
	if !c.Reading() || !c.OK() {
		return
	}
	c.Check(w.byUID[p.pod.UID] == nil && len(p.pending) > 0, "pod %q waits twice, or for no plugin", p.pod.Name)
	w.byUID[p.pod.UID] = p
	w.pending += len(p.pending)
}

func (w *WaitingPods) codeDeadlines(c *codec.Coder) {
	var active []deadline
	for _, d := range w.deadlines {
		if d.isActive() {
			active = append(active, d)
		}
	}
	codec.Slice(c, &active, func(d *deadline) {
		var uid types.UID
		if !c.Reading() {
			uid = d.pod.pod.UID
		}
		codec.Text(c, &uid)
		c.Time(&d.at)
		codec.Text(c, &d.Plugin)
		codec.Int(c, &d.Timeout)
		if c.Reading() {
			d.pod = w.byUID[uid]
			c.Check(d.pod != nil && d.isActive(), "there is a deadline for pod %q, which does not wait", uid)
		}
	})
	for i := range active {
		c.Check(i == 0 || !active[i].at.Before(active[i-1].at), "the deadlines of waiting pods are not in order")
	}
	if c.Reading() && c.OK() {
		w.deadlines = active
	}
}
