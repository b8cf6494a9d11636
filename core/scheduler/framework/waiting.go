package framework

import (
	"fmt"
	"slices"
	"sort"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
)

// WaitingPods are the pods that wait for Permit plugins. Each plugin that returned Wait has a deadline; the first one that
// passes rejects the pod. No goroutine waits: the owner calls Expire at NextDeadline, and takes the pods whose waiting has
// ended with TakeEnded. Plugins may read the list, and allow and reject pods, from any goroutine.
type WaitingPods struct {
	mu        sync.Mutex // of all that follows, and of the pods in the list
	byUID     map[types.UID]*waitingPod
	entered   []*waitingPod // in order of entry; ended ones are removed now and then
	deadlines []deadline    // earliest first; inactive ones are removed now and then
	pending   int           // active deadlines
	ended     []EndedWait
}

// EndedWait is a pod whose wait has ended.
type EndedWait struct {
	Pod *v1.Pod
	// Status is nil if every plugin allowed the pod, else in the name of a plugin: Unschedulable if that rejected it, and Error if it
	// preempted it.
	Status *fwk.Status
	// Since is when the waiting began.
	Since time.Time
}

// PluginWait is how long a pod waits for one plugin.
type PluginWait struct {
	Plugin  string
	Timeout time.Duration
}

type waitingPod struct {
	owner   *WaitingPods
	pod     *v1.Pod
	since   time.Time
	pending []PluginWait // under the owner's lock, as is done
	done    bool
}

type deadline struct {
	at  time.Time
	pod *waitingPod
	PluginWait
}

var _ fwk.WaitingPod = (*waitingPod)(nil)

// NewWaitingPods is an empty list.
func NewWaitingPods() *WaitingPods { return &WaitingPods{byUID: map[types.UID]*waitingPod{}} }

// Wait adds a pod that waits for plugins, each with its own timeout from now on.
func (w *WaitingPods) Wait(pod *v1.Pod, plugins []PluginWait, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if old := w.byUID[pod.UID]; old != nil {
		w.remove(old)
	}
	entry := &waitingPod{owner: w, pod: pod, since: now, pending: slices.Clone(plugins)}
	w.byUID[pod.UID] = entry
	w.entered = append(w.entered, entry)
	w.pending += len(plugins)
	for _, wait := range plugins {
		d := deadline{at: now.Add(wait.Timeout), pod: entry, PluginWait: wait}
		behind := sort.Search(len(w.deadlines), func(i int) bool { return w.deadlines[i].at.After(d.at) })
		w.deadlines = slices.Insert(w.deadlines, behind, d)
	}
}

// Len is the number of waiting pods.
func (w *WaitingPods) Len() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.byUID)
}

// Get finds a waiting pod; nil if the pod is not waiting.
func (w *WaitingPods) Get(uid types.UID) fwk.WaitingPod {
	w.mu.Lock()
	defer w.mu.Unlock()
	if pod, waits := w.byUID[uid]; waits {
		return pod
	}
	return nil
}

// Has reports whether a pod waits, or has waited and its end was not taken yet.
func (w *WaitingPods) Has(uid types.UID) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.byUID[uid] != nil || slices.ContainsFunc(w.ended, func(ended EndedWait) bool { return ended.Pod.UID == uid })
}

// Preempt ends a pod's wait in favour of another pod. Unlike a rejection it leaves no rejecting plugin, so that the pod is tried again after
// a back-off. It returns false if the pod does not wait.
func (w *WaitingPods) Preempt(uid types.UID, plugin, msg string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	pod, waits := w.byUID[uid]
	if waits {
		w.end(pod, fwk.NewStatus(fwk.Error, msg).WithPlugin(plugin))
	}
	return waits
}

// Each visits the waiting pods in order of entry. The visitor may allow and reject any pod; a pod whose wait ends
// meanwhile is not visited.
func (w *WaitingPods) Each(visit func(fwk.WaitingPod)) {
	w.mu.Lock()
	all := slices.Clone(w.entered)
	w.mu.Unlock()
	for _, pod := range all {
		if pod.waits() {
			visit(pod)
		}
	}
}

// NextDeadline is when Expire must be called next; ok is false if no pod waits.
func (w *WaitingPods) NextDeadline() (at time.Time, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.nextDeadline()
}

func (w *WaitingPods) nextDeadline() (at time.Time, ok bool) {
	for len(w.deadlines) > 0 && !w.deadlines[0].isActive() {
		w.deadlines[0] = deadline{}
		w.deadlines = w.deadlines[1:]
	}
	if len(w.deadlines) == 0 {
		return time.Time{}, false
	}
	return w.deadlines[0].at, true
}

// Expire rejects the pods with a passed deadline, in the order of the deadlines.
func (w *WaitingPods) Expire(now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		at, ok := w.nextDeadline()
		if !ok || at.After(now) {
			return
		}
		d := w.deadlines[0]
		d.pod.reject(d.Plugin, fmt.Sprintf("rejected due to timeout after waiting %v at plugin %v", d.Timeout, d.Plugin))
	}
}

// TakeEnded returns the pods whose wait has ended since the last call, in the order of their ends.
func (w *WaitingPods) TakeEnded() []EndedWait {
	w.mu.Lock()
	defer w.mu.Unlock()
	ended := w.ended
	w.ended = nil
	return ended
}

// Fork is a copy that shares nothing but the pods.
func (w *WaitingPods) Fork() *WaitingPods {
	w.mu.Lock()
	defer w.mu.Unlock()
	fork := &WaitingPods{byUID: make(map[types.UID]*waitingPod, len(w.byUID)), pending: w.pending, ended: slices.Clone(w.ended)}
	for _, pod := range w.entered {
		if pod.done {
			continue
		}
		twin := *pod
		twin.owner, twin.pending = fork, slices.Clone(pod.pending)
		fork.byUID[pod.pod.UID] = &twin
		fork.entered = append(fork.entered, &twin)
	}
	for _, d := range w.deadlines {
		if d.isActive() {
			d.pod = fork.byUID[d.pod.pod.UID]
			fork.deadlines = append(fork.deadlines, d)
		}
	}
	return fork
}

func (w *WaitingPods) end(pod *waitingPod, status *fwk.Status) {
	w.ended = append(w.ended, EndedWait{Pod: pod.pod, Status: status, Since: pod.since})
	w.remove(pod)
}

func (w *WaitingPods) remove(pod *waitingPod) {
	pod.done = true
	w.pending -= len(pod.pending)
	delete(w.byUID, pod.pod.UID)
	w.compact()
}

// compact removes inactive entries once they are more than half, which keeps the work per pod constant.
func (w *WaitingPods) compact() {
	const few = 32
	if len(w.entered) > few && len(w.entered) > 2*len(w.byUID) {
		w.entered = slices.DeleteFunc(w.entered, func(pod *waitingPod) bool { return pod.done })
	}
	if len(w.deadlines) > few && len(w.deadlines) > 2*w.pending {
		w.deadlines = slices.DeleteFunc(w.deadlines, func(d deadline) bool { return !d.isActive() })
	}
}

func (d deadline) isActive() bool { return !d.pod.done && d.pod.pendingIndex(d.Plugin) >= 0 }

func (p *waitingPod) pendingIndex(plugin string) int {
	return slices.IndexFunc(p.pending, func(w PluginWait) bool { return w.Plugin == plugin })
}

// GetPod is the pod, with its node set.
func (p *waitingPod) GetPod() *v1.Pod { return p.pod }

// GetPendingPlugins lists the plugins that have not allowed the pod yet, in the order of their Permit calls.
func (p *waitingPod) GetPendingPlugins() []string {
	p.owner.mu.Lock()
	defer p.owner.mu.Unlock()
	plugins := make([]string, len(p.pending))
	for i, w := range p.pending {
		plugins[i] = w.Plugin
	}
	return plugins
}

// Allow removes a plugin from the pending ones; after the last one the pod goes on to its binding.
func (p *waitingPod) Allow(plugin string) {
	p.owner.mu.Lock()
	defer p.owner.mu.Unlock()
	if p.done {
		return
	}
	if i := p.pendingIndex(plugin); i >= 0 {
		p.pending = slices.Delete(p.pending, i, i+1)
		p.owner.pending--
	}
	if len(p.pending) == 0 {
		p.owner.end(p, nil)
	}
}

// Reject rejects the pod. It returns false if its wait has ended before.
func (p *waitingPod) Reject(plugin, msg string) bool {
	p.owner.mu.Lock()
	defer p.owner.mu.Unlock()
	return p.reject(plugin, msg)
}

// Preempt ends the wait in favour of another pod, as [WaitingPods.Preempt] does. It returns false if it has ended before.
func (p *waitingPod) Preempt(plugin, msg string) bool { return p.owner.Preempt(p.pod.UID, plugin, msg) }

func (p *waitingPod) waits() bool {
	p.owner.mu.Lock()
	defer p.owner.mu.Unlock()
	return !p.done
}

func (p *waitingPod) reject(plugin, msg string) bool {
	if p.done {
		return false
	}
	p.owner.end(p, fwk.NewStatus(fwk.Unschedulable, msg).WithPlugin(plugin))
	return true
}
