package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"orrery/demo"
	"orrery/views"
	"orrery/views/draw"
)

// openStory opens a built-in recording as the demo does, on a screen of a size.
func openStory(t testing.TB, name string, w, h int) *session {
	t.Helper()
	all := demo.Traces()
	story := all[slices.IndexFunc(all, func(tr demo.Trace) bool { return tr.Name == name })]
	d := builtIn(t, name)
	d.SetSpeed(story.Opening.Speed)
	if err := d.OpenAt(story.Opening.At); err != nil {
		t.Fatal(err)
	}
	d.Play()
	s := watch(t, d, w, h)
	s.screen.startCard = true
	s.screen.openPane(views.PaneID(story.Opening.View))
	s.screen.top().node = story.Opening.Node
	s.screen.requestModel()
	s.drain()
	return s
}

const cardSays = "any key closes this"

func TestStartCard_ClosesItselfOnce(t *testing.T) {
	s := openStory(t, "morning-rush", 80, 24)
	s.shows("A Kubernetes scheduler at work", "A morning rush over three uneven zones", "opened at 44s of 2m29s; ^ plays the whole", "space pause", "} next mark", "? all keys", cardSays+", or 7s")
	golden(t, "start card/80x24.txt", s.plain())
	s.advance(2*time.Second).shows("2 Queue", cardSays+", or 5s")
	s.advance(5 * time.Second).lacks(cardSays)
	s.keys("^").advance(time.Second).lacks(cardSays)
}

func TestStartCard_AnyKeyClosesIt(t *testing.T) {
	for key, does := range map[string]func(*session){
		"enter": func(s *session) { s.shows("2 Queue", "3 Snapshot") },
		"esc":   func(s *session) { s.shows("2 Queue", "3 Snapshot") },
		"space": func(s *session) { s.shows("‖") },
		"3":     func(s *session) { s.shows("3 Snapshot").lacks("2 Queue") },
	} {
		s := openStory(t, "morning-rush", 140, 40).shows(cardSays).keys(key).lacks(cardSays)
		does(s)
	}
	s := openStory(t, "morning-rush", 140, 40).keys("q")
	if !s.quit {
		t.Error("q only closed the start card")
	}
}

// TestStartCard_PausedItStays pauses the recording beneath the card, as its text offers: nothing runs that could close it.
func TestStartCard_PausedItStays(t *testing.T) {
	s := openStory(t, "morning-rush", 140, 40)
	s.loop.playback.Toggle()
	s.loop.build()
	s.drain()
	s.advance(time.Minute).shows(cardSays).lacks(cardSays + ", or")
}

func TestStartCard_OnlyWhereAskedFor(t *testing.T) { newSession(t, 140, 40).lacks(cardSays) }

// TestFirstTenSeconds_EveryPaneMoves plays the default recording as the demo opens it: each pane of the overview changes what
// it shows, and is never empty at the end.
func TestFirstTenSeconds_EveryPaneMoves(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {220, 60}} {
		s := openStory(t, demo.Traces()[0].Name, size[0], size[1])
		seen := map[views.PaneID]map[string]bool{}
		for range 10 {
			s.advance(time.Second)
			for _, spot := range views.LayoutOf(s.screen.body(), s.screen.model()) {
				if seen[spot.Pane] == nil {
					seen[spot.Pane] = map[string]bool{}
				}
				seen[spot.Pane][s.area(spot.Rect)] = true
			}
		}
		for pane, drawings := range seen {
			if len(drawings) < 3 {
				t.Errorf("at %v %s shows %d different things in ten seconds:\n%s", size, pane, len(drawings), s.plain())
			}
		}
		s.lacks("no evictions").lacks(cardSays).shows("52s: East is full")
		if s.screen.frame.Model.Evictions.List.Total == 0 {
			t.Errorf("at %v nothing is evicted", size)
		}
	}
}

// area returns a part of the screen.
func (s *session) area(r draw.Rect) string {
	s.screen.View()
	rows := cellsOf(s.screen.canvas.Plain())
	var b strings.Builder
	for y := r.Y; y < r.Y+r.H; y++ {
		b.WriteString(strings.Join(rows[y][r.X:r.X+r.W], "") + "\n")
	}
	return b.String()
}
