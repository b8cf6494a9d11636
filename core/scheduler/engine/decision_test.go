package engine

import (
	"slices"
	"testing"
)

func seqs(l *decisionLog) []uint64 {
	var list []uint64
	for d := range l.newestFirst() {
		list = append(list, d.Seq)
	}
	return list
}

func TestDecisionLog_KeepsNewest(t *testing.T) {
	log := newDecisionLog(3)
	for seq, want := range [][]uint64{1: {1}, 2: {2, 1}, 3: {3, 2, 1}, 4: {4, 3, 2}, 5: {5, 4, 3}} {
		if seq == 0 {
			continue
		}
		if kept := log.add(Decision{Seq: uint64(seq)}); kept.Seq != uint64(seq) {
			t.Errorf("decision %d was returned as %d", seq, kept.Seq)
		}
		if got := seqs(&log); !slices.Equal(got, want) {
			t.Errorf("after %d decisions the log holds %v, want %v", seq, got, want)
		}
	}
	fork := log.fork()
	fork.add(Decision{Seq: 6})
	if got := seqs(&log); !slices.Equal(got, []uint64{5, 4, 3}) {
		t.Errorf("the original has the fork's decision: %v", got)
	}
	if got := seqs(&fork); !slices.Equal(got, []uint64{6, 5, 4}) {
		t.Errorf("the fork holds %v, want 6, 5, 4", got)
	}
}

func TestDecisionLog_Resizes(t *testing.T) {
	for added := range uint64(12) {
		for _, size := range []int{1, 2, 3, 5, 8} {
			log := newDecisionLog(5)
			var want []uint64
			add := func(seq uint64, most int) {
				log.add(Decision{Seq: seq})
				want = append([]uint64{seq}, want...)
				want = want[:min(len(want), most)]
			}
			for seq := range added {
				add(seq, 5)
			}
			log.resize(size)
			want = want[:min(len(want), size)]
			for seq := added; seq < added+20; seq++ {
				if got := seqs(&log); !slices.Equal(got, want) {
					t.Fatalf("after %d decisions, %d of them before its size became %d, the log holds %v, want %v", seq, added, size, got, want)
				}
				add(seq, size)
			}
		}
	}
}
