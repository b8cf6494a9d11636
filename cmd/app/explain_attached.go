package app

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/change"
	"orrery/core/objects/saturating"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/queue"
	"orrery/core/trace"
	"orrery/core/trace/attach"
	"orrery/core/trace/play"
)

// attachFlag is the flag of explain and whatif, and theLeader its value if it has none.
const (
	attachFlag = "attach"
	theLeader  = "leader"
)

// rateWindow is how long the rate of decisions is measured.
const rateWindow = time.Minute

// openAttached reads the state of a running scheduler, and what it did in the last minute.
func (a *target) openAttached(c *cobra.Command, plugins framework.Registry) (*openedAt, error) {
	for _, name := range []string{"trace", "at", "config"} {
		if c.Flags().Changed(name) {
			return nil, fmt.Errorf("--attach and --%s: a running scheduler is asked as it is now, by its own configuration", name)
		}
	}
	target, text := a.attach, "--attach="+change.ShellWord(a.attach)+" "
	if target == theLeader {
		target, text = "", "--attach "
	}
	from, err := a.running.connector(c, &a.connection, target, "")
	if err != nil {
		return nil, err
	}
	p := newProgress(c, "attaching")
	defer p.done()
	defer collectLess()()
	stream, err := from.connect(c.Context(), rateWindow)
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	p.update(func() string { return "reading the state of " + stream.Where })
	player, err := attach.Snapshot(stream, play.Options{Adjust: a.adjust(plugins)})
	if err != nil {
		return nil, err
	}
	if first := player.Report().First; first != nil {
		return nil, fmt.Errorf("reading the state of %s: this program, %s, decides differently from the scheduler's, %s: ask with that version: %v",
			stream.Where, version(), printable.Line(stream.Version, 40), first)
	}
	s := &openedAt{Player: player, trace: stream.Where, at: player.End().Time, rate: newDecisionRate(player)}
	s.source = &sourceDocument{
		from.cluster.name, from.cluster.server, momentOf(s.at), "scheduler",
		[]unreadableDocument{},
		&schedulerDocument{stream.Identity, stream.Where, stream.Leading, stream.Version},
	}
	s.again = whatIfWords(c, text+a.clusterFlags(c)+repeatFlags(c, schedulerTargetFlagNames))
	return s, nil
}

// text writes the scheduler as the source of an answer.
func (d *schedulerDocument) text(w io.Writer, at moment) {
	who := d.Where
	if d.Identity != "" {
		who += ", " + d.Identity
	}
	if !d.Leading {
		who += ", which does not lead"
	}
	section(w, "Source", [][]string{
		{"scheduler", "the running scheduler: " + printable.Line(who, 300) + ", at " + string(at)},
		{"configuration", "its own, and its own state"},
	})
}

// decisionRate is how fast a running scheduler decides, which tells how long a queued pod waits for its turn.
type decisionRate struct {
	decisions int
	window    time.Duration
}

// newDecisionRate counts the decisions of the last minute, or of the time that is held of it.
func newDecisionRate(p *play.Player) *decisionRate {
	end := p.End().Time
	s := &decisionRate{window: min(end.Sub(p.Start().Time), rateWindow)}
	for _, r := range p.Records() {
		if _, ok := r.Body.(trace.Decision); ok && end.Sub(r.At) < rateWindow {
			s.decisions++
		}
	}
	return s
}

// perSecond returns the decisions per second.
func (s *decisionRate) perSecond() float64 {
	if s.window <= 0 {
		return 0
	}
	return float64(s.decisions) / s.window.Seconds()
}

// queuePosition is where a pod stands in a queue of the running scheduler.
type queuePosition struct {
	Queue string `json:"queue"`
	// Position counts from 1, of Of pods in the order of the queue. It is 0 in unschedulablePods, whose pods have no turn.
	Position int `json:"position,omitempty"`
	Of       int `json:"of"`
	// DecisionsPerSecond is the present rate, and WaitSeconds what Position takes at that; missing where nothing is decided.
	DecisionsPerSecond float64 `json:"decisionsPerSecond"`
	WaitSeconds        float64 `json:"waitSeconds,omitempty"`
	// LastFailure is what the scheduler wrote of its last attempt; missing before that.
	LastFailure string `json:"lastFailure,omitempty"`
}

// positionOf returns where a pod stands; nil for one that is not queued.
func (s *decisionRate) positionOf(e *engine.Engine, pod *v1.Pod) *queuePosition {
	p, queued := e.Queue().Get(pod.Namespace, pod.Name)
	if !queued {
		return nil
	}
	state := e.Queue().StateOf(pod.Namespace, pod.Name)
	all := e.Queue().Pods(nil, state)
	d := &queuePosition{Queue: queueName(state), Of: len(all), DecisionsPerSecond: rounded(s.perSecond()), LastFailure: lastFailure(pod)}
	if state == queue.Unschedulable || state == queue.Gated {
		return d
	}
	d.Position = 1
	for _, other := range all {
		if e.Queue().Compare(other, p) < 0 {
			d.Position++
		}
	}
	ahead := d.Position
	if state != queue.Active {
		ahead += e.Queue().Counts().Active
	}
	if rate := s.perSecond(); rate > 0 {
		d.WaitSeconds = rounded(float64(ahead) / rate)
		if backoff := e.PodTransitions(pod.UID); state != queue.Active && len(backoff) > 0 {
			d.WaitSeconds = max(d.WaitSeconds, rounded(backoff[len(backoff)-1].Until.Sub(e.Now()).Seconds()))
		}
	}
	return d
}

func queueName(s queue.State) string {
	switch s {
	case queue.Active:
		return "activeQ"
	case queue.Backoff, queue.ErrorBackoff:
		return "backoffQ"
	}
	return "unschedulablePods"
}

// lastFailure returns the message of the pod's condition, which the scheduler writes when an attempt fails.
func lastFailure(pod *v1.Pod) string {
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == v1.PodScheduled && c.Status == v1.ConditionFalse {
			return c.Message
		}
	}
	return ""
}

func (d *queuePosition) facts() [][]string {
	if d == nil {
		return nil
	}
	text := "one of " + countText(d.Of, "pod") + " in " + d.Queue
	if d.Position > 0 {
		text = ordinal(d.Position) + " of " + strconv.Itoa(d.Of) + " in " + d.Queue
	}
	facts := [][]string{{"queue", text}}
	if d.WaitSeconds > 0 {
		wait := saturating.Seconds(int64(math.Ceil(d.WaitSeconds)))
		facts = append(facts, []string{"its turn", fmt.Sprintf("in about %s, at the present %g decisions per second", durationText(wait), d.DecisionsPerSecond)})
	} else if d.Position > 0 {
		facts = append(facts, []string{"its turn", "not known: nothing was decided in the last minute"})
	}
	if d.LastFailure != "" {
		facts = append(facts, []string{"last failed on", printable.Line(d.LastFailure, 400)})
	}
	return facts
}

// ordinal writes 1st, 2nd, 3rd, 4th.
func ordinal(n int) string {
	ending := "th"
	if n/10%10 != 1 {
		switch n % 10 {
		case 1:
			ending = "st"
		case 2:
			ending = "nd"
		case 3:
			ending = "rd"
		}
	}
	return strconv.Itoa(n) + ending
}
