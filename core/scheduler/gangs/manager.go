package gangs

import (
	"errors"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
)

// Manager serves a State as the WorkloadManager of kube-scheduler's plugin API. Plugins may read groups on any goroutine; they
// assume and forget pods, and ask for the timeout, where the engine calls them.
type Manager struct {
	state *State
	clock interface{ Now() time.Time }
}

// NewManager returns the manager of a state. The clock tells how long a group may wait still.
func NewManager(state *State, clock interface{ Now() time.Time }) *Manager {
	return &Manager{state, clock}
}

var errNoGroup = errors.New("internal pod group state doesn't exist for a pod's workload")

// PodGroupInfo returns the group that a reference names. It follows the state.
func (m *Manager) PodGroupInfo(namespace string, ref *v1.WorkloadReference) (fwk.PodGroupInfo, error) {
	key := KeyOf(namespace, ref)
	m.state.mu.RLock()
	defer m.state.mu.RUnlock()
	if m.state.Group(key) == nil {
		return nil, errNoGroup
	}
	return groupInfo{m, key}, nil
}

type groupInfo struct {
	manager *Manager
	key     Key
}

func (i groupInfo) uidsAt(stages ...Stage) sets.Set[types.UID] {
	i.manager.state.mu.RLock()
	defer i.manager.state.mu.RUnlock()
	uids := sets.New[types.UID]()
	if g := i.manager.state.Group(i.key); g != nil {
		for _, stage := range stages {
			for _, pod := range g.At(stage) {
				uids.Insert(pod.UID)
			}
		}
	}
	return uids
}

func (i groupInfo) AllPods() sets.Set[types.UID] { return i.uidsAt(Unscheduled, Assumed, Assigned) }

func (i groupInfo) AssumedPods() sets.Set[types.UID] { return i.uidsAt(Assumed) }

func (i groupInfo) AssignedPods() sets.Set[types.UID] { return i.uidsAt(Assigned) }

func (i groupInfo) UnscheduledPods() map[string]*v1.Pod {
	i.manager.state.mu.RLock()
	defer i.manager.state.mu.RUnlock()
	pods := map[string]*v1.Pod{}
	if g := i.manager.state.Group(i.key); g != nil {
		for _, pod := range g.At(Unscheduled) {
			pods[pod.Name] = pod
		}
	}
	return pods
}

func (i groupInfo) AssumePod(pod types.UID) { i.manager.state.Assume(i.key, pod) }

func (i groupInfo) ForgetPod(pod types.UID) { i.manager.state.Forget(i.key, pod) }

func (i groupInfo) SchedulingTimeout() time.Duration {
	now := i.manager.clock.Now()
	return i.manager.state.Deadline(i.key, now).Sub(now)
}
