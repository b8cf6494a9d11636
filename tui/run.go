package tui

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"orrery/themes"
	"orrery/tui/term"
	"orrery/views"
)

// Options configure how a source is shown.
type Options struct {
	Source Source
	// Clusters are the clusters of a console, which :clusters lists. They are the source, or the source is one of them; nil for others.
	Clusters *Clusters
	// Terminal describes the terminal; see term.Detect.
	Terminal term.Facts
	// Theme is the first theme; nil is the default for the terminal's background. Themes are those to choose from; nil
	// is the built-in ones.
	Theme  *themes.Theme
	Themes []*themes.Theme
	// FPS limits the frames per second of what moves by itself; zero is 30. The response to a key is drawn at once.
	FPS int
	// Folder is where pictures and texts of the screen are saved; empty is the current one.
	Folder string
	// Namespace is the only one whose pods are listed at first; empty is all.
	Namespace string
	// View is the pane that is open at first; empty is the overview. Node is the node it is about, if it is about one.
	View views.PaneID
	Node string
	// Settings are the user's; nil is none. Their keys are used by UseKeys.
	Settings *Settings
	// Remembered is the file in which what is chosen is kept, if the settings ask for that; empty for none.
	Remembered string
	// Stories are the recordings that :demo switches to; none for a cluster.
	Stories []Story
	// StartCard means that a card over the screen introduces the recording at first.
	StartCard bool
	// Clock is monotonic real time; nil is the machine's.
	Clock func() time.Duration
}

// The default and the upper limit of FPS.
const (
	defaultFPS = 30
	//orrery:limit screen; frames a second; refused
	maxFPS = 60
)

func (o Options) withDefaults() (Options, error) {
	if o.Source == nil {
		return o, errors.New("opening the screen: there is no source to watch")
	}
	if o.FPS == 0 {
		o.FPS = defaultFPS
	}
	if o.FPS < 1 || o.FPS > maxFPS {
		return o, fmt.Errorf("opening the screen: %d frames per second: set 1 to %d", o.FPS, maxFPS)
	}
	if o.Themes == nil {
		o.Themes = themes.Shipped()
	}
	if o.Settings == nil {
		o.Settings = &Settings{}
	}
	if o.Clock == nil {
		began := time.Now()
		o.Clock = func() time.Duration { return time.Since(began) }
	}
	return o, nil
}

// Run shows a source until the user quits, the context ends, the terminal goes away or the program panics; the error is
// that of [term.Guard.Run]. It restores the terminal before it returns.
func Run(ctx context.Context, o Options) error {
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var program *tea.Program
	guard := term.NewGuard(o.Terminal)
	p := newLoop(o.Source, o.FPS, o.Clock, func(m tea.Msg) { program.Send(m) })
	p.spawn, p.clusters = guard.Go, o.Clusters
	screen := newScreen(o, p, guard.Show)
	program = tea.NewProgram(guard.Model(screen), append(guard.Options(dropMotion), tea.WithFPS(maxFPS))...)
	guard.Go(func() { p.run(ctx) })
	if err := guard.Run(ctx, program); err != nil {
		return err
	}
	return screen.keepChoices(o.Remembered)
}
