// Package film draws the screen as it was at several moments of a recording, without a terminal: what a report shows of it.
//
//	tui.Recording ── SeekTo each time ──► collect.Collector ──► views.Screen ──► a canvas each
package film

import (
	"fmt"
	"io"
	"time"

	"orrery/core/scheduler/framework"
	"orrery/demo/playback"
	"orrery/tui"
	"orrery/views"
	"orrery/views/collect"
	"orrery/views/draw"
)

// The size of a frame, in cells: that of the overview with all of its panes.
const columns, rows = 128, 36

// Frames returns the overview of a recording at some times, which are in order. It is the recording of the given name.
func Frames(from io.Reader, name string, plugins framework.Registry, times []time.Time) ([]*draw.Canvas, error) {
	if len(times) == 0 {
		return nil, nil
	}
	recording, err := tui.OpenRecording(from, playback.Options{Name: name, Plugins: plugins}, nil)
	if err != nil {
		return nil, err
	}
	var frames []*draw.Canvas
	for _, at := range times {
		if err := recording.SeekTo(at); err != nil {
			return nil, fmt.Errorf("drawing the screen of %s at %s: %w", name, at.UTC().Format(time.RFC3339), err)
		}
		collector := collect.New(collect.Options{Source: name, Mode: views.Demo, History: recording.History()})
		query := collect.Query{Open: views.Overview, Rows: rows, Columns: columns, Timeline: recording.Timeline()}
		query.Timeline.Paused = true
		model := collector.Model(recording.Engine(), query)
		recording.Annotate(model, query)
		canvas := draw.New(columns, rows)
		views.Screen(canvas, model, &views.State{Focus: views.QueuePane}, draw.Braille, recording.Now())
		frames = append(frames, canvas)
	}
	return frames, nil
}
