package queue

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"
)

const journalPods = 6

// journalModel is what a journal must hold: a list from which the oldest are struck, first of the pod and then of all.
type journalModel struct {
	perPod, overall int
	kept            []Transition
}

func (m *journalModel) of(uid types.UID) (list []Transition) {
	for _, k := range m.kept {
		if k.UID == uid {
			list = append(list, k)
		}
	}
	return list
}

func (m *journalModel) add(move Transition) {
	if moves := m.of(move.UID); len(moves) >= m.perPod {
		m.kept = slices.DeleteFunc(slices.Clone(m.kept), func(k Transition) bool { return k.Seq == moves[0].Seq })
	}
	m.kept = append(slices.Clip(m.kept), move)
	m.kept = m.kept[max(0, len(m.kept)-m.overall):]
}

func (m *journalModel) check(t *rapid.T, j *Journal) {
	t.Helper()
	if j.Len() != len(m.kept) {
		t.Fatalf("%d moves are kept, want %d", j.Len(), len(m.kept))
	}
	for i := range journalPods {
		uid := types.UID(fmt.Sprint(i))
		want, got := m.of(uid), j.Of(uid)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("the moves of %s are %v, want %v", uid, got, want)
		}
	}
	if int(j.moves.last) > m.overall+1 {
		t.Fatalf("there is room for %d moves, and at most %d are kept", j.moves.last, m.overall)
	}
}

// The journal holds the latest moves, and so do its forks, whatever is added to the others.
func TestJournal_KeepsTheLatestMoves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		model := &journalModel{perPod: rapid.IntRange(1, 12).Draw(t, "per pod"), overall: rapid.IntRange(1, 60).Draw(t, "overall")}
		journal := NewJournal()
		journal.PerPod, journal.Overall = model.perPod, model.overall
		journals, models := []*Journal{journal}, []*journalModel{model}
		for seq := range uint64(rapid.IntRange(0, 150).Draw(t, "moves")) {
			i := rapid.IntRange(0, len(journals)-1).Draw(t, "journal")
			uid := types.UID(fmt.Sprint(rapid.IntRange(0, journalPods-1).Draw(t, "pod")))
			move := Transition{Seq: seq, UID: uid, Note: rapid.SampledFrom([]string{"", "held"}).Draw(t, "note")}
			models[i].add(move)
			journals[i].Add(&move)
			journals[i].Add(&Transition{Seq: seq, UID: uid, Kind: HintRun})
			if len(journals) < 4 && rapid.IntRange(0, 9).Draw(t, "fork") == 0 {
				copied := *models[i]
				journals, models = append(journals, journals[i].Fork()), append(models, &copied)
			}
			for i := range journals {
				models[i].check(t, journals[i])
			}
		}
	})
}

// A transition that was kept is read as it was.
func TestJournal_KeepsAllOfAMove(t *testing.T) {
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	j := NewJournal()
	kept := Transition{
		Seq: 7, At: noon, Namespace: "default", Name: "web", UID: "uid", Profile: "p", From: Active, To: Gated, Entered: true,
		Event: "NodeAdd", Plugin: "Gate", Note: "shut", Attempts: 3, Until: noon.Add(1), NewRejectors: []string{"A"}, ClearedRejectors: []string{"B"},
	}
	j.Add(&kept)
	if got := j.Of("uid"); fmt.Sprint(got) != fmt.Sprint([]Transition{kept}) {
		t.Errorf("kept as %+v, want %+v", got, kept)
	}
}

// With as many moves as are kept, a further one takes the memory of the oldest.
func TestJournal_AllocatesNothingWhenFull(t *testing.T) {
	j := NewJournal()
	j.Overall = 100
	uids := make([]types.UID, 1000)
	for i := range uids {
		uids[i] = types.UID(fmt.Sprint(i))
	}
	seq := 0
	add := func() {
		seq++
		j.Add(&Transition{Seq: uint64(seq), UID: uids[seq%len(uids)]})
	}
	for range 10 * len(uids) {
		add()
	}
	if allocations := testing.AllocsPerRun(1000, add); allocations > 0 {
		t.Errorf("a move costs %v allocations", allocations)
	}
}

// Of more moves than it may keep, a journal that shrinks keeps the latest, and goes on.
func TestJournal_Shrinks(t *testing.T) {
	const halvings, added, more, pods = 6, 3000, 500, 100
	fits := maxMoves >> halvings
	j, fresh := NewJournal(), NewJournal()
	for seq := range uint64(added) {
		move := Transition{Seq: seq, UID: types.UID(fmt.Sprint(31 * seq % pods)), Note: fmt.Sprint(seq)}
		j.Add(&move)
	}
	before := j.Fork()
	j.Shrink(halvings)
	if before.Len() != added || j.Len() != fits {
		t.Fatalf("the journal holds %d moves, want %d; and its fork %d, want %d", j.Len(), fits, before.Len(), added)
	}
	fresh.Overall = fits
	for seq := uint64(added - fits); seq < added+more; seq++ {
		move := Transition{Seq: seq, UID: types.UID(fmt.Sprint(31 * seq % pods)), Note: fmt.Sprint(seq)}
		fresh.Add(&move)
		if seq >= added {
			j.Add(&move)
		}
	}
	for i := range pods {
		uid := types.UID(fmt.Sprint(i))
		if got, want := fmt.Sprint(j.Of(uid)), fmt.Sprint(fresh.Of(uid)); got != want {
			t.Errorf("the moves of %s are %s, want %s", uid, got, want)
		}
	}
	if j.Shrink(0); j.Len() != fits || j.Overall != maxMoves {
		t.Errorf("grown again, it holds %d moves of %d", j.Len(), j.Overall)
	}
}
