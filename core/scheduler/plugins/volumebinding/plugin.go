package volumebinding

import (
	"context"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	corelisters "k8s.io/client-go/listers/core/v1"
	storagelisters "k8s.io/client-go/listers/storage/v1"
	"k8s.io/client-go/tools/cache"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/utils/ptr"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/podvolumes"
	"orrery/core/scheduler/plugins/shape"
	"orrery/core/scheduler/volumes"
)

// Name of the plugin, in configurations, metrics and statuses.
const Name = config.VolumeBinding

// VolumeBinding is the plugin.
type VolumeBinding struct {
	volumes    *volumes.State
	nodes      corelisters.NodeLister
	pods       corelisters.PodLister
	classes    storagelisters.StorageClassLister
	csiNodes   cache.Indexer // a lister makes an error for every node that has none
	drivers    storagelisters.CSIDriverLister
	capacities storagelisters.CSIStorageCapacityLister

	classed *nodeLabels // nil if the handle or its snapshot does not tell of changes

	timeout         time.Duration
	shape           shape.Function // empty unless storage is scored
	attributesClass bool
	portworx        bool
}

var (
	_ fwk.PreFilterPlugin       = (*VolumeBinding)(nil)
	_ fwk.FilterPlugin          = (*VolumeBinding)(nil)
	_ fwk.PreScorePlugin        = (*VolumeBinding)(nil)
	_ fwk.ScorePlugin           = (*VolumeBinding)(nil)
	_ fwk.ReservePlugin         = (*VolumeBinding)(nil)
	_ framework.StepwisePreBind = (*VolumeBinding)(nil)
	_ framework.BindingCoder    = (*VolumeBinding)(nil)
	_ fwk.EnqueueExtensions     = (*VolumeBinding)(nil)
	_ fwk.SignPlugin            = (*VolumeBinding)(nil)
	_ framework.ClassFilter     = (*VolumeBinding)(nil)
)

// New makes the plugin from VolumeBindingArgs. Its handle must be a framework.VolumeState.
func New(_ context.Context, args runtime.Object, h fwk.Handle, features config.Features) (fwk.Plugin, error) {
	binding, ok := args.(*configv1.VolumeBindingArgs)
	if !ok {
		return nil, fmt.Errorf("want args to be of type VolumeBindingArgs, got %T", args)
	}
	if err := config.ValidateVolumeBindingArgs(nil, binding, features); err != nil {
		return nil, err
	}
	state, ok := h.(framework.VolumeState)
	if !ok {
		return nil, fmt.Errorf("its handle, a %T, has no state of volumes", h)
	}
	core, storage := h.SharedInformerFactory().Core().V1(), h.SharedInformerFactory().Storage().V1()
	pl := &VolumeBinding{
		volumes:         state.Volumes(),
		nodes:           core.Nodes().Lister(),
		pods:            core.Pods().Lister(),
		classes:         storage.StorageClasses().Lister(),
		csiNodes:        storage.CSINodes().Informer().GetIndexer(),
		drivers:         storage.CSIDrivers().Lister(),
		capacities:      storage.CSIStorageCapacities().Lister(),
		timeout:         time.Duration(ptr.Deref(binding.BindTimeoutSeconds, 0)) * time.Second,
		attributesClass: features.Enabled(config.VolumeAttributesClass),
		portworx:        features.Enabled(config.CSIMigrationPortworx),
	}
	if features.Enabled(config.StorageCapacityScoring) {
		pl.shape = shape.Of(binding.Shape)
	}
	pl.classed = newNodeLabels(h, pl.csiNode)
	return pl, nil
}

// Name is the plugin's name.
func (*VolumeBinding) Name() string { return Name }

// stateKey is the key of the cycle's data.
const stateKey fwk.StateKey = Name

// cycle is what PreFilter finds out about a pod, and Filter about the nodes.
type cycle struct {
	claims *podClaims          // nil for a pod without claims
	fit    map[string]*v1.Node // the nodes that Filter found to fit; none for a pod whose claims are bound
	found  choice              // on the node that was looked at last
}

// Clone returns the data itself: a dry run may add nodes, and whether they fit does not depend on their pods.
func (c *cycle) Clone() fwk.StateData { return c }

// withoutClaims is the data of every pod without claims.
var withoutClaims = &cycle{}

func readCycle(state fwk.CycleState) (*cycle, error) {
	return framework.ReadState[*cycle](state, stateKey)
}

// ReasonUnboundImmediate rejects a pod with a claim that does not wait for it.
const ReasonUnboundImmediate = "pod has unbound immediate PersistentVolumeClaims"

var (
	skip             = fwk.NewStatus(fwk.Skip)
	unboundImmediate = rejection(ReasonUnboundImmediate)
)

func rejection(reasons ...string) *fwk.Status {
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, reasons...).WithPlugin(Name)
}

// PreFilter finds the pod's claims. It rejects the pod if one is missing, lost, being deleted, or has to be bound first.
func (pl *VolumeBinding) PreFilter(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	if !podvolumes.UsesClaims(pod) {
		state.Write(stateKey, withoutClaims)
		return nil, skip
	}
	claims, err := pl.claimsOf(pod)
	if err != nil {
		return nil, rejection(err.Error())
	}
	sorted, err := pl.sortClaims(claims)
	switch {
	case err != nil:
		return nil, fwk.AsStatus(err)
	case sorted.immediate:
		return nil, unboundImmediate
	}
	state.Write(stateKey, &cycle{claims: sorted, fit: map[string]*v1.Node{}})
	return nil, nil
}

// PreFilterExtensions is nil: the pods of a node do not matter.
func (*VolumeBinding) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// Filter chooses a volume for every claim on a node, and says what is missing.
func (pl *VolumeBinding) Filter(_ context.Context, state fwk.CycleState, _ *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	c, err := readCycle(state)
	if err != nil {
		return fwk.AsStatus(err)
	}
	conflicts, err := pl.choose(c, node.Node())
	switch {
	case err != nil:
		pl.volumes.Errors.Predicate++
		return fwk.AsStatus(err)
	case conflicts != 0:
		return conflicts.status()
	}
	if len(c.claims.delayed) > 0 {
		c.fit[node.Node().Name] = node.Node()
	}
	return nil
}

// SignPod signs the volumes that are not made of config maps and secrets.
func (*VolumeBinding) SignPod(_ context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	return podvolumes.Sign(pod), nil
}
