package play

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/engine"
	"orrery/core/trace"
)

// BeforePlacement returns an engine as it was just before the latest decision that placed a pod, of those up to the current record,
// and the decision's time. The engine is another one than the player's. It is nil if the player holds no such decision, or if the
// decisions of its engine are not exactly the recorded ones.
func (p *Player) BeforePlacement(pod types.UID) (*engine.Engine, time.Time, error) {
	if !p.report.Exact {
		return nil, time.Time{}, nil
	}
	for at := p.current.record - 1; at >= p.dropped; at-- {
		d, decided := p.records[at-p.dropped].Body.(trace.Decision)
		if !decided || d.Pod.UID != pod || d.Verdict != trace.Verdict(engine.Placed) {
			continue
		}
		from, held := p.forks.nearest(at)
		if !held {
			break
		}
		head, err := from.fork()
		for err == nil && head.record < at {
			_, err = p.play(&head)
		}
		if err != nil {
			return nil, time.Time{}, fmt.Errorf("going back to the decision of record %d: %w", at, err)
		}
		return head.engine, p.records[at-p.dropped].At, nil
	}
	return nil, time.Time{}, nil
}
