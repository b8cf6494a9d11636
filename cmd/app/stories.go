package app

import (
	"time"

	"orrery/core/framework"
	"orrery/demo"
	"orrery/demo/playback"
	"orrery/tui"
)

// stories are the built-in traces, which the screen can switch to. They play as the flags say.
func (f *demoFlags) stories(plugins framework.Registry, speed float64, clock func() time.Duration) []tui.Story {
	var all []tui.Story
	for _, t := range demo.Traces() {
		all = append(all, tui.Story{Name: t.Name, Open: func() (tui.Source, error) {
			data, err := demo.Open(t.Name)
			if err != nil {
				return nil, err
			}
			r, err := tui.OpenRecording(data, playback.Options{Name: t.Name, Plugins: plugins, Loop: f.loop, Speed: speed}, clock)
			if err != nil {
				return nil, err
			}
			r.Trace = t.Name
			begin(r)
			return r, nil
		}})
	}
	return all
}

// begin plays a recording from its first decision on: before it the panes are empty.
func begin(r *tui.Recording) {
	r.StepDecision()
	r.Play()
}
