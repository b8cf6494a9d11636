package cache

import (
	"slices"

	fwk "k8s.io/kube-scheduler/framework"
)

// podList is a list of pods whose array may be seen by copies. Appending never moves what they see, so it stays
// cheap; taking an element out first copies the array when a copy may be looking.
type podList struct {
	items []fwk.PodInfo
	seen  bool // copies may look at items[:len(items)]
}

// share is a copy of the list that costs nothing. It writes only when there is something to note, so that a list
// which is already shared can be copied by many readers.
func (l *podList) share() podList {
	if len(l.items) == 0 {
		return podList{}
	}
	if !l.seen {
		l.seen = true
	}
	return podList{items: slices.Clip(l.items), seen: true} // clipped: its append moves to an array of its own
}

func (l *podList) add(info fwk.PodInfo) {
	if len(l.items) == cap(l.items) {
		l.seen = false // append moves to a new array, which nobody has seen
	}
	l.items = append(l.items, info)
}

// removeAt puts the last element in the place of the i-th, so the order of pods on a node changes as it does upstream.
func (l *podList) removeAt(i int) {
	last := len(l.items) - 1
	if last == 0 {
		*l = podList{}
		return
	}
	if l.seen {
		l.items, l.seen = slices.Clone(l.items), false
	}
	l.items[i] = l.items[last]
	l.items[last] = nil
	l.items = l.items[:last]
}

// indexOf finds the very PodInfo without looking into any pod.
func (l *podList) indexOf(info fwk.PodInfo) int { return slices.Index(l.items, info) }
