package views_test

import (
	"strings"
	"testing"
	"time"

	"orrery/views"
	"orrery/views/draw"
)

func TestCaption_FollowsNotes(t *testing.T) {
	for _, tt := range []struct {
		at    time.Duration
		w     int
		shows []string
	}{
		{0, 120, []string{" 0s: A rush over three zones", "next: ◆ note in 38s, } jumps"}},
		{38*time.Second - 1, 120, []string{" 0s: A rush over three zones", "next: ◆ note in 1s, } jumps"}},
		{38 * time.Second, 120, []string{" 38s: Zone b is full, and with it everybody who is spread evenly", "next: ◆ preemption in 32s, } jumps"}},
		{72 * time.Second, 80, []string{" 38s: Zone b is full", "} ✗ 12s"}},
		{72 * time.Second, 71, []string{" 38s: Zone b is full"}},
		{151 * time.Second, 120, []string{" 2m30s: new leader", "no mark after this"}},
	} {
		m := sample(312, 60)
		m.Timeline.At = m.Timeline.Start.Add(tt.at)
		got := screen(m, sampleState(views.Overview), size{tt.w, 30}, draw.Braille).Plain()
		for _, want := range tt.shows {
			if !strings.Contains(got, want) {
				t.Errorf("at %v, %d columns wide, the screen lacks %q:\n%s", tt.at, tt.w, want, got)
			}
		}
	}
}

// TestCaption_OnlyWhereThereIsOne: a recording without words, and a small screen, leave the line to the panes.
func TestCaption_OnlyWhereThereIsOne(t *testing.T) {
	captioned, bare := sample(312, 60), sample(312, 60)
	bare.Timeline.Title, bare.Timeline.Marks = "", bare.Timeline.Marks[1:3]
	for _, tt := range []struct {
		m    *views.Model
		h    int
		rows int
	}{{captioned, 30, 25}, {bare, 30, 26}, {captioned, 19, 15}, {&views.Model{}, 30, 27}} {
		if got := views.Body(draw.Rect{W: 80, H: tt.h}, tt.m).H; got != tt.rows {
			t.Errorf("of %d rows the panes have %d, want %d", tt.h, got, tt.rows)
		}
	}
}
