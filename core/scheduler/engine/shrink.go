package engine

// shrinkReuseAfter is how often the history is halved before reuse is: it costs processor time to be without that.
const shrinkReuseAfter = 2

// Shrink leaves what is optional a share of its bounds: all for 0, a half for 1, a quarter for 2, and so on. That is the history, the latest
// decisions and moves of pods, and then what is kept of verdicts and scores for reuse. No decision depends on it. It is called between two
// inputs.
func (e *Engine) Shrink(halvings int) {
	e.decisions.resize(max(1, e.options.DecisionLogSize>>halvings))
	e.journal.Shrink(halvings)
	for _, name := range e.profileNames {
		e.profiles[name].ShrinkReuse(max(0, halvings-shrinkReuseAfter))
	}
}
