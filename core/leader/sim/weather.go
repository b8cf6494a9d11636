package sim

import "time"

// Weather is what goes wrong by chance. The zero value is a network without any delay.
type Weather struct {
	// Latency is the way of a request, an answer or a watch event: between the two, every value as likely.
	LatencyMin, LatencyMax time.Duration
	// CutOff, Stop, Kill and Terminate befall each replica by itself. The length of the last two means nothing.
	CutOff, Stop, Kill, Terminate Spell
	// Refuse is the probability that a call fails at the server, LoseReply that it is carried out and its answer lost,
	// and Outrun that somebody else changes the Lease just before an update.
	Refuse, LoseReply, Outrun float64
	// Drift draws every clock's rate anew, between SlowestClock and FastestClock.
	Drift                      Spell
	SlowestClock, FastestClock float64
}

// Spell is something that comes over a replica from time to time: on average once in Every, never if zero, for up to
// Longest.
type Spell struct{ Every, Longest time.Duration }

func (s *Simulation) hits(probability float64) bool {
	return probability > 0 && s.chance.Float64() < probability
}

func (s *Simulation) latency() int64 {
	w := &s.options.Weather
	if w.LatencyMax <= w.LatencyMin {
		return int64(w.LatencyMin)
	}
	return int64(w.LatencyMin) + s.chance.Int64N(int64(w.LatencyMax-w.LatencyMin)+1)
}

// visit has the weather come over a replica from now on.
func (s *Simulation) visit(r *Replica) {
	w := &s.options.Weather
	s.recur(w.CutOff, r.CutOff)
	s.recur(w.Stop, r.Stop)
	s.recur(w.Kill, func(time.Duration) { r.Kill() })
	s.recur(w.Terminate, func(time.Duration) { r.Terminate() })
	s.recur(w.Drift, func(time.Duration) {
		r.SetRate(w.SlowestClock + s.chance.Float64()*(w.FastestClock-w.SlowestClock))
	})
}

func (s *Simulation) recur(spell Spell, befall func(time.Duration)) {
	if spell.Every <= 0 {
		return
	}
	s.after(time.Duration(s.chance.ExpFloat64()*float64(spell.Every)), func() {
		var d time.Duration
		if spell.Longest > 0 {
			d = time.Duration(s.chance.Int64N(int64(spell.Longest)) + 1)
		}
		befall(d)
		s.recur(spell, befall)
	})
}
