package cache

// changeLog has the positions of the nodes that changed since the list was ordered, oldest first, as far back as it is shorter
// than the list. The entries are numbered.
type changeLog struct {
	start     uint64 // the number of the first entry
	positions []int32
}

// add adds a change to the log of a list of so many nodes.
func (l *changeLog) add(position, nodes int) {
	if len(l.positions) > 2*nodes {
		older := len(l.positions) - nodes
		l.positions = append(l.positions[:0], l.positions[older:]...)
		l.start += uint64(older)
	}
	l.positions = append(l.positions, int32(position))
}

// reset forgets everything, as positions are others from now on.
func (l *changeLog) reset() {
	l.start += uint64(len(l.positions)) + 1
	l.positions = l.positions[:0]
}

// ChangesSince returns the positions in List of the nodes that changed since an earlier call returned since, and what to pass to
// the next call. If known is false, as at the first call, with 0, or when the list was ordered anew, any node may have changed.
func (s *Snapshot) ChangesSince(since uint64) (positions []int32, now uint64, known bool) {
	l := &s.log
	now = l.start + uint64(len(l.positions))
	if since < l.start {
		return nil, now, false
	}
	return l.positions[since-l.start:], now, true
}
