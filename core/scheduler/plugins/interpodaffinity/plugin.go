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

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/topology"
	"orrery/core/scheduler/release"
	"orrery/core/scheduler/reuse"
)

// Name is the name of the plugin in configurations and statuses.
const Name = config.InterPodAffinity

// Reasons of Filter.
const (
	ErrReasonAffinityRulesNotMatch             = "node(s) didn't match pod affinity rules"
	ErrReasonAntiAffinityRulesNotMatch         = "node(s) didn't match pod anti-affinity rules"
	ErrReasonExistingAntiAffinityRulesNotMatch = "node(s) didn't satisfy existing pods anti-affinity rules"
)

// InterPodAffinity is the plugin. PreFilter and PreScore bring its counts up to the snapshot, so an instance must see
// one scheduling cycle after the other; Filter and Score only read.
type InterPodAffinity struct {
	nodes      fwk.NodeInfoLister
	namespaces corelisters.NamespaceLister

	hardWeight      int32
	ignorePreferred bool
	queueingHints   bool

	clearSelectors    bool // a resolved namespace selector matches nothing more
	involvesNominated bool // hints take a nominated pod for one that is placed

	index         *topology.PodIndex
	recent        reuse.LRU[*termSet]
	signature     reuse.Signature
	visibleLabels map[string]string // those of a pod's labels that existing pods' terms select by
	room          topology.ClassRoom
}

var (
	_ fwk.PreFilterPlugin     = &InterPodAffinity{}
	_ fwk.PreFilterExtensions = &InterPodAffinity{}
	_ fwk.FilterPlugin        = &InterPodAffinity{}
	_ fwk.PreScorePlugin      = &InterPodAffinity{}
	_ fwk.ScorePlugin         = &InterPodAffinity{}
	_ fwk.ScoreExtensions     = &InterPodAffinity{}
	_ fwk.EnqueueExtensions   = &InterPodAffinity{}
	_ fwk.SignPlugin          = &InterPodAffinity{}
	_ framework.Forgetful     = &InterPodAffinity{}
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
	pl := &InterPodAffinity{
		nodes:           h.SnapshotSharedLister().NodeInfos(),
		namespaces:      h.SharedInformerFactory().Core().V1().Namespaces().Lister(),
		hardWeight:      ptr.Deref(a.HardPodAffinityWeight, 1),
		ignorePreferred: a.IgnorePreferredTermsOfExistingPods,
		queueingHints:   features.Enabled(config.SchedulerQueueingHints),

		clearSelectors:    features.Has(release.NamespaceSelectorsResolved),
		involvesNominated: features.Has(release.NominatedPodsAffine),
	}
	pl.Forget()
	return pl, nil
}

// maxTermSets bounds the memory for recent sets; each takes some 16 bytes per node and axis, and 8 per node and 200 per class of nodes.
//
//orrery:limit scheduler; sets of affinity terms whose counts are kept; the one that was not used for the longest time goes
const maxTermSets = 128

// Forget drops everything that is kept between scheduling cycles.
func (pl *InterPodAffinity) Forget() {
	pl.index = topology.NewPodIndex(topology.Classifier{Labels: describeLabels, Terms: describeTerms, Keys: selectedKeys}, pl.nodes)
	pl.recent = reuse.NewLRU(maxTermSets, 0, (*termSet).close)
	pl.visibleLabels = map[string]string{}
}

// ForkFrom copies what is known of the pods on the nodes.
func (pl *InterPodAffinity) ForkFrom(old fwk.Plugin) {
	pl.index.ForkFrom(old.(*InterPodAffinity).index)
}

// Name implements fwk.Plugin.
func (pl *InterPodAffinity) Name() string { return Name }

// PreFilterExtensions implements fwk.PreFilterPlugin.
func (pl *InterPodAffinity) PreFilterExtensions() fwk.PreFilterExtensions { return pl }

// ScoreExtensions implements fwk.ScorePlugin.
func (pl *InterPodAffinity) ScoreExtensions() fwk.ScoreExtensions { return pl }

var notSignable = fwk.NewStatus(fwk.Unschedulable, "pods with InterPodAffinity are not signable").WithPlugin(Name)

// SignPod does not sign pods with terms. It signs the labels of others, since existing pods' preferred terms may select
// them; every Filter evaluates the required terms of existing pods anew.
func (pl *InterPodAffinity) SignPod(_ context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	switch {
	case hasTerms(pod):
		return nil, notSignable
	case pl.ignorePreferred:
		return nil, nil
	default:
		return []fwk.SignFragment{{Key: fwk.LabelsSignerName, Value: pod.Labels}}, nil
	}
}

// hasTerms reports whether the pod has any terms.
func hasTerms(pod *v1.Pod) bool {
	a := pod.Spec.Affinity
	return a != nil && (a.PodAffinity != nil || a.PodAntiAffinity != nil)
}
