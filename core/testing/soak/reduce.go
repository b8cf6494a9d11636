package soak

import (
	"maps"
	"slices"
)

// Reduce returns a small plan with a violation of the same invariant. It leaves out steps, random faults, nodes, replicas and hours as
// long as the invariant does not hold, for at most so many runs.
func Reduce(p Plan, invariant string, runs int) Plan {
	r := &reducer{invariant: invariant, runs: runs, best: p}
	r.cutEnd()
	for {
		before := r.runs
		size := sizeOf(r.best)
		r.dropSettings()
		r.best.Steps = dropSome(r.best.Steps, func(steps []Step) bool { return r.still(func(p *Plan) { p.Steps = steps }) })
		r.best.Nodes = dropSome(r.best.Nodes, func(nodes []uint64) bool { return r.still(func(p *Plan) { p.Nodes = nodes }) })
		r.lowerCounts()
		if sizeOf(r.best) == size || r.runs <= 0 || before == r.runs {
			return r.best
		}
	}
}

// reducer has the smallest plan so far that violates the invariant, and the number of runs that it may make yet.
type reducer struct {
	invariant string
	runs      int
	best      Plan
}

func sizeOf(p Plan) int {
	n := len(p.Steps) + len(p.Nodes) + len(p.Rates) + p.Replicas + p.Hours
	for _, s := range p.Steps {
		n += s.Count
	}
	return n
}

// still keeps a change if the invariant is still violated.
func (r *reducer) still(change func(*Plan)) bool {
	if r.runs <= 0 {
		return false
	}
	r.runs--
	p := r.best
	p.Rates, p.Steps = maps.Clone(p.Rates), slices.Clone(p.Steps)
	change(&p)
	result, err := Run(p)
	if err != nil || result.Violation == nil || result.Violation.Invariant != r.invariant {
		return false
	}
	r.best = p
	return true
}

// cutEnd drops what comes after the violation.
func (r *reducer) cutEnd() {
	result, err := Run(r.best)
	if err != nil || result.Violation == nil {
		return
	}
	r.still(func(p *Plan) {
		p.Steps = p.Steps[:result.Violation.Step]
		p.Hours = int(result.Violation.At.Hours()) + 1
	})
	// A violation at the end of a late hour may come at that of an earlier one, when only the last steps are needed.
	for hour := range r.best.Hours - 1 {
		if r.still(func(p *Plan) { p.Hours, p.Steps = hour+1, stepsIn(p.Steps, hour+1) }) {
			return
		}
	}
}

func stepsIn(steps []Step, hours int) []Step {
	return slices.DeleteFunc(steps, func(s Step) bool { return s.At.hour() >= hours })
}

func (r *reducer) dropSettings() {
	for _, name := range sortedKeys(r.best.Rates) {
		r.still(func(p *Plan) { delete(p.Rates, name) })
	}
	for n := 1; n < r.best.Replicas; n++ {
		if r.still(func(p *Plan) { p.Replicas = n }) {
			break
		}
	}
	for _, change := range []func(*Plan) *bool{
		func(p *Plan) *bool { return &p.Fragile }, func(p *Plan) *bool { return &p.Extender },
		func(p *Plan) *bool { return &p.Gangs }, func(p *Plan) *bool { return &p.Records }, func(p *Plan) *bool { return &p.Latency },
	} {
		if *change(&r.best) {
			r.still(func(p *Plan) { *change(p) = false })
		}
	}
	if len(r.best.Clocks) > 0 {
		r.still(func(p *Plan) { p.Clocks = nil })
	}
}

// lowerCounts halves how much steps do.
func (r *reducer) lowerCounts() {
	for i := range r.best.Steps {
		for r.best.Steps[i].Count > 1 && r.still(func(p *Plan) { p.Steps[i].Count /= 2 }) {
		}
	}
}

// dropSome leaves out ever smaller parts of a list, as long as the rest will do.
func dropSome[T any](all []T, will func(rest []T) bool) []T {
	for size := (len(all) + 1) / 2; size > 0; size /= 2 {
		for from := 0; from < len(all); {
			to := min(len(all), from+size)
			if rest := slices.Concat(all[:from], all[to:]); will(rest) {
				all = rest
			} else {
				from = to
			}
		}
	}
	return all
}
