package attach_test

import (
	"bytes"
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"orrery/core/testing/fuzz"
	"orrery/core/trace/attach"
	"orrery/core/trace/play"
	"orrery/core/trace/stream"
)

// FuzzSession reads the streams of two schedulers, one after the other, and plays them.
//
//orrery:reads core/trace/attach core/trace/stream core/trace/play
func FuzzSession(f *testing.F) {
	sent := streamOf(f)
	f.Add(sent, sent, "the scheduler stops")
	f.Add(sent[:len(sent)/2], []byte{}, "")
	f.Add([]byte("ORRERYT\x02"), sent, "\x1b[2J")
	f.Fuzz(func(t *testing.T, first, second []byte, ends string) {
		streams := [][]byte{first, second}
		fuzz.Cost(t, len(first)+len(second), func() {
			synctest.Test(t, func(t *testing.T) {
				s, err := attach.Open(t.Context(), attach.Options{Play: noOptions, GiveUpAfter: time.Minute, Connect: func(context.Context, time.Duration) (*attach.Connection, error) {
					if len(streams) == 0 {
						return nil, errNoLeader
					}
					body := streams[0]
					streams = streams[1:]
					return &attach.Connection{
						ReadCloser: io.NopCloser(bytes.NewReader(body)), Speaker: stream.Speaker{Identity: "a"}, Where: "pod kube-system/a",
						EndReason: func() string { return ends },
					}, nil
				}})
				if err != nil {
					fuzz.Error(t, err)
					return
				}
				defer s.Close()
				<-time.After(10 * time.Minute)
				playTaken(t, s)
			})
		})
	})
}

// playTaken plays what a session has taken in.
func playTaken(t *testing.T, s *attach.Session) {
	var p *play.Player
	for more := true; more; {
		var b attach.Batch
		b, more = s.Take()
		if b.Segment != nil {
			p = b.Segment.Player
		}
		if err := p.Append(b.Records...); err != nil {
			fuzz.Error(t, err)
			return
		}
		if !b.State.GaveUp {
			t.Errorf("the session goes on: %+v", b.State)
		}
	}
	if err := p.SeekRecord(p.End().Record); err != nil {
		fuzz.Error(t, err)
	}
}

// streamOf returns what a scheduler sends.
func streamOf(f *testing.F) []byte {
	s := newScheduler(f, "a")
	s.schedule("pod-1", "pod-2")
	return s.sent.Bytes()
}
