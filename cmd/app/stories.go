package app

import (
	"time"

	"orrery/core/scheduler/framework"
	"orrery/demo"
	"orrery/demo/playback"
	"orrery/tui"
	"orrery/views"
)

// stories are the built-in traces, which the screen can switch to. They play as the flags say; a speed of zero is each one's own.
func (f *demoFlags) stories(plugins framework.Registry, speed float64, clock func() time.Duration) []tui.Story {
	var all []tui.Story
	for _, t := range demo.Traces() {
		all = append(all, tui.Story{Name: t.Name, Title: t.Title, View: views.PaneID(t.Opening.View), Node: t.Opening.Node, Open: func() (tui.Source, error) {
			data, err := demo.Open(t.Name)
			if err != nil {
				return nil, err
			}
			r, err := tui.OpenRecording(data, playback.Options{Name: t.Name, Plugins: plugins, Loop: f.loop}, clock)
			if err != nil {
				return nil, err
			}
			r.Trace = t.Name
			opening := t.Opening
			if speed > 0 {
				opening.Speed = speed
			}
			return r, begin(r, opening)
		}})
	}
	return all
}

// begin plays a recording from its opening on. Before the first decision the panes are empty.
func begin(r *tui.Recording, o demo.Opening) error {
	if o.Speed > 0 {
		r.SetSpeed(o.Speed)
	}
	if o.At <= 0 {
		r.StepDecision()
	} else if err := r.OpenAt(o.At); err != nil {
		return err
	}
	r.Play()
	return r.Err()
}
