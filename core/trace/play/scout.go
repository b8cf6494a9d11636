package play

// Scout plays one record that nobody has played yet, without moving the player, so that the ways to come are short. It
// is false when there is none left: from then on no way is longer than from one kept fork to the next, and the report is
// complete.
func (p *Player) Scout() (Work, bool, error) {
	if p.checked == len(p.records) {
		p.scout = nil
		return 0, false, nil
	}
	work, err := p.sendScout()
	if err != nil {
		return work, false, err
	}
	played, err := p.play(p.scout)
	return work + played, err == nil, err
}

// sendScout has the scout stand at the furthest point that was ever played.
func (p *Player) sendScout() (Work, error) {
	if p.scout != nil && p.scout.at == p.checked {
		return 0, nil
	}
	from := p.now
	if last, ok := p.kept.upTo(p.checked); ok && from.at < last.at {
		from = last
	}
	scout, err := from.fork()
	if err != nil {
		return 0, err
	}
	work := forkWork(scout.engine)
	for scout.at < p.checked {
		played, err := p.play(&scout)
		if err != nil {
			return work, err
		}
		work += played
	}
	p.scout = &scout
	return work, nil
}

// Prepare scouts to the end. Progress, if not nil, is called with how many records were played; it ends the scouting by
// answering false.
func (p *Player) Prepare(progress func(records int) bool) error {
	for {
		_, more, err := p.Scout()
		if err != nil || !more {
			return err
		}
		if progress != nil && p.checked%progressEvery == 0 && !progress(p.checked) {
			return nil
		}
	}
}
