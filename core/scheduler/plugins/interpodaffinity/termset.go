package interpodaffinity

import (
	"fmt"
	"maps"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/plugins/topology"
)

// termSet is one set of affinity terms with the counts they need, shared by pods with equal terms, labels and namespace.
type termSet struct {
	pod        *v1.Pod // has only what terms of existing pods can see of the pending pods
	namespace  labels.Set
	own        terms
	hardWeight int32

	domains     *topology.DomainCounts
	axes        []axis // as in domains
	initialAxes int    // how many axes the first count needed

	views views
}

// axis is a kind of sum over one topology key.
type axis struct {
	kind kind
	key  string
}

type kind uint8

const (
	affinity             kind = iota // existing pods that match all of the pod's required affinity terms, once per term
	antiAffinity                     // existing pods that match a required anti-affinity term of the pod
	existingAntiAffinity             // required anti-affinity terms of existing pods that match the pod
	preference                       // weights of preferred terms of both sides; those of anti-affinity are negative
)

// views are the counts per axis, by kind.
type views [preference + 1][]topology.AxisView

// termSet returns the pod's set. It leaves out labels that no existing pod's terms select by, so pods that differ in an index
// label share a set.
func (pl *InterPodAffinity) termSet(pod *v1.Pod, own terms) *termSet {
	var namespace labels.Set
	if ns, err := pl.namespaces.Get(pod.Namespace); err == nil {
		namespace = ns.Labels
	}
	clear(pl.visibleLabels)
	for key, value := range pod.Labels {
		if pl.index.UsesLabel(key) {
			pl.visibleLabels[key] = value
		}
	}
	pl.signature = signTerms(pl.signature[:0].Text(pod.Namespace).Pairs(pl.visibleLabels).Pairs(namespace), &own)
	if known := pl.recent.Get(pl.signature); known != nil {
		return known.Value
	}
	q := &termSet{namespace: namespace, own: own, hardWeight: pl.hardWeight}
	q.pod = &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Labels: maps.Clone(pl.visibleLabels)}}
	pl.recent.Add(pl.signature, q)
	return q
}

// ownTerms compiles and resolves the pod's terms.
func (pl *InterPodAffinity) ownTerms(pod *v1.Pod) (own terms, parsing, resolving error) {
	if !hasTerms(pod) {
		return own, nil, nil
	}
	if own, parsing = parse(pod); parsing != nil {
		return own, parsing, nil
	}
	if err := own.resolve(pl.namespaces, pl.clearSelectors); err != nil {
		return own, nil, fmt.Errorf("resolving the namespace selectors of the pod's affinity terms: %w", err)
	}
	return own, nil, nil
}

// refresh brings the counts up to the index.
func (q *termSet) refresh(index *topology.PodIndex) {
	if q.domains != nil && len(q.axes) > 2*q.initialAxes+16 {
		// Most axes are of topology keys that no terms use any more.
		q.close()
		q.domains, q.axes, q.initialAxes = nil, nil, 0
	}
	if q.domains == nil {
		q.domains = topology.NewDomainCounts(index, q, topology.Options{TermsOnly: q.own.empty(), Labels: q.own.labels()})
		for i := range q.own.affinity {
			q.axis(affinity, q.own.affinity[i].TopologyKey)
		}
		for i := range q.own.antiAffinity {
			q.axis(antiAffinity, q.own.antiAffinity[i].TopologyKey)
		}
	}
	changed := q.domains.Refresh()
	if q.initialAxes == 0 {
		q.initialAxes = len(q.axes)
	}
	if !changed {
		return
	}
	q.views = views{} // states of earlier cycles keep the old ones
	for i, a := range q.axes {
		q.views[a.kind] = append(q.views[a.kind], q.domains.View(i))
	}
}

func (q *termSet) close() { q.domains.Close() }

// axis finds or adds an axis. There are few: one per kind and topology key of matching terms.
func (q *termSet) axis(kind kind, key string) int {
	for i, a := range q.axes {
		if a.kind == kind && a.key == key {
			return i
		}
	}
	q.axes = append(q.axes, axis{kind, key})
	return q.domains.Axis(key, topology.PerValue)
}

// Includes implements topology.Rules: every node that has the key counts.
func (q *termSet) Includes(int, *v1.Node) bool { return true }

// WeighLabels implements topology.Rules: the pod's own terms that an existing pod matches.
func (q *termSet) WeighLabels(t *topology.DomainCounts, info fwk.PodInfo) {
	existing := info.GetPod()
	q.matchedTerms(existing, func(kind kind, key string) { t.AddWeight(q.axis(kind, key), 1) })
	q.weigh(t, q.own.preferredAffinity, existing, nil, 1)
	q.weigh(t, q.own.preferredAnti, existing, nil, -1)
}

// WeighTerms implements topology.Rules: the terms of an existing pod that match the pod.
func (q *termSet) WeighTerms(t *topology.DomainCounts, info fwk.PodInfo) {
	theirs := termsOf(info)
	for i := range theirs.antiAffinity {
		if term := &theirs.antiAffinity[i]; term.Matches(q.pod, q.namespace) {
			t.AddWeight(q.axis(existingAntiAffinity, term.TopologyKey), 1)
		}
	}
	for i := range theirs.affinity {
		if term := &theirs.affinity[i]; q.hardWeight > 0 && term.Matches(q.pod, q.namespace) {
			t.AddWeight(q.axis(preference, term.TopologyKey), int64(q.hardWeight))
		}
	}
	q.weigh(t, theirs.preferredAffinity, q.pod, q.namespace, 1)
	q.weigh(t, theirs.preferredAnti, q.pod, q.namespace, -1)
}

// matchedTerms calls found for each required term of the pod that an existing pod matches.
func (q *termSet) matchedTerms(existing *v1.Pod, found func(kind kind, key string)) {
	if matchesAll(q.own.affinity, existing) {
		for i := range q.own.affinity {
			found(affinity, q.own.affinity[i].TopologyKey)
		}
	}
	for i := range q.own.antiAffinity {
		if q.own.antiAffinity[i].Matches(existing, nil) {
			found(antiAffinity, q.own.antiAffinity[i].TopologyKey)
		}
	}
}

func (q *termSet) weigh(t *topology.DomainCounts, list []fwk.WeightedAffinityTerm, pod *v1.Pod, namespace labels.Set, sign int64) {
	for i := range list {
		if list[i].Matches(pod, namespace) {
			t.AddWeight(q.axis(preference, list[i].TopologyKey), sign*int64(list[i].Weight))
		}
	}
}
