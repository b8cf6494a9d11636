package app

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/trace"
	"orrery/core/trace/attach"
	"orrery/core/trace/play"
	"orrery/core/trace/stream"
	"orrery/core/world"
)

// segmentOf returns what a session takes of a stream, up to now.
func segmentOf(t *testing.T, identity string, sent []byte) *attach.Batch {
	t.Helper()
	r, err := trace.NewReader(bytes.NewReader(sent))
	if err != nil {
		t.Fatal(err)
	}
	var records []trace.Record
	for {
		record, err := r.Next()
		if err != nil {
			break // the stream goes on
		}
		records = append(records, record)
	}
	player, err := play.NewGrowingPlayer(r.Header(), records[0], play.Options{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	state := attach.State{Speaker: stream.Speaker{Identity: identity, Leading: true}, Where: "pod kube-system/orrery"}
	return &attach.Batch{Segment: &attach.Segment{State: state, Player: player}, Records: records[1:], State: state}
}

// A scheduler that is attached to again sends its past once more: each decision is printed once, and those of another scheduler all are.
func TestDecisionPrinter_PrintsADecisionOnce(t *testing.T) {
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	o := engine.Options{Start: at}
	e, err := engine.New(o)
	if err != nil {
		t.Fatal(err)
	}
	feed := play.NewFeed(e, o, nil)
	scheduler := drive.NewScheduler(e, feed)
	apply := func(object world.Object) {
		at = at.Add(time.Second)
		scheduler.Apply(world.Input{At: at, Event: world.Changed{Op: world.Added, Object: object}})
		scheduler.Effects()
	}
	apply(mk.Node("node-1").CPU("4").Memory("8Gi").Pods("10").Obj())
	var sent bytes.Buffer
	to := feed.Subscribe(play.SubscriptionOptions{})
	send := func() []byte {
		feed.Checkpoint()
		if _, err := to.Copy(&sent); err != nil && err != io.EOF {
			t.Fatal(err)
		}
		if err := to.Flush(); err != nil {
			t.Fatal(err)
		}
		return bytes.Clone(sent.Bytes())
	}
	for i := range 2 {
		apply(mk.Pod(fmt.Sprint("web-", i)).CPU("1").Obj())
	}
	before := send()
	apply(mk.Pod("web-2").CPU("1").Obj())
	after := send()

	var out bytes.Buffer
	c := &cobra.Command{}
	c.SetOut(&out)
	p := decisionPrinter{Command: c, format: asText}
	for _, b := range []*attach.Batch{segmentOf(t, "orrery-a", before), segmentOf(t, "orrery-a", after), segmentOf(t, "orrery-b", after)} {
		if err := p.batch(b); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		if n := strings.Count(out.String(), fmt.Sprintf("default/web-%d ", i)) + strings.Count(out.String(), fmt.Sprintf("default/web-%d\n", i)); n != 2 {
			t.Errorf("web-%d is printed %d times by two schedulers:\n%s", i, n, out.String())
		}
	}
}
