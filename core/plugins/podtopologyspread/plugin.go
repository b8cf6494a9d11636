package podtopologyspread

import (
	"context"
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/config"
	"orrery/core/plugins/census"
)

// Name is the name of the plugin in configurations and statuses.
const Name = "PodTopologySpread"

// What Filter says of a node.
const (
	ErrReasonConstraintsNotMatch = "node(s) didn't match pod topology spread constraints"
	ErrReasonNodeLabelNotMatch   = ErrReasonConstraintsNotMatch + " (missing required label)"
)

// systemDefaults are the constraints of pods without their own, unless the configuration lists others.
var systemDefaults = []v1.TopologySpreadConstraint{
	{TopologyKey: v1.LabelHostname, WhenUnsatisfiable: v1.ScheduleAnyway, MaxSkew: 3},
	{TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.ScheduleAnyway, MaxSkew: 5},
}

// Plugin implements the extension points. PreFilter and PreScore bring its counts up to the snapshot, so an instance
// must see one scheduling cycle after the other; Filter and Score only read.
type Plugin struct {
	nodes           fwk.NodeInfoLister
	owners          owners
	defaults        []v1.TopologySpreadConstraint
	systemDefaulted bool

	inclusionPolicies   bool
	matchLabelKeys      bool
	queueingHints       bool
	comparingTolerances bool

	roster    *census.Roster
	questions *census.Ledger[*question]
	signature census.Signature
}

var (
	_ fwk.PreFilterPlugin     = &Plugin{}
	_ fwk.PreFilterExtensions = &Plugin{}
	_ fwk.FilterPlugin        = &Plugin{}
	_ fwk.PreScorePlugin      = &Plugin{}
	_ fwk.ScorePlugin         = &Plugin{}
	_ fwk.ScoreExtensions     = &Plugin{}
	_ fwk.EnqueueExtensions   = &Plugin{}
	_ fwk.SignPlugin          = &Plugin{}
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
	pl := &Plugin{
		nodes:               h.SnapshotSharedLister().NodeInfos(),
		defaults:            a.DefaultConstraints,
		systemDefaulted:     a.DefaultingType == configv1.SystemDefaulting,
		inclusionPolicies:   features.Enabled(config.NodeInclusionPolicyInPodTopologySpread),
		matchLabelKeys:      features.Enabled(config.MatchLabelKeysInPodTopologySpread),
		queueingHints:       features.Enabled(config.SchedulerQueueingHints),
		comparingTolerances: features.Enabled(config.TaintTolerationComparisonOperators),
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
	pl.forget()
	return pl, nil
}

// mostQuestions bounds the memory for recent questions, each of which takes some 16 bytes per node and constraint.
const mostQuestions = 128

// forget drops all that is kept between scheduling cycles.
func (pl *Plugin) forget() {
	pl.roster = census.NewRoster(census.Aspects{Look: look})
	pl.questions = census.NewLedger(mostQuestions, (*question).close)
}

// look spells out what constraints may ask about a pod.
func look(pod fwk.PodInfo, to census.Signature) census.Signature {
	p := pod.GetPod()
	return to.Text(p.Namespace).Yes(p.DeletionTimestamp != nil).Map(p.Labels)
}

// Name implements fwk.Plugin.
func (pl *Plugin) Name() string { return Name }

// PreFilterExtensions implements fwk.PreFilterPlugin.
func (pl *Plugin) PreFilterExtensions() fwk.PreFilterExtensions { return pl }

// ScoreExtensions implements fwk.ScorePlugin.
func (pl *Plugin) ScoreExtensions() fwk.ScoreExtensions { return pl }

var (
	ownConstraintsNotSignable     = fwk.NewStatus(fwk.Unschedulable, "pods with topology constraints are not signable").WithPlugin(Name)
	defaultConstraintsNotSignable = fwk.NewStatus(fwk.Unschedulable, "pods with default topology constraints are not signable").WithPlugin(Name)
)

// SignPod refuses pods with constraints: what becomes of them depends on more than the pod and one node.
func (pl *Plugin) SignPod(_ context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	if len(pod.Spec.TopologySpreadConstraints) > 0 {
		return nil, ownConstraintsNotSignable
	}
	if len(pl.defaults) > 0 {
		return nil, defaultConstraintsNotSignable
	}
	return nil, nil
}
