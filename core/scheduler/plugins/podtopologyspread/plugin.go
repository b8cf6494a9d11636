package podtopologyspread

import (
	"context"
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/topology"
	"orrery/core/scheduler/release"
	"orrery/core/scheduler/reuse"
)

// Name is the name of the plugin in configurations and statuses.
const Name = config.PodTopologySpread

// Reasons of Filter.
const (
	ErrReasonConstraintsNotMatch = "node(s) didn't match pod topology spread constraints"
	ErrReasonNodeLabelNotMatch   = ErrReasonConstraintsNotMatch + " (missing required label)"
)

// systemDefaults apply to pods without constraints, unless the configuration lists others.
var systemDefaults = []v1.TopologySpreadConstraint{
	{TopologyKey: v1.LabelHostname, WhenUnsatisfiable: v1.ScheduleAnyway, MaxSkew: 3},
	{TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.ScheduleAnyway, MaxSkew: 5},
}

// PodTopologySpread is the plugin. PreFilter and PreScore bring its counts up to the snapshot, so an instance must see
// one scheduling cycle after the other; Filter and Score only read.
type PodTopologySpread struct {
	nodes           fwk.NodeInfoLister
	owners          owners
	defaults        []v1.TopologySpreadConstraint
	systemDefaulted bool

	inclusionPolicies   bool
	matchLabelKeys      bool
	queueingHints       bool
	comparingTolerances bool
	involvesNominated   bool // hints take a nominated pod for one that counts

	index     *topology.PodIndex
	recent    reuse.LRU[*constraintSet]
	signature reuse.Signature
	room      topology.ClassRoom
}

var (
	_ fwk.PreFilterPlugin     = &PodTopologySpread{}
	_ fwk.PreFilterExtensions = &PodTopologySpread{}
	_ fwk.FilterPlugin        = &PodTopologySpread{}
	_ fwk.PreScorePlugin      = &PodTopologySpread{}
	_ fwk.ScorePlugin         = &PodTopologySpread{}
	_ fwk.ScoreExtensions     = &PodTopologySpread{}
	_ fwk.EnqueueExtensions   = &PodTopologySpread{}
	_ fwk.SignPlugin          = &PodTopologySpread{}
	_ framework.Forgetful     = &PodTopologySpread{}
)

// New builds the plugin from *configv1.PodTopologySpreadArgs, defaulted and valid.
func New(_ context.Context, args runtime.Object, h fwk.Handle, features config.Features) (fwk.Plugin, error) {
	a, ok := args.(*configv1.PodTopologySpreadArgs)
	if !ok {
		return nil, fmt.Errorf("want args to be of type PodTopologySpreadArgs, got %T", args)
	}
	if h.SnapshotSharedLister() == nil {
		return nil, errors.New("building PodTopologySpread: the handle has no snapshot to read nodes from")
	}
	pl := &PodTopologySpread{
		nodes:               h.SnapshotSharedLister().NodeInfos(),
		defaults:            a.DefaultConstraints,
		systemDefaulted:     a.DefaultingType == configv1.SystemDefaulting,
		inclusionPolicies:   features.Enabled(config.NodeInclusionPolicyInPodTopologySpread),
		matchLabelKeys:      features.Enabled(config.MatchLabelKeysInPodTopologySpread),
		queueingHints:       features.Enabled(config.SchedulerQueueingHints),
		comparingTolerances: features.Enabled(config.TaintTolerationComparisonOperators),
		involvesNominated:   features.Has(release.NominatedPodsSpread),
	}
	if pl.systemDefaulted {
		pl.defaults = systemDefaults
	}
	if len(pl.defaults) > 0 {
		if h.SharedInformerFactory() == nil {
			return nil, errors.New("building PodTopologySpread: default constraints need an informer factory to find Services and controllers")
		}
		pl.owners = newOwners(h.SharedInformerFactory())
	}
	pl.Forget()
	return pl, nil
}

// maxConstraintSets bounds the memory for recent sets; each takes some 16 bytes per node and constraint, and 8 per node and 200 per class
// of nodes.
//
//orrery:limit scheduler; sets of spread constraints whose counts are kept; the one that was not used for the longest time goes
const maxConstraintSets = 128

// Forget drops everything that is kept between scheduling cycles.
func (pl *PodTopologySpread) Forget() {
	pl.index = topology.NewPodIndex(topology.Classifier{Labels: describeLabels}, pl.nodes)
	pl.recent = reuse.NewLRU(maxConstraintSets, 0, (*constraintSet).close)
}

// describeLabels describes what constraints can see of a pod.
func describeLabels(pod fwk.PodInfo, to reuse.Signature) reuse.Signature {
	p := pod.GetPod()
	return to.Text(p.Namespace).Flag(p.DeletionTimestamp != nil).Pairs(p.Labels)
}

// ForkFrom copies what is known of the pods on the nodes.
func (pl *PodTopologySpread) ForkFrom(old fwk.Plugin) {
	pl.index.ForkFrom(old.(*PodTopologySpread).index)
}

// Name implements fwk.Plugin.
func (pl *PodTopologySpread) Name() string { return Name }

// PreFilterExtensions implements fwk.PreFilterPlugin.
func (pl *PodTopologySpread) PreFilterExtensions() fwk.PreFilterExtensions { return pl }

// ScoreExtensions implements fwk.ScorePlugin.
func (pl *PodTopologySpread) ScoreExtensions() fwk.ScoreExtensions { return pl }

var (
	ownConstraintsNotSignable     = fwk.NewStatus(fwk.Unschedulable, "pods with topology constraints are not signable").WithPlugin(Name)
	defaultConstraintsNotSignable = fwk.NewStatus(fwk.Unschedulable, "pods with default topology constraints are not signable").WithPlugin(Name)
)

// SignPod does not sign pods with constraints: their verdicts depend on more than the pod and one node.
func (pl *PodTopologySpread) SignPod(_ context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	if len(pod.Spec.TopologySpreadConstraints) > 0 {
		return nil, ownConstraintsNotSignable
	}
	if len(pl.defaults) > 0 {
		return nil, defaultConstraintsNotSignable
	}
	return nil, nil
}
