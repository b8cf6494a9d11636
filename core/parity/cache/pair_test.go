package cache

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/node/topology"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	upstream "k8s.io/kubernetes/pkg/scheduler/backend/cache"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/plugins/noderesources"
	"orrery/core/scheduler/release"
)

// pair has the two caches and the objects that were passed to them.
type pair struct {
	theirs         upstream.Cache
	theirsSnapshot *upstream.Snapshot
	ours           *cache.Cache
	oursSnapshot   *cache.Snapshot

	nodes       map[string]*v1.Node // the versions the caches hold
	treeChanged bool                // a node changed its place in the node tree since the two orders last agreed

	refreshes, reordered, corruptions int
}

func newPair(ctx context.Context) *pair {
	return &pair{
		theirs: upstream.New(ctx, nil, false, false), theirsSnapshot: upstream.NewEmptySnapshot(),
		ours: cache.NewWithAccounting(newestAccounting()), oursSnapshot: cache.NewSnapshot(),
		nodes: map[string]*v1.Node{},
	}
}

// newestAccounting is how the release that this module has sums what pods request.
func newestAccounting() cache.Accounting {
	features := config.FeaturesOf(release.Newest)
	return cache.Accounting{
		IgnorePodLevel: !features.Enabled(config.PodLevelResources),
		PodLevelStatus: features.Enabled(config.InPlacePodLevelResourcesVerticalScaling),
		Sum:            noderesources.SumOf(features),
	}
}

// run runs a sequence and returns the first difference, with the operation that caused it.
func run(ops []operation) (p *pair, err error) {
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), logr.Discard()))
	defer cancel()
	p = newPair(ctx)
	for i, op := range ops {
		if err := p.do(op); err != nil {
			return p, fmt.Errorf("operation %d, %s: %w", i, op.verb, err)
		}
	}
	return p, nil
}

func (p *pair) do(op operation) error {
	switch op.verb {
	case refresh:
		return p.refresh()
	case addNode, updateNode, removeNode:
		return p.doNode(op.verb, op.node)
	}
	return p.doPod(op)
}

func (p *pair) doNode(what verb, node *v1.Node) error {
	log := logr.Discard()
	held, there := p.nodes[node.Name]
	_, imaginary := p.theirs.Dump().Nodes[node.Name]
	if what == removeNode {
		if there {
			node = held
		}
		theirs, ours := p.theirs.RemoveNode(log, node), p.ours.RemoveNode(node)
		delete(p.nodes, node.Name)
		p.treeChanged = true
		return sameError(theirs, ours)
	}
	if what == updateNode && !there && imaginary {
		what = addNode
	}
	var ours fwk.NodeInfo
	if what == addNode {
		if there && topology.GetZoneKey(held) != topology.GetZoneKey(node) {
			node = node.DeepCopy()
			node.Labels = held.Labels
		}
		p.theirs.AddNode(log, node)
		ours = p.ours.AddNode(node)
	} else {
		if !there {
			held = node
		}
		p.treeChanged = p.treeChanged || topology.GetZoneKey(held) != topology.GetZoneKey(node)
		p.theirs.UpdateNode(log, held, node)
		ours = p.ours.UpdateNode(node)
	}
	p.nodes[node.Name] = node
	return different("the returned copy", viewOf(p.theirs.Dump().Nodes[node.Name]), viewOf(ours))
}

func (p *pair) doPod(op operation) error {
	log, pod := logr.Discard(), op.pod
	held, err := p.ours.GetPod(pod)
	if err != nil {
		held = pod
	}
	theirHeld, theirErr := p.theirs.GetPod(pod)
	if err := errors.Join(sameError(theirErr, err), different("the pod held", theirErr == nil && !reflect.DeepEqual(theirHeld, held), false)); err != nil {
		return err
	}
	elsewhere := err == nil && held.Spec.NodeName != pod.Spec.NodeName
	switch op.verb {
	case assumePod:
		_, err := p.ours.AssumePod(pod, pod.Spec.NodeName)
		return sameError(p.theirs.AssumePod(log, pod), err)
	case addPod:
		return sameError(p.theirs.AddPod(log, pod), p.ours.AddPod(pod))
	case forgetPod:
		if op.odd {
			held = held.DeepCopy()
			held.Spec.NodeName = pod.Spec.NodeName
		}
		return sameError(p.theirs.ForgetPod(log, held), p.ours.ForgetPod(held))
	case updatePod:
		if elsewhere && !op.odd {
			pod = pod.DeepCopy()
			pod.Spec.NodeName, elsewhere = held.Spec.NodeName, false
		}
		if assumed, _ := p.ours.IsAssumedPod(pod); elsewhere && !assumed {
			return p.expectCorruption(p.ours.UpdatePod(held, pod))
		}
		return sameError(p.theirs.UpdatePod(log, held, pod), p.ours.UpdatePod(held, pod))
	default: // removePod
		if !op.odd {
			pod = held
		} else if elsewhere && pod.Spec.NodeName != "" {
			return p.expectCorruption(p.ours.RemovePod(pod))
		}
		return sameError(p.theirs.RemovePod(log, pod), p.ours.RemovePod(pod))
	}
}

// expectCorruption requires a CorruptionError where upstream exits its process.
func (p *pair) expectCorruption(err error) error {
	p.corruptions++
	if corruption := (*cache.CorruptionError)(nil); !errors.As(err, &corruption) {
		return fmt.Errorf("ours should have returned a *CorruptionError, got %v", err)
	}
	return nil
}

// refresh updates both snapshots and compares everything.
func (p *pair) refresh() error {
	p.refreshes++
	fresh := upstream.NewEmptySnapshot()
	if err := errors.Join(
		sameError(p.theirs.UpdateSnapshot(logr.Discard(), p.theirsSnapshot), p.ours.UpdateSnapshot(p.oursSnapshot)),
		p.theirs.UpdateSnapshot(logr.Discard(), fresh),
		p.ours.Check(),
		p.sameLists(fresh),
		p.sameCounts(),
	); err != nil {
		return err
	}
	for _, name := range append([]string{"gone", ""}, nodeNames...) {
		theirs, theirErr := p.theirsSnapshot.Get(name)
		ours, err := p.oursSnapshot.Get(name)
		if err := sameError(theirErr, err); err != nil {
			return err
		}
		if err != nil {
			continue
		}
		if err := different("node "+name, viewOf(theirs), viewOf(ours)); err != nil {
			return err
		}
	}
	for _, claim := range claimList {
		key := "default/" + claim
		if err := different("use of claim "+key, fresh.IsPVCUsedByPods(key), p.oursSnapshot.IsPVCUsedByPods(key)); err != nil {
			return err
		}
	}
	return nil
}

type lister interface {
	List() ([]fwk.NodeInfo, error)
	HavePodsWithAffinityList() ([]fwk.NodeInfo, error)
	HavePodsWithRequiredAntiAffinityList() ([]fwk.NodeInfo, error)
	HavePodsWithRequiredNonHostScopedAntiAffinityList() ([]fwk.NodeInfo, error)
}

func lists(l lister) [4][]string {
	return [4][]string{
		names(l.List()), names(l.HavePodsWithAffinityList()), names(l.HavePodsWithRequiredAntiAffinityList()),
		names(l.HavePodsWithRequiredNonHostScopedAntiAffinityList()),
	}
}

// sameLists compares the order of nodes: always with a fresh snapshot, with the updated one unless the node tree changed.
func (p *pair) sameLists(fresh *upstream.Snapshot) error {
	ours, kept := lists(p.oursSnapshot), lists(p.theirsSnapshot)
	if err := different("lists of a fresh snapshot", lists(fresh), ours); err != nil {
		return err
	}
	if slices.Equal(kept[0], ours[0]) {
		p.treeChanged = false
	}
	if !p.treeChanged {
		return different("lists of the snapshot kept up to date", kept, ours)
	}
	p.reordered++
	for i := range ours {
		slices.Sort(ours[i])
		slices.Sort(kept[i])
	}
	return different("members of the lists", kept, ours)
}

func (p *pair) sameCounts() error {
	pods, _ := p.theirs.PodCount()
	dump, oursDump := p.theirs.Dump(), p.ours.Dump()
	podsByNode := func(ofOurs bool) map[string][]string {
		on := map[string][]string{}
		if ofOurs {
			for name, info := range oursDump.Nodes {
				on[name] = podNames(info.GetPods())
			}
			return on
		}
		for name, info := range dump.Nodes {
			on[name] = podNames(info.GetPods())
		}
		return on
	}
	return errors.Join(
		different("number of pods", pods, p.ours.PodCount()),
		different("number of nodes", p.theirs.NodeCount(), p.ours.NodeCount()),
		different("assumed pods", dump.AssumedPods, oursDump.AssumedPods),
		different("pods by node, imaginary ones included", podsByNode(false), podsByNode(true)),
	)
}

func names(infos []fwk.NodeInfo, _ error) []string {
	list := make([]string, 0, len(infos))
	for _, info := range infos {
		list = append(list, info.Node().Name)
	}
	return list
}

// view has everything that a NodeInfo exposes.
type view struct {
	Node                            string
	Pods, Affine, RequiredAnti      []string
	Terms                           []string
	Requested, NonZero, Allocatable [4]int64
	Scalars, AllocatableScalars     map[v1.ResourceName]int64
	Ports                           map[string]map[fwk.ProtocolPort]struct{}
	Images                          map[string][2]int64
	Claims                          map[string]int
}

func viewOf(n fwk.NodeInfo) view {
	v := view{
		Node: n.Node().Name,
		Pods: podNames(n.GetPods()), Affine: podNames(n.GetPodsWithAffinity()),
		RequiredAnti: podNames(n.GetPodsWithRequiredAntiAffinity()),
		Requested:    numbers(n.GetRequested()), NonZero: numbers(n.GetNonZeroRequested()),
		Allocatable: numbers(n.GetAllocatable()),
		Scalars:     map[v1.ResourceName]int64{}, AllocatableScalars: map[v1.ResourceName]int64{},
		Ports: map[string]map[fwk.ProtocolPort]struct{}{}, Images: map[string][2]int64{}, Claims: map[string]int{},
	}
	maps.Copy(v.Scalars, n.GetRequested().GetScalarResources())
	maps.Copy(v.AllocatableScalars, n.GetAllocatable().GetScalarResources())
	maps.Copy(v.Ports, n.GetUsedPorts())
	maps.Copy(v.Claims, n.GetPVCRefCounts())
	for name, image := range n.GetImageStates() {
		v.Images[name] = [2]int64{image.Size, int64(image.NumNodes)}
	}
	for _, info := range n.GetPodsWithAffinity() {
		v.Terms = append(v.Terms, termsOf(info)...)
	}
	return v
}

func termsOf(info fwk.PodInfo) []string {
	var list []string
	for _, t := range slices.Concat(info.GetRequiredAffinityTerms(), info.GetRequiredAntiAffinityTerms()) {
		list = append(list, fmt.Sprint(slices.Sorted(maps.Keys(t.Namespaces)), t.Selector, t.TopologyKey, t.NamespaceSelector))
	}
	for _, t := range slices.Concat(info.GetPreferredAffinityTerms(), info.GetPreferredAntiAffinityTerms()) {
		list = append(list, fmt.Sprint(slices.Sorted(maps.Keys(t.Namespaces)), t.Selector, t.TopologyKey, t.NamespaceSelector, t.Weight))
	}
	return list
}

func numbers(r fwk.Resource) [4]int64 {
	return [4]int64{r.GetMilliCPU(), r.GetMemory(), r.GetEphemeralStorage(), int64(r.GetAllowedPodNumber())}
}

func podNames(infos []fwk.PodInfo) []string {
	list := make([]string, 0, len(infos))
	for _, info := range infos {
		list = append(list, info.GetPod().Name)
	}
	return list
}

func sameError(theirs, ours error) error {
	text := func(err error) string {
		if err == nil {
			return "no error"
		}
		return err.Error()
	}
	return different("error", text(theirs), text(ours))
}

func different(what string, theirs, ours any) error {
	if diff := cmp.Diff(theirs, ours); diff != "" {
		return fmt.Errorf("%s (-upstream +ours):\n%s", what, diff)
	}
	return nil
}
