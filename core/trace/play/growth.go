package play

import (
	"slices"

	"orrery/core/trace"
)

// growth is what a player keeps of a trace that is still being written.
type growth struct {
	maxBytes int64
	bytes    int64 // of the held records
}

// NewGrowingPlayer returns a player of a trace that is still being written: of its first record, and of those that Append adds. It holds
// records of about so many bytes; zero means DefaultFlightRecorderBytes.
func NewGrowingPlayer(h trace.Header, first trace.Record, o Options, bytes int64) (*Player, error) {
	if bytes == 0 {
		bytes = DefaultFlightRecorderBytes
	}
	records := []trace.Record{first}
	begin, err := o.newReplayer(h, records)
	if err != nil {
		return nil, err
	}
	p := newPlayer(begin, records)
	p.header, p.growth = h, &growth{maxBytes: bytes, bytes: recordBytes(first)}
	return p, nil
}

// Append adds records to the end of a growing player. If it then holds too many, it drops the oldest up to one of its forks. A position
// among these becomes the first one that is held: compare At with Start. Only records that were played, or prefetched, are dropped.
func (p *Player) Append(records ...trace.Record) error {
	p.index(records)
	p.records = append(p.records, records...)
	for _, r := range records {
		p.growth.bytes += recordBytes(r)
	}
	if p.ahead != nil && p.ahead.record < p.reported {
		p.ahead = nil // a fork of an earlier time holds what the engine has replaced since
	}
	for p.growth.bytes > p.growth.maxBytes && len(p.forks.list) > 1 {
		p.dropFirst()
	}
	if p.current.record >= p.dropped {
		return nil
	}
	fork, err := p.forks.list[0].fork()
	if err == nil {
		p.current = fork
	}
	return err
}

// dropFirst drops the first fork, and the records before the second.
func (p *Player) dropFirst() {
	p.forks.list = slices.Delete(p.forks.list, 0, 1)
	n := p.forks.list[0].record - p.dropped
	for _, r := range p.records[:n] {
		p.growth.bytes -= recordBytes(r)
		if u, ok := r.Body.(trace.Usage); ok {
			p.usages[u.Node] = p.usages[u.Node][1:]
		}
	}
	if n > 0 {
		p.start = p.latestTimes[n-1]
	}
	clear(p.records[:n]) // the array stays until it is full
	p.records, p.latestTimes, p.dropped = p.records[n:], p.latestTimes[n:], p.dropped+n
}

// recordBytes estimates a record's memory.
func recordBytes(r trace.Record) int64 {
	switch b := r.Body.(type) {
	case trace.Input:
		return entryBytes + eventBytes(b.Event)
	case trace.Decision:
		return entryBytes + decisionBytes
	case trace.State:
		return entryBytes + int64(len(b.Data)) // its objects are the engine's
	case trace.Usage:
		return entryBytes + usedPodBytes*int64(len(b.Summary.Pods))
	}
	return entryBytes
}
