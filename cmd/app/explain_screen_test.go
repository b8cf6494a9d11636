package app

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/diagnose"
	"orrery/core/safe/printable"
	"orrery/core/trace/play"
	"orrery/core/world"
	"orrery/demo"
	"orrery/demo/playback"
	"orrery/views"
	"orrery/views/collect"
	"orrery/views/draw"
)

// TestExplain_ScreenAgreesAboutPlacedPods compares the screen's explanation of placed pods with the command's, in every recording.
func TestExplain_ScreenAgreesAboutPlacedPods(t *testing.T) {
	const pods = 12 // of each recording
	for _, recorded := range demo.Traces() {
		t.Run(recorded.Name, func(t *testing.T) {
			c := &cobra.Command{}
			c.SetErr(io.Discard)
			s, err := openTraceAt(c, play.Options{}, recorded.Name, "")
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
				doc, err := explainAt(s, s.Engine().Store().Pod(ref.Namespace, ref.Name), diagnose.Question{})
				if err != nil {
					t.Fatal(err)
				}
				m := collector.Model(screen.Engine(), collect.Query{Open: views.ExplainPane, Pod: ref, Rows: 50, Past: screen})
				e := m.Explain
				if e == nil || e.Headline != printable.Text(doc.Headline) || !slices.Equal(e.Then, doc.Then) || !cmp.Equal(e.Winner, doc.Winner) || !cmp.Equal(e.Counts, doc.Counts) {
					t.Fatalf("%s: the screen has %+v, the command %+v", ref, e, doc.Answer)
				}
				if !strings.Contains(doc.Headline, " on "+doc.Status.Node) && !strings.Contains(doc.Headline, " to "+doc.Status.Node) {
					t.Errorf("%s: the command does not say first that it is on %s: %q", ref, doc.Status.Node, doc.Headline)
				}
				if !doc.Evaluated.AsDecided {
					continue
				}
				decided++
				shown := func(m *views.Model) string {
					canvas := draw.New(140, 40)
					views.Screen(canvas, m, &views.State{Open: views.ExplainPane}, draw.Braille, screen.Now())
					return canvas.Plain()
				}
				for _, part := range []string{e.State.Word() + " → " + doc.Status.Node, strings.Fields(doc.Headline)[0]} {
					if !strings.Contains(shown(m), part) {
						t.Errorf("%s: the screen does not show %q:\n%s", ref, part, shown(m))
					}
				}
				now := collector.Model(screen.Engine(), collect.Query{Open: views.ExplainPane, Pod: ref, Rows: 50, Past: screen, AsNow: true})
				if leaves := doc.Status.Terminating != nil; !leaves && (!now.Explain.Hypothetical() || !strings.Contains(shown(now), "as if it had no node")) {
					t.Errorf("%s: the screen does not say that it is as if the pod had no node:\n%s", ref, shown(now))
				}
			}
			if decided == 0 {
				t.Error("there is no placed pod whose decision was recorded")
			}
		})
	}
}
