package devices

import (
	"sync"

	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	resourcelisters "k8s.io/client-go/listers/resource/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// Shared serves a state to plugins whose PreBind runs on a goroutine of its own, as that of kube-scheduler's DynamicResources
// does. Only the engine changes the state: what such a plugin assumes, or gives up, is posted, and the engine carries it out
// before its next input or decision. From any goroutine a plugin may use Get, AssumeClaimAfterAPICall, AssumedClaimRestore and
// MaybeRemoveClaimPendingAllocation of ResourceClaims; everything else is for the other extension points.
type Shared struct {
	Manager
	post   func(func())
	lister func() resourcelisters.ResourceClaimLister
	once   sync.Once
	claims resourcelisters.ResourceClaimLister // of the store, from any goroutine; nil before the first use

	mu       sync.RWMutex // of what follows, and of the state's assumptions while they change
	posted   map[types.NamespacedName]*resourcev1.ResourceClaim
	inFlight sets.Set[types.UID]
}

// NewShared returns the manager of a state. post has a change of the state carried out by the one who may change it. lister is
// called when claims are first used, by a plugin's PreEnqueue or PreFilter: to make it requests the watch of claims.
func NewShared(s *State, lister func() resourcelisters.ResourceClaimLister, post func(func())) *Shared {
	m := &Shared{
		Manager: Manager{s}, lister: lister, post: post,
		posted: map[types.NamespacedName]*resourcev1.ResourceClaim{}, inFlight: sets.New[types.UID](),
	}
	s.guard = &m.mu
	return m
}

// ResourceClaims serves claims, and takes what plugins decide about them.
func (m *Shared) ResourceClaims() fwk.ResourceClaimTracker {
	m.once.Do(func() { m.claims = m.lister() })
	return sharedTracker{claimTracker(m.Manager), m}
}

type sharedTracker struct {
	claimTracker
	m *Shared
}

// Get returns a claim with what is assumed of it, by a change that is posted or by the state.
func (t sharedTracker) Get(namespace, name string) (*resourcev1.ResourceClaim, error) {
	if claim := t.m.assumed(types.NamespacedName{Namespace: namespace, Name: name}); claim != nil {
		return claim, nil
	}
	claim, err := t.m.claims.ResourceClaims(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		return nil, NotFound{namespace, name}
	}
	return claim, err
}

func (m *Shared) assumed(name types.NamespacedName) *resourcev1.ResourceClaim {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if claim := m.posted[name]; claim != nil {
		return claim
	}
	return m.state.assumed[name].state
}

func (t sharedTracker) SignalClaimPendingAllocation(uid types.UID, claim *resourcev1.ResourceClaim) error {
	t.m.mu.Lock()
	t.m.inFlight.Insert(uid)
	t.m.mu.Unlock()
	t.m.post(func() { t.m.state.SetInFlight(uid, claim) }) // in order with removals that are posted
	return nil
}

func (t sharedTracker) MaybeRemoveClaimPendingAllocation(uid types.UID, _ bool) bool {
	t.m.mu.Lock()
	inFlight := t.m.inFlight.Has(uid)
	t.m.inFlight.Delete(uid)
	t.m.mu.Unlock()
	t.m.post(func() { t.m.state.RemoveInFlight(uid) })
	return inFlight
}

// AssumeClaimAfterAPICall assumes a claim as the API server returned it. It is an error if the store does not have the claim yet.
func (t sharedTracker) AssumeClaimAfterAPICall(claim *resourcev1.ResourceClaim) error {
	name := nameOf(claim)
	if _, err := t.Get(name.Namespace, name.Name); err != nil {
		return err
	}
	t.m.mu.Lock()
	t.m.posted[name] = claim
	t.m.mu.Unlock()
	t.m.post(func() {
		_ = t.m.state.Assume(claim, claim.ResourceVersion) // it fails if the claim was deleted or replaced: then nothing is to be assumed
		t.m.carriedOut(name, claim)
	})
	return nil
}

// carriedOut ends that an assumption is posted, unless a later one is.
func (m *Shared) carriedOut(name types.NamespacedName, claim *resourcev1.ResourceClaim) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.posted[name] == claim {
		delete(m.posted, name)
	}
}

func (t sharedTracker) AssumedClaimRestore(namespace, name string) {
	t.m.mu.Lock()
	delete(t.m.posted, types.NamespacedName{Namespace: namespace, Name: name})
	t.m.mu.Unlock()
	t.m.post(func() { t.m.state.Restore(namespace, name) })
}

var (
	_ fwk.SharedDRAManager     = (*Shared)(nil)
	_ fwk.ResourceClaimTracker = sharedTracker{}
)
