package tui

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"orrery/themes"
	"orrery/tui/term"
)

// Options are how a source is watched.
type Options struct {
	Source Source
	// Terminal is where; see term.Detect.
	Terminal term.Facts
	// Theme is the one to begin with; nil is the default for the terminal's ground. Themes are those to choose from; nil
	// is those that come with the program.
	Theme  *themes.Theme
	Themes []*themes.Theme
	// FPS is how many frames a second are made at most of what moves by itself; zero is 30. What keys lead to is drawn at
	// once.
	FPS int
	// Folder is where pictures and texts of the screen are saved; empty is the current one.
	Folder string
	// Namespace is the only one whose pods are listed to begin with; empty is all.
	Namespace string
	// Clock is real time that only goes forward; nil is the machine's.
	Clock func() time.Duration
}

// The bounds of FPS, and what it is if nobody says.
const (
	usualFPS = 30
	mostFPS  = 60
)

func (o Options) withDefaults() (Options, error) {
	if o.Source == nil {
		return o, errors.New("opening the screen: there is no source to watch")
	}
	if o.FPS == 0 {
		o.FPS = usualFPS
	}
	if o.FPS < 1 || o.FPS > mostFPS {
		return o, fmt.Errorf("opening the screen: %d frames a second are asked for; give 1 to %d", o.FPS, mostFPS)
	}
	if o.Themes == nil {
		o.Themes = themes.Shipped()
	}
	if o.Clock == nil {
		began := time.Now()
		o.Clock = func() time.Duration { return time.Since(began) }
	}
	return o, nil
}

// Run shows a source until the user leaves, the context ends, or the terminal or something within breaks; the error is
// that of term.Guard. The terminal is given back before it returns.
func Run(ctx context.Context, o Options) error {
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var program *tea.Program
	guard := term.NewGuard(o.Terminal)
	p := newPump(o.Source, o.FPS, o.Clock, func(m tea.Msg) { program.Send(m) })
	p.start = guard.Go
	program = tea.NewProgram(newScreen(o, p), append(guard.Options(calmMouse), tea.WithFPS(mostFPS))...)
	guard.Go(func() { p.run(ctx) })
	return guard.Run(ctx, program)
}
