package interpodaffinity

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
	"k8s.io/utils/ptr"
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

func newScene(t rapid.TB, nodes []*v1.Node, pods ...*v1.Pod) *scene {
	t.Helper()
	return sceneOf(t, cache.SnapshotOf(pods, nodes), arguments(1, false))
}

func arguments(hardWeight int32, ignorePreferred bool) *configv1.InterPodAffinityArgs {
	return &configv1.InterPodAffinityArgs{HardPodAffinityWeight: ptr.To(hardWeight), IgnorePreferredTermsOfExistingPods: ignorePreferred}
}

func sceneOf(t rapid.TB, snapshot *cache.Snapshot, args *configv1.InterPodAffinityArgs) *scene {
	t.Helper()
	s := &scene{Snapshot: snapshot, objects: informers.NewSharedInformerFactory(nil, 0)}
	pl, err := New(context.Background(), args, handle{lister: snapshot, objects: s.objects}, config.DefaultFeatures())
	if err != nil {
		t.Fatal(err)
	}
	s.Plugin = pl.(*Plugin)
	return s
}

// namespace makes a namespace known, with labels in pairs.
func (s *scene) namespace(t rapid.TB, name string, labels ...string) {
	t.Helper()
	ns := &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{}}}
	for i := 0; i < len(labels); i += 2 {
		ns.Labels[labels[i]] = labels[i+1]
	}
	if err := s.objects.Core().V1().Namespaces().Informer().GetIndexer().Add(ns); err != nil {
		t.Fatal(err)
	}
}

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
		var status *fwk.Status
		if !skipped {
			status = s.Filter(context.Background(), state, pod, info)
		}
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
		b := mk.Node(fmt.Sprintf("n%d", i+1))
		if zone != "-" {
			b.Zone(zone)
		}
		nodes = append(nodes, b.Obj())
	}
	return nodes
}

// term selects pods with app=value in a topology.
func term(key, value string) v1.PodAffinityTerm {
	return v1.PodAffinityTerm{TopologyKey: key, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": value}}}
}

func in(t v1.PodAffinityTerm, namespaces ...string) v1.PodAffinityTerm {
	t.Namespaces = namespaces
	return t
}

func inTeam(t v1.PodAffinityTerm, team string) v1.PodAffinityTerm {
	t.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"team": team}}
	return t
}

func everywhere(t v1.PodAffinityTerm) v1.PodAffinityTerm {
	t.NamespaceSelector = &metav1.LabelSelector{}
	return t
}

// pod is a pod app=value with required terms, toward others and away from others.
func pod(name, app string, toward, away []v1.PodAffinityTerm) *v1.Pod {
	a := &v1.Affinity{}
	if toward != nil {
		a.PodAffinity = &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: toward}
	}
	if away != nil {
		a.PodAntiAffinity = &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: away}
	}
	return mk.Pod(name).Label("app", app).Affinity(a).Obj()
}

// preferring is a pod app=value with preferred terms.
func preferring(name, app string, weight int32, toward, away []v1.PodAffinityTerm) *v1.Pod {
	p := pod(name, app, []v1.PodAffinityTerm{}, []v1.PodAffinityTerm{})
	for _, t := range toward {
		p.Spec.Affinity.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution = append(
			p.Spec.Affinity.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution, v1.WeightedPodAffinityTerm{Weight: weight, PodAffinityTerm: t})
	}
	for _, t := range away {
		p.Spec.Affinity.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution = append(
			p.Spec.Affinity.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution, v1.WeightedPodAffinityTerm{Weight: weight, PodAffinityTerm: t})
	}
	return p
}

func on(node string, pod *v1.Pod) *v1.Pod {
	pod = pod.DeepCopy()
	pod.Spec.NodeName = node
	pod.Name += "-on-" + node
	pod.UID = mk.Pod(pod.Name).Namespace(pod.Namespace).Obj().UID
	return pod
}

func plain(name, app string) *v1.Pod { return mk.Pod(name).Label("app", app).Obj() }

func of(list ...v1.PodAffinityTerm) []v1.PodAffinityTerm { return list }

const zone, host = v1.LabelTopologyZone, v1.LabelHostname
