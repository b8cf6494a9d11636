package interpodaffinity

import (
	"fmt"
	"maps"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/plugins/census"
)

// question is what all pods with the same labels, terms and namespace ask of the pods that run, and its tally.
type question struct {
	pod        *v1.Pod // of the pods that ask, only what the terms of any existing pod can see
	namespace  labels.Set
	own        terms
	hardWeight int32

	tally   *census.Tally
	axes    []axis // as in the tally
	atFirst int    // how many axes the first count needed

	views   views
	version uint64
}

// axis is what is summed over one topology key.
type axis struct {
	kind kind
	key  string
}

type kind uint8

const (
	affinity  kind = iota // existing pods that match all of the pod's required affinity terms, once per term
	anti                  // existing pods that match a required anti-affinity term of the pod
	unwelcome             // required anti-affinity terms of existing pods that match the pod
	liking                // weights of preferred terms, both ways, anti-affinity counting against
)

// views are the counts per axis, by kind.
type views [liking + 1][]census.Counts

// question finds the pod's question, with counts as of the roster. Labels that no existing pod's terms ask about are left
// out of it, so pods that differ by a number of their own ask the same.
func (pl *Plugin) question(pod *v1.Pod, own terms) *question {
	var namespace labels.Set
	if ns, err := pl.namespaces.Get(pod.Namespace); err == nil {
		namespace = ns.Labels
	}
	clear(pl.seen)
	for key, value := range pod.Labels {
		if pl.roster.Asked(key) {
			pl.seen[key] = value
		}
	}
	pl.signature = signTerms(pl.signature[:0].Text(pod.Namespace).Map(pl.seen).Map(namespace), &own)
	q, known := pl.questions.Find(pl.signature)
	if !known {
		q = &question{namespace: namespace, own: own, hardWeight: pl.hardWeight}
		q.pod = &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Labels: maps.Clone(pl.seen)}}
		pl.questions.Keep(pl.signature, q)
	}
	return q
}

// ownTerms compiles and resolves the pod's terms.
func (pl *Plugin) ownTerms(pod *v1.Pod) (own terms, parsing, resolving error) {
	if !hasTerms(pod) {
		return own, nil, nil
	}
	if own, parsing = parse(pod); parsing != nil {
		return own, parsing, nil
	}
	if err := own.resolve(pl.namespaces); err != nil {
		return own, nil, fmt.Errorf("resolving the namespace selectors of the pod's affinity terms: %w", err)
	}
	return own, nil, nil
}

// refresh brings the counts up to the roster.
func (q *question) refresh(r *census.Roster) {
	if q.tally != nil && len(q.axes) > 2*q.atFirst+16 {
		// Most axes are of topology keys that nobody's terms name any more.
		q.close()
		q.tally, q.axes, q.version, q.atFirst = nil, nil, 0, 0
	}
	if q.tally == nil {
		q.tally = census.NewTally(r, q, false, q.own.none())
		for i := range q.own.affinity {
			q.axis(affinity, q.own.affinity[i].TopologyKey)
		}
		for i := range q.own.antiAffinity {
			q.axis(anti, q.own.antiAffinity[i].TopologyKey)
		}
		if list, ok := q.own.labels(); ok {
			q.tally.Expect(list)
		}
	}
	q.tally.Refresh()
	if q.atFirst == 0 {
		q.atFirst = len(q.axes)
	}
	if q.version == q.tally.Version() {
		return
	}
	q.version = q.tally.Version()
	q.views = views{} // states of earlier cycles keep the old ones
	for i, a := range q.axes {
		q.views[a.kind] = append(q.views[a.kind], q.tally.Counts(i))
	}
}

func (q *question) close() {
	if q.tally != nil {
		q.tally.Close()
	}
}

// axis finds or adds an axis. There are as many as there are topology keys in terms that matched: a handful.
func (q *question) axis(kind kind, key string) int {
	for i, a := range q.axes {
		if a.kind == kind && a.key == key {
			return i
		}
	}
	q.axes = append(q.axes, axis{kind, key})
	return q.tally.Axis(key, census.Keyed)
}

// Counted implements census.Rules: every node that has the key counts.
func (q *question) Counted(int, *v1.Node) bool { return true }

// WeighLook implements census.Rules: what the pod's own terms say of an existing one.
func (q *question) WeighLook(t *census.Tally, info fwk.PodInfo) {
	existing := info.GetPod()
	q.requires(existing, func(kind kind, key string) { t.Add(q.axis(kind, key), 1) })
	q.weigh(t, q.own.preferredAffinity, existing, nil, 1)
	q.weigh(t, q.own.preferredAnti, existing, nil, -1)
}

// WeighMind implements census.Rules: what an existing pod's terms say of the pod.
func (q *question) WeighMind(t *census.Tally, info fwk.PodInfo) {
	theirs := termsOf(info)
	for i := range theirs.antiAffinity {
		if term := &theirs.antiAffinity[i]; term.Matches(q.pod, q.namespace) {
			t.Add(q.axis(unwelcome, term.TopologyKey), 1)
		}
	}
	for i := range theirs.affinity {
		if term := &theirs.affinity[i]; q.hardWeight > 0 && term.Matches(q.pod, q.namespace) {
			t.Add(q.axis(liking, term.TopologyKey), int64(q.hardWeight))
		}
	}
	q.weigh(t, theirs.preferredAffinity, q.pod, q.namespace, 1)
	q.weigh(t, theirs.preferredAnti, q.pod, q.namespace, -1)
}

// requires lists which required terms of the pod an existing one matches.
func (q *question) requires(existing *v1.Pod, found func(kind kind, key string)) {
	if matchesAll(q.own.affinity, existing) {
		for i := range q.own.affinity {
			found(affinity, q.own.affinity[i].TopologyKey)
		}
	}
	for i := range q.own.antiAffinity {
		if q.own.antiAffinity[i].Matches(existing, nil) {
			found(anti, q.own.antiAffinity[i].TopologyKey)
		}
	}
}

func (q *question) weigh(t *census.Tally, list []fwk.WeightedAffinityTerm, pod *v1.Pod, namespace labels.Set, sign int64) {
	for i := range list {
		if list[i].Matches(pod, namespace) {
			t.Add(q.axis(liking, list[i].TopologyKey), sign*int64(list[i].Weight))
		}
	}
}
