package queue

import (
	"cmp"
	"iter"
	"slices"

	"k8s.io/apimachinery/pkg/types"
)

// Journal keeps the latest moves of every pod. It limits the moves per pod and overall, and drops the oldest first.
type Journal struct {
	// PerPod and Overall are the limits.
	PerPod, Overall int

	journeys map[types.UID][]Transition
	order    []journalEntry // of all kept moves, oldest first, and some dropped ones
	kept     int
}

type journalEntry struct {
	uid types.UID
	seq uint64
}

// NewJournal returns a journal for the last 100 moves of a pod and 50,000 overall, about 15 MB.
func NewJournal() *Journal {
	return &Journal{PerPod: 100, Overall: 50_000, journeys: map[types.UID][]Transition{}}
}

// Fork returns an independent copy. It shares the kept moves: they are not written again, as moves are appended and
// dropped at the front only, and the copy has no spare capacity.
func (j *Journal) Fork() *Journal {
	f := *j
	f.order = slices.Clip(j.order)
	f.journeys = make(map[types.UID][]Transition, len(j.journeys))
	for uid, journey := range j.journeys {
		f.journeys[uid] = slices.Clip(journey)
	}
	return &f
}

// Add keeps a Moved transition and ignores all others. Options.Observe calls it.
func (j *Journal) Add(t Transition) {
	if t.Kind != Moved {
		return
	}
	if journey := j.journeys[t.UID]; len(journey) >= j.PerPod {
		j.dropOldestOf(t.UID)
	}
	j.journeys[t.UID] = append(j.journeys[t.UID], t)
	j.order = append(j.order, journalEntry{t.UID, t.Seq})
	j.kept++
	for j.kept > j.Overall {
		j.dropOldest()
	}
	j.compact()
}

// Of returns the moves of a pod, the oldest first. Pods without a UID share one list.
func (j *Journal) Of(uid types.UID) []Transition {
	return slices.Clone(j.journeys[uid])
}

// Newest iterates over the moves of all pods, the newest first. They are the journal's own.
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

// Last returns at most the last n moves of a pod, the oldest first. They are the journal's own.
func (j *Journal) Last(uid types.UID, n int) []Transition {
	journey := j.journeys[uid]
	return journey[max(len(journey)-n, 0):]
}

// Len is the number of moves kept.
func (j *Journal) Len() int { return j.kept }

// dropOldestOf drops a pod's oldest move; its entry stays in order.
func (j *Journal) dropOldestOf(uid types.UID) {
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
			j.dropOldestOf(e.uid)
			return
		}
	}
}

// holds reports whether the move of an entry is kept: the oldest moves of a pod are dropped first.
func (j *Journal) holds(e journalEntry) bool {
	journey := j.journeys[e.uid]
	return len(journey) > 0 && journey[0].Seq <= e.seq
}

// compact rebuilds order once most of its entries belong to dropped moves.
func (j *Journal) compact() {
	if len(j.order) <= 2*j.kept+16 {
		return
	}
	rest := make([]journalEntry, 0, j.kept)
	for _, e := range j.order {
		if j.holds(e) {
			rest = append(rest, e)
		}
	}
	j.order = rest
}
