package framework

import (
	"context"
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// RunPreScorePlugins prepares the plugins for scoring the nodes that will do. A plugin that says Skip does not score;
// anything but that and success is an error.
func (p *Profile) RunPreScorePlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) *fwk.Status {
	w := p.watch(PreScore, state)
	skipped := make([]string, 0, len(p.stages.preScore))
	var failure *fwk.Status
	for _, s := range p.stages.preScore {
		start := w.start()
		status := s.plugin.PreScore(ctx, state, pod, nodes)
		w.heard(s.name, "", status, start)
		if status.IsSkip() {
			skipped = append(skipped, s.name)
			continue
		}
		s.calls++
		if !status.IsSuccess() {
			failure = broken(PreScore, s.name, status)
			break
		}
	}
	if own, ok := state.(*CycleState); ok {
		own.skipScore = skips{names: skipped, known: true}
	} else {
		state.SetSkipScorePlugins(skipSet(skipped))
	}
	w.done(failure.Code())
	return failure
}

// RunScorePlugins scores the nodes with every plugin, lets each plugin normalise its scores to 0…100, and adds them up
// by weight.
//
// The list that is returned, all that is in it, and the list that a plugin normalises belong to the profile, and are
// overwritten by its next run: copy what is to last.
func (p *Profile) RunScorePlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) ([]fwk.NodePluginScores, *fwk.Status) {
	w := p.watch(Score, state)
	// A plugin that runs the Score plugins from within finds no sheet, and makes one of its own.
	sheet := p.sheet
	p.sheet = scoreSheet{}
	sheet.layOut(p.stages.score, state, nodes)
	run := scoreRun{scoreSheet: &sheet, watch: &w, state: state, pod: pod, nodes: nodes}
	scores, err := run.all(ctx)
	p.sheet = sheet
	if err != nil {
		w.done(fwk.Error)
		return nil, fwk.AsStatus(err)
	}
	w.done(fwk.Success)
	return scores, nil
}

// scoreSheet is the table that scores are written into: a column for each plugin with a line for each node.
type scoreSheet struct {
	slots  []*slot[fwk.ScorePlugin]
	scores []fwk.NodeScore   // column by column
	parts  []fwk.PluginScore // line by line, weighted
	totals []fwk.NodePluginScores
}

func (sheet *scoreSheet) layOut(all []*slot[fwk.ScorePlugin], state fwk.CycleState, nodes []fwk.NodeInfo) {
	sheet.slots = sheet.slots[:0]
	for _, s := range all {
		if !scoreSkipped(state, s.name) {
			sheet.slots = append(sheet.slots, s)
		}
	}
	cells := len(sheet.slots) * len(nodes)
	sheet.scores = slices.Grow(sheet.scores[:0], cells)[:cells]
	sheet.parts = slices.Grow(sheet.parts[:0], cells)[:cells]
	sheet.totals = slices.Grow(sheet.totals[:0], len(nodes))[:len(nodes)]
}

func scoreSkipped(state fwk.CycleState, plugin string) bool {
	if own, ok := state.(*CycleState); ok {
		return own.skipScore.has(plugin)
	}
	return state.GetSkipScorePlugins().Has(plugin)
}

type scoreRun struct {
	*scoreSheet
	watch *watch
	state fwk.CycleState
	pod   *v1.Pod
	nodes []fwk.NodeInfo
	raw   []fwk.NodeScore // a copy of the scores as the plugins gave them, for a recorder
}

func (r *scoreRun) all(ctx context.Context) ([]fwk.NodePluginScores, error) {
	if err := r.score(ctx); err != nil {
		return nil, fmt.Errorf("running Score plugins: %w", err)
	}
	if r.watch.recorder != nil {
		r.raw = slices.Clone(r.scores)
	}
	if err := r.normalize(ctx); err != nil {
		return nil, fmt.Errorf("running Normalize on Score plugins: %w", err)
	}
	if err := r.weigh(); err != nil {
		return nil, fmt.Errorf("applying score defaultWeights on Score plugins: %w", err)
	}
	if r.watch.recorder != nil {
		r.record()
	}
	return r.totals, nil
}

// column is where the scores of one plugin are.
func (r *scoreRun) column(i int) fwk.NodeScoreList {
	from, to := i*len(r.nodes), (i+1)*len(r.nodes)
	return r.scores[from:to:to]
}

// score goes node by node, so that what the plugins look at is looked at while it is near.
func (r *scoreRun) score(ctx context.Context) error {
	timed := r.watch.timed
	for line, node := range r.nodes {
		name := node.Node().Name
		for i, s := range r.slots {
			s.calls++
			var start time.Duration
			if timed {
				start = r.watch.start()
			}
			score, status := s.plugin.Score(ctx, r.state, r.pod, node)
			if timed {
				r.watch.took(s.name, status, start)
			}
			if status != nil && !status.IsSuccess() {
				r.watch.said(Verdict{Plugin: s.name, Node: name, Status: status})
				return fmt.Errorf("plugin %q failed with: %w", s.name, cause(status))
			}
			r.scores[i*len(r.nodes)+line] = fwk.NodeScore{Name: name, Score: score}
		}
	}
	return nil
}

func (r *scoreRun) normalize(ctx context.Context) error {
	w := *r.watch
	w.point = ScoreExtensionNormalize
	for i, s := range r.slots {
		extensions := s.plugin.ScoreExtensions()
		if extensions == nil {
			continue
		}
		start := w.start()
		status := extensions.NormalizeScore(ctx, r.state, r.pod, r.column(i))
		w.heard(s.name, "", status, start)
		if !status.IsSuccess() {
			return fmt.Errorf("plugin %q failed with: %w", s.name, cause(status))
		}
	}
	return nil
}

func (r *scoreRun) weigh() error {
	width := len(r.slots)
	for line, node := range r.nodes {
		parts := r.parts[line*width : (line+1)*width : (line+1)*width]
		var total int64
		for i, s := range r.slots {
			score := r.scores[i*len(r.nodes)+line].Score
			if score > fwk.MaxNodeScore || score < fwk.MinNodeScore {
				return fmt.Errorf("plugin %q returns an invalid score %v, it should in the range of [%v, %v] after normalizing",
					s.name, score, fwk.MinNodeScore, fwk.MaxNodeScore)
			}
			weighted := score * s.weight
			parts[i] = fwk.PluginScore{Name: s.name, Score: weighted}
			total += weighted
		}
		r.totals[line] = fwk.NodePluginScores{Name: node.Node().Name, Scores: parts, TotalScore: total}
	}
	return nil
}

func (r *scoreRun) record() {
	for line := range r.nodes {
		for i, s := range r.slots {
			cell := i*len(r.nodes) + line
			r.watch.recorder.Scored(NodeScored{
				Plugin: s.name, Node: r.totals[line].Name,
				Raw: r.raw[cell].Score, Normalized: r.scores[cell].Score, Weight: s.weight,
			})
		}
	}
}
