package report

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"strings"

	"orrery/core/answers/period"
	"orrery/themes"
	"orrery/views/draw"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// HTML writes the report as one page that makes no request and has no script: its policy forbids both. frames are the screen at the time of each
// sample; none leaves the film out. The page shows one of them, and another where its place on the time line is pointed at, clicked, or reached by
// the arrow keys: by its style sheet alone.
func (p *Period) HTML(to io.Writer, frames []*draw.Canvas, theme *themes.Theme) error {
	if len(frames) != 0 && len(frames) != len(p.Samples) {
		return fmt.Errorf("writing a report: %d frames for %d moments", len(frames), len(p.Samples))
	}
	of := pageOf{Period: p, Tiles: p.tiles()}
	if len(p.Samples) > 0 {
		of.Charts = []Chart{
			stacked("Pods without a node", p.Samples, pendingBands), bars("Pods bound, attempts that failed, pods that had to go", p.Samples, flowBands),
			lines("How full and how fragmented", p.Samples, fullBands),
		}
	}
	if err := of.addFilm(frames, theme); err != nil {
		return err
	}
	var b bytes.Buffer // nothing is written of a page that fails
	if err := page.Execute(&b, of); err != nil {
		return fmt.Errorf("writing a report: %w", err)
	}
	_, err := b.WriteTo(to)
	return err
}

// pageOf is what the template fills in.
type pageOf struct {
	*Period
	Tiles  []tile
	Charts []Chart
	Frames []frameOf
	Film   template.HTML
	Shown  int
	Rules  template.CSS
}

// tile is one figure at the head of the page.
type tile struct{ Value, Name, Class string }

// frameOf is a moment of the film.
type frameOf struct {
	Number   int
	At, Tip  string
	Displace bool
}

func (p *Period) tiles() []tile {
	o := &p.Objective
	met := "good"
	if !o.Met {
		met = "bad"
	}
	all := []tile{
		{share(o.Within, o.Counted.Pods), "within " + seconds(o.Target) + ", target " + percent(o.Share), met},
		{seconds(o.Counted.P99), "p99 of pods that count", ""},
		{seconds(o.All.P99), "p99 of all pods", ""},
		{fmt.Sprint(p.Pods.Bound), "pods bound", ""},
	}
	add := func(n int, name, class string) {
		if n > 0 {
			all = append(all, tile{fmt.Sprint(n), name, class})
		}
	}
	add(p.Pods.Waiting, "waiting at the end", "bad")
	add(p.Decisions["unschedulable"], "attempts unschedulable", "warn")
	add(p.Pods.Preempted, "pods preempted", "warn")
	add(p.Pods.Evicted, "pods evicted", "warn")
	return all
}

// addFilm adds the frames as one picture, and the rules that show one of them.
func (p *pageOf) addFilm(frames []*draw.Canvas, theme *themes.Theme) error {
	if len(frames) == 0 {
		return nil
	}
	if theme == nil {
		return errors.New("writing a report: there is no theme for its frames")
	}
	film := draw.Animation{Picture: draw.Picture{Title: p.Source, Description: "The screen at each moment of the time line"}, Frames: frames}
	var svg strings.Builder
	if err := film.WriteFrames(&svg, theme); err != nil {
		return err
	}
	p.Film = template.HTML(svg.String()) // escaped by package draw
	var rules strings.Builder
	for i := range frames {
		s := &p.Samples[i]
		p.Frames = append(p.Frames, frameOf{i, s.At.UTC().Format("15:04:05"), tip(p, s), s.Displaced > 0})
		if s.Pending() > p.Samples[p.Shown].Pending() {
			p.Shown = i
		}
		fmt.Fprintf(&rules, ".film:not(:has(.strip label:hover)):has(#m%d:checked) .f%d,.film:has(label[for=m%d]:hover) .f%d{display:inline}\n", i, i, i, i)
	}
	p.Rules = template.CSS(rules.String())
	return nil
}

// tip says what a moment is, in a few words.
func tip(p *pageOf, s *period.Sample) string {
	words := fmt.Sprintf("+%s · %d waiting (%d unschedulable, %d in back-off, %d gated) · %d bound", duration(s.At.Sub(p.From)), s.Pending(), s.Unschedulable, s.Backoff, s.Gated, s.Bound)
	if s.Displaced > 0 {
		words += fmt.Sprintf(" · %d had to go", s.Displaced)
	}
	return words
}
