package interpodaffinity

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"pgregory.net/rapid"

	"orrery/core/scheduler/cache"
	"orrery/core/testing/mk"
)

// model applies the documented rules directly: for every node it checks every pod.
type model struct {
	nodes      []*v1.Node
	pods       []*v1.Pod
	namespaces map[string]labels.Set
}

func (m *model) selects(owner *v1.Pod, t v1.PodAffinityTerm, other *v1.Pod) bool {
	selector, _ := metav1.LabelSelectorAsSelector(t.LabelSelector)
	namespace := slices.Contains(t.Namespaces, other.Namespace)
	if len(t.Namespaces) == 0 && t.NamespaceSelector == nil {
		namespace = owner.Namespace == other.Namespace
	}
	if ns, _ := metav1.LabelSelectorAsSelector(t.NamespaceSelector); ns.Matches(m.namespaces[other.Namespace]) {
		namespace = true
	}
	return namespace && selector.Matches(labels.Set(other.Labels))
}

// near calls visit for each pod that runs in the node's domain of a key.
func (m *model) near(node *v1.Node, key string, visit func(*v1.Pod)) {
	value, has := node.Labels[key]
	for _, other := range m.nodes {
		if there, hasToo := other.Labels[key]; !has || !hasToo || there != value {
			continue
		}
		for _, p := range m.pods {
			if p.Spec.NodeName == other.Name {
				visit(p)
			}
		}
	}
}

func (m *model) selectsAll(owner *v1.Pod, terms []v1.PodAffinityTerm, other *v1.Pod) bool {
	return !slices.ContainsFunc(terms, func(t v1.PodAffinityTerm) bool { return !m.selects(owner, t, other) })
}

func required(p *v1.Pod) (toward, away []v1.PodAffinityTerm) {
	if a := p.Spec.Affinity; a != nil && a.PodAffinity != nil {
		toward = a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	if a := p.Spec.Affinity; a != nil && a.PodAntiAffinity != nil {
		away = a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	return toward, away
}

func (m *model) verdict(p *v1.Pod, node *v1.Node) string {
	toward, away := required(p)
	if !m.companyOn(p, node, toward) {
		return "UnschedulableAndUnresolvable: " + ErrReasonAffinityRulesNotMatch
	}
	verdict := ""
	for _, t := range away {
		m.near(node, t.TopologyKey, func(other *v1.Pod) {
			if m.selects(p, t, other) {
				verdict = "Unschedulable: " + ErrReasonAntiAffinityRulesNotMatch
			}
		})
	}
	for key := range node.Labels {
		m.near(node, key, func(other *v1.Pod) {
			_, theirs := required(other)
			for _, t := range theirs {
				if verdict == "" && t.TopologyKey == key && m.selects(other, t, p) {
					verdict = "Unschedulable: " + ErrReasonExistingAntiAffinityRulesNotMatch
				}
			}
		})
	}
	return verdict
}

// companyOn reports whether every term has a match in the node's domain, by pods that match all terms; failing that,
// whether the pod may be the first.
func (m *model) companyOn(p *v1.Pod, node *v1.Node, toward []v1.PodAffinityTerm) bool {
	all, anywhere := true, false
	for _, t := range toward {
		if _, has := node.Labels[t.TopologyKey]; !has {
			return false
		}
		found := false
		m.near(node, t.TopologyKey, func(other *v1.Pod) { found = found || m.selectsAll(p, toward, other) })
		all = all && found
		for _, n := range m.nodes {
			m.near(n, t.TopologyKey, func(other *v1.Pod) { anywhere = anywhere || m.selectsAll(p, toward, other) })
		}
	}
	return all || (!anywhere && m.selectsAll(p, toward, p))
}

func (m *model) score(p *v1.Pod, node *v1.Node) (score int64) {
	for key := range node.Labels {
		m.near(node, key, func(other *v1.Pod) {
			m.likings(p, func(t v1.PodAffinityTerm, weight int32) {
				if t.TopologyKey == key && m.selects(p, t, other) {
					score += int64(weight)
				}
			})
			m.likings(other, func(t v1.PodAffinityTerm, weight int32) {
				if t.TopologyKey == key && m.selects(other, t, p) {
					score += int64(weight)
				}
			})
			toward, _ := required(other)
			for _, t := range toward {
				if t.TopologyKey == key && m.selects(other, t, p) {
					score++ // hardPodAffinityWeight
				}
			}
		})
	}
	return score
}

func (m *model) likings(owner *v1.Pod, each func(v1.PodAffinityTerm, int32)) {
	for _, t := range preferredAffinity(owner) {
		each(t.PodAffinityTerm, t.Weight)
	}
	for _, t := range preferredAnti(owner) {
		each(t.PodAffinityTerm, -t.Weight)
	}
}

// history is a changing cluster, kept both in the cache that the plugin reads and in the model.
type history struct {
	model
	cache *cache.Cache
	made  int
}

func (h *history) change(t *rapid.T) {
	h.made++
	which := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "which") }
	switch action := rapid.IntRange(0, 6).Draw(t, "change"); {
	case len(h.nodes) == 0 || action == 0:
		h.nodes = append(h.nodes, someNode(t, fmt.Sprint("n", h.made)))
		h.cache.AddNode(h.nodes[len(h.nodes)-1])
	case action == 1:
		i := which(len(h.nodes))
		h.nodes[i] = someNode(t, h.nodes[i].Name)
		h.cache.UpdateNode(h.nodes[i])
	case action == 2:
		i := which(len(h.nodes))
		if err := h.cache.RemoveNode(h.nodes[i]); err != nil {
			t.Fatal(err)
		}
		h.nodes = slices.Delete(h.nodes, i, i+1)
	case action == 3 && len(h.pods) > 0:
		i := which(len(h.pods))
		if err := h.cache.RemovePod(h.pods[i]); err != nil {
			t.Fatal(err)
		}
		h.pods = slices.Delete(h.pods, i, i+1)
	default:
		p := somePod(t, fmt.Sprint("p", h.made))
		p.Spec.NodeName = h.nodes[which(len(h.nodes))].Name
		h.pods = append(h.pods, p)
		if err := h.cache.AddPod(p); err != nil {
			t.Fatal(err)
		}
	}
}

func someNode(t *rapid.T, name string) *v1.Node {
	b := mk.Node(name)
	for _, key := range []string{zone, "rack"} {
		if rapid.IntRange(0, 4).Draw(t, "has "+key) > 0 {
			b.Label(key, rapid.SampledFrom([]string{"a", "b", ""}).Draw(t, key))
		}
	}
	return b.Obj()
}

func somePod(t *rapid.T, name string) *v1.Pod {
	b := mk.Pod(name).Namespace(rapid.SampledFrom([]string{"default", "red", "blue"}).Draw(t, "namespace"))
	b.Label("app", rapid.SampledFrom([]string{"x", "y"}).Draw(t, "app")).Label("index", name)
	if rapid.Bool().Draw(t, "tiered") {
		b.Label("tier", rapid.SampledFrom([]string{"x", "y"}).Draw(t, "tier"))
	}
	if rapid.Bool().Draw(t, "has terms") {
		b.Affinity(&v1.Affinity{
			PodAffinity: &v1.PodAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution:  someTerms(t),
				PreferredDuringSchedulingIgnoredDuringExecution: weighted(t),
			},
			PodAntiAffinity: &v1.PodAntiAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution:  someTerms(t),
				PreferredDuringSchedulingIgnoredDuringExecution: weighted(t),
			},
		})
	}
	return b.Obj()
}

// someTerms leaves out namespace selectors that match namespaces without labels; they have their own test.
func someTerms(t *rapid.T) (list []v1.PodAffinityTerm) {
	for range rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "terms") {
		one := term(rapid.SampledFrom([]string{zone, host, "rack"}).Draw(t, "key"), rapid.SampledFrom([]string{"x", "y"}).Draw(t, "app"))
		if rapid.IntRange(0, 2).Draw(t, "by tier") == 0 {
			one.LabelSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "tier", Operator: metav1.LabelSelectorOpExists}}}
		}
		switch rapid.IntRange(0, 5).Draw(t, "namespaces") {
		case 0:
			one = in(one, "red")
		case 1:
			one = everywhere(one)
		case 2:
			one = inTeam(one, "red")
		}
		list = append(list, one)
	}
	return list
}

func weighted(t *rapid.T) (list []v1.WeightedPodAffinityTerm) {
	for _, term := range someTerms(t) {
		list = append(list, v1.WeightedPodAffinityTerm{Weight: int32(rapid.IntRange(1, 100).Draw(t, "weight")), PodAffinityTerm: term})
	}
	return list
}

// A plugin that keeps counts between cycles, one that is reset before each, and the model must agree after every change of
// the cluster. Pending pods of one template differ by an index label, as those of a StatefulSet do. Shows IPA-02 and IPA-08.
func TestInterPodAffinity_AgreesWithModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		snapshot := cache.NewSnapshot()
		h := &history{cache: cache.New(), model: model{namespaces: map[string]labels.Set{
			"default": {}, "red": {"team": "red"}, "blue": {"team": "blue"},
		}}}
		kept, fresh := fixtureOf(t, snapshot, arguments(1, false)), fixtureOf(t, snapshot, arguments(1, false))
		for name, labels := range h.namespaces {
			for _, s := range []*fixture{kept, fresh} {
				s.namespace(t, name, "team", labels["team"])
			}
		}
		template := somePod(t, "waiting")
		for i := range rapid.IntRange(1, 12).Draw(t, "steps") {
			for range rapid.IntRange(0, 4).Draw(t, "changes") {
				h.change(t)
			}
			if rapid.IntRange(0, 2).Draw(t, "new template") == 0 {
				template = somePod(t, "waiting")
			}
			template = template.DeepCopy()
			template.Labels["index"] = fmt.Sprint(i)
			if err := h.cache.UpdateSnapshot(snapshot); err != nil {
				t.Fatal(err)
			}
			fresh.Forget()
			h.compare(t, template, kept, fresh)
		}
	})
}

func (h *history) compare(t *rapid.T, p *v1.Pod, kept, fresh *fixture) {
	want, wantScores := map[string]string{}, scores{}
	for _, node := range h.nodes {
		want[node.Name], wantScores[node.Name] = h.verdict(p, node), h.score(p, node)
	}
	for name, s := range map[string]*fixture{"with reuse": kept, "without reuse": fresh} {
		if diff := cmp.Diff(want, s.FilterAll(t, p)); diff != "" {
			t.Fatalf("verdicts: model (-) and plugin %s (+) differ:\n%s", name, diff)
		}
		s.CompareClasses(t, p, func(int) bool { return rapid.IntRange(0, 3).Draw(t, "scored") > 0 })
		if raw, _ := s.ScoreAll(t, p); raw != nil {
			if diff := cmp.Diff(wantScores, raw); diff != "" {
				t.Fatalf("scores: model (-) and plugin %s (+) differ:\n%s", name, diff)
			}
		} else if slices.ContainsFunc(h.nodes, func(n *v1.Node) bool { return wantScores[n.Name] != 0 }) {
			t.Fatalf("%s, scoring was skipped although nodes differ", name)
		}
	}
}

// Each guard has its own topology key and exists for one cycle.
func TestTermSet_ForgetsFormerTopologyKeys(t *testing.T) {
	c, snapshot := cache.New(), cache.NewSnapshot()
	s := fixtureOf(t, snapshot, arguments(1, false))
	for i := range 100 {
		key := fmt.Sprint("key", i)
		node := mk.Node("n1").Label(key, "here").Obj()
		c.AddNode(node)
		guard := on("n1", pod("guard", "db", nil, of(term(key, "web"))))
		if err := c.AddPod(guard); err != nil {
			t.Fatal(err)
		}
		if err := c.UpdateSnapshot(snapshot); err != nil {
			t.Fatal(err)
		}
		if got := s.FeasibleNodes(t, plain("w", "web")); got != "" {
			t.Fatalf("cycle %d: the guard is not respected", i)
		}
		if err := c.RemovePod(guard); err != nil {
			t.Fatal(err)
		}
	}
	if axes := len(s.InterPodAffinity.termSet(plain("w", "web"), terms{}).axes); axes > 40 {
		t.Errorf("%d axes are kept", axes)
	}
}
