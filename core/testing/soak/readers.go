package soak

import (
	"errors"
	"io"
	"time"

	"orrery/core/trace/play"
)

// attach lets a reader follow the leader for some time, every third one from the past on. Every second one reads seldom, and falls behind if
// much happens.
func (r *run) attach(s Step) {
	one := r.leader()
	if one == nil {
		return
	}
	process, feed, trace := one.process, one.feed, &disk{}
	o := play.SubscriptionOptions{About: play.About{Program: "soak"}, MaxBytes: int64(10_000 + s.Count)}
	if s.N%3 == 0 {
		o.Since = one.elector.Now().Add(-time.Duration(s.N % uint64(10*time.Minute)))
	}
	reader := feed.Subscribe(o)
	every, until := time.Second, r.cluster.Now().Add(time.Duration(s.For))
	if s.N%2 == 0 {
		every = time.Minute
	}
	var read func()
	read = func() {
		if one.process != process || one.engine == nil {
			return
		}
		over := !r.cluster.Now().Before(until)
		if over {
			feed.Checkpoint()
			feed.Unsubscribe(reader)
		}
		_, err := reader.Copy(trace)
		switch {
		case err == nil:
			r.after(every, read)
		case errors.Is(err, io.EOF), errors.Is(err, play.ErrFellBehind):
			if err := reader.Close(); err != nil {
				one.ledger.fail("replay", "the reader's trace cannot be closed: %v", err)
			}
			one.checkTrace(trace.Bytes(), errors.Is(err, io.EOF) && one.engine.Settled())
		default:
			one.ledger.fail("replay", "the reader fails: %v", err)
		}
	}
	read()
}
