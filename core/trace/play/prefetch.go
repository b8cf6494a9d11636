package play

// Prefetch plays one record that was never played, without moving the player, and so shortens later seeks. It returns
// false when there is none left: then no seek plays more than from one kept fork to the next, and the report is
// complete.
func (p *Player) Prefetch() (Work, bool, error) {
	if p.reported == p.End().Record {
		if p.growth == nil {
			p.ahead = nil
		}
		return 0, false, nil
	}
	work, err := p.startPrefetch()
	if err != nil {
		return work, false, err
	}
	played, err := p.play(p.ahead)
	return work + played, err == nil, err
}

// startPrefetch moves the playhead ahead to the furthest point ever played.
func (p *Player) startPrefetch() (Work, error) {
	if p.ahead != nil && p.ahead.record == p.reported {
		return 0, nil
	}
	from := p.current
	if last, ok := p.forks.nearest(p.reported); ok && from.record < last.record {
		from = last
	}
	ahead, err := from.fork()
	if err != nil {
		return 0, err
	}
	work := forkWork(ahead.engine)
	for ahead.record < p.reported {
		played, err := p.play(&ahead)
		if err != nil {
			return work, err
		}
		work += played
	}
	p.ahead = &ahead
	return work, nil
}

// PrefetchAll prefetches to the end. Progress, if not nil, is called with the number of played records, and stops
// PrefetchAll by returning false.
func (p *Player) PrefetchAll(progress func(records int) bool) error {
	for {
		_, more, err := p.Prefetch()
		if err != nil || !more {
			return err
		}
		if progress != nil && p.reported%progressEvery == 0 && !progress(p.reported) {
			return nil
		}
	}
}
