package tui

import (
	tea "charm.land/bubbletea/v2"

	"orrery/themes"
	"orrery/tui/term"
	"orrery/views"
	"orrery/views/collect"
	"orrery/views/draw"
	"orrery/views/find"
)

// loopClient is the screen's side of the loop: requests in, frames out.
type loopClient interface {
	submit(request) bool
	takeFrame() *Frame
}

// Screen is the Bubble Tea model: what is shown, and what keys do to it.
type Screen struct {
	options   Options
	loop      loopClient
	frame     *Frame
	requested collect.Query // the query the loop was last given

	w, h     int
	navStack []navEntry // the open entries; the first is the overview, or the list of clusters
	focus    views.PaneID
	row      overviewCursor
	saved    map[views.PaneID]navEntry // the state in which panes were left
	zoom     bool
	// noPreview means that lists are shown without what their rows open.
	noPreview bool

	prompt *prompt
	// lastCommand is the command line that the last key has run; empty if it ran none.
	lastCommand string
	menu        *menu
	finder      *finder
	jumps       jumps
	// held is the first of two things that are compared; nil for none.
	held *held
	// subject is what a key acts on in place of the selection; nil but while the finder runs one.
	subject *foundObject
	// recent are the pods and nodes that were opened last, the latest first, and whatIfs the what-ifs.
	recent  []find.Ref
	whatIfs []*views.WhatIf
	// confirm is the open confirmation dialog.
	confirm *confirmation
	// startCard means that the start card is shown; once closed it is not shown again.
	startCard bool
	watches   watches
	// title is the window's, once something was announced.
	title string
	// tour is the tour that is on; nil for none. tourLeft is the step with which it goes on.
	tour     *tour
	tourLeft int
	status   string

	theme       *themes.Theme
	themeChosen bool // the user chose the theme
	themePicked bool // on this screen
	// light means that the terminal's background is light: as it says itself, else as the first theme or the environment has it.
	light bool
	pens  *themes.Pens
	show  func(*draw.Canvas, *themes.Pens)
	mouse bool
	// otherClock swaps offsets in lists for the time of day, or the other way round.
	otherClock bool

	canvas *draw.Canvas
	state  views.State
	hits   views.HitMap
	dirty  bool
	view   tea.View
	draws  int // frames drawn, for tests

	// namespace is the only one whose pods are listed, empty for all; contextNames are the contexts, once loaded.
	namespace    string
	scope        scopedFilter
	contextNames []string

	history history
	names   namesMsg
	// whatIfNumber numbers the what-ifs; whatIfPending means that the last one has no result yet.
	whatIfNumber  int
	whatIfPending bool
	// summaryNumber and summaryPending are the same for summaries of the pending pods.
	summaryNumber  int
	summaryPending bool
	wheel          wheel
	// playDue means that the next picture of a what-if that plays is on its way.
	playDue bool
	// findingRow means that the whole list is being searched for the selected row.
	findingRow bool
}

func newScreen(o Options, d loopClient, show func(*draw.Canvas, *themes.Pens)) *Screen {
	s := &Screen{
		options: o, loop: d, show: show, namespace: o.Namespace, w: o.Terminal.Width, h: o.Terminal.Height, navStack: []navEntry{{pane: views.Overview}}, focus: views.QueuePane,
		saved: map[views.PaneID]navEntry{}, canvas: draw.New(0, 0), theme: o.Theme, themeChosen: o.Theme != nil, dirty: true,
		startCard: o.StartCard,
	}
	if s.theme == nil {
		s.theme = o.Themes[0]
		s.matchBackground(!o.Terminal.Light)
	} else {
		s.light = s.theme.Light
	}
	s.noPreview, s.mouse = o.Settings.Preview != nil && !*o.Settings.Preview, o.Settings.Mouse
	s.state.Columns = o.Settings.columns()
	if _, list := o.Source.(*Clusters); list {
		s.navStack[0].pane = views.ClustersPane // o.View is opened in each cluster
	} else {
		s.openPane(o.View)
		s.top().node = o.Node
	}
	s.pens = s.theme.Pens(o.Terminal.Profile)
	s.state.Hits, s.state.StableRows = &s.hits, &views.StableRows{}
	s.state.Orbits = &views.Orbits{}
	s.view = tea.View{Content: " ", AltScreen: true, ReportFocus: true}
	return s
}

// Init queries the terminal's background, unless the theme was chosen.
func (s *Screen) Init() tea.Cmd {
	s.requestModel()
	if s.themeChosen {
		return nil
	}
	return s.options.Terminal.QueryBackground()
}

// Update handles one message.
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
		s.startCard = false
		s.paste(msg)
	case tea.MouseWheelMsg:
		cmd = s.handleMouse(msg)
	case tea.MouseMsg:
		s.dirty = true
		cmd = s.handleMouse(msg)
	case wheelMsg:
		cmd = s.scrollByWheel()
	case tea.FocusMsg:
		s.setBlurred(false)
	case tea.BlurMsg:
		s.setBlurred(true)
	case tea.BackgroundColorMsg:
		s.matchBackground(msg.IsDark())
	case frameMsg:
		cmd = tea.Batch(s.takeFrame(), s.tourOpens())
	case tourArrived:
		if s.tour != nil && s.tour.asked {
			s.tour.asked, s.tour.due = false, true
		}
	case playMsg:
		s.playDue = false
	default:
		cmd = s.handleLoop(msg)
	}
	s.requestModel()
	if on := s.playOn(); on != nil {
		cmd = tea.Batch(cmd, on)
	}
	return s, cmd
}

// handleLoop handles the messages of the loop and its workers.
func (s *Screen) handleLoop(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case sayMsg:
		s.setStatus(msg.text)
	case failedMsg:
		s.fail(msg.err.Error())
	case openMsg:
		s.push(msg.place)
		s.dirty = true
	case pageMsg:
		s.openPage(msg.page)
		s.dirty = true
	case whatIfMsg:
		s.openWhatIf(msg)
	case pendingMsg:
		s.showPending(msg)
	case reportMsg:
		return s.saveReport(msg)
	case savedMsg:
		return s.fileSaved(msg)
	case momentMsg:
		s.momentHeld(msg.moment)
	case comparedMsg:
		s.openCompared(msg)
	case thingsMsg:
		s.addThings(msg)
	case confirmMsg:
		s.openConfirmation(msg)
	case switchedMsg:
		s.clusterSwitched(msg)
	case contextsMsg:
		// Not nil, even of no contexts: else completing asks for them again.
		if s.contextNames = append([]string{}, msg...); s.finder != nil {
			s.addContexts()
		}
		if s.prompt != nil && s.prompt.kind == commandPrompt && s.prompt.chosen < 0 {
			s.complete()
		}
	case term.Ran:
		if msg.Err != nil {
			s.fail(msg.Err.Error())
		}
		s.dirty = true
	case term.NoJobControl:
		s.setStatus("cannot suspend: there is no shell with job control")
	case namesMsg:
		s.names = msg
		if s.prompt != nil && s.prompt.kind == commandPrompt && s.prompt.chosen < 0 {
			s.complete()
		}
	}
	return nil
}

// takeFrame takes the new frame, moves the cursor with its row, and announces what was waited for.
func (s *Screen) takeFrame() tea.Cmd {
	f := s.loop.takeFrame()
	if f == nil {
		return nil
	}
	s.frame = f
	s.startCard = s.startCard && f.Played < startCardTime
	s.followSelection()
	if s.prompt != nil && s.prompt.kind == searchPrompt {
		s.showFirstMatch()
	}
	s.dirty = true
	return s.announce(f)
}

func (s *Screen) setStatus(text string) {
	s.status = text
	s.dirty = true
}

// setBlurred tells the loop whether the terminal has lost the focus.
func (s *Screen) setBlurred(away bool) {
	s.loop.submit(func(p *loop) { p.blurred = away })
}

// matchBackground picks the theme for the terminal's background.
func (s *Screen) matchBackground(dark bool) {
	s.light = !dark
	if s.themeChosen || s.theme.Light != dark {
		return
	}
	for _, t := range s.options.Themes {
		if t.Light != dark {
			s.setTheme(t)
			return
		}
	}
}

// setTheme switches to a theme.
func (s *Screen) setTheme(t *themes.Theme) {
	s.theme, s.pens, s.dirty = t, t.Pens(s.options.Terminal.Profile), true
}

// requestModel sends the loop the query, if it has changed.
func (s *Screen) requestModel() {
	query := s.currentQuery()
	if query != s.requested && s.loop.submit(func(p *loop) { p.query = query }) {
		s.requested = query
	}
}
