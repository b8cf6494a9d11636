package segments

import (
	"context"
	"strings"
	"testing"
	"time"

	"orrery/core/trace/play"
)

// A disk that does not answer holds up neither the scheduler nor the end of the process; it is told of once, and the recording is down meanwhile.
// When it answers again the recording goes on.
func TestRun_ADiskHangs(t *testing.T) {
	d := newFakeDisk()
	s := newScene(t, d, Limits{})
	answers, asked := make(chan struct{}), make(chan struct{})
	d.fails = func(call string) error {
		if call == "sync" {
			asked <- struct{}{}
			<-answers
		}
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	ticks, ended := make(chan time.Time), make(chan struct{})
	go func() {
		defer close(ended)
		s.recorder.Run(ctx, ticks)
	}()
	untilAsked := func() { // a tick may come before the step of the last one is over
		for {
			select {
			case ticks <- s.now:
			case <-asked:
				return
			}
		}
	}
	s.decide(1)
	untilAsked()
	answers <- struct{}{} // the first step reaches the disk
	up := s.now
	s.decide(1)
	untilAsked() // the second step hangs
	before := s.decisions()
	for range 40 {
		s.decide(1)
		ticks <- s.now
	}
	if s.decisions()-before < 30 {
		t.Errorf("%d decisions in 40 seconds of a disk that hangs", s.decisions()-before)
	}
	if st := s.recorder.Status(); st.Up(s.now) || !st.Up(up) || st.Outage(s.now) != "nothing is recorded on disk since 09:00:01: the disk does not answer" {
		t.Errorf("the status is %+v at %v: %s", st, s.now, st.Outage(s.now))
	}
	answers <- struct{}{}
	s.decide(1)
	untilAsked()
	if n := strings.Count(s.logged(), "the disk does not answer"); n != 1 {
		t.Errorf("told of %d times: %s", n, s.logged())
	}
	cancel() // while the disk hangs again
	for {
		select {
		case ticks <- s.now:
			continue
		case <-ended:
		}
		break
	}
	d.fails = func(string) error { return nil }
	close(answers)
}

// start runs the recorder. The test makes its ticks, and stops it.
func (s *scene) start() (ticks chan time.Time, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ticks, ended := make(chan time.Time), make(chan struct{})
	go func() {
		defer close(ended)
		s.recorder.Run(ctx, ticks)
	}()
	return ticks, func() {
		cancel()
		<-ended
	}
}

// ticked makes ticks until what there is by now is on the disk.
func (s *scene) ticked(ticks chan time.Time) {
	for !s.recorder.Status().Flushed.Equal(s.now) {
		ticks <- s.now
	}
}

// A recording that falls behind a slow disk ends, and begins anew at once.
func TestRecorder_FallsBehind(t *testing.T) {
	d := newFakeDisk()
	s := newScene(t, d, Limits{})
	s.run(10)
	s.recorder.stop(context.Background(), s.now, play.ErrFellBehind)
	if s.recorder.Status().Recording {
		t.Error("it records on")
	}
	s.run(1)
	if st := s.recorder.Status(); !st.Up(s.now) || st.Gaps != 1 {
		t.Errorf("a second later the status is %+v", st)
	}
	if all := replays(t, d); len(all) != 2 || len(Gaps(all)) != 0 {
		t.Errorf("there are %d segments with the gaps %v", len(all), Gaps(all))
	}
}
