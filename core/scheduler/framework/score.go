package framework

import (
	"context"
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
)

// RunPreScorePlugins prepares the plugins for scoring the feasible nodes. A plugin that returns Skip does not score; any
// other status but success is an error.
func (p *Profile) RunPreScorePlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) *fwk.Status {
	return p.runPreScore(ctx, state, pod, preScoreNodes{list: nodes})
}

func (p *Profile) runPreScore(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes preScoreNodes) *fwk.Status {
	w := p.instrument(PreScore, state)
	var room [skippedRoom]string
	skipped := room[:0]
	var failure *fwk.Status
	for _, s := range p.points.preScore {
		start := w.start()
		status := p.call(PreScore, s.Plugin, pod, func() *fwk.Status { return nodes.preScore(ctx, state, pod, s) })
		w.recordCall(s.Plugin, "", status, start)
		if status.IsSkip() {
			skipped = append(skipped, s.Plugin)
			continue
		}
		s.Calls++
		if !status.IsSuccess() {
			failure = pluginError(PreScore, s.Plugin, status)
			break
		}
	}
	if own, ok := state.(*CycleState); ok {
		own.skipScore = skippedPlugins{names: p.skippedScores.kept(skipped), known: true}
	} else {
		state.SetSkipScorePlugins(sets.New(skipped...))
	}
	w.done(failure.Code())
	return failure
}

// RunScorePlugins scores the nodes with every plugin, lets each plugin normalize its scores to 0…100, and sums them by
// weight.
//
// The returned list, its contents, and the list that a plugin normalizes belong to the profile, which overwrites them in its
// next run.
func (p *Profile) RunScorePlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) ([]fwk.NodePluginScores, *fwk.Status) {
	return p.runScore(ctx, state, pod, nodes, nil)
}

func (p *Profile) runScore(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo, kept *RawScores) ([]fwk.NodePluginScores, *fwk.Status) {
	w := p.instrument(Score, state)
	table := p.takeScoreTable()
	table.resize(p.points.score, state, nodes)
	run := scoreRun{scoreTable: &table, watch: &w, state: state, pod: pod, nodes: nodes, kept: kept}
	scores, err := run.all(ctx)
	p.scoreTable = table
	if err != nil {
		w.done(fwk.Error)
		return nil, fwk.AsStatus(err)
	}
	w.done(fwk.Success)
	return scores, nil
}

// takeScoreTable takes the profile's table until it is put back. A plugin that runs the Score plugins itself uses one of its own meanwhile.
func (p *Profile) takeScoreTable() scoreTable {
	table := p.scoreTable
	p.scoreTable = scoreTable{}
	return table
}

// scoreTable is the table of scores: a column for each plugin, a line for each node.
type scoreTable struct {
	entries []*entry[fwk.ScorePlugin]
	scores  []fwk.NodeScore   // column by column
	parts   []fwk.PluginScore // line by line, weighted
	totals  []fwk.NodePluginScores
}

func (t *scoreTable) resize(all []*entry[fwk.ScorePlugin], state fwk.CycleState, nodes []fwk.NodeInfo) {
	t.entries = t.entries[:0]
	for _, s := range all {
		if !scoreSkipped(state, s.Plugin) {
			t.entries = append(t.entries, s)
		}
	}
	cells := len(t.entries) * len(nodes)
	t.scores = slices.Grow(t.scores[:0], cells)[:cells]
	t.parts = slices.Grow(t.parts[:0], cells)[:cells]
	t.totals = slices.Grow(t.totals[:0], len(nodes))[:len(nodes)]
}

func scoreSkipped(state fwk.CycleState, plugin string) bool {
	if own, ok := state.(*CycleState); ok {
		return own.skipScore.has(plugin)
	}
	return state.GetSkipScorePlugins().Has(plugin)
}

type scoreRun struct {
	*scoreTable
	watch *instrument
	state fwk.CycleState
	pod   *v1.Pod
	nodes []fwk.NodeInfo
	raw   []fwk.NodeScore // the scores before normalization, for a recorder
	kept  *RawScores      // the same for who normalizes them again; nil if nobody does
}

func (r *scoreRun) all(ctx context.Context) ([]fwk.NodePluginScores, error) {
	if err := r.score(ctx); err != nil {
		return nil, fmt.Errorf("running Score plugins: %w", err)
	}
	if r.watch.recorder != nil {
		r.raw = slices.Clone(r.scores)
	}
	if r.kept != nil {
		r.keepRaw()
	}
	return r.finish(ctx)
}

// finish normalizes the scores and sums them up.
func (r *scoreRun) finish(ctx context.Context) ([]fwk.NodePluginScores, error) {
	if err := r.normalize(ctx); err != nil {
		return nil, fmt.Errorf("running Normalize on Score plugins: %w", err)
	}
	if err := r.weigh(); err != nil {
		return nil, fmt.Errorf("applying score defaultWeights on Score plugins: %w", err)
	}
	if r.raw != nil {
		r.record()
	}
	return r.totals, nil
}

// column is the scores of one plugin.
func (r *scoreRun) column(i int) fwk.NodeScoreList {
	from, to := i*len(r.nodes), (i+1)*len(r.nodes)
	return r.scores[from:to:to]
}

// score goes node by node, so that all plugins read a node while it is in the processor's cache.
func (r *scoreRun) score(ctx context.Context) (err error) {
	timed := r.watch.timed
	var called *entry[fwk.ScorePlugin]
	defer func() {
		if value := recover(); value != nil {
			status := fwk.AsStatus(r.watch.profile.panicked(Score, called.Plugin, r.pod, value))
			r.watch.record(PluginResult{Plugin: called.Plugin, Status: status})
			err = fmt.Errorf("plugin %q failed with: %w", called.Plugin, errorOf(status))
		}
	}()
	for line, node := range r.nodes {
		name := node.Node().Name
		for i, s := range r.entries {
			called = s
			s.Calls++
			var start time.Duration
			if timed {
				start = r.watch.start()
			}
			score, status := s.plugin.Score(ctx, r.state, r.pod, node)
			if timed {
				r.watch.observe(s.Plugin, status, start)
			}
			if status != nil && !status.IsSuccess() {
				r.watch.record(PluginResult{Plugin: s.Plugin, Node: name, Status: status})
				return fmt.Errorf("plugin %q failed with: %w", s.Plugin, errorOf(status))
			}
			r.scores[i*len(r.nodes)+line] = fwk.NodeScore{Name: name, Score: score}
		}
	}
	return nil
}

func (r *scoreRun) normalize(ctx context.Context) error {
	w := *r.watch
	w.point = ScoreExtensionNormalize
	for i, s := range r.entries {
		start, extended := w.start(), true
		status := w.profile.call(ScoreExtensionNormalize, s.Plugin, r.pod, func() *fwk.Status {
			extensions := s.plugin.ScoreExtensions()
			if extended = extensions != nil; !extended {
				return nil
			}
			return extensions.NormalizeScore(ctx, r.state, r.pod, r.column(i))
		})
		if !extended {
			continue
		}
		w.recordCall(s.Plugin, "", status, start)
		if !status.IsSuccess() {
			return fmt.Errorf("plugin %q failed with: %w", s.Plugin, errorOf(status))
		}
	}
	return nil
}

func (r *scoreRun) weigh() error {
	width := len(r.entries)
	for line, node := range r.nodes {
		parts := r.parts[line*width : (line+1)*width : (line+1)*width]
		var total int64
		for i, s := range r.entries {
			score := r.scores[i*len(r.nodes)+line].Score
			if score > fwk.MaxScore || score < fwk.MinScore {
				return fmt.Errorf("plugin %q returns an invalid score %v, it should in the range of [%v, %v] after normalizing",
					s.Plugin, score, fwk.MinScore, fwk.MaxScore)
			}
			weighted := score * s.weight
			parts[i] = fwk.PluginScore{Name: s.Plugin, Score: weighted}
			total += weighted
		}
		r.totals[line] = fwk.NodePluginScores{Name: node.Node().Name, Scores: parts, TotalScore: total}
	}
	return nil
}

func (r *scoreRun) record() {
	for line := range r.nodes {
		for i, s := range r.entries {
			cell := i*len(r.nodes) + line
			r.watch.recorder.RecordScore(ScoreResult{
				Plugin: s.Plugin, Node: r.totals[line].Name,
				Raw: r.raw[cell].Score, Normalized: r.scores[cell].Score, Weight: s.weight,
			})
		}
	}
}

// ScaleScores scales scores so that the highest is [fwk.MaxScore]; if all are zero they stay so. Plugins whose raw scores are
// sums or counts use it as NormalizeScore.
func ScaleScores(scores fwk.NodeScoreList) {
	var most int64
	for i := range scores {
		most = max(most, scores[i].Score)
	}
	if most == 0 {
		return
	}
	for i := range scores {
		scores[i].Score = fwk.MaxScore * scores[i].Score / most
	}
}
