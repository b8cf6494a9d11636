package devices

import (
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/structured/schedulerapi"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/devices/allocate"
	"orrery/core/world"
)

// Manager serves a state to plugins of kube-scheduler.
type Manager struct{ state *State }

// NewManager returns the manager of a state.
func NewManager(s *State) fwk.SharedDRAManager { return Manager{s} }

// ResourceClaims serves claims, and takes what plugins decide about them.
func (m Manager) ResourceClaims() fwk.ResourceClaimTracker { return claimTracker(m) }

// ResourceSlices serves slices with the taints of rules.
func (m Manager) ResourceSlices() fwk.ResourceSliceLister { return sliceLister(m) }

// DeviceClasses serves classes.
func (m Manager) DeviceClasses() fwk.DeviceClassLister { return classLister(m) }

// DeviceClassResolver serves classes by extended resources.
func (m Manager) DeviceClassResolver() fwk.DeviceClassResolver { return classResolver(m) }

type claimTracker Manager

func (t claimTracker) List() ([]*resourcev1.ResourceClaim, error) { return t.state.Claims(), nil }

func (t claimTracker) Get(namespace, name string) (*resourcev1.ResourceClaim, error) {
	if claim := t.state.Claim(namespace, name); claim != nil {
		return claim, nil
	}
	return nil, NotFound{namespace, name}
}

func (t claimTracker) ListAllAllocatedDevices() (sets.Set[schedulerapi.DeviceID], error) {
	return t.state.takenDevices(), nil
}

func (t claimTracker) GatherAllocatedState() (*schedulerapi.AllocatedState, error) {
	all := &schedulerapi.AllocatedState{
		AllocatedDevices: t.state.takenDevices(), AllocatedSharedDeviceIDs: sets.New[schedulerapi.SharedDeviceID](),
		AggregatedCapacity: schedulerapi.NewConsumedCapacityCollection(),
	}
	for id, amounts := range t.state.taken.by.Capacity {
		all.AggregatedCapacity.Insert(schedulerapi.NewDeviceConsumedCapacity(deviceID(id), amounts))
	}
	for result := range t.state.sharedParts() {
		all.AllocatedSharedDeviceIDs.Insert(schedulerapi.MakeSharedDeviceID(schedulerapi.MakeDeviceID(result.Driver, result.Pool, result.Device), result.ShareID))
	}
	return all, nil
}

func (s *State) takenDevices() sets.Set[schedulerapi.DeviceID] {
	all := sets.New[schedulerapi.DeviceID]()
	for id := range s.taken.by.Devices {
		all.Insert(deviceID(id))
	}
	return all
}

// deviceID is an ID of the plugin API.
func deviceID(id allocate.DeviceID) schedulerapi.DeviceID {
	return schedulerapi.MakeDeviceID(id.Driver.Value(), id.Pool.Value(), id.Device.Value())
}

// TakenOf returns what another's manager says is taken.
func TakenOf(all *schedulerapi.AllocatedState) allocate.Taken {
	t := allocate.Taken{Devices: map[allocate.DeviceID]struct{}{}, Shared: map[allocate.DeviceID]struct{}{}, Capacity: allocate.Parts{}}
	for id := range all.AllocatedDevices {
		t.Devices[allocate.MakeDeviceID(id.Driver.String(), id.Pool.String(), id.Device.String())] = struct{}{}
	}
	for id := range all.AllocatedSharedDeviceIDs {
		t.Shared[allocate.MakeDeviceID(id.Driver.String(), id.Pool.String(), id.Device.String())] = struct{}{}
	}
	for id, amounts := range all.AggregatedCapacity {
		consumed := allocate.Consumed{}
		for name, amount := range amounts {
			consumed[name] = *amount
		}
		t.Capacity.Insert(allocate.MakeDeviceID(id.Driver.String(), id.Pool.String(), id.Device.String()), consumed)
	}
	return t
}

func (t claimTracker) SignalClaimPendingAllocation(uid types.UID, claim *resourcev1.ResourceClaim) error {
	t.state.SetInFlight(uid, claim)
	return nil
}

// GetPendingAllocation returns what a claim gets that is about to be written; nil if it is not.
func (t claimTracker) GetPendingAllocation(uid types.UID) *resourcev1.AllocationResult {
	if claim := t.state.InFlight(uid); claim != nil {
		return claim.Status.Allocation
	}
	return nil
}

// MaybeRemoveClaimPendingAllocation ends what SignalClaimPendingAllocation began, by force or not: only the claims of pod groups have several
// users while they are pending, and the gate of those is refused.
func (t claimTracker) MaybeRemoveClaimPendingAllocation(uid types.UID, _ bool) bool {
	return t.state.RemoveInFlight(uid)
}

func (t claimTracker) AssumeClaimAfterAPICall(claim *resourcev1.ResourceClaim) error {
	return t.state.Assume(claim, claim.ResourceVersion)
}

func (t claimTracker) AssumedClaimRestore(namespace, name string) { t.state.Restore(namespace, name) }

// NotFound is the error for a claim that does not exist, in kube-scheduler's words.
type NotFound struct{ Namespace, Name string }

// Is has the error be that of kube-scheduler's cache of claims, for which its plugin waits until a claim can be read. The error
// itself is in a package of the scheduler that plugins cannot import.
func (NotFound) Is(target error) bool { return target.Error() == "object not found" }

func (n NotFound) Error() string {
	return `could not find ResourceClaim "` + n.Namespace + "/" + n.Name + `"`
}

type sliceLister Manager

func (l sliceLister) ListWithDeviceTaintRules() ([]*resourcev1.ResourceSlice, error) {
	return append([]*resourcev1.ResourceSlice(nil), l.state.Slices()...), nil
}

type classLister Manager

func (l classLister) List() ([]*resourcev1.DeviceClass, error) {
	var all []*resourcev1.DeviceClass
	for object := range l.state.store.Objects(world.DeviceClass) {
		if class, ok := object.(*resourcev1.DeviceClass); ok {
			all = append(all, class)
		}
	}
	return all, nil
}

func (l classLister) Get(name string) (*resourcev1.DeviceClass, error) {
	if class := l.state.Class(name); class != nil {
		return class, nil
	}
	return nil, apierrors.NewNotFound(resourcev1.Resource("deviceclass"), name)
}

type classResolver Manager

func (r classResolver) GetDeviceClass(resource v1.ResourceName) *resourcev1.DeviceClass {
	return r.state.ClassOf(resource)
}
