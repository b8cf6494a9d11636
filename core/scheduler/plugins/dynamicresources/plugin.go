package dynamicresources

import (
	"context"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/events"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/utils/ptr"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/devices"
	"orrery/core/scheduler/devices/allocate"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/release"
	"orrery/core/scheduler/reuse"
)

// Name of the plugin, in configurations, metrics and statuses.
const Name = config.DynamicResources

// DynamicResources is the plugin.
type DynamicResources struct {
	devices   *devices.State
	emitter   framework.Emitter
	rand      framework.Rand
	activator fwk.PodActivator
	events    events.EventRecorder
	pods      corelisters.PodLister
	classes   fwk.DeviceClassLister
	selectors *allocate.Selectors
	clock     framework.Clock
	kept      verdictCache
	handle    fwk.Handle    // has the snapshot
	classed   []*requestSet // those with classes of nodes, the last used one last
	// usuallyFound is how many nodes the last placed pod could choose from.
	usuallyFound int

	features          allocate.Features // of the allocator
	quiet             bool              // PostFilter says nothing where it does nothing
	timeoutFails      bool              // a search that takes too long fails the attempt, and does not reject the node
	claimDeletions    bool              // the deletion of a claim may help a pod
	scoresAllocated   bool              // what claims got in earlier attempts counts
	ownersByKind      bool              // the owner of a generated claim is called Pod, not pod
	words             *bindingWords
	bindingConditions bool
	extendedResources bool
	filterTimeout     time.Duration // zero for none
	bindingTimeout    time.Duration
}

var (
	_ fwk.PreEnqueuePlugin      = (*DynamicResources)(nil)
	_ fwk.PreFilterPlugin       = (*DynamicResources)(nil)
	_ fwk.FilterPlugin          = (*DynamicResources)(nil)
	_ fwk.PostFilterPlugin      = (*DynamicResources)(nil)
	_ fwk.ScorePlugin           = (*DynamicResources)(nil)
	_ fwk.ScoreExtensions       = (*DynamicResources)(nil)
	_ fwk.ReservePlugin         = (*DynamicResources)(nil)
	_ framework.StepwisePreBind = (*DynamicResources)(nil)
	_ framework.BindingCoder    = (*DynamicResources)(nil)
	_ framework.EffectHandler   = (*DynamicResources)(nil)
	_ framework.ScaledScore     = (*DynamicResources)(nil)
	_ fwk.EnqueueExtensions     = (*DynamicResources)(nil)
)

// New makes the plugin from DynamicResourcesArgs. Its handle must be a framework.DeviceState, Emitter, Rand and Clock.
func New(_ context.Context, args runtime.Object, h fwk.Handle, features config.Features) (fwk.Plugin, error) {
	resources, ok := args.(*configv1.DynamicResourcesArgs)
	if !ok {
		return nil, fmt.Errorf("got args of type %T, want *DynamicResourcesArgs", args)
	}
	if err := config.ValidateDynamicResourcesArgs(nil, resources, features); err != nil {
		return nil, err
	}
	state, hasState := h.(framework.DeviceState)
	emitter, emits := h.(framework.Emitter)
	random, draws := h.(framework.Rand)
	clock, tells := h.(framework.Clock)
	if !hasState || !emits || !draws || !tells {
		return nil, fmt.Errorf("its handle, a %T, has no state of devices, or no effects, random numbers and time", h)
	}
	allocator := AllocatorFeatures(features)
	pl := &DynamicResources{
		devices: state.Devices(), emitter: emitter, rand: random, clock: clock, activator: h, events: h.EventRecorder(),
		classes: devices.NewManager(state.Devices()).DeviceClasses(),
		pods:    h.SharedInformerFactory().Core().V1().Pods().Lister(),
		kept:    newVerdictCache(), handle: h, selectors: allocate.NewSelectors(allocator),

		features: allocator, bindingConditions: allocator.DeviceBindingAndStatus,
		quiet:             features.Has(release.NoClaimsNoMessage),
		timeoutFails:      features.Has(release.FilterTimeoutFails),
		claimDeletions:    features.Has(release.ClaimDeletionsRequeue),
		scoresAllocated:   features.Has(release.AllocatedClaimsScored),
		ownersByKind:      features.Has(release.ClaimOwnersNamedByKind),
		extendedResources: features.Enabled(config.DRAExtendedResource),
		bindingTimeout:    ptr.Deref(resources.BindingTimeout, metav1.Duration{Duration: configv1.DynamicResourcesBindingTimeoutDefault}).Duration,
	}
	if pl.words = &wordsUpTo135; features.Has(release.BindingFailuresAlike) {
		pl.words = &wordsFrom136
	}
	if features.Enabled(config.DRASchedulerFilterTimeout) {
		pl.filterTimeout = ptr.Deref(resources.FilterTimeout, metav1.Duration{}).Duration
	}
	requestKinds(h, features)
	return pl, nil
}

// AllocatorFeatures are what the feature gates say about the allocator.
func AllocatorFeatures(features config.Features) allocate.Features {
	return allocate.Features{
		AdminAccess:            features.Enabled(config.DRAAdminAccess),
		PrioritizedList:        features.Enabled(config.DRAPrioritizedList),
		PartitionableDevices:   features.Enabled(config.DRAPartitionableDevices),
		DeviceTaints:           features.Enabled(config.DRADeviceTaints),
		DeviceBindingAndStatus: features.Enabled(config.DRADeviceBindingConditions) && features.Enabled(config.DRAResourceClaimDeviceStatus),
		ConsumableCapacity:     features.Enabled(config.DRAConsumableCapacity),
		Rules:                  allocate.RulesOf(features.Has),
	}
}

// requestKinds has the world serve what the state of devices is made of. Rules are an API of their own, which is served only
// with its gate.
func requestKinds(h fwk.Handle, features config.Features) {
	resource := h.SharedInformerFactory().Resource()
	resource.V1().ResourceClaims().Informer()
	resource.V1().ResourceSlices().Informer()
	resource.V1().DeviceClasses().Informer()
	if features.Enabled(config.DRADeviceTaintRules) {
		resource.V1alpha3().DeviceTaintRules().Informer()
	}
}

// Name is the plugin's name.
func (*DynamicResources) Name() string { return Name }

// AppendSignature refuses a pod with claims: which devices it gets depends on more than its node. Others have no verdict.
func (*DynamicResources) AppendSignature(to reuse.Signature, state fwk.CycleState, _ *v1.Pod) (reuse.Signature, bool) {
	c, err := readCycle(state)
	return to, err == nil && c.claims.empty()
}

// SignPod signs no pod with claims: which devices it gets depends on more than its node, and upstream does not tell yet those that
// would not matter (kubernetes issue 134986).
func (*DynamicResources) SignPod(_ context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	if len(pod.Spec.ResourceClaims) > 0 {
		return nil, notSignable
	}
	return nil, nil
}

var (
	skip        = fwk.NewStatus(fwk.Skip)
	notSignable = fwk.NewStatus(fwk.Unschedulable, "pods with dra resource claims are not signable").WithPlugin(Name)
)

// rejection is the status of a pod, or of a node, that another node's or pod's end does not help.
func rejection(reason string) *fwk.Status {
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, reason).WithPlugin(Name)
}
