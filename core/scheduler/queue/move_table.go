package queue

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// moveTable holds the moves of a journal by number, in chunks. Forks share the chunks: a write to one that it does not own goes to
// a copy.
type moveTable struct {
	chunks []*moveChunk
	owner  *moveOwner
	last   int32 // the highest number; the lowest is 1
}

const movesPerChunk = 32

type moveChunk struct {
	moves [movesPerChunk]move
	owner *moveOwner
}

// moveOwner identifies the owner of a chunk by its address; it has a size because addresses of empty values may be equal.
type moveOwner struct{ _ byte }

// move is a Moved transition, most without details, and the numbers of its neighbours: among all moves, in order, and the next one
// of its pod, or 0.
type move struct {
	before, after, nextOfPod int32
	pod                      int32 // its index

	seq             uint64
	at              time.Time
	namespace, name string
	uid             types.UID
	profile         string
	event           string
	attempts        int32
	from, to        State
	entered         bool
	details         *moveDetails
}

type moveDetails struct {
	plugin, note                   string
	until                          time.Time
	newRejectors, clearedRejectors []string
}

func newMoveTable() moveTable { return moveTable{owner: new(moveOwner)} }

// fork returns a copy that shares every chunk. Afterwards neither owns any of them.
func (m *moveTable) fork() moveTable {
	m.owner = new(moveOwner)
	return moveTable{chunks: slices.Clone(m.chunks), owner: new(moveOwner), last: m.last}
}

// grow returns a further number.
func (m *moveTable) grow() int32 {
	m.last++
	if int(m.last)/movesPerChunk == len(m.chunks) {
		m.chunks = append(m.chunks, &moveChunk{owner: m.owner})
	}
	return m.last
}

// at returns a move to be read.
func (m *moveTable) at(number int32) *move {
	return &m.chunks[number/movesPerChunk].moves[number%movesPerChunk]
}

// write returns a move that may be written to.
func (m *moveTable) write(number int32) *move {
	chunk := m.chunks[number/movesPerChunk]
	if chunk.owner != m.owner {
		copied := *chunk
		copied.owner = m.owner
		chunk = &copied
		m.chunks[number/movesPerChunk] = chunk
	}
	return &chunk.moves[number%movesPerChunk]
}

func (m *moveTable) set(number int32, t *Transition) {
	*m.write(number) = move{
		seq: t.Seq, at: t.At, namespace: t.Namespace, name: t.Name, uid: t.UID, profile: t.Profile, event: t.Event,
		attempts: int32(t.Attempts), from: t.From, to: t.To, entered: t.Entered, details: detailsOf(t),
	}
}

func detailsOf(t *Transition) *moveDetails {
	if t.Plugin == "" && t.Note == "" && t.Until.IsZero() && t.NewRejectors == nil && t.ClearedRejectors == nil {
		return nil
	}
	return &moveDetails{t.Plugin, t.Note, t.Until, t.NewRejectors, t.ClearedRejectors}
}

func (stored *move) transition() Transition {
	t := Transition{
		Seq: stored.seq, At: stored.at, Kind: Moved, Namespace: stored.namespace, Name: stored.name, UID: stored.uid,
		Profile: stored.profile, Event: stored.event, Attempts: int(stored.attempts),
		From: stored.from, To: stored.to, Entered: stored.entered,
	}
	if d := stored.details; d != nil {
		t.Plugin, t.Note, t.Until, t.NewRejectors, t.ClearedRejectors = d.plugin, d.note, d.until, d.newRejectors, d.clearedRejectors
	}
	return t
}
