package app

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	v1 "k8s.io/api/core/v1"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
	"orrery/demo"
	"orrery/demo/playback"
	"orrery/views"
	"orrery/views/collect"
	"orrery/views/draw"
)

// placedAnswer is what explain and the screen have to say alike of a placed pod.
type placedAnswer struct {
	AsDecided         bool
	Node, RunnerUp    string
	Score, Second     int64
	Examined, Allowed int
	Summary           string
}

// TestExplain_ScreenAgreesAboutPlacedPods compares the screen's explanation of placed pods with the command's, in every recording.
func TestExplain_ScreenAgreesAboutPlacedPods(t *testing.T) {
	const pods = 12 // of each recording
	for _, recorded := range demo.Traces() {
		t.Run(recorded.Name, func(t *testing.T) {
			c := &cobra.Command{}
			c.SetErr(io.Discard)
			s, err := openTraceAt(c, func(*engine.Options) {}, recorded.Name, "")
			if err != nil {
				t.Fatal(err)
			}
			file, err := demo.Open(recorded.Name)
			if err != nil {
				t.Fatal(err)
			}
			screen, err := playback.Open(file, playback.Options{Name: recorded.Name})
			if err != nil {
				t.Fatal(err)
			}
			screen.ToEnd()
			collector := collect.New(collect.Options{})
			var placed []world.PodRef
			for o := range s.Engine().Store().Objects(world.Pod) {
				if pod := o.(*v1.Pod); pod.Spec.NodeName != "" {
					placed = append(placed, world.PodRefOf(pod))
				}
			}
			decided := 0
			for i := 0; i < len(placed); i += max(len(placed)/pods, 1) {
				ref := placed[i]
				if err := s.SeekRecord(s.End().Record); err != nil {
					t.Fatal(err)
				}
				doc, err := explainAt(s, ref.Namespace+"/"+ref.Name, "")
				if err != nil {
					t.Fatal(err)
				}
				m := collector.Model(screen.Engine(), collect.Query{Open: views.ExplainPane, Pod: ref, Rows: 50, Past: screen})
				e := m.Explain
				if e == nil || e.Placement == nil || doc.Winner == nil {
					t.Fatalf("%s: the screen has %+v, the command %+v", ref, e, doc.Winner)
				}
				want := placedAnswer{doc.Evaluated.AsDecided, doc.Winner.Node, "", doc.Winner.Score, 0, doc.Nodes.Examined, doc.Nodes.Feasible, ""}
				where, why, _ := strings.Cut(doc.Summary, doc.headline()+"; ")
				if want.Summary = printable.Text(why); where != "" || why == "" || !strings.Contains(doc.headline(), " "+e.Placement.Node) {
					t.Errorf("%s: the command does not say first that it is on %s, and then why: %q", ref, e.Placement.Node, doc.Summary)
				}
				if doc.RunnerUp != nil {
					want.RunnerUp, want.Second = doc.RunnerUp.Node, doc.RunnerUp.Score
				}
				if got := (placedAnswer{e.Placement.AsDecided, e.Node, e.RunnerUp, e.WinnerTotal, e.RunnerUpTotal, e.Examined, e.Feasible, e.Summary}); got != want {
					t.Errorf("%s: the screen says\n%+v, the command\n%+v", ref, got, want)
				}
				if e.Placement.Node != doc.Status.Node {
					t.Errorf("%s is on %s by the screen, on %s by the command", ref, e.Placement.Node, doc.Status.Node)
				}
				if !want.AsDecided {
					continue
				}
				decided++
				canvas := draw.New(140, 40)
				views.Screen(canvas, m, &views.State{Open: views.ExplainPane}, draw.Braille, screen.Now())
				for _, part := range []string{e.State.Word() + " → " + want.Node, fmt.Sprintf("score %d", want.Score), want.Summary} {
					if !strings.Contains(canvas.Plain(), part) {
						t.Errorf("%s: the screen does not show %q:\n%s", ref, part, canvas.Plain())
					}
				}
				now := collector.Model(screen.Engine(), collect.Query{Open: views.ExplainPane, Pod: ref, Rows: 50, Past: screen, AsNow: true})
				if !now.Explain.Hypothetical() || now.Explain.Placement.Seq != e.Placement.Seq {
					t.Errorf("%s as it would be placed now is %+v", ref, now.Explain.Placement)
				}
				canvas = draw.New(140, 40)
				views.Screen(canvas, now, &views.State{Open: views.ExplainPane}, draw.Braille, screen.Now())
				if !strings.Contains(canvas.Plain(), "if it were scheduled now: ") {
					t.Errorf("%s: the screen does not say that this is not so:\n%s", ref, canvas.Plain())
				}
			}
			if decided == 0 {
				t.Error("there is no placed pod whose decision was recorded")
			}
		})
	}
}
