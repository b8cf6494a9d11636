package play

// MaxForks is the maximum number of forks of a player.
const MaxForks = maxForks

// ForkCount returns the number of kept forks.
func (p *Player) ForkCount() int { return len(p.forks.list) }

// NearestFork returns the record of the fork from which a record is reached.
func (p *Player) NearestFork(record int) (int, bool) {
	s, ok := p.forks.nearest(record)
	return s.record, ok
}
