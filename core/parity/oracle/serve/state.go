package serve

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/events"
	fwk "k8s.io/kube-scheduler/framework"
	upstream "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"
	"k8s.io/kubernetes/pkg/scheduler/profile"

	"orrery/core/parity/oracle"
)

// Release is what the API of a release calls otherwise.
type Release struct {
	// Queued returns what a queue knows about a pod.
	Queued func(queue.SchedulingQueue, *v1.Pod) (*framework.QueuedPodInfo, bool)
	// Recorders returns events of all profiles to one recorder.
	Recorders func(events.EventRecorderLogger) profile.RecorderFactory
	// Around has a scheduler call a function in place of its own SchedulePod, which that function is given.
	Around func(*upstream.Scheduler, SchedulePod)
	// Hold has a plugin wait before each eviction of a victim, if the plugin pre-empts.
	Hold func(plugin fwk.PreEnqueuePlugin, wait func())
}

// SchedulePod is called in place of a scheduler's own function: search is that one, with its arguments.
type SchedulePod func(f framework.Framework, pod *v1.Pod, search func() (upstream.ScheduleResult, error)) (upstream.ScheduleResult, error)

// reply returns what has happened since the last reply, and the state.
func (s *scheduler) reply() *oracle.Reply {
	c := s.client
	c.mu.Lock()
	r := &oracle.Reply{At: time.Now().UnixNano(), Decision: s.decided, Calls: c.calls, Events: c.events}
	for _, object := range c.written {
		r.Written = append(r.Written, encode(object))
	}
	s.decided, c.calls, c.events, c.written = nil, nil, nil, nil
	c.mu.Unlock()
	s.claimWrites(r)
	r.Version = s.version
	r.Pods = s.pendingPods()
	r.Nominated = s.nominations()
	s.assumptions(r)
	r.Devices = s.devices()
	return r
}

// claimWrites moves the writes of claims for devices to the reply.
func (s *scheduler) claimWrites(r *oracle.Reply) {
	claims := s.client.claims
	claims.Lock()
	defer claims.Unlock()
	for _, version := range claims.Versions {
		r.Claims = append(r.Claims, encode(version))
	}
	claims.Versions, claims.Said = nil, nil
	for name, claim := range claims.Written {
		if claim == nil {
			r.Freed = append(r.Freed, name)
		}
	}
	slices.Sort(r.Freed)
}

// pendingPods are the pods without a node, as the queue has them.
func (s *scheduler) pendingPods() map[string]oracle.Pod {
	q, places := s.sched.SchedulingQueue, map[types.UID]string{}
	for place, pods := range map[string][]*v1.Pod{
		"active": q.PodsInActiveQ(), "backoff": q.PodsInBackoffQ(), "unschedulable": q.UnschedulablePods(),
	} {
		for _, pod := range pods {
			places[pod.UID] = place
		}
	}
	all := map[string]oracle.Pod{}
	for name, pod := range s.objects.pods {
		if pod.Spec.NodeName != "" {
			continue
		}
		is := oracle.Pod{Queue: places[pod.UID]}
		info, known := s.release.Queued(q, pod)
		if known {
			is.Known, is.Gate = true, info.GatingPlugin
			is.Attempts, is.Unschedulable, is.Errors = info.GetAttempts(), info.GetUnschedulableCount(), info.GetConsecutiveErrorsCount()
			is.Rejectors, is.Pending = sets.List(info.UnschedulablePlugins), sets.List(info.PendingPlugins)
			if info.Gated() {
				is.Gates = s.gates(pod)
			}
			if info.Gated() && is.Queue == "unschedulable" {
				is.Queue = "gated"
			}
		}
		all[name] = is
	}
	return all
}

// gates are the plugins that would gate a pod.
func (s *scheduler) gates(pod *v1.Pod) (names []string) {
	for _, plugin := range s.sched.Profiles[pod.Spec.SchedulerName].PreEnqueuePlugins() {
		if !plugin.PreEnqueue(s.ctx, pod).IsSuccess() {
			names = append(names, plugin.Name())
		}
	}
	slices.Sort(names)
	return names
}

func (s *scheduler) nominations() map[string][]string {
	all := map[string][]string{}
	for node := range s.objects.nodes {
		for _, info := range s.sched.SchedulingQueue.NominatedPodsForNode(node) {
			all[node] = append(all[node], info.GetPod().Name)
		}
	}
	return all
}

// assumptions reads the assume caches of all profiles' VolumeBinding, which it does not export.
func (s *scheduler) assumptions(r *oracle.Reply) {
	r.AssumedVolumes, r.AssumedClaims = map[string]json.RawMessage{}, map[string]json.RawMessage{}
	for _, profile := range s.sched.Profiles {
		plugin := reflect.ValueOf(profile).Elem().FieldByName("pluginsMap").MapIndex(reflect.ValueOf(volumebinding.Name))
		if !plugin.IsValid() {
			continue
		}
		binder := reflect.ValueOf((*volumebinding.VolumeBinding)(plugin.Elem().UnsafePointer()).Binder).Elem()
		each := func(cache string, visit func(key string, object reflect.Value)) {
			objects := binder.FieldByName(cache).FieldByName("passiveAssumeCache").Elem().FieldByName("assumed")
			for entries := objects.MapRange(); entries.Next(); {
				visit(entries.Key().String(), entries.Value())
			}
		}
		each("pvCache", func(key string, object reflect.Value) {
			r.AssumedVolumes[key] = encoded((*v1.PersistentVolume)(object.UnsafePointer()))
		})
		each("pvcCache", func(key string, object reflect.Value) {
			r.AssumedClaims[key] = encoded((*v1.PersistentVolumeClaim)(object.UnsafePointer()))
		})
	}
}

// devices are those that are allocated, and what is consumed of their capacity.
func (s *scheduler) devices() (all []string) {
	for _, profile := range s.sched.Profiles {
		state, err := profile.SharedDRAManager().ResourceClaims().GatherAllocatedState()
		if err != nil {
			panic(fmt.Sprintf("gathering the allocated devices: %v", err))
		}
		for id := range state.AllocatedDevices {
			all = append(all, id.String())
		}
		for id, amounts := range state.AggregatedCapacity {
			for name, amount := range amounts {
				all = append(all, fmt.Sprintf("%s %s=%s", id, name, amount))
			}
		}
		break // all share one
	}
	slices.Sort(all)
	return all
}
