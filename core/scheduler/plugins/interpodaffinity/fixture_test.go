package interpodaffinity

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/testing/mk"
	"orrery/core/testing/plugintest"
)

// fixture is a snapshot and a plugin that reads it.
type fixture struct {
	*cache.Snapshot
	*plugintest.Fixture
	*InterPodAffinity
}

func newFixture(t rapid.TB, nodes []*v1.Node, pods ...*v1.Pod) *fixture {
	t.Helper()
	return fixtureOf(t, cache.SnapshotOf(pods, nodes), arguments(1, false))
}

func arguments(hardWeight int32, ignorePreferred bool) *configv1.InterPodAffinityArgs {
	return &configv1.InterPodAffinityArgs{HardPodAffinityWeight: ptr.To(hardWeight), IgnorePreferredTermsOfExistingPods: ignorePreferred}
}

func fixtureOf(t rapid.TB, snapshot *cache.Snapshot, args *configv1.InterPodAffinityArgs) *fixture {
	t.Helper()
	s := &fixture{Snapshot: snapshot}
	s.Fixture = plugintest.NewFixture(t, snapshot, func(h fwk.Handle) (fwk.Plugin, error) {
		made, err := New(context.Background(), args, h, config.DefaultFeatures())
		s.InterPodAffinity, _ = made.(*InterPodAffinity)
		return made, err
	})
	return s
}

// namespace adds a namespace to the informer; labels are pairs of key and value.
func (s *fixture) namespace(t rapid.TB, name string, labels ...string) {
	t.Helper()
	ns := &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{}}}
	for i := 0; i < len(labels); i += 2 {
		ns.Labels[labels[i]] = labels[i+1]
	}
	if err := s.Objects.Core().V1().Namespaces().Informer().GetIndexer().Add(ns); err != nil {
		t.Fatal(err)
	}
}

// zoned builds nodes n1, n2, … in the given zones; "-" means no zone.
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

// pod returns a pod app=value with required affinity and anti-affinity terms.
func pod(name, app string, affinity, antiAffinity []v1.PodAffinityTerm) *v1.Pod {
	a := &v1.Affinity{}
	if affinity != nil {
		a.PodAffinity = &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: affinity}
	}
	if antiAffinity != nil {
		a.PodAntiAffinity = &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: antiAffinity}
	}
	return mk.Pod(name).Label("app", app).Affinity(a).Obj()
}

// preferring returns a pod app=value with preferred affinity and anti-affinity terms.
func preferring(name, app string, weight int32, affinity, antiAffinity []v1.PodAffinityTerm) *v1.Pod {
	p := pod(name, app, []v1.PodAffinityTerm{}, []v1.PodAffinityTerm{})
	for _, t := range affinity {
		p.Spec.Affinity.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution = append(
			p.Spec.Affinity.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution, v1.WeightedPodAffinityTerm{Weight: weight, PodAffinityTerm: t})
	}
	for _, t := range antiAffinity {
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
