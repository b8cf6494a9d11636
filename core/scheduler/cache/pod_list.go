package cache

import (
	"slices"

	fwk "k8s.io/kube-scheduler/framework"
)

// podList is a list of pods whose array copies may share. Appending never moves their elements, so it stays cheap;
// removing an element copies a shared array first.
type podList struct {
	items  []fwk.PodInfo
	shared bool // copies may share items[:len(items)]
}

// share returns a copy of the list without allocating. It writes only if the list is not yet marked shared, so many
// readers can copy a marked list.
func (l *podList) share() podList {
	if len(l.items) == 0 {
		return podList{}
	}
	if !l.shared {
		l.shared = true
	}
	return podList{items: slices.Clip(l.items), shared: true} // clipped, so that appending to it reallocates
}

func (l *podList) add(info fwk.PodInfo) {
	if len(l.items) == cap(l.items) {
		l.shared = false // append moves to a new array, which no copy shares
	}
	l.items = append(l.items, info)
}

// removeAt replaces the i-th element by the last, so the order of pods on a node changes as in kube-scheduler.
func (l *podList) removeAt(i int) {
	last := len(l.items) - 1
	if last == 0 {
		*l = podList{}
		return
	}
	if l.shared {
		l.items, l.shared = slices.Clone(l.items), false
	}
	l.items[i] = l.items[last]
	l.items[last] = nil
	l.items = l.items[:last]
}

// indexOf finds a PodInfo by identity.
func (l *podList) indexOf(info fwk.PodInfo) int { return slices.Index(l.items, info) }
