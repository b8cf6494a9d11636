package framework

import (
	"context"
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// RawScores are scores before normalization: a row for each node, with a column for each Score plugin of the profile. They can be
// normalized again beside those of another node, whose scores change what the others are scaled to.
type RawScores struct {
	width  int
	scores []int64 // row by row; zero for a plugin that was skipped, as in kube-scheduler
}

// Row returns the scores of the node at an index.
func (r *RawScores) Row(i int) []int64 { return r.scores[i*r.width : (i+1)*r.width] }

// Rows returns the number of nodes.
func (r *RawScores) Rows() int {
	if r.width == 0 {
		return 0
	}
	return len(r.scores) / r.width
}

// Reset removes all rows, and keeps the memory.
func (r *RawScores) Reset() { r.scores = r.scores[:0] }

// Append adds a row of the same profile.
func (r *RawScores) Append(row []int64) {
	r.width = len(row)
	r.scores = append(r.scores, row...)
}

// Clone returns a copy.
func (r *RawScores) Clone() RawScores { return RawScores{r.width, slices.Clone(r.scores)} }

// grow adds rows of zeros, and returns them.
func (r *RawScores) grow(rows, width int) []int64 {
	had, more := len(r.scores), rows*width
	r.width, r.scores = width, slices.Grow(r.scores, more)[:had+more]
	grown := r.scores[had:]
	clear(grown)
	return grown
}

// RunScorePluginsKeepingRaw is RunScorePlugins that also fills raw with the scores before normalization, in the order of the nodes.
func (p *Profile) RunScorePluginsKeepingRaw(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo, raw *RawScores) ([]fwk.NodePluginScores, *fwk.Status) {
	raw.Reset()
	return p.runScore(ctx, state, pod, nodes, raw)
}

// RunRawScorePlugins scores one more node with every plugin, and adds its row to raw. PreScore plugins have seen all nodes whose rows are
// in raw, and this one.
func (p *Profile) RunRawScorePlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo, raw *RawScores) *fwk.Status {
	w := p.instrument(Score, state)
	table := p.takeScoreTable()
	table.resize(p.points.score, state, []fwk.NodeInfo{node})
	run := scoreRun{scoreTable: &table, watch: &w, state: state, pod: pod, nodes: []fwk.NodeInfo{node}, kept: raw}
	err := run.score(ctx)
	if err == nil {
		run.keepRaw()
	}
	p.scoreTable = table
	return fwk.AsStatus(err)
}

// NormalizeScores lets each plugin normalize the raw scores of nodes, and sums them by weight, as RunScorePlugins does. The result belongs
// to the profile in the same way.
func (p *Profile) NormalizeScores(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo, raw *RawScores) ([]fwk.NodePluginScores, *fwk.Status) {
	w := p.instrument(Score, state)
	table := p.takeScoreTable()
	table.resize(p.points.score, state, nodes)
	run := scoreRun{scoreTable: &table, watch: &w, state: state, pod: pod, nodes: nodes}
	run.takeRaw(raw)
	totals, err := run.finish(ctx)
	p.scoreTable = table
	return totals, fwk.AsStatus(err)
}

// keepRaw adds the scores to the rows that are kept.
func (r *scoreRun) keepRaw() {
	all := r.watch.profile.points.score
	rows := r.kept.grow(len(r.nodes), len(all))
	r.eachKept(rows, len(all), func(kept *int64, score *fwk.NodeScore, _ string) { *kept = score.Score })
}

// takeRaw fills the table with scores that were kept.
func (r *scoreRun) takeRaw(raw *RawScores) {
	r.eachKept(raw.scores, raw.width, func(kept *int64, score *fwk.NodeScore, node string) {
		*score = fwk.NodeScore{Name: node, Score: *kept}
	})
}

// eachKept visits the cells of the table beside those of rows. The table has a column for each plugin that is not skipped.
func (r *scoreRun) eachKept(rows []int64, width int, visit func(kept *int64, score *fwk.NodeScore, node string)) {
	column := 0
	for at, s := range r.watch.profile.points.score {
		if column == len(r.entries) || r.entries[column] != s {
			continue
		}
		scores := r.column(column)
		for line, node := range r.nodes {
			visit(&rows[line*width+at], &scores[line], node.Node().Name)
		}
		column++
	}
}
