package expect

import (
	"fmt"
	"slices"
	"time"
)

// quantiles are the shares of the figures.
var quantiles = map[string]float64{"p50": 0.5, "p90": 0.9, "p99": 0.99, "max": 1}

func (r *Run) checkFigure(x *Expectation) (*Failure, error) {
	pods := r.selected(x)
	if len(pods) == 0 {
		return r.none(x, r.End()), nil
	}
	f, share := x.figure(), quantiles[x.Kind()]
	if f.Of == "attempts" {
		slices.SortStableFunc(pods, func(a, b *podRun) int { return a.attempts - b.attempts })
		if p := pods[rank(len(pods), share)]; p.attempts >= f.attempts {
			return r.about(p, r.momentOf(p), false, "%s of attempts is %d, want below %d; %s is tried so often", x.Kind(), p.attempts, f.attempts, p.ref)
		}
		return nil, nil
	}
	end := r.End()
	slices.SortStableFunc(pods, func(a, b *podRun) int { return int(a.waited(end) - b.waited(end)) })
	if p := pods[rank(len(pods), share)]; p.waited(end) >= f.time {
		return r.about(p, p.came.Add(f.time), false, "%s of waiting is %v, want below %v; %s waits so long", x.Kind(), p.waited(end).Round(time.Millisecond), f.time, p.ref)
	}
	return nil, nil
}

// momentOf is a moment at which a pod waits.
func (r *Run) momentOf(p *podRun) time.Time {
	if p.placed.IsZero() {
		return r.End()
	}
	return p.placed
}

// rank is the index of a quantile of n sorted values: the least of which so many are no greater.
func rank(n int, share float64) int { return min(max(int(float64(n)*share+0.999999)-1, 0), n-1) }

// measures are what two runs are compared by.
type measures struct {
	unplaced, victims int
	mean, p99         time.Duration
}

func (r *Run) measured(x *Expectation) (m measures) {
	pods, end := r.selected(x), r.End()
	for _, p := range pods {
		m.mean += p.waited(end) / time.Duration(len(pods))
		if p.placed.IsZero() && p.gone.IsZero() {
			m.unplaced++
		}
	}
	if len(pods) > 0 {
		slices.SortStableFunc(pods, func(a, b *podRun) int { return int(a.waited(end) - b.waited(end)) })
		m.p99 = pods[rank(len(pods), 0.99)].waited(end)
	}
	for _, p := range r.preemptions {
		if x.matches(p.victim.Namespace, p.victim.Name, p.victim.Labels) {
			m.victims++
		}
	}
	return m
}

// leastDifference is what no two runs are told apart by: the time in which a pod is bound.
const leastDifference = 50 * time.Millisecond

// checkNotWorse compares what pods got in two runs.
func (r *Run) checkNotWorse(x *Expectation, other *Run) (*Failure, error) {
	if len(r.selected(x)) == 0 {
		return r.none(x, r.End()), nil
	}
	is, was, by := r.measured(x), other.measured(x), 1+float64(x.NotWorseThan.By)
	longer := func(is, was time.Duration) bool {
		return is > was+leastDifference && float64(is) > float64(was)*by
	}
	message := ""
	switch name := x.NotWorseThan.Recording; {
	case float64(is.unplaced) > float64(was.unplaced)*by:
		message = fmt.Sprintf("%d pods have no node in the end, and %d in %s", is.unplaced, was.unplaced, name)
	case float64(is.victims) > float64(was.victims)*by:
		message = fmt.Sprintf("%d pods are preempted, and %d in %s", is.victims, was.victims, name)
	case longer(is.mean, was.mean):
		message = fmt.Sprintf("pods wait %v in the mean, and %v in %s", is.mean.Round(time.Millisecond), was.mean.Round(time.Millisecond), name)
	case longer(is.p99, was.p99):
		message = fmt.Sprintf("p99 of waiting is %v, and %v in %s", is.p99.Round(time.Millisecond), was.p99.Round(time.Millisecond), name)
	default:
		return nil, nil
	}
	return &Failure{Message: message, At: r.End()}, nil
}

// checkSame compares all decisions.
func (r *Run) checkSame(other *Run, name string) *Failure {
	for i := range r.decisions {
		d := r.decisions[i]
		if i >= len(other.decisions) {
			return &Failure{Message: fmt.Sprintf("decision %d, %v, is not made in %s", i+1, d, name), At: d.at, Pod: &r.decisions[i].pod}
		}
		if o := other.decisions[i]; !d.same(o) {
			return &Failure{Message: fmt.Sprintf("decision %d: %v, and in %s %v", i+1, d, name, o), At: d.at, Pod: &r.decisions[i].pod}
		}
	}
	if more := len(other.decisions) - len(r.decisions); more > 0 {
		return &Failure{Message: fmt.Sprintf("%s makes %d decisions more; the first is: %v", name, more, other.decisions[len(r.decisions)]), At: r.End()}
	}
	return nil
}
