package framework

import (
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
)

// WaitingPods are the pods that have a node and wait for Permit plugins to agree. Each plugin that asked for time has a
// deadline; the first one that passes turns the waiting into a rejection. Nothing here waits: the owner calls Expire
// when NextDeadline has come, and takes the pods whose waiting has ended with TakeEnded.
type WaitingPods struct {
	byUID   map[types.UID]*waitingPod
	entered []*waitingPod // in order of entry; those that are over are swept out now and then
	due     []deadline    // earliest first; so are those that no longer matter
	pending int           // deadlines in due that matter
	ended   []EndedWait
}

// EndedWait is a pod that waits no longer, and why.
type EndedWait struct {
	Pod *v1.Pod
	// Status is nil if every plugin allowed the pod, else Unschedulable in the name of the plugin that rejected it.
	Status *fwk.Status
	// Since is when the waiting began.
	Since time.Time
}

// PluginWait is how long one plugin is ready to wait.
type PluginWait struct {
	Plugin  string
	Timeout time.Duration
}

type waitingPod struct {
	list    *WaitingPods
	pod     *v1.Pod
	since   time.Time
	pending []PluginWait
	over    bool
}

type deadline struct {
	at  time.Time
	pod *waitingPod
	PluginWait
}

var _ fwk.WaitingPod = (*waitingPod)(nil)

// NewWaitingPods is an empty list.
func NewWaitingPods() *WaitingPods { return &WaitingPods{byUID: map[types.UID]*waitingPod{}} }

// Wait lets a pod wait for plugins, each from now on for its own time.
func (w *WaitingPods) Wait(pod *v1.Pod, plugins []PluginWait, now time.Time) {
	if old := w.byUID[pod.UID]; old != nil {
		w.drop(old)
	}
	entry := &waitingPod{list: w, pod: pod, since: now, pending: slices.Clone(plugins)}
	w.byUID[pod.UID] = entry
	w.entered = append(w.entered, entry)
	w.pending += len(plugins)
	for _, wait := range plugins {
		d := deadline{at: now.Add(wait.Timeout), pod: entry, PluginWait: wait}
		w.due = slices.Insert(w.due, w.after(d.at), d)
	}
}

// after is where a new deadline goes: behind all that are not later.
func (w *WaitingPods) after(at time.Time) int {
	i, _ := slices.BinarySearchFunc(w.due, at, func(d deadline, at time.Time) int {
		if d.at.After(at) {
			return 1
		}
		return -1
	})
	return i
}

// Len is the number of waiting pods.
func (w *WaitingPods) Len() int { return len(w.byUID) }

// Get finds a waiting pod; nil if it does not wait, or no longer does.
func (w *WaitingPods) Get(uid types.UID) fwk.WaitingPod {
	if pod, waits := w.byUID[uid]; waits {
		return pod
	}
	return nil
}

// Each visits the waiting pods in order of entry. The visitor may allow and reject pods, this one and others; a pod
// whose waiting ends on the way is not visited any more.
func (w *WaitingPods) Each(visit func(fwk.WaitingPod)) {
	for _, pod := range slices.Clone(w.entered) {
		if !pod.over {
			visit(pod)
		}
	}
}

// NextDeadline is when Expire must be called next; ok is false if nothing is waited for.
func (w *WaitingPods) NextDeadline() (at time.Time, ok bool) {
	for len(w.due) > 0 && !w.due[0].matters() {
		w.due[0] = deadline{}
		w.due = w.due[1:]
	}
	if len(w.due) == 0 {
		return time.Time{}, false
	}
	return w.due[0].at, true
}

// Expire rejects the pods for which a deadline has come, in the order of the deadlines.
func (w *WaitingPods) Expire(now time.Time) {
	for {
		at, ok := w.NextDeadline()
		if !ok || at.After(now) {
			return
		}
		d := w.due[0]
		d.pod.Reject(d.Plugin, fmt.Sprintf("rejected due to timeout after waiting %v at plugin %v", d.Timeout, d.Plugin))
	}
}

// TakeEnded hands over the pods whose waiting has ended since the last call, in the order in which it ended.
func (w *WaitingPods) TakeEnded() []EndedWait {
	ended := w.ended
	w.ended = nil
	return ended
}

// Fork is a copy that shares nothing but the pods.
func (w *WaitingPods) Fork() *WaitingPods {
	fork := &WaitingPods{byUID: make(map[types.UID]*waitingPod, len(w.byUID)), pending: w.pending, ended: slices.Clone(w.ended)}
	for _, pod := range w.entered {
		if pod.over {
			continue
		}
		twin := *pod
		twin.list, twin.pending = fork, slices.Clone(pod.pending)
		fork.byUID[pod.pod.UID] = &twin
		fork.entered = append(fork.entered, &twin)
	}
	for _, d := range w.due {
		if d.matters() {
			d.pod = fork.byUID[d.pod.pod.UID]
			fork.due = append(fork.due, d)
		}
	}
	return fork
}

func (w *WaitingPods) end(pod *waitingPod, status *fwk.Status) {
	w.ended = append(w.ended, EndedWait{Pod: pod.pod, Status: status, Since: pod.since})
	w.drop(pod)
}

func (w *WaitingPods) drop(pod *waitingPod) {
	pod.over = true
	w.pending -= len(pod.pending)
	delete(w.byUID, pod.pod.UID)
	w.sweep()
}

// sweep drops what no longer matters once it is more than half, which keeps the work per pod constant.
func (w *WaitingPods) sweep() {
	const few = 32
	if len(w.entered) > few && len(w.entered) > 2*len(w.byUID) {
		w.entered = slices.DeleteFunc(w.entered, func(pod *waitingPod) bool { return pod.over })
	}
	if len(w.due) > few && len(w.due) > 2*w.pending {
		w.due = slices.DeleteFunc(w.due, func(d deadline) bool { return !d.matters() })
	}
}

func (d deadline) matters() bool { return !d.pod.over && d.pod.waitsFor(d.Plugin) >= 0 }

func (p *waitingPod) waitsFor(plugin string) int {
	return slices.IndexFunc(p.pending, func(w PluginWait) bool { return w.Plugin == plugin })
}

// GetPod is the pod, with its node set.
func (p *waitingPod) GetPod() *v1.Pod { return p.pod }

// GetPendingPlugins lists the plugins that have not allowed the pod yet, in the order in which they were asked.
func (p *waitingPod) GetPendingPlugins() []string {
	plugins := make([]string, len(p.pending))
	for i, w := range p.pending {
		plugins[i] = w.Plugin
	}
	return plugins
}

// Allow takes a plugin off the list of those to wait for; with the last one the waiting ends well.
func (p *waitingPod) Allow(plugin string) {
	if p.over {
		return
	}
	if i := p.waitsFor(plugin); i >= 0 {
		p.pending = slices.Delete(p.pending, i, i+1)
		p.list.pending--
	}
	if len(p.pending) == 0 {
		p.list.end(p, nil)
	}
}

// Reject ends the waiting. Who comes first decides: a pod that was allowed or rejected before stays that.
func (p *waitingPod) Reject(plugin, msg string) {
	if p.over {
		return
	}
	p.list.end(p, fwk.NewStatus(fwk.Unschedulable, msg).WithPlugin(plugin))
}
