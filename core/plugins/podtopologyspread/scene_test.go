package podtopologyspread

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"pgregory.net/rapid"

	"orrery/core/cache"
	"orrery/core/config"
	"orrery/core/framework"
	"orrery/core/mk"
)

// handle gives the plugin what it asks for.
type handle struct {
	fwk.Handle
	lister  fwk.SharedLister
	objects informers.SharedInformerFactory
}

func (h handle) SnapshotSharedLister() fwk.SharedLister                 { return h.lister }
func (h handle) SharedInformerFactory() informers.SharedInformerFactory { return h.objects }

// scene is a cluster and the plugin that looks at it.
type scene struct {
	*cache.Snapshot
	objects informers.SharedInformerFactory
	*Plugin
}

func newScene(t rapid.TB, nodes []*v1.Node, pods []*v1.Pod) *scene {
	t.Helper()
	return sceneOf(t, cache.SnapshotOf(pods, nodes), noDefaults())
}

func sceneOf(t rapid.TB, snapshot *cache.Snapshot, args *configv1.PodTopologySpreadArgs) *scene {
	t.Helper()
	s := &scene{Snapshot: snapshot, objects: informers.NewSharedInformerFactory(nil, 0)}
	pl, err := New(context.Background(), args, handle{lister: snapshot, objects: s.objects}, config.DefaultFeatures())
	if err != nil {
		t.Fatal(err)
	}
	s.Plugin = pl.(*Plugin)
	return s
}

func noDefaults() *configv1.PodTopologySpreadArgs {
	return &configv1.PodTopologySpreadArgs{DefaultingType: configv1.ListDefaulting}
}

func systemDefaulting() *configv1.PodTopologySpreadArgs {
	return &configv1.PodTopologySpreadArgs{DefaultingType: configv1.SystemDefaulting}
}

// prefilter begins a scheduling cycle.
func (s *scene) prefilter(t rapid.TB, pod *v1.Pod) (fwk.CycleState, *fwk.Status) {
	t.Helper()
	state := framework.NewCycleState()
	nodes, _ := s.List()
	_, status := s.PreFilter(context.Background(), state, pod, nodes)
	return state, status
}

// filter runs a whole filtering and gives the verdict on each node; "" is a pass.
func (s *scene) filter(t rapid.TB, pod *v1.Pod) map[string]string {
	t.Helper()
	state, status := s.prefilter(t, pod)
	if !status.IsSuccess() && !status.IsSkip() {
		t.Fatalf("PreFilter: %v", status)
	}
	return s.verdicts(t, state, pod, status.IsSkip())
}

func (s *scene) verdicts(t rapid.TB, state fwk.CycleState, pod *v1.Pod, skipped bool) map[string]string {
	t.Helper()
	nodes, _ := s.List()
	out := map[string]string{}
	for _, info := range nodes {
		if skipped {
			out[info.Node().Name] = ""
			continue
		}
		status := s.Filter(context.Background(), state, pod, info)
		if !status.IsSuccess() && status.Plugin() != Name {
			t.Errorf("the verdict on %s is not signed by the plugin", info.Node().Name)
		}
		out[info.Node().Name] = short(status)
	}
	return out
}

func short(status *fwk.Status) string {
	if status.IsSuccess() {
		return ""
	}
	return status.Code().String() + ": " + strings.Join(status.Reasons(), "; ")
}

// allowed are the names of the nodes that pass, sorted.
func (s *scene) allowed(t rapid.TB, pod *v1.Pod) string {
	t.Helper()
	return passing(s.filter(t, pod))
}

func passing(verdicts map[string]string) string {
	maps.DeleteFunc(verdicts, func(_, verdict string) bool { return verdict != "" })
	return strings.Join(slices.Sorted(maps.Keys(verdicts)), " ")
}

// score runs a whole scoring of all nodes; skipped is true if PreScore had nothing to do.
func (s *scene) score(t rapid.TB, pod *v1.Pod) (raw, normalized map[string]int64, skipped bool) {
	t.Helper()
	ctx, state := context.Background(), framework.NewCycleState()
	nodes, _ := s.List()
	if status := s.PreScore(ctx, state, pod, nodes); status.IsSkip() {
		return nil, nil, true
	} else if !status.IsSuccess() {
		t.Fatalf("PreScore: %v", status)
	}
	raw, normalized = map[string]int64{}, map[string]int64{}
	var scores fwk.NodeScoreList
	for _, info := range nodes {
		score, status := s.Score(ctx, state, pod, info)
		if !status.IsSuccess() {
			t.Fatalf("Score: %v", status)
		}
		raw[info.Node().Name] = score
		scores = append(scores, fwk.NodeScore{Name: info.Node().Name, Score: score})
	}
	if status := s.NormalizeScore(ctx, state, pod, scores); !status.IsSuccess() {
		t.Fatalf("NormalizeScore: %v", status)
	}
	for _, score := range scores {
		normalized[score.Name] = score.Score
	}
	return raw, normalized, false
}

// zoned builds nodes n1, n2 … in the given zones; "-" is no zone.
func zoned(zones ...string) (nodes []*v1.Node) {
	for i, zone := range zones {
		b := mk.Node(fmt.Sprintf("n%d", i+1)).Label("node", fmt.Sprintf("n%d", i+1))
		if zone != "-" {
			b.Zone(zone)
		}
		nodes = append(nodes, b.Obj())
	}
	return nodes
}

// running builds pods labelled foo=bar on the named nodes, one for each name.
func running(nodes ...string) (pods []*v1.Pod) {
	for i, node := range nodes {
		pods = append(pods, mk.Pod(fmt.Sprintf("r%d", i)).Label("foo", "bar").Node(node).Obj())
	}
	return pods
}

// mypod is a pod labelled foo=bar with constraints that select foo=bar.
func mypod(constraints ...v1.TopologySpreadConstraint) *v1.Pod {
	pod := mk.Pod("mypod").Label("foo", "bar").Obj()
	pod.Spec.TopologySpreadConstraints = constraints
	return pod
}

func hard(key string, skew int32) v1.TopologySpreadConstraint {
	return v1.TopologySpreadConstraint{
		MaxSkew: skew, TopologyKey: key, WhenUnsatisfiable: v1.DoNotSchedule,
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"foo": "bar"}},
	}
}

func soft(key string, skew int32) v1.TopologySpreadConstraint {
	c := hard(key, skew)
	c.WhenUnsatisfiable = v1.ScheduleAnyway
	return c
}

const zone, host = v1.LabelTopologyZone, "node"
