package interpodaffinity

import (
	"context"
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	corelisters "k8s.io/client-go/listers/core/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/utils/ptr"

	"orrery/core/config"
	"orrery/core/plugins/census"
)

// Name is the name of the plugin in configurations and statuses.
const Name = "InterPodAffinity"

// What Filter says of a node.
const (
	ErrReasonAffinityRulesNotMatch             = "node(s) didn't match pod affinity rules"
	ErrReasonAntiAffinityRulesNotMatch         = "node(s) didn't match pod anti-affinity rules"
	ErrReasonExistingAntiAffinityRulesNotMatch = "node(s) didn't satisfy existing pods anti-affinity rules"
)

// Plugin implements the extension points. PreFilter and PreScore bring its counts up to the snapshot, so an instance
// must see one scheduling cycle after the other; Filter and Score only read.
type Plugin struct {
	nodes      fwk.NodeInfoLister
	namespaces corelisters.NamespaceLister

	hardWeight      int32
	ignorePreferred bool
	queueingHints   bool

	roster    *census.Roster
	questions *census.Ledger[*question]
	signature census.Signature
	seen      map[string]string // of a pod's labels, those that somebody asks about
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

// New builds the plugin from *configv1.InterPodAffinityArgs, defaulted and valid.
func New(_ context.Context, args runtime.Object, h fwk.Handle, features config.Features) (fwk.Plugin, error) {
	a, ok := args.(*configv1.InterPodAffinityArgs)
	if !ok {
		return nil, fmt.Errorf("want args to be of type InterPodAffinityArgs, got %T", args)
	}
	if h.SnapshotSharedLister() == nil {
		return nil, errors.New("building InterPodAffinity: the handle has no snapshot to read nodes from")
	}
	if h.SharedInformerFactory() == nil {
		return nil, errors.New("building InterPodAffinity: the handle has no informer factory to read namespaces from")
	}
	pl := &Plugin{
		nodes:           h.SnapshotSharedLister().NodeInfos(),
		namespaces:      h.SharedInformerFactory().Core().V1().Namespaces().Lister(),
		hardWeight:      ptr.Deref(a.HardPodAffinityWeight, 1),
		ignorePreferred: a.IgnorePreferredTermsOfExistingPods,
		queueingHints:   features.Enabled(config.SchedulerQueueingHints),
	}
	pl.forget()
	return pl, nil
}

// mostQuestions bounds the memory for recent questions, each of which takes some 16 bytes per node and axis.
const mostQuestions = 128

// forget drops all that is kept between scheduling cycles.
func (pl *Plugin) forget() {
	pl.roster = census.NewRoster(census.Aspects{Look: look, Mind: mind, Keys: askedKeys})
	pl.questions = census.NewLedger(mostQuestions, (*question).close)
	pl.seen = map[string]string{}
}

// Name implements fwk.Plugin.
func (pl *Plugin) Name() string { return Name }

// PreFilterExtensions implements fwk.PreFilterPlugin.
func (pl *Plugin) PreFilterExtensions() fwk.PreFilterExtensions { return pl }

// ScoreExtensions implements fwk.ScorePlugin.
func (pl *Plugin) ScoreExtensions() fwk.ScoreExtensions { return pl }

var notSignable = fwk.NewStatus(fwk.Unschedulable, "pods with InterPodAffinity are not signable").WithPlugin(Name)

// SignPod refuses pods with terms of their own. Others are told apart by their labels, which existing pods' terms may
// select; required ones of existing pods are seen afresh by every Filter.
func (pl *Plugin) SignPod(_ context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	switch {
	case hasTerms(pod):
		return nil, notSignable
	case pl.ignorePreferred:
		return nil, nil
	default:
		return []fwk.SignFragment{{Key: fwk.LabelsSignerName, Value: pod.Labels}}, nil
	}
}

// hasTerms reports whether the pod says anything about other pods.
func hasTerms(pod *v1.Pod) bool {
	a := pod.Spec.Affinity
	return a != nil && (a.PodAffinity != nil || a.PodAntiAffinity != nil)
}
