package queue

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"
)

// The journal must hold what a list does from which the oldest are struck, first of the pod and then of all.
func TestTheJournalKeepsTheLatestMoves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := NewJournal()
		j.PerPod, j.Overall = rapid.IntRange(1, 4).Draw(t, "per pod"), rapid.IntRange(1, 12).Draw(t, "overall")
		var kept []Transition
		of := func(uid types.UID) (list []Transition) {
			for _, k := range kept {
				if k.UID == uid {
					list = append(list, k)
				}
			}
			return list
		}
		strike := func(seq uint64) {
			for i, k := range kept {
				if k.Seq == seq {
					kept = append(kept[:i:i], kept[i+1:]...)
					return
				}
			}
		}
		for seq := range uint64(rapid.IntRange(0, 100).Draw(t, "moves")) {
			uid := types.UID(fmt.Sprint(rapid.IntRange(0, 5).Draw(t, "pod")))
			move := Transition{Seq: seq, UID: uid}
			if journey := of(uid); len(journey) >= j.PerPod {
				strike(journey[0].Seq)
			}
			kept = append(kept, move)
			if len(kept) > j.Overall {
				strike(kept[0].Seq)
			}
			j.Add(move)
			j.Add(Transition{Seq: seq, UID: uid, Kind: HintRun})

			if j.Len() != len(kept) {
				t.Fatalf("%d moves are kept, want %d", j.Len(), len(kept))
			}
			for i := range 6 {
				want, got := of(types.UID(fmt.Sprint(i))), j.Of(types.UID(fmt.Sprint(i)))
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("the journey of %d is %v, want %v", i, got, want)
				}
			}
			if len(j.order) > 2*j.kept+17 {
				t.Fatalf("%d entries for %d moves", len(j.order), j.kept)
			}
		}
	})
}

func TestAForkOfAJournalGoesItsOwnWay(t *testing.T) {
	j := NewJournal()
	j.Add(Transition{Seq: 1, UID: "a"})
	f := j.Fork()
	f.Add(Transition{Seq: 2, UID: "a"})
	j.Add(Transition{Seq: 2, UID: "b"})
	if len(j.Of("a")) != 1 || len(f.Of("a")) != 2 || len(f.Of("b")) != 0 {
		t.Errorf("the journal has %v, its fork %v and %v", j.Of("a"), f.Of("a"), f.Of("b"))
	}
}
