package queue

import (
	"cmp"
	"iter"
	"slices"

	"k8s.io/apimachinery/pkg/types"
)

// Journal keeps the latest moves of every pod, so that its journey can be read back. It is bounded twice: by moves per
// pod, and overall. Beyond either bound the oldest is dropped.
type Journal struct {
	// PerPod and Overall are how many moves there is room for.
	PerPod, Overall int

	journeys map[types.UID][]Transition
	order    []entry // of all moves kept, oldest first, and some dropped ones
	kept     int
}

type entry struct {
	uid types.UID
	seq uint64
}

// NewJournal makes a journal with room for the last 100 moves of a pod and 50,000 overall, some 15 MB.
func NewJournal() *Journal {
	return &Journal{PerPod: 100, Overall: 50_000, journeys: map[types.UID][]Transition{}}
}

// Fork is a copy that goes its own way. What was kept so far is shared: neither side writes to it again, as moves are
// only added behind and dropped in front, and the copy has no room behind.
func (j *Journal) Fork() *Journal {
	f := *j
	f.order = slices.Clip(j.order)
	f.journeys = make(map[types.UID][]Transition, len(j.journeys))
	for uid, journey := range j.journeys {
		f.journeys[uid] = slices.Clip(journey)
	}
	return &f
}

// Add keeps a move; other records pass by. It is what Options.Observe calls.
func (j *Journal) Add(t Transition) {
	if t.What != Moved {
		return
	}
	if journey := j.journeys[t.UID]; len(journey) >= j.PerPod {
		j.dropFirst(t.UID)
	}
	j.journeys[t.UID] = append(j.journeys[t.UID], t)
	j.order = append(j.order, entry{t.UID, t.Seq})
	j.kept++
	for j.kept > j.Overall {
		j.dropOldest()
	}
	j.tidy()
}

// Of is the journey of a pod, the oldest move first. Pods without a UID share one.
func (j *Journal) Of(uid types.UID) []Transition {
	return slices.Clone(j.journeys[uid])
}

// Newest goes through the latest moves of all pods, the newest first. What it hands out is the journal's own.
func (j *Journal) Newest() iter.Seq[*Transition] {
	return func(yield func(*Transition) bool) {
		for i := len(j.order) - 1; i >= 0; i-- {
			e := j.order[i]
			journey := j.journeys[e.uid]
			at, kept := slices.BinarySearchFunc(journey, e.seq, func(t Transition, seq uint64) int { return cmp.Compare(t.Seq, seq) })
			if kept && !yield(&journey[at]) {
				return
			}
		}
	}
}

// Last is the latest moves of a pod, n at most, the oldest first. They are the journal's own.
func (j *Journal) Last(uid types.UID, n int) []Transition {
	journey := j.journeys[uid]
	return journey[max(len(journey)-n, 0):]
}

// Len is how many moves are kept.
func (j *Journal) Len() int { return j.kept }

// dropFirst drops the first move of a journey; its entry in the order stays behind.
func (j *Journal) dropFirst(uid types.UID) {
	journey := j.journeys[uid]
	if len(journey) == 1 {
		delete(j.journeys, uid)
	} else {
		j.journeys[uid] = journey[1:]
	}
	j.kept--
}

func (j *Journal) dropOldest() {
	for {
		e := j.order[0]
		j.order = j.order[1:]
		if j.holds(e) {
			j.dropFirst(e.uid)
			return
		}
	}
}

// holds tells whether the move of an entry is kept: journeys lose their first moves first.
func (j *Journal) holds(e entry) bool {
	journey := j.journeys[e.uid]
	return len(journey) > 0 && journey[0].Seq <= e.seq
}

// tidy rebuilds the order once most of its entries are of dropped moves.
func (j *Journal) tidy() {
	if len(j.order) <= 2*j.kept+16 {
		return
	}
	rest := make([]entry, 0, j.kept)
	for _, e := range j.order {
		if j.holds(e) {
			rest = append(rest, e)
		}
	}
	j.order = rest
}
