package engine

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// byPod has each pod prefer some of equally good nodes to others, whatever came before. It is for forks only; see SettleTies.
const byPod TieBreak = 255

// SettleTies has the engine decide ties from now on by the pod and the nodes alone, and begin each search at a node that depends on the
// pod alone. Otherwise both depend on how many decisions came before, so that of two forks one more decision in the first would send
// every later pod of it to another node than in the second. Each seed is another way in which the ties may fall.
//
// The pods of one owner prefer the same nodes: the names and UIDs of those that are still to come differ from fork to fork.
func (e *Engine) SettleTies(seed uint64) {
	e.options.TieBreak, e.options.Seed = byPod, seed
	for _, b := range e.batches {
		b.signature, b.sorted = nil, nil // the scores that are kept for the next pod are sorted by draws
	}
}

// settleFor sets what a search draws from to what belongs to the pod.
func (e *Engine) settleFor(pod *v1.Pod) {
	if e.options.TieBreak != byPod {
		return
	}
	key := mixed(e.options.Seed, tieKey(pod))
	e.rng.Seed(e.options.Seed, key)
	e.startIndex = int(key >> 33)
}

// tieKey is what pods have in common that prefer the same nodes.
func tieKey(pod *v1.Pod) string {
	if owner := metav1.GetControllerOfNoCopy(pod); owner != nil && owner.UID != "" {
		return string(owner.UID)
	}
	return pod.Namespace + "/" + pod.Name
}

// pickSettled returns the index of the best rank, of equal ones that of the node that the pod prefers.
func (s *search) pickSettled(ranks []rank) int {
	key := mixed(s.engine.options.Seed, tieKey(s.pod))
	best, preference := 0, uint64(0)
	for i := range ranks {
		if ranks[best].above(ranks[i]) {
			continue
		}
		if p := mixed(key, s.feasible.list[i].Node().Name); ranks[i].above(ranks[best]) || i == 0 || p > preference {
			best, preference = i, p
		}
	}
	return best
}

// mixed is the FNV-1a hash of a text from a seed on, with its bits mixed, since that of similar texts differs little in the high ones.
func mixed(seed uint64, text string) uint64 {
	h := uint64(14695981039346656037) ^ seed
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	return h ^ h>>33
}
