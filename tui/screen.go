package tui

import (
	tea "charm.land/bubbletea/v2"

	"orrery/themes"
	"orrery/tui/term"
	"orrery/views"
	"orrery/views/collect"
	"orrery/views/draw"
)

// desk is where the screen hands in orders and takes frames.
type desk interface {
	give(order) bool
	take() *Frame
}

// Screen is the Bubble Tea model: what is shown, and what keys do to it.
type Screen struct {
	options Options
	desk    desk
	frame   *Frame
	asked   collect.Look // what the pump was last asked to look at

	w, h  int
	trail []place // what is open, one in the other; the overview is the first
	focus views.PaneID
	kept  map[views.PaneID]place // panes as they were left
	zoom  bool

	prompt *prompt
	menu   *menu
	// confirm is the question whether to change the cluster.
	confirm *confirmation
	status  string

	theme  *themes.Theme
	chosen bool // the user chose the theme
	inks   *themes.Inks
	mouse  bool

	canvas *draw.Canvas
	ui     views.State
	seen   views.Seen
	dirty  bool
	view   tea.View
	drawn  int // frames drawn, for tests

	// namespace is the only one whose pods are listed, empty for all; contexts are the clusters there are, once asked for.
	namespace string
	scope     scope
	contexts  []string

	words history
	known namesMsg
	// question numbers the what-ifs, asking says that the last one has not been answered.
	question int
	asking   bool
	wheel    wheel
	// seeking says that the selected row is being looked for in the whole of its list.
	seeking bool
}

func newScreen(o Options, d desk) *Screen {
	s := &Screen{
		options: o, desk: d, namespace: o.Namespace, w: o.Terminal.Width, h: o.Terminal.Height, trail: []place{{pane: views.Overview}}, focus: views.QueuePane,
		kept: map[views.PaneID]place{}, canvas: draw.New(0, 0), theme: o.Theme, chosen: o.Theme != nil, dirty: true,
	}
	if s.theme == nil {
		s.theme = o.Themes[0]
		s.background(!o.Terminal.Light)
	}
	s.inks = s.theme.Resolve(o.Terminal.Profile)
	s.ui.Seen, s.ui.Places = &s.seen, &views.Places{}
	s.view = tea.View{AltScreen: true, ReportFocus: true}
	return s
}

// Init asks what the background is like, unless the theme was chosen.
func (s *Screen) Init() tea.Cmd {
	s.askFor()
	if s.chosen {
		return nil
	}
	return s.options.Terminal.AskGround()
}

// Update takes one message.
func (s *Screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		if msg.Width > 0 && msg.Height > 0 {
			s.dirty = s.dirty || s.w != msg.Width || s.h != msg.Height
			s.w, s.h = msg.Width, msg.Height
		}
	case tea.KeyPressMsg:
		s.dirty = true
		cmd = s.press(msg)
	case tea.PasteMsg:
		s.dirty = true
		s.paste(msg)
	case tea.MouseWheelMsg:
		cmd = s.pointed(msg)
	case tea.MouseMsg:
		s.dirty = true
		cmd = s.pointed(msg)
	case wheelMsg:
		cmd = s.roll()
	case tea.FocusMsg:
		s.look(false)
	case tea.BlurMsg:
		s.look(true)
	case tea.BackgroundColorMsg:
		s.background(msg.IsDark())
	case frameMsg:
		s.taken()
	default:
		cmd = s.told(msg)
	}
	s.askFor()
	return s, cmd
}

// told is what the pump and the workers say.
func (s *Screen) told(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case sayMsg:
		s.say(msg.text)
	case openMsg:
		s.enter(msg.place)
		s.dirty = true
	case pageMsg:
		s.openPage(msg.page)
		s.dirty = true
	case answerMsg:
		s.answered(msg)
	case confirmMsg:
		s.confirmed(msg)
	case switchedMsg:
		s.switched(msg)
	case contextsMsg:
		s.contexts = msg
		if s.prompt != nil && s.prompt.sign == ":" && s.prompt.offered < 0 {
			s.complete()
		}
	case term.NoJobControl:
		s.say("nothing here could bring the program back: there is no shell with job control")
	case namesMsg:
		s.known = msg
		if s.prompt != nil && s.prompt.sign == ":" && s.prompt.offered < 0 {
			s.complete()
		}
	}
	return nil
}

// taken shows the frame that has come, with the cursor on what it was on.
func (s *Screen) taken() {
	f := s.desk.take()
	if f == nil {
		return
	}
	s.frame = f
	s.follow()
	s.dirty = true
}

func (s *Screen) say(text string) {
	s.status = text
	s.dirty = true
}

// look says whether anybody looks at the terminal.
func (s *Screen) look(away bool) {
	s.desk.give(func(p *pump) { p.away = away })
}

// background picks the theme that was made for the terminal's ground.
func (s *Screen) background(dark bool) {
	if s.chosen || s.theme.Light != dark {
		return
	}
	for _, t := range s.options.Themes {
		if t.Light != dark {
			s.wear(t)
			return
		}
	}
}

// wear puts a theme on.
func (s *Screen) wear(t *themes.Theme) {
	s.theme, s.inks, s.dirty = t, t.Resolve(s.options.Terminal.Profile), true
}

// askFor tells the pump what is looked at, if that is something else than before.
func (s *Screen) askFor() {
	look := s.looking()
	if look != s.asked && s.desk.give(func(p *pump) { p.look = look }) {
		s.asked = look
	}
}
