package topology

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
	upconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	upframework "k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	upaffinity "k8s.io/kubernetes/pkg/scheduler/framework/plugins/interpodaffinity"
	upspread "k8s.io/kubernetes/pkg/scheduler/framework/plugins/podtopologyspread"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"k8s.io/utils/ptr"

	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/interpodaffinity"
	"orrery/core/scheduler/plugins/podtopologyspread"
	"orrery/core/scheduler/release"
)

func TestMain(m *testing.M) {
	metrics.Register()
	klog.SetLogger(logr.Discard())
	os.Exit(m.Run())
}

// plugin has the methods of both plugins.
type plugin interface {
	fwk.PreFilterPlugin
	fwk.FilterPlugin
	fwk.PreScorePlugin
	fwk.ScorePlugin
	fwk.SignPlugin
	fwk.EnqueueExtensions
}

// side is one of the plugins that must agree, with its snapshot.
type side struct {
	name     string
	plugin   plugin
	lister   fwk.SharedLister
	newState func() fwk.CycleState
	podInfo  func(*v1.Pod) fwk.PodInfo
}

// kubeScheduler is the name of kube-scheduler's side.
const kubeScheduler = "kube-scheduler"

func onUpstream(name string, p fwk.Plugin, err error, c *cluster) side {
	c.must(err)
	return side{
		name: name, plugin: p.(plugin), lister: c.upstreamSnap,
		newState: func() fwk.CycleState { return upframework.NewCycleState() },
		podInfo: func(pod *v1.Pod) fwk.PodInfo {
			info, _ := upframework.NewPodInfo(pod)
			return info
		},
	}
}

func onOrrery(p fwk.Plugin, err error, c *cluster) side {
	c.must(err)
	return side{
		name: "Orrery", plugin: p.(plugin), lister: c.homeSnap,
		newState: func() fwk.CycleState { return framework.NewCycleState() },
		podInfo: func(pod *v1.Pod) fwk.PodInfo {
			info, _ := cache.NewPodInfo(pod)
			return info
		},
	}
}

func (c *cluster) handles() (upstream, home handle) {
	return handle{lister: c.upstreamSnap, objects: c.objects, workers: c.workers}, handle{lister: c.homeSnap, objects: c.objects}
}

// gates are the feature gates of the two plugins that can be set.
type gates struct{ matchLabelKeys, comparisons bool }

func (g gates) ours(t testing.TB) config.Features {
	features, err := config.ParseFeaturesOf(release.Newest, map[string]bool{
		string(config.MatchLabelKeysInPodTopologySpread):              g.matchLabelKeys,
		string(config.MatchLabelKeysInPodTopologySpreadSelectorMerge): g.matchLabelKeys,
		string(config.TaintTolerationComparisonOperators):             g.comparisons,
	})
	if err != nil {
		t.Fatal(err)
	}
	return features
}

func (g gates) theirs() feature.Features {
	return feature.Features{
		EnableNodeInclusionPolicyInPodTopologySpread: true,
		EnableMatchLabelKeysInPodTopologySpread:      g.matchLabelKeys, EnableTaintTolerationComparisonOperators: g.comparisons,
	}
}

func spreadSides(t testing.TB, c *cluster, g gates, args *configv1.PodTopologySpreadArgs) []side {
	upHandle, homeHandle := c.handles()
	ctx := context.Background()
	up, err := upspread.New(ctx, &upconfig.PodTopologySpreadArgs{
		DefaultConstraints: args.DefaultConstraints,
		DefaultingType:     upconfig.PodTopologySpreadConstraintsDefaulting(args.DefaultingType),
	}, upHandle, g.theirs())
	sides := []side{onUpstream(kubeScheduler, up, err, c)}
	hosted, err := podtopologyspread.New(ctx, args, upHandle, g.ours(t))
	sides = append(sides, onUpstream("hosted", hosted, err, c))
	home, err := podtopologyspread.New(ctx, args, homeHandle, g.ours(t))
	return append(sides, onOrrery(home, err, c))
}

func affinitySides(t testing.TB, c *cluster, hardWeight int32, ignorePreferred bool) []side {
	upHandle, homeHandle := c.handles()
	ctx, g := context.Background(), gates{matchLabelKeys: true}
	up, err := upaffinity.New(ctx, &upconfig.InterPodAffinityArgs{
		HardPodAffinityWeight: hardWeight, IgnorePreferredTermsOfExistingPods: ignorePreferred,
	}, upHandle, g.theirs())
	sides := []side{onUpstream(kubeScheduler, up, err, c)}
	args := &configv1.InterPodAffinityArgs{HardPodAffinityWeight: ptr.To(hardWeight), IgnorePreferredTermsOfExistingPods: ignorePreferred}
	hosted, err := interpodaffinity.New(ctx, args, upHandle, g.ours(t))
	sides = append(sides, onUpstream("hosted", hosted, err, c))
	home, err := interpodaffinity.New(ctx, args, homeHandle, g.ours(t))
	return append(sides, onOrrery(home, err, c))
}

// compared counts what was compared.
type compared struct{ pods, filters, rejected, scores, changed, hints, requeuedHere int }

func (c compared) String() string {
	return fmt.Sprintf("%d pods, %d filter verdicts (%d rejections, %d after AddPod and RemovePod), %d scores, %d hints (%d pods requeued only here)",
		c.pods, c.filters, c.rejected, c.changed, c.scores, c.hints, c.requeuedHere)
}

func (c compared) check(t *testing.T) {
	t.Log(c)
	if c.rejected < c.filters/20 || c.scores == 0 || c.changed == 0 || c.hints == 0 {
		t.Error("the generated clusters are too uniform: some kinds of result were hardly compared")
	}
	if c.requeuedHere == 0 {
		t.Error("no pod was requeued that upstream does not requeue, so the intended differences were not reached")
	}
}

func verdict(s *fwk.Status) string {
	if s == nil {
		return "Success: "
	}
	return s.Code().String() + ": " + strings.Join(s.Reasons(), "; ")
}

// agreeOn compares the answers of all sides.
func agreeOn[T any](t *difftest.Source, sides []side, what string, answer func(i int, s side) T) T {
	want := answer(0, sides[0])
	for i, s := range sides[1:] {
		if diff := cmp.Diff(want, answer(i+1, s)); diff != "" {
			t.Fatalf("%s: kube-scheduler (-) and %s (+) differ:\n%s", what, s.name, diff)
		}
	}
	return want
}

// compare runs all extension points of all sides for a pod.
func (c *cluster) compare(t *difftest.Source, sides []side, pod *v1.Pod, oneNode bool, n *compared) {
	ctx := context.Background()
	c.refresh()
	n.pods++
	agreeOn(t, sides, "SignPod", func(_ int, s side) any {
		fragments, status := s.plugin.SignPod(ctx, pod)
		return []any{fragments, verdict(status)}
	})
	states := make([]fwk.CycleState, len(sides))
	filtering := agreeOn(t, sides, "PreFilter", func(i int, s side) string {
		states[i] = s.newState()
		nodes, _ := s.lister.NodeInfos().List()
		result, status := s.plugin.PreFilter(ctx, states[i], pod, nodes)
		return fmt.Sprint(result, verdict(status))
	})
	if strings.HasSuffix(filtering, "Success: ") {
		c.compareFilter(t, sides, states, pod, "Filter", n)
		for range 2 {
			c.compareChanges(t, sides, states, pod, oneNode, n)
		}
		c.compareFilter(t, sides, states, pod, "Filter after changes to copies", n)
	}
	c.compareScores(t, sides, states, pod, n)
}

func (c *cluster) compareFilter(t *difftest.Source, sides []side, states []fwk.CycleState, pod *v1.Pod, what string, n *compared) {
	for _, node := range c.nodes {
		answer := agreeOn(t, sides, fmt.Sprintf("%s of pod %s on %s", what, pod.Name, node.Name), func(i int, s side) string {
			info, err := s.lister.NodeInfos().Get(node.Name)
			c.must(err)
			return verdict(s.plugin.Filter(context.Background(), states[i], pod, info))
		})
		n.filters++
		if strings.HasPrefix(answer, "Unschedulable") {
			n.rejected++
		}
	}
}

// compareChanges adds and removes pods in copies of the states, as preemption and nominated pods do.
func (c *cluster) compareChanges(t *difftest.Source, sides []side, states []fwk.CycleState, pod *v1.Pod, oneNode bool, n *compared) {
	copies := make([]fwk.CycleState, len(states))
	for i := range states {
		copies[i] = states[i].Clone()
	}
	node := pick(t, c.nodes)
	before := n.filters
	for range t.Range(1, 4) {
		if !oneNode {
			node = pick(t, c.nodes)
		}
		other, remove := c.someChange(t, node)
		agreeOn(t, sides, "AddPod/RemovePod", func(i int, s side) string {
			info, err := s.lister.NodeInfos().Get(node.Name)
			c.must(err)
			extensions := s.plugin.PreFilterExtensions()
			if remove {
				return verdict(extensions.RemovePod(context.Background(), copies[i], pod, s.podInfo(other), info))
			}
			return verdict(extensions.AddPod(context.Background(), copies[i], pod, s.podInfo(other), info))
		})
	}
	c.compareFilter(t, sides, copies, pod, "Filter with changes on "+node.Name, n)
	n.changed += n.filters - before
}

// someChange returns a pod of the node to remove, or a new pod to add.
func (c *cluster) someChange(t *difftest.Source, node *v1.Node) (pod *v1.Pod, remove bool) {
	var there []*v1.Pod
	for _, p := range c.pods {
		if p.Spec.NodeName == node.Name {
			there = append(there, p)
		}
	}
	if len(there) > 0 && t.Bool() {
		return pick(t, there), true
	}
	added := somePod(t, c.name("p"))
	added.Spec.NodeName = node.Name
	return added, false
}

func (c *cluster) compareScores(t *difftest.Source, sides []side, states []fwk.CycleState, pod *v1.Pod, n *compared) {
	ctx := context.Background()
	var feasible []string
	for _, node := range c.nodes {
		if !t.OneIn(4) {
			feasible = append(feasible, node.Name)
		}
	}
	infos := func(s side) (list []fwk.NodeInfo) {
		for _, name := range feasible {
			info, err := s.lister.NodeInfos().Get(name)
			c.must(err)
			list = append(list, info)
		}
		return list
	}
	scoring := agreeOn(t, sides, "PreScore", func(i int, s side) string {
		return verdict(s.plugin.PreScore(ctx, states[i], pod, infos(s)))
	})
	if scoring != "Success: " {
		return
	}
	scores := make([]fwk.NodeScoreList, len(sides))
	agreeOn(t, sides, "Score", func(i int, s side) fwk.NodeScoreList {
		for _, info := range infos(s) {
			score, status := s.plugin.Score(ctx, states[i], pod, info)
			if !status.IsSuccess() {
				t.Fatalf("%s: Score on %s: %v", s.name, info.Node().Name, status)
			}
			scores[i] = append(scores[i], fwk.NodeScore{Name: info.Node().Name, Score: score})
		}
		return slices.Clone(scores[i])
	})
	agreeOn(t, sides, "NormalizeScore", func(i int, s side) any {
		status := s.plugin.ScoreExtensions().NormalizeScore(ctx, states[i], pod, scores[i])
		return []any{verdict(status), scores[i]}
	})
	n.scores += len(feasible)
}

// run changes the cluster and schedules pods in it, many of the same template.
func (c *cluster) run(t *difftest.Source, sides []side, oneNode bool, n *compared, hints func(*v1.Pod)) {
	templates := []*v1.Pod{someWaitingPod(t, c.name("p")), someWaitingPod(t, c.name("p"))}
	for range t.Range(1, 12) {
		for range t.Range(0, 3) {
			c.change(t)
		}
		c.made++
		pod := another(pick(t, templates), c.made)
		if t.OneIn(4) {
			pod = someWaitingPod(t, c.name("p"))
			templates[0] = pod
		}
		c.compare(t, sides, pod, oneNode, n)
		hints(pod)
		if len(c.nodes) > 0 {
			bound := pod.DeepCopy()
			bound.Spec.NodeName = pick(t, c.nodes).Name
			c.addPod(bound)
		}
	}
}

func TestPodTopologySpread_SameAnswers(t *testing.T) {
	hard := v1.TopologySpreadConstraint{TopologyKey: v1.LabelTopologyZone, MaxSkew: 1, WhenUnsatisfiable: v1.DoNotSchedule}
	soft := v1.TopologySpreadConstraint{TopologyKey: "rack", MaxSkew: 2, WhenUnsatisfiable: v1.ScheduleAnyway}
	settings := []struct {
		name  string
		gates gates
		args  configv1.PodTopologySpreadArgs
	}{
		{"system defaults", gates{matchLabelKeys: true}, configv1.PodTopologySpreadArgs{DefaultingType: configv1.SystemDefaulting}},
		{"listed defaults", gates{comparisons: true}, configv1.PodTopologySpreadArgs{
			DefaultingType: configv1.ListDefaulting, DefaultConstraints: []v1.TopologySpreadConstraint{hard, soft},
		}},
		{"no defaults", gates{true, true}, configv1.PodTopologySpreadArgs{DefaultingType: configv1.ListDefaulting}},
	}
	for _, set := range settings {
		t.Run(set.name, func(t *testing.T) {
			var n compared
			difftest.Check(t, comparisons.Spread.Cases, func(r *difftest.Source) {
				c := newCluster()
				c.fill(r)
				sides := spreadSides(t, c, set.gates, &set.args)
				c.run(r, sides, true, &n, func(pod *v1.Pod) { c.compareHints(r, sides, pod, spreadDifferences, &n) })
			})
			n.check(t)
		})
	}
}

func TestInterPodAffinity_SameAnswers(t *testing.T) {
	for _, set := range []struct {
		name            string
		hardWeight      int32
		ignorePreferred bool
	}{
		{"default arguments", 1, false},
		{"no weight for required affinity", 0, false},
		{"preferences of existing pods ignored", 100, true},
	} {
		t.Run(set.name, func(t *testing.T) {
			var n compared
			difftest.Check(t, comparisons.Affinity.Cases, func(r *difftest.Source) {
				c := newCluster()
				c.fill(r)
				sides := affinitySides(t, c, set.hardWeight, set.ignorePreferred)
				c.run(r, sides, false, &n, func(pod *v1.Pod) { c.compareHints(r, sides, pod, affinityDifferences, &n) })
			})
			n.check(t)
		})
	}
}
