package views

import (
	"strings"
	"testing"

	"orrery/views/filter"
)

// TestFilter_FindsStatesByWhatTheScreenShows finds every state of every list by its word, its short word and its sign.
func TestFilter_FindsStatesByWhatTheScreenShows(t *testing.T) {
	check := func(pane PaneID, look *glyphStyle, match func(*filter.Row)) {
		for _, shown := range []string{look.word, look.short, string(look.glyph)} {
			if shown == "" {
				continue
			}
			f, err := filter.Parse(shown)
			if err != nil {
				t.Fatal(err)
			}
			var row filter.Row
			if match(&row); !f.Match(&row) {
				t.Errorf("%s: %q does not find a row that is %s", pane, shown, look.word)
			}
		}
	}
	for s := range podStates {
		look := &podStateStyles[s]
		check(QueuePane, look, func(r *filter.Row) { queuePane.Match(r, &PodRow{State: s}) })
		check(PodsPane, look, func(r *filter.Row) { podsPane.Match(r, &ClusterPod{State: s}) })
		check(NodePane, look, func(r *filter.Row) { nodePane.Match(r, &NodePod{State: s}) })
	}
	for phase := range phaseStates {
		e := &Eviction{Phase: EvictionPhase(phase)}
		check(EvictionsPane, &evictionLooks[e.State()], func(r *filter.Row) { evictionsPane.Match(r, e) })
	}
	check(EvictionsPane, &evictionLooks[StateOverdue], func(r *filter.Row) { evictionsPane.Match(r, &Eviction{Overdue: true}) })
	for v := range verdictStyles {
		check(DecisionsPane, &verdictStyles[v], func(r *filter.Row) { decisionsPane.Match(r, &DecisionRow{Verdict: Verdict(v)}) })
	}
	for s := range claimStates {
		check(StoragePane, s.style(), func(r *filter.Row) { storagePane.Match(r, &ClaimRow{State: s}) })
	}
	for s := range volumeStates {
		check(VolumesPane, s.style(), func(r *filter.Row) { volumesPane.Match(r, &VolumeRow{State: s}) })
	}
	for s := range deviceStates {
		row := &DeviceRow{}
		row.Count[s] = 1
		check(DevicesPane, s.style(), func(r *filter.Row) { devicesPane.Match(r, row) })
	}
	for s := range deviceClaimStates {
		check(DeviceClaimsPane, s.style(), func(r *filter.Row) { deviceClaimsPane.Match(r, &DeviceClaimRow{State: s}) })
	}
	for s := range gangStates {
		check(GangsPane, s.style(), func(r *filter.Row) { gangsPane.Match(r, &GangRow{State: s}) })
	}
	for s := range gangStages {
		row := &GangRow{}
		row.Count[s] = 1
		check(GangsPane, &gangStageStyles[s], func(r *filter.Row) { gangsPane.Match(r, row) })
	}
	for _, m := range nodeMarks[:3] { // a change is not a state
		check(SnapshotPane, &glyphStyle{glyph: m.glyph, word: m.word}, func(r *filter.Row) { snapshotPane.Match(r, &NodeRow{Flags: m.flag}) })
	}
	for _, row := range []NodeRow{{}, {Flags: NotReady}, {Flags: Cordoned}, {Flags: Pressed}} {
		check(NodesPane, &glyphStyle{glyph: statusSign(&row), word: strings.Split(nodeStatus(&row), ",")[0]}, func(r *filter.Row) { nodesPane.Match(r, &row) })
	}
}
