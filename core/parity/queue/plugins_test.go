package queue

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	upstream "k8s.io/kubernetes/pkg/scheduler/backend/queue"

	ours "orrery/core/scheduler/queue"
)

// rejector is a plugin that registers events, with hints that depend only on the objects.
type rejector struct {
	name   string
	events []fwk.ClusterEventWithHint
}

func (r rejector) Name() string { return r.name }

func (r rejector) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return r.events, nil
}

// gate is a rejector whose PreEnqueue rejects pods with a label of its name, and listed pods.
type gate struct {
	rejector
	closed map[string]bool
}

func (g gate) PreEnqueue(_ context.Context, pod *v1.Pod) *fwk.Status {
	if pod.Labels["gate"] == g.name || g.closed[pod.Name] {
		return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "closed")
	}
	return nil
}

// chance returns a hint that is Queue for about one in n pairs of pod and object, and sometimes returns an error.
func chance(plugin string, n uint64) fwk.QueueingHintFn {
	return func(_ klog.Logger, pod *v1.Pod, old, updated any) (fwk.QueueingHint, error) {
		h := fnv.New64a()
		fmt.Fprint(h, plugin, pod.UID, nameOf(old), nameOf(updated))
		sum := h.Sum64() >> 7
		switch {
		case sum%23 == 0:
			return fwk.QueueSkip, errors.New("no idea")
		case sum%n == 0:
			return fwk.Queue, nil
		}
		return fwk.QueueSkip, nil
	}
}

func nameOf(object any) string {
	if m, ok := object.(metav1.Object); ok && m != nil {
		return m.GetName() + m.GetResourceVersion()
	}
	return ""
}

func own(_ klog.Logger, pod *v1.Pod, _, updated any) (fwk.QueueingHint, error) {
	if p, ok := updated.(*v1.Pod); ok && p.UID == pod.UID {
		return fwk.Queue, nil
	}
	return fwk.QueueSkip, nil
}

func on(resource fwk.EventResource, action fwk.ActionType, hint fwk.QueueingHintFn) fwk.ClusterEventWithHint {
	return fwk.ClusterEventWithHint{Event: fwk.ClusterEvent{Resource: resource, ActionType: action}, QueueingHintFn: hint}
}

// names of the plugins that reject pods in scripts.
var rejectors = []string{"Fit", "Spread", "Volumes", "Claims", "Silent", "Taints", "Stranger"}

// scheme configures both queues.
type scheme struct {
	gates map[string][]fwk.PreEnqueuePlugin
	exts  map[string][]fwk.EnqueueExtensions
	// storage has the plugins of volumes, which are each side's own.
	storage *storagePlugins
	// closed has the pods that the gate Waits rejects at present.
	closed map[string]bool
}

func newScheme(storage *storagePlugins) scheme {
	s := scheme{storage: storage, closed: map[string]bool{}}
	label := gate{rejector: rejector{"Label", []fwk.ClusterEventWithHint{on(fwk.Pod, fwk.UpdatePodLabel, own)}}}
	nodes := gate{rejector: rejector{"Nodes", []fwk.ClusterEventWithHint{on(fwk.Node, fwk.Add, chance("Nodes", 2))}}}
	waits := gate{rejector{"Waits", []fwk.ClusterEventWithHint{on(fwk.Pod, fwk.Delete, chance("Waits", 1_000_000))}}, s.closed}
	wild := gate{rejector: rejector{"Wild", []fwk.ClusterEventWithHint{on(fwk.WildCard, fwk.All, chance("Wild", 2))}}}
	s.gates = map[string][]fwk.PreEnqueuePlugin{
		"first": {label, nodes, waits, wild}, "second": {label}, "third": nil,
	}
	fit := rejector{"Fit", []fwk.ClusterEventWithHint{
		on(fwk.Node, fwk.Add|fwk.UpdateNodeAllocatable, chance("Fit", 2)),
		on(fwk.Pod, fwk.Delete|fwk.UpdatePodScaleDown, chance("Fit", 3)),
	}}
	spread := rejector{"Spread", []fwk.ClusterEventWithHint{
		on(fwk.Pod, fwk.Add|fwk.UpdatePodLabel|fwk.UpdatePodToleration|fwk.Delete, chance("Spread", 3)),
		on(fwk.Node, fwk.Add|fwk.Delete|fwk.UpdateNodeLabel|fwk.UpdateNodeTaint, chance("Spread", 2)),
	}}
	volumes := rejector{"Volumes", []fwk.ClusterEventWithHint{
		on(fwk.PersistentVolumeClaim, fwk.Add|fwk.Update, nil),
		on(fwk.StorageClass, fwk.Add, chance("Volumes", 2)),
		on(fwk.Node, fwk.Add, nil),
	}}
	claims := rejector{"Claims", []fwk.ClusterEventWithHint{
		on(fwk.ResourceClaim, fwk.Add|fwk.Update, chance("Claims", 2)),
		on(fwk.Pod, fwk.UpdatePodGeneratedResourceClaim, own),
		on(fwk.PersistentVolumeClaim, fwk.Add, chance("Claims", 2)),
	}}
	taints := rejector{"Taints", []fwk.ClusterEventWithHint{
		on(fwk.Node, fwk.Add|fwk.UpdateNodeTaint, chance("Taints", 2)),
		on(fwk.Pod, fwk.UpdatePodToleration, own),
	}}
	stranger := ours.AllEvents("Stranger", false)
	s.exts = map[string][]fwk.EnqueueExtensions{
		"first":  {label, nodes, waits, wild, fit, spread, volumes, claims, rejector{name: "Silent"}, taints, stranger},
		"second": {label, fit, spread, taints},
		"third":  {claims, fit},
	}
	return s
}

// with returns the extensions of a profile, with the plugins of volumes unless it is the second.
func (s scheme) with(profile string, exts, storage []fwk.EnqueueExtensions) []fwk.EnqueueExtensions {
	if profile == "second" {
		return exts
	}
	return slices.Concat(exts, storage)
}

// profiles returns the scheme in the form of our queue.
func (s scheme) profiles() map[string]ours.Profile {
	profiles := map[string]ours.Profile{}
	for name, exts := range s.exts {
		hints, err := ours.NewExactHints(s.with(name, exts, s.storage.ours)...)
		if err != nil {
			panic(err)
		}
		profiles[name] = ours.Profile{PreEnqueue: s.gates[name], Hints: hints}
	}
	return profiles
}

// upstreamMaps returns the scheme in the form of upstream's queue, built as its scheduler does.
func (s scheme) upstreamMaps() (map[string]map[string]fwk.PreEnqueuePlugin, upstream.QueueingHintMapPerProfile) {
	gates := map[string]map[string]fwk.PreEnqueuePlugin{}
	hints := upstream.QueueingHintMapPerProfile{}
	always := func(klog.Logger, *v1.Pod, any, any) (fwk.QueueingHint, error) { return fwk.Queue, nil }
	for name, exts := range s.exts {
		gates[name], hints[name] = map[string]fwk.PreEnqueuePlugin{}, upstream.QueueingHintMap{}
		for _, g := range s.gates[name] {
			gates[name][g.Name()] = g
		}
		for _, ext := range s.with(name, exts, s.storage.theirs) {
			events, _ := ext.EventsToRegister(context.Background())
			register := func(e fwk.ClusterEvent, fn fwk.QueueingHintFn) {
				if fn == nil {
					fn = always
				}
				hints[name][e] = append(hints[name][e], &upstream.QueueingHintFunction{PluginName: ext.Name(), QueueingHintFn: fn})
			}
			for _, e := range events {
				register(e.Event, e.QueueingHintFn)
			}
		}
	}
	return gates, hints
}
