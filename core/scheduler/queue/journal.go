package queue

import (
	"iter"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/types"
)

// Journal keeps the latest moves of every pod. It limits the moves per pod and overall, and drops the oldest first. A new move
// takes the memory of the one that is dropped for it.
type Journal struct {
	// PerPod and Overall are the limits.
	PerPod, Overall int

	moves          moveTable
	oldest, newest int32 // the numbers of the first and the last move, or 0
	pods           []podMoves
	byUID          map[types.UID]int32 // the indices of pods
	kept           int

	freeMoves, freePods []int32
}

// podMoves are the ends of a pod's list of moves, and its length.
type podMoves struct{ oldest, newest, count int32 }

// maxMoves and maxMovesOfPod are the limits of a new journal, which then takes about 10 MB.
const (
	//orrery:limit scheduler; moves of all pods between queues that are remembered; the oldest goes; less under GOMEMLIMIT
	maxMoves = 50_000
	//orrery:limit scheduler; moves of one pod; the oldest goes
	maxMovesOfPod = 100
)

// NewJournal returns an empty journal.
func NewJournal() *Journal {
	return &Journal{PerPod: maxMovesOfPod, Overall: maxMoves, moves: newMoveTable(), byUID: map[types.UID]int32{}}
}

// Shrink limits the moves to a share of what a new journal keeps: a half, a quarter, and so on. If there are more, it frees the memory
// of the oldest.
func (j *Journal) Shrink(halvings int) {
	j.Overall = maxMoves >> halvings
	if j.kept <= j.Overall {
		return
	}
	shrunk := NewJournal()
	shrunk.PerPod, shrunk.Overall = j.PerPod, j.Overall
	surplus := j.kept - j.Overall
	for at := j.oldest; at != 0; at = j.moves.at(at).after {
		if surplus--; surplus < 0 {
			t := j.moves.at(at).transition()
			shrunk.Add(&t)
		}
	}
	*j = *shrunk
}

// Fork returns an independent copy. It shares the moves until one side writes.
func (j *Journal) Fork() *Journal {
	f := *j
	f.moves = j.moves.fork()
	f.pods, f.byUID = slices.Clone(j.pods), maps.Clone(j.byUID)
	f.freeMoves, f.freePods = slices.Clone(j.freeMoves), slices.Clone(j.freePods)
	return &f
}

// Add keeps a Moved transition and ignores all others. Options.Observe calls it.
func (j *Journal) Add(t *Transition) {
	if t.Kind != Moved {
		return
	}
	pod := j.podOf(t.UID)
	if int(j.pods[pod].count) == j.PerPod {
		j.drop(j.pods[pod].oldest)
	}
	at := j.newMove()
	j.moves.set(at, t)
	j.link(at, pod)
	if j.kept++; j.kept > j.Overall {
		dropped := j.moves.at(j.oldest)
		j.drop(j.oldest)
		if j.pods[dropped.pod].count == 0 {
			delete(j.byUID, dropped.uid)
			j.freePods = append(j.freePods, dropped.pod)
		}
	}
}

// Of returns the moves of a pod, the oldest first. Pods without a UID share one list.
func (j *Journal) Of(uid types.UID) []Transition { return j.Last(uid, j.PerPod) }

// Last returns at most the last n moves of a pod, the oldest first.
func (j *Journal) Last(uid types.UID, n int) []Transition {
	index, known := j.byUID[uid]
	if !known {
		return nil
	}
	pod := j.pods[index]
	skipped := max(int(pod.count)-n, 0)
	list := make([]Transition, 0, int(pod.count)-skipped)
	for at := pod.oldest; at != 0; at = j.moves.at(at).nextOfPod {
		if skipped > 0 {
			skipped--
			continue
		}
		list = append(list, j.moves.at(at).transition())
	}
	return list
}

// Newest iterates over the moves of all pods, the newest first. Each is valid until the next.
func (j *Journal) Newest() iter.Seq[*Transition] {
	return func(yield func(*Transition) bool) {
		for at := j.newest; at != 0; at = j.moves.at(at).before {
			if t := j.moves.at(at).transition(); !yield(&t) {
				return
			}
		}
	}
}

// Len is the number of moves kept.
func (j *Journal) Len() int { return j.kept }

// podOf returns the index of a pod, new if it has no moves.
func (j *Journal) podOf(uid types.UID) int32 {
	pod, known := j.byUID[uid]
	if known {
		return pod
	}
	if last := len(j.freePods) - 1; last >= 0 {
		pod, j.freePods = j.freePods[last], j.freePods[:last]
	} else {
		pod = int32(len(j.pods))
		j.pods = append(j.pods, podMoves{})
	}
	j.byUID[uid] = pod
	return pod
}

// newMove returns the number for a new move.
func (j *Journal) newMove() (at int32) {
	if last := len(j.freeMoves) - 1; last >= 0 {
		at, j.freeMoves = j.freeMoves[last], j.freeMoves[:last]
		return at
	}
	return j.moves.grow()
}

// link makes a move the newest of all and of its pod.
func (j *Journal) link(at, pod int32) {
	linked := j.moves.write(at)
	linked.pod, linked.before = pod, j.newest
	if j.newest == 0 {
		j.oldest = at
	} else {
		j.moves.write(j.newest).after = at
	}
	j.newest = at

	of := &j.pods[pod]
	if of.count++; of.count == 1 {
		of.oldest = at
	} else {
		j.moves.write(of.newest).nextOfPod = at
	}
	of.newest = at
}

// drop drops the oldest move of a pod.
func (j *Journal) drop(at int32) {
	dropped := j.moves.at(at)
	if dropped.before == 0 {
		j.oldest = dropped.after
	} else {
		j.moves.write(dropped.before).after = dropped.after
	}
	if dropped.after == 0 {
		j.newest = dropped.before
	} else {
		j.moves.write(dropped.after).before = dropped.before
	}
	of := &j.pods[dropped.pod]
	of.oldest = dropped.nextOfPod
	of.count--
	j.freeMoves = append(j.freeMoves, at)
	j.kept--
}
