package sim

import "time"

// Faults are random faults. The zero value is a network without latency.
type Faults struct {
	// Latency is the delay of a request, a response or a watch event, uniform between the two.
	LatencyMin, LatencyMax time.Duration
	// Partition, Pause, Suspend, Kill and Terminate strike each replica separately. The last two have no length.
	Partition, Pause, Suspend, Kill, Terminate RandomFault
	// FailCalls is the probability that a call fails at the server, LoseResponse that it is carried out and its response
	// lost, Conflict that another client changes the Lease just before an update.
	FailCalls, LoseResponse, Conflict float64
	// Drift draws a new rate for every clock, between SlowestClock and FastestClock.
	Drift                      RandomFault
	SlowestClock, FastestClock float64
}

// RandomFault strikes a replica on average once in Every, never if zero, and lasts for up to Longest.
type RandomFault struct{ Every, Longest time.Duration }

func (s *Simulation) happens(probability float64) bool {
	return probability > 0 && s.rng.Float64() < probability
}

func (s *Simulation) latency() int64 {
	w := &s.options.Faults
	if w.LatencyMax <= w.LatencyMin {
		return int64(w.LatencyMin)
	}
	return int64(w.LatencyMin) + s.rng.Int64N(int64(w.LatencyMax-w.LatencyMin)+1)
}

// scheduleFaults lets the faults strike a replica from now on.
func (s *Simulation) scheduleFaults(r *Replica) {
	w := &s.options.Faults
	s.scheduleFault(w.Partition, r.Partition)
	s.scheduleFault(w.Pause, r.Pause)
	s.scheduleFault(w.Suspend, r.Suspend)
	s.scheduleFault(w.Kill, func(time.Duration) { r.Kill() })
	s.scheduleFault(w.Terminate, func(time.Duration) { r.Terminate() })
	s.scheduleFault(w.Drift, func(time.Duration) {
		r.SetRate(w.SlowestClock + s.rng.Float64()*(w.FastestClock-w.SlowestClock))
	})
}

func (s *Simulation) scheduleFault(fault RandomFault, inject func(time.Duration)) {
	if fault.Every <= 0 {
		return
	}
	s.after(time.Duration(s.rng.ExpFloat64()*float64(fault.Every)), func() {
		var d time.Duration
		if fault.Longest > 0 {
			d = time.Duration(s.rng.Int64N(int64(fault.Longest)) + 1)
		}
		inject(d)
		s.scheduleFault(fault, inject)
	})
}
