package tui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"orrery/core/safe/printable"
	"orrery/themes"
	"orrery/tui/term"
	"orrery/views/draw"
)

// Offer is something to begin with.
type Offer struct {
	Title, Text string
	// Command is what does the same on the command line.
	Command string
	// Missing says what it lacks, if it cannot be taken.
	Missing string
}

// Choose shows offers under a heading until the user takes one, and returns its number, or -1 if the user leaves.
func Choose(ctx context.Context, o Options, heading string, offers []Offer) (int, error) {
	if o.Themes == nil {
		o.Themes = themes.Shipped()
	}
	guard := term.NewGuard(o.Terminal)
	c := newChooser(o, heading, offers, guard.Show)
	program := tea.NewProgram(guard.Model(c), append(guard.Options(nil), tea.WithFPS(maxFPS))...)
	if err := guard.Run(ctx, program); err != nil {
		return -1, err
	}
	return c.taken, nil
}

// chooser is the Bubble Tea model of Choose.
type chooser struct {
	options Options
	heading string
	offers  []Offer
	at      int
	taken   int

	w, h   int
	theme  *themes.Theme
	canvas *draw.Canvas
	show   func(*draw.Canvas, *themes.Pens)
}

func newChooser(o Options, heading string, offers []Offer, show func(*draw.Canvas, *themes.Pens)) *chooser {
	c := &chooser{options: o, heading: heading, offers: offers, taken: -1, w: o.Terminal.Width, h: o.Terminal.Height, theme: o.Theme, canvas: draw.New(0, 0), show: show}
	if c.theme == nil {
		c.matchBackground(!o.Terminal.Light)
	}
	return c
}

// Init queries the terminal's background, unless the theme was chosen.
func (c *chooser) Init() tea.Cmd {
	if c.options.Theme != nil {
		return nil
	}
	return c.options.Terminal.QueryBackground()
}

// Update handles one message.
func (c *chooser) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		if msg.Width > 0 && msg.Height > 0 {
			c.w, c.h = msg.Width, msg.Height
		}
	case tea.BackgroundColorMsg:
		if c.options.Theme == nil {
			c.matchBackground(msg.IsDark())
		}
	case tea.KeyPressMsg:
		return c, c.press(msg.String())
	}
	return c, nil
}

// matchBackground picks the first theme for a background.
func (c *chooser) matchBackground(dark bool) {
	for _, t := range c.options.Themes {
		if t.Light != dark {
			c.theme = t
			return
		}
	}
	c.theme = c.options.Themes[0]
}

func (c *chooser) press(key string) tea.Cmd {
	switch key {
	case "up", "k", "shift+tab":
		c.at = (c.at + len(c.offers) - 1) % len(c.offers)
	case "down", "j", "tab":
		c.at = (c.at + 1) % len(c.offers)
	case "enter", "space":
		return c.take(c.at)
	case "q", "ctrl+c", "esc":
		return tea.Quit
	case "ctrl+z":
		return tea.Suspend
	default:
		if n := int(key[0] - '1'); len(key) == 1 && n >= 0 && n < len(c.offers) {
			c.at = n
			return c.take(n)
		}
	}
	return nil
}

func (c *chooser) take(n int) tea.Cmd {
	if c.offers[n].Missing != "" {
		return nil
	}
	c.taken = n
	return tea.Quit
}

// View draws the offers. As in [Screen.View], the cells reach the terminal beside Bubble Tea.
func (c *chooser) View() tea.View {
	c.canvas.Reset(c.w, c.h)
	c.draw(c.canvas.All(c.options.Terminal.Glyphs))
	c.show(c.canvas, c.theme.Pens(c.options.Terminal.Profile))
	return tea.View{Content: " ", AltScreen: true}
}

func (c *chooser) draw(a draw.Area) {
	const most, rows = 76, 4 // of an offer: its title, its text, its command and a gap
	a.Fill(themes.Style(themes.Text), ' ')
	w, h := min(most, a.W), min(len(c.offers)*rows+6, a.H)
	at := a.In(draw.Rect{X: a.X + (a.W-w)/2, Y: a.Y + (a.H-h)/2, W: w, H: h})
	at = at.Box(draw.Frame{Title: "orrery", Focused: true}).Padded()
	at.Fit(0, 0, at.W, themes.Title.With(themes.Bold), c.heading)
	for i, offer := range c.offers {
		y := 2 + i*rows
		row := at.Item(y, i == c.at)
		title := themes.Text.With(themes.Bold)
		if offer.Missing != "" {
			title = themes.Style(themes.Dim)
		}
		x := row.Text(0, 0, themes.Accent.With(themes.Bold), fmt.Sprint(i+1))
		row.Fit(x+2, 0, row.W-x-2, title, offer.Title)
		const indent = 5
		if offer.Missing != "" {
			at.Fit(indent, y+1, at.W-indent, themes.Style(themes.Warn), printable.Line(offer.Missing, 200))
		} else {
			at.Fit(indent, y+1, at.W-indent, themes.Style(themes.Text), offer.Text)
		}
		at.Fit(indent, y+2, at.W-indent, themes.Style(themes.Dim), offer.Command)
	}
	foot, _ := at.Bottom(1)
	at.In(foot).Hints([]draw.Hint{{Key: "enter", Action: "begin"}, {Key: "↑↓", Action: "choose"}, {Key: "q", Action: "quit"}})
}
