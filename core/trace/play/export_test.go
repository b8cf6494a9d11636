package play

// MostForks is how many forks a player keeps at most.
const MostForks = mostForks

// Kept is how many forks are kept.
func (p *Player) Kept() int { return len(p.kept.kept) }

// KeptUpTo is from where a record is reached.
func (p *Player) KeptUpTo(record int) (int, bool) {
	s, ok := p.kept.upTo(record)
	return s.at, ok
}
