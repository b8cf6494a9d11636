package gangscheduling

import (
	"context"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/objects/workloads"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/gangs"
	"orrery/core/scheduler/plugins/hint"
)

// Name of the plugin.
const Name = config.GangSchedulingPlugin

// GangScheduling is the plugin.
type GangScheduling struct {
	handle    fwk.Handle
	gangs     *gangs.State
	clock     framework.Clock
	workloads cache.Indexer
}

var (
	_ framework.GroupGate   = (*GangScheduling)(nil)
	_ fwk.ReservePlugin     = (*GangScheduling)(nil)
	_ fwk.PermitPlugin      = (*GangScheduling)(nil)
	_ fwk.EnqueueExtensions = (*GangScheduling)(nil)
)

// New makes the plugin; it takes no arguments. Its handle must be a framework.GangState and a Clock. With its gates off it does
// nothing: an API server without them keeps no references to workloads.
func New(_ context.Context, _ runtime.Object, h fwk.Handle, features config.Features) (fwk.Plugin, error) {
	if !features.Enabled(config.GangScheduling) {
		return &GangScheduling{}, nil
	}
	state, hasState := h.(framework.GangState)
	clock, tells := h.(framework.Clock)
	if !hasState || !tells {
		return nil, fmt.Errorf("its handle, a %T, has no state of gangs, or no time", h)
	}
	return &GangScheduling{
		handle: h, gangs: state.Gangs(), clock: clock,
		workloads: h.SharedInformerFactory().InformerFor(&workloads.Workload{}, informerOf).GetIndexer(),
	}, nil
}

// informerOf makes an informer of workloads that are put into it, where no store serves them.
func informerOf(kubernetes.Interface, time.Duration) cache.SharedIndexInformer {
	return cache.NewSharedIndexInformer(&cache.ListWatch{}, &workloads.Workload{}, 0, cache.Indexers{})
}

// workload returns a workload, or an error as a lister's.
func (pl *GangScheduling) workload(namespace, name string) (*workloads.Workload, error) {
	held, is, err := pl.workloads.GetByKey(namespace + "/" + name)
	if err == nil && !is {
		err = apierrors.NewNotFound(schema.GroupResource{Group: workloads.GroupVersion.Group, Resource: "workload"}, name)
	}
	if err != nil {
		return nil, err
	}
	return held.(*workloads.Workload), nil
}

// Name is the plugin's name.
func (*GangScheduling) Name() string { return Name }

// isMember reports whether a pod is of a group.
func (pl *GangScheduling) isMember(pod *v1.Pod) bool {
	return pl.gangs != nil && workloads.IsMember(pod)
}

// PreEnqueue keeps a pod out of the queue until its workload and enough pods of its gang exist.
func (pl *GangScheduling) PreEnqueue(_ context.Context, pod *v1.Pod) *fwk.Status {
	if !pl.isMember(pod) {
		return nil
	}
	ref, _ := workloads.RefOf(pod)
	workload, err := pl.workload(pod.Namespace, ref.Name)
	switch {
	case apierrors.IsNotFound(err):
		workload = nil
	case err != nil:
		return fwk.AsStatus(fmt.Errorf("failed to get workload %s/%s", pod.Namespace, ref.Name))
	}
	switch progress, _ := gangs.ProgressOf(workload, ref.PodGroup, pl.gangs.Group(gangs.KeyOf(pod))); progress {
	case gangs.NoWorkload:
		return rejected("waiting for pods's workload %q to appear in scheduling queue", ref.Name)
	case gangs.NoGroup:
		return rejected("pod group %q doesn't exist for a workload %q", ref.PodGroup, workload.Name)
	case gangs.Incomplete:
		return rejected("waiting for minCount pods from a gang to appear in scheduling queue")
	}
	return nil
}

// GateGroup is the gang that PreEnqueue decides about.
func (pl *GangScheduling) GateGroup(pod *v1.Pod) any {
	if !pl.isMember(pod) {
		return nil
	}
	return gangs.KeyOf(pod)
}

func rejected(format string, args ...any) *fwk.Status {
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, fmt.Sprintf(format, args...)).WithPlugin(Name)
}

// Reserve notes that a member has a place.
func (pl *GangScheduling) Reserve(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) *fwk.Status {
	if pl.isMember(pod) {
		pl.gangs.Assume(gangs.KeyOf(pod), pod.UID)
	}
	return nil
}

// Unreserve notes that it has none any more.
func (pl *GangScheduling) Unreserve(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) {
	if pl.isMember(pod) {
		pl.gangs.Forget(gangs.KeyOf(pod), pod.UID)
	}
}

// Permit has a member wait until as many of its gang have places as have to be bound together, and then allows all that wait.
func (pl *GangScheduling) Permit(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) (*fwk.Status, time.Duration) {
	if !pl.isMember(pod) {
		return nil, 0
	}
	ref, _ := workloads.RefOf(pod)
	workload, err := pl.workload(pod.Namespace, ref.Name)
	if err != nil {
		return fwk.AsStatus(fmt.Errorf("failed to get workload %s/%s: %w", pod.Namespace, ref.Name, err)), 0
	}
	policy := gangs.PolicyOf(workload, ref.PodGroup)
	if policy == nil {
		return fwk.AsStatus(fmt.Errorf("pod group %q doesn't exist for a workload %q", ref.PodGroup, workload.Name)), 0
	}
	if policy.Gang == nil {
		return nil, 0
	}
	key := gangs.KeyOf(pod)
	group := pl.gangs.Group(key)
	if group == nil {
		return fwk.AsStatus(fmt.Errorf("pod %s/%s is not known in its pod group", pod.Namespace, pod.Name)), 0
	}
	if group.Placed() < int(policy.Gang.MinCount) {
		pl.tryOthers(group)
		now := pl.clock.Now()
		return fwk.NewStatus(fwk.Wait, "waiting for minCount pods from a gang to be waiting on permit"), pl.gangs.Deadline(key, now).Sub(now)
	}
	for _, member := range group.Held() {
		if waiting := pl.handle.GetWaitingPod(member.UID); waiting != nil {
			waiting.Allow(Name)
		}
	}
	pl.gangs.Allowed(key)
	return nil, 0
}

// tryOthers has the members without a place tried again: they may have waited for this one's. Those in activeQ are next anyway.
func (pl *GangScheduling) tryOthers(group *gangs.Group) {
	others := map[string]*v1.Pod{}
	for _, member := range group.Idle() {
		others[member.Name] = member
	}
	pl.handle.Activate(klog.Background(), others)
}

// EventsToRegister returns the events that may let a rejected pod into the queue: another pod of its group, and its workload.
func (pl *GangScheduling) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{
		{Event: fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.Add}, QueueingHintFn: hint.Of(pl.afterPodAdded)},
		{Event: fwk.ClusterEvent{Resource: workloads.Resource, ActionType: fwk.Add}, QueueingHintFn: hint.Of(pl.afterWorkloadAdded)},
	}, nil
}

func (*GangScheduling) afterPodAdded(pod *v1.Pod, _, added *v1.Pod) bool {
	return workloads.IsMember(pod) && gangs.KeyOf(pod) == gangs.KeyOf(added)
}

func (*GangScheduling) afterWorkloadAdded(pod *v1.Pod, _, added *workloads.Workload) bool {
	ref, is := workloads.RefOf(pod)
	return is && pod.Namespace == added.Namespace && ref.Name == added.Name
}
