package podtopologyspread

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"orrery/core/scheduler/cache"
	"orrery/core/testing/mk"
)

// model applies the documented rules directly, pod by pod and node by node.
type model struct {
	nodes []*v1.Node
	pods  []*v1.Pod
}

// counts is how many pods count in each domain of a constraint, among nodes that have all keys.
func (m *model) counts(pod *v1.Pod, c v1.TopologySpreadConstraint, keys []string) map[string]int {
	counts := map[string]int{}
	for _, node := range m.nodes {
		if !lacks(node, keys) && m.included(pod, c, node) {
			counts[node.Labels[c.TopologyKey]] += m.on(node, pod, c)
		}
	}
	return counts
}

func lacks(node *v1.Node, keys []string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { _, has := node.Labels[key]; return !has })
}

func (m *model) included(pod *v1.Pod, c v1.TopologySpreadConstraint, node *v1.Node) bool {
	honorsAffinity := c.NodeAffinityPolicy == nil || *c.NodeAffinityPolicy == v1.NodeInclusionPolicyHonor
	honorsTaints := c.NodeTaintsPolicy != nil && *c.NodeTaintsPolicy == v1.NodeInclusionPolicyHonor
	selected := labels.SelectorFromSet(pod.Spec.NodeSelector).Matches(labels.Set(node.Labels))
	tainted := len(node.Spec.Taints) > 0
	return (!honorsAffinity || selected) && (!honorsTaints || !tainted)
}

func (m *model) on(node *v1.Node, pod *v1.Pod, c v1.TopologySpreadConstraint) (n int) {
	selector, _ := metav1.LabelSelectorAsSelector(c.LabelSelector)
	for _, p := range m.pods {
		if p.Spec.NodeName == node.Name && p.Namespace == pod.Namespace && p.DeletionTimestamp == nil &&
			!selector.Empty() && selector.Matches(labels.Set(p.Labels)) {
			n++
		}
	}
	return n
}

func keysOf(constraints []v1.TopologySpreadConstraint) (keys []string) {
	for _, c := range constraints {
		keys = append(keys, c.TopologyKey)
	}
	return keys
}

func ofKind(pod *v1.Pod, when v1.UnsatisfiableConstraintAction) (list []v1.TopologySpreadConstraint) {
	for _, c := range pod.Spec.TopologySpreadConstraints {
		if c.WhenUnsatisfiable == when {
			list = append(list, c)
		}
	}
	return list
}

func (m *model) filter(pod *v1.Pod) map[string]string {
	verdicts := map[string]string{}
	constraints := ofKind(pod, v1.DoNotSchedule)
	for _, node := range m.nodes {
		verdicts[node.Name] = ""
		for _, c := range constraints {
			if verdicts[node.Name] == "" {
				verdicts[node.Name] = m.allows(pod, node, c, keysOf(constraints))
			}
		}
	}
	return verdicts
}

func (m *model) allows(pod *v1.Pod, node *v1.Node, c v1.TopologySpreadConstraint, keys []string) string {
	value, has := node.Labels[c.TopologyKey]
	if !has {
		return "UnschedulableAndUnresolvable: " + ErrReasonNodeLabelNotMatch
	}
	counts, least := m.counts(pod, c, keys), math.MaxInt32
	for _, n := range counts {
		least = min(least, n)
	}
	if len(counts) < int(ptr.Deref(c.MinDomains, 1)) {
		least = 0
	}
	self := 0
	if selector, _ := metav1.LabelSelectorAsSelector(c.LabelSelector); selector.Matches(labels.Set(pod.Labels)) {
		self = 1
	}
	if counts[value]+self-least > int(c.MaxSkew) {
		return "Unschedulable: " + ErrReasonConstraintsNotMatch
	}
	return ""
}

func (m *model) score(pod *v1.Pod) scores {
	constraints := ofKind(pod, v1.ScheduleAnyway)
	keys, out := keysOf(constraints), scores{}
	for _, node := range m.nodes {
		if lacks(node, keys) {
			out[node.Name] = 0
			continue
		}
		var score float64
		for _, c := range constraints {
			domains := map[string]bool{}
			for _, n := range m.nodes {
				if !lacks(n, keys) {
					domains[n.Labels[c.TopologyKey]] = true
				}
			}
			count, size := m.counts(pod, c, keys)[node.Labels[c.TopologyKey]], len(domains)
			if c.TopologyKey == v1.LabelHostname {
				count = m.on(node, pod, c)
			}
			score += float64(float64(count)*math.Log(float64(size+2))) + float64(c.MaxSkew-1)
		}
		out[node.Name] = int64(math.Round(score))
	}
	return out
}

// history is a changing cluster, kept both in the cache that the plugin reads and in the model.
type history struct {
	model
	cache   *cache.Cache
	fixture *fixture
	made    int
}

func (h *history) name(prefix string) string {
	h.made++
	return fmt.Sprint(prefix, h.made)
}

func (h *history) change(t *rapid.T) {
	switch rapid.IntRange(0, 7).Draw(t, "change") {
	case 0, 1:
		node := someNode(t, h.name("n"))
		h.nodes = append(h.nodes, node)
		h.cache.AddNode(node)
	case 2:
		if len(h.nodes) > 0 {
			i := rapid.IntRange(0, len(h.nodes)-1).Draw(t, "updated node")
			h.nodes[i] = someNode(t, h.nodes[i].Name)
			h.cache.UpdateNode(h.nodes[i])
		}
	case 3:
		if len(h.nodes) > 0 {
			i := rapid.IntRange(0, len(h.nodes)-1).Draw(t, "removed node")
			if err := h.cache.RemoveNode(h.nodes[i]); err != nil {
				t.Fatal(err)
			}
			h.nodes = slices.Delete(h.nodes, i, i+1)
		}
	case 4:
		if len(h.pods) > 0 {
			i := rapid.IntRange(0, len(h.pods)-1).Draw(t, "removed pod")
			if err := h.cache.RemovePod(h.pods[i]); err != nil {
				t.Fatal(err)
			}
			h.pods = slices.Delete(h.pods, i, i+1)
		}
	default:
		if len(h.nodes) > 0 {
			pod := somePod(t, h.name("p"))
			pod.Spec.NodeName = rapid.SampledFrom(h.nodes).Draw(t, "node").Name
			h.pods = append(h.pods, pod)
			if err := h.cache.AddPod(pod); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func someNode(t *rapid.T, name string) *v1.Node {
	b := mk.Node(name)
	for _, key := range []string{zone, "rack"} {
		if rapid.IntRange(0, 4).Draw(t, "has "+key) > 0 {
			b.Label(key, rapid.SampledFrom([]string{"a", "b", "c", ""}).Draw(t, key))
		}
	}
	if rapid.Bool().Draw(t, "in pool") {
		b.Label("pool", "x")
	}
	if rapid.IntRange(0, 4).Draw(t, "tainted") == 0 {
		b.Taint("t", "", v1.TaintEffectNoSchedule)
	}
	return b.Obj()
}

func somePod(t *rapid.T, name string) *v1.Pod {
	b := mk.Pod(name).Namespace(rapid.SampledFrom([]string{"default", "default", "other"}).Draw(t, "namespace"))
	b.Label("foo", rapid.SampledFrom([]string{"bar", "bar", "baz"}).Draw(t, "foo"))
	if rapid.IntRange(0, 5).Draw(t, "deleting") == 0 {
		b.Deleting(metav1.Unix(1, 0).Time)
	}
	return b.Obj()
}

func someConstraints(t *rapid.T) (list []v1.TopologySpreadConstraint) {
	policies := []*v1.NodeInclusionPolicy{nil, ptr.To(v1.NodeInclusionPolicyHonor), ptr.To(v1.NodeInclusionPolicyIgnore)}
	for range rapid.IntRange(1, 3).Draw(t, "constraints") {
		c := hard(rapid.SampledFrom([]string{zone, "rack", v1.LabelHostname}).Draw(t, "key"), int32(rapid.IntRange(1, 2).Draw(t, "skew")))
		if rapid.Bool().Draw(t, "soft") {
			c.WhenUnsatisfiable = v1.ScheduleAnyway
		}
		c.NodeAffinityPolicy = rapid.SampledFrom(policies).Draw(t, "affinity policy")
		c.NodeTaintsPolicy = rapid.SampledFrom(policies).Draw(t, "taints policy")
		if rapid.IntRange(0, 3).Draw(t, "min domains") == 0 {
			c.MinDomains = ptr.To[int32](3)
		}
		if rapid.IntRange(0, 5).Draw(t, "empty selector") == 0 {
			c.LabelSelector = &metav1.LabelSelector{}
		}
		list = append(list, c)
	}
	return list
}

// A plugin that keeps counts between cycles, one that is reset before each, and the model must agree after every change of
// the cluster.
func TestPodTopologySpread_AgreesWithModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		snapshot := cache.NewSnapshot()
		h := &history{cache: cache.New(), fixture: fixtureOf(t, snapshot, noDefaults())}
		fresh := fixtureOf(t, snapshot, noDefaults())
		template := mk.Pod("waiting").Label("foo", "bar").Obj()
		for range rapid.IntRange(1, 15).Draw(t, "steps") {
			for range rapid.IntRange(0, 4).Draw(t, "changes") {
				h.change(t)
			}
			if rapid.IntRange(0, 2).Draw(t, "new template") == 0 {
				template.Spec.TopologySpreadConstraints = someConstraints(t)
				template.Spec.NodeSelector = rapid.SampledFrom([]map[string]string{nil, nil, {"pool": "x"}}).Draw(t, "selector")
			}
			if err := h.cache.UpdateSnapshot(snapshot); err != nil {
				t.Fatal(err)
			}
			fresh.Forget()
			h.compare(t, fresh, template)
		}
	})
}

func (h *history) compare(t *rapid.T, fresh *fixture, pod *v1.Pod) {
	want := h.filter(pod)
	if diff := cmp.Diff(want, h.fixture.FilterAll(t, pod)); diff != "" {
		t.Fatalf("verdicts: model (-) and plugin (+) differ:\n%s", diff)
	}
	if diff := cmp.Diff(want, fresh.FilterAll(t, pod)); diff != "" {
		t.Fatalf("verdicts: model (-) and plugin without reuse (+) differ:\n%s", diff)
	}
	h.fixture.CompareClasses(t, pod, func(int) bool { return rapid.IntRange(0, 3).Draw(t, "scored") > 0 })
	raw, normalized := h.fixture.ScoreAll(t, pod)
	if raw == nil {
		if len(h.nodes) > 0 && len(ofKind(pod, v1.ScheduleAnyway)) > 0 {
			t.Fatal("scoring was skipped although there are constraints and nodes")
		}
		return
	}
	if diff := cmp.Diff(h.score(pod), raw); diff != "" {
		t.Fatalf("scores: model (-) and plugin (+) differ:\n%s", diff)
	}
	rawFresh, normalizedFresh := fresh.ScoreAll(t, pod)
	if diff := cmp.Diff([]scores{raw, normalized}, []scores{rawFresh, normalizedFresh}); diff != "" {
		t.Fatalf("scores with (-) and without reuse (+) differ:\n%s", diff)
	}
}
