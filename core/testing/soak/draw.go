package soak

import (
	"maps"
	"math/rand/v2"
	"slices"
	"time"
)

// Each hour of a run begins with activeTime, in which the steps are; the rest is quiet, but for a few steps from reliefAfter on that may help
// pods which wait. They are so shortly before a check that nothing but the events of these steps can have moved the pods.
const (
	activeTime  = 20 * time.Minute
	reliefAfter = 42 * time.Minute
	reliefTime  = time.Minute
	mostRelief  = 3
)

// kindOfStep is how often a step is drawn beside the others, and what it may be.
type kindOfStep struct {
	name    string
	weight  int
	most    int           // Count
	longest time.Duration // For
}

// work are the steps of workloads and nodes, trouble those of faults.
var (
	work = []kindOfStep{
		{name: "pods", weight: 6, most: 12},
		{name: "chaos", weight: 8, most: 12},
		{name: "deployment", weight: 4, most: 8},
		{name: "stateful", weight: 3, most: 4},
		{name: "volumes", weight: 3, most: 8},
		{name: "job", weight: 4, most: 12},
		{name: "daemons", weight: 1},
		{name: "gang", weight: 2, most: 5},
		{name: "devices", weight: 3, most: 5},
		{name: "shared-device", weight: 1, most: 4},
		{name: "fragile", weight: 2, most: 4},
		{name: "scale", weight: 4, most: 9},
		{name: "delete-workload", weight: 6},
		{name: "delete-pods", weight: 6, most: 10},
		{name: "change-pods", weight: 5, most: 6},
		{name: "add-node", weight: 3},
		{name: "remove-node", weight: 2},
		{name: "lose-node", weight: 2, longest: 8 * time.Minute},
		{name: "drain", weight: 2},
		{name: "cordon", weight: 2},
		{name: "relabel", weight: 3},
		{name: "taint", weight: 2},
		{name: "resize-node", weight: 2},
		{name: "resize-pods", weight: 2, most: 6},
		{name: "evict", weight: 3},
		{name: "quota", weight: 1, most: 40, longest: 5 * time.Minute},
		{name: "hostile", weight: 4, most: 6},
	}
	trouble = []kindOfStep{
		{name: "break-watch", weight: 3, longest: 30 * time.Second},
		{name: "stall-watch", weight: 3, longest: 20 * time.Second},
		{name: "double", weight: 2, most: 5},
		{name: "restart-api", weight: 1, longest: 40 * time.Second},
		{name: "slow-api", weight: 1, longest: time.Minute},
		{name: "fail-call", weight: 5, most: 4},
		{name: "crash", weight: 3, most: 12},
		{name: "terminate", weight: 1},
		{name: "pause", weight: 2, longest: 50 * time.Second},
		{name: "suspend", weight: 2, longest: 2 * time.Minute},
		{name: "stray", weight: 2, most: 6, longest: 40 * time.Second},
		{name: "partition", weight: 3, most: 2, longest: 50 * time.Second},
		{name: "late-kind", weight: 2, longest: 20 * time.Second},
		{name: "reorder", weight: 2, longest: 10 * time.Second},
		{name: "stale-list", weight: 1, longest: 30 * time.Second},
		{name: "stale-start", weight: 1, longest: 30 * time.Second},
		{name: "clock-rate", weight: 2},
		{name: "set-clock", weight: 1, longest: time.Hour},
		{name: "stop-extender", weight: 2, longest: 40 * time.Second},
		{name: "slow-extender", weight: 4, longest: time.Minute},
		{name: "fail-extender", weight: 2, longest: 30 * time.Second},
		{name: "hang-provisioner", weight: 1, longest: time.Minute},
		{name: "fail-detach", weight: 1, longest: time.Minute},
		{name: "taint-device", weight: 1, longest: 2 * time.Minute},
		{name: "unplug-device", weight: 1, longest: 2 * time.Minute},
		{name: "stop-driver", weight: 1, longest: 2 * time.Minute},
		{name: "hang-driver", weight: 1, longest: 2 * time.Minute},
		{name: "fail-driver", weight: 1, longest: time.Minute},
		{name: "fill-disks", weight: 1, longest: 5 * time.Minute},
		{name: "use-memory", weight: 1, longest: 3 * time.Minute},
		{name: "record", weight: 2, most: 400_000, longest: 10 * time.Minute},
		{name: "attach", weight: 2, most: 4_000_000, longest: 10 * time.Minute},
		{name: "save-flight", weight: 1},
		{name: "full-disk", weight: 1, longest: 4 * time.Minute},
		{name: "bad-disk", weight: 1, longest: 4 * time.Minute},
		{name: "hung-disk", weight: 1, longest: 4 * time.Minute},
	}
)

// relief are the steps that may help pods.
var relief = []kindOfStep{
	{name: "add-node", weight: 3},
	{name: "delete-pods", weight: 2, most: 10},
	{name: "delete-workload", weight: 1},
	{name: "resize-node", weight: 1},
	{name: "relabel", weight: 1},
	{name: "volumes", weight: 1, most: 8},
}

// StepNames lists what steps may do, sorted: the faults and the rest.
func StepNames() (faults, others []string) {
	for _, kind := range trouble {
		faults = append(faults, kind.name)
	}
	for _, kind := range work {
		others = append(others, kind.name)
	}
	slices.Sort(faults)
	slices.Sort(others)
	return faults, others
}

// Draw draws a plan. Which kinds of steps and which random faults it has at all is drawn first: faults that are always together hide
// each other.
func Draw(seed uint64, hours int) Plan {
	draw := rand.New(rand.NewPCG(seed, 0x50a1))
	p := Plan{
		Seed: seed, Hours: hours, Replicas: pick(draw, 1, 2, 3), Zones: 1 + draw.IntN(4),
		Fragile: draw.IntN(4) == 0, Extender: draw.IntN(4) == 0, Gangs: draw.IntN(4) == 0, Records: draw.IntN(4) == 0, Latency: draw.IntN(5) > 0, Rates: map[string]float64{},
	}
	for range pick(draw, 2, 4, 8, 16, 30) {
		p.Nodes = append(p.Nodes, draw.Uint64())
	}
	for range p.Replicas {
		p.Clocks = append(p.Clocks, Clock{Rate: slowestClock + draw.Float64()*(fastestClock-slowestClock), Ahead: drawAhead(draw)})
	}
	worst := pick(draw, 0, 0.01, 0.05)
	for _, name := range slices.Sorted(maps.Keys(faultRates)) {
		if rate := draw.Float64() * worst; draw.IntN(2) == 0 && rate > 0 {
			p.Rates[name] = rate
		}
	}
	some := p.possible(some(draw, work, 3), some(draw, trouble, 2))
	each := 10 + draw.IntN(90)
	for hour := range hours {
		for range each {
			p.Steps = append(p.Steps, drawStep(draw, some, time.Duration(hour)*time.Hour, activeTime))
		}
		for range draw.IntN(mostRelief + 1) {
			p.Steps = append(p.Steps, drawStep(draw, relief, time.Duration(hour)*time.Hour+reliefAfter, reliefTime))
		}
	}
	slices.SortStableFunc(p.Steps, func(a, b Step) int { return int(a.At - b.At) })
	p.Hashes = seed%hashesEvery == 0 && !p.Fragile // the fragile plugin decides by what pods are called
	return p
}

// hashesEvery is of how many plans one hashes names.
const hashesEvery = 4

// drawAhead is how far ahead a clock is, or behind: not at all, a little or much.
func drawAhead(draw *rand.Rand) Span {
	most := pick(draw, 0, 2*time.Second, farthestAhead)
	return Span((2*draw.Float64() - 1) * float64(most)).truncate()
}

// some keeps about so many kinds of four, and has more of some of them.
func some(draw *rand.Rand, all []kindOfStep, ofFour int) (kept []kindOfStep) {
	for _, kind := range all {
		keeps, weight := draw.IntN(4) < ofFour, kind.weight*pick(draw, 1, 1, 1, 6)
		if keeps {
			kind.weight = weight
			kept = append(kept, kind)
		}
	}
	return kept
}

// possible leaves out the kinds that the plan's configuration has no use for. Some pods there are always.
func (p *Plan) possible(all ...[]kindOfStep) (kept []kindOfStep) {
	kept = append(kept, work[0], work[1])
	for _, kind := range slices.Concat(all...) {
		switch kind.name {
		case "gang":
			if !p.Gangs {
				continue
			}
		case "fragile":
			if !p.Fragile {
				continue
			}
		case "save-flight", "full-disk", "bad-disk", "hung-disk":
			if !p.Records {
				continue
			}
		case "stop-extender", "slow-extender", "fail-extender":
			if !p.Extender {
				continue
			}
		}
		kept = append(kept, kind)
	}
	return kept
}

// drawStep draws one of the kinds, and when it is: from a time on, within some more.
func drawStep(draw *rand.Rand, kinds []kindOfStep, from, within time.Duration) Step {
	sum := 0
	for _, kind := range kinds {
		sum += kind.weight
	}
	at := draw.IntN(sum)
	for _, kind := range kinds {
		if at -= kind.weight; at >= 0 {
			continue
		}
		s := Step{At: Span(from + time.Duration(draw.Int64N(int64(within))).Truncate(time.Millisecond)), Do: kind.name, N: draw.Uint64()}
		if kind.most > 0 {
			s.Count = 1 + draw.IntN(kind.most)
		}
		if kind.longest > 0 {
			s.For = Span(time.Duration(1 + draw.Int64N(int64(kind.longest))).Truncate(time.Millisecond))
		}
		return s
	}
	panic("a step was drawn beyond the weights of all")
}
