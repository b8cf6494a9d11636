package views

import "orrery/views/draw"

// Seen is where things came to stand on the screen: a mouse needs to find them again, and keys to know how far a page
// reaches.
type Seen struct {
	// List is the open pane's list without its heading; Window the rows of it that are shown, Total all there are.
	List   draw.Rect
	Window draw.Window
	Total  int
	// Track is the part of the timeline that stands for the whole of its time, Scrubber that of the timeline's pane.
	Track, Scrubber draw.Rect
}

// list notes where a list stands.
func (s *scene) list(r draw.Rect, w draw.Window, total int) {
	if s.ui.Seen != nil && s.full {
		s.ui.Seen.List, s.ui.Seen.Window, s.ui.Seen.Total = r, w, total
	}
}
