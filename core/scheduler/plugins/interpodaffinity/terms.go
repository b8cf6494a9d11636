package interpodaffinity

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/sets"
	corelisters "k8s.io/client-go/listers/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/plugins/topology"
	"orrery/core/scheduler/reuse"
)

// terms are a pod's own terms, compiled.
type terms struct {
	affinity, antiAffinity           []fwk.AffinityTerm
	preferredAffinity, preferredAnti []fwk.WeightedAffinityTerm
}

// parse compiles the terms of a pod and joins all errors.
func parse(pod *v1.Pod) (t terms, err error) {
	var errs []error
	note := func(name string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	t.affinity, err = fwk.GetAffinityTerms(pod, fwk.GetPodAffinityTerms(pod.Spec.Affinity))
	note("requiredAffinityTerms", err)
	t.antiAffinity, err = fwk.GetAffinityTerms(pod, fwk.GetPodAntiAffinityTerms(pod.Spec.Affinity))
	note("requiredAntiAffinityTerms", err)
	t.preferredAffinity, err = fwk.GetWeightedAffinityTerms(pod, preferredAffinity(pod))
	note("preferredAffinityTerms", err)
	t.preferredAnti, err = fwk.GetWeightedAffinityTerms(pod, preferredAnti(pod))
	note("preferredAntiAffinityTerms", err)
	return t, utilerrors.NewAggregate(errs)
}

// parseRequired compiles the required terms of a pod only.
func parseRequired(pod *v1.Pod) (t terms, err error) {
	if t.affinity, err = fwk.GetAffinityTerms(pod, fwk.GetPodAffinityTerms(pod.Spec.Affinity)); err != nil {
		return t, err
	}
	t.antiAffinity, err = fwk.GetAffinityTerms(pod, fwk.GetPodAntiAffinityTerms(pod.Spec.Affinity))
	return t, err
}

func preferredAffinity(pod *v1.Pod) []v1.WeightedPodAffinityTerm {
	if a := pod.Spec.Affinity; a != nil && a.PodAffinity != nil {
		return a.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution
	}
	return nil
}

func preferredAnti(pod *v1.Pod) []v1.WeightedPodAffinityTerm {
	if a := pod.Spec.Affinity; a != nil && a.PodAntiAffinity != nil {
		return a.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution
	}
	return nil
}

func hasPreferredTerms(pod *v1.Pod) bool {
	return len(preferredAffinity(pod)) > 0 || len(preferredAnti(pod)) > 0
}

func (t *terms) empty() bool {
	return len(t.affinity) == 0 && len(t.antiAffinity) == 0 && len(t.preferredAffinity) == 0 && len(t.preferredAnti) == 0
}

// resolve adds to each term the names of the namespaces that its selector matches. Up to 1.36 the selectors stay: they are also matched
// against each pod's namespace as if it had no labels, since upstream clears that of a copy.
func (t *terms) resolve(lister corelisters.NamespaceLister, clearSelectors bool) error {
	for term := range t.all() {
		if term.NamespaceSelector.Empty() {
			continue // every namespace
		}
		selected, err := lister.List(term.NamespaceSelector)
		if err != nil {
			return err
		}
		for _, namespace := range selected {
			term.Namespaces.Insert(namespace.Name)
		}
		if clearSelectors {
			term.NamespaceSelector = labels.Nothing()
		}
	}
	return nil
}

// all goes through all terms.
func (t *terms) all() func(yield func(*fwk.AffinityTerm) bool) {
	return func(yield func(*fwk.AffinityTerm) bool) {
		for _, list := range [][]fwk.AffinityTerm{t.affinity, t.antiAffinity} {
			for i := range list {
				if !yield(&list[i]) {
					return
				}
			}
		}
		for _, list := range [][]fwk.WeightedAffinityTerm{t.preferredAffinity, t.preferredAnti} {
			for i := range list {
				if !yield(&list[i].AffinityTerm) {
					return
				}
			}
		}
	}
}

// labels are such that every pod that matches any term has one of them; nil if there are none such.
func (t *terms) labels() (list []topology.Label) {
	for term := range t.all() {
		var ok bool
		if list, ok = topology.CoveringLabels(list, term.Selector); !ok {
			return nil
		}
	}
	return list
}

// matchesAll reports whether a pod matches every term, and there is one. The terms are resolved, so the labels of the
// pod's namespace are not needed.
func matchesAll(terms []fwk.AffinityTerm, pod *v1.Pod) bool {
	for i := range terms {
		if !terms[i].Matches(pod, nil) {
			return false
		}
	}
	return len(terms) > 0
}

// termsOf are the terms of an existing pod, as compiled when it was added.
func termsOf(info fwk.PodInfo) terms {
	return terms{
		affinity:          info.GetRequiredAffinityTerms(),
		antiAffinity:      info.GetRequiredAntiAffinityTerms(),
		preferredAffinity: info.GetPreferredAffinityTerms(),
		preferredAnti:     info.GetPreferredAntiAffinityTerms(),
	}
}

// describeLabels describes what terms can see of a pod.
func describeLabels(info fwk.PodInfo, to reuse.Signature) reuse.Signature {
	return to.Text(info.GetPod().Namespace).Pairs(info.GetPod().Labels)
}

// describeTerms describes a pod's own terms.
func describeTerms(info fwk.PodInfo, to reuse.Signature) (reuse.Signature, bool) {
	t := termsOf(info)
	if t.empty() {
		return to, false
	}
	return signTerms(to, &t), true
}

// selectedKeys are the label keys that a pod's terms select by.
func selectedKeys(info fwk.PodInfo) (keys []string) {
	t := termsOf(info)
	for term := range t.all() {
		requirements, _ := term.Selector.Requirements()
		for i := range requirements {
			keys = append(keys, requirements[i].Key())
		}
	}
	return keys
}

// signTerms describes compiled terms.
func signTerms(to reuse.Signature, t *terms) reuse.Signature {
	for _, list := range [][]fwk.AffinityTerm{t.affinity, t.antiAffinity} {
		to = to.Number(int64(len(list)))
		for i := range list {
			to = signTerm(to, &list[i])
		}
	}
	for _, list := range [][]fwk.WeightedAffinityTerm{t.preferredAffinity, t.preferredAnti} {
		to = to.Number(int64(len(list)))
		for i := range list {
			to = signTerm(to.Number(int64(list[i].Weight)), &list[i].AffinityTerm)
		}
	}
	return to
}

func signTerm(to reuse.Signature, term *fwk.AffinityTerm) reuse.Signature {
	to = to.Text(term.TopologyKey)
	to = signSelector(to, term.Selector)
	to = signSelector(to, term.NamespaceSelector)
	return signSet(to, term.Namespaces)
}

// signSelector relies on a compiled selector's text being unambiguous, except that "nothing" reads like "everything".
func signSelector(to reuse.Signature, selector labels.Selector) reuse.Signature {
	return to.Flag(labels.MatchesNothing(selector)).Text(selector.String())
}

func signSet(to reuse.Signature, set sets.Set[string]) reuse.Signature {
	var few [8]string
	names := few[:0]
	for name := range set {
		names = append(names, name)
	}
	slices.Sort(names)
	return to.Texts(names)
}
