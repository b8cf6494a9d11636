package trim

// MaxTemplates is maxTemplates.
const MaxTemplates = maxTemplates

// Templates is how many parts of pods are remembered.
func (p *Pool) Templates() int { return len(p.templates.metas) + len(p.templates.specs) }
