package engine

import (
	"slices"
	"testing"
)

func TestDecisionLog_KeepsNewest(t *testing.T) {
	log := newDecisionLog(3)
	seqs := func(l *decisionLog) []uint64 {
		var list []uint64
		for d := range l.newestFirst() {
			list = append(list, d.Seq)
		}
		return list
	}
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
