package review

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
)

// Review is what can be said of a configuration.
type Review struct {
	Errors   []Finding // if there are any, there is nothing else
	Warnings []Finding
	Profiles []Profile
	Settings []Setting
}

// Finding is an error or a warning.
type Finding struct {
	Line  int    // in the file; 0 if it is about no line
	Field string // empty if it is about the whole file
	Text  string
}

// Of reviews a file as a scheduler with these gates and further plugins would read it.
func Of(data []byte, features config.Features, plugins framework.Registry) (*Review, error) {
	usual, err := newEngine(config.Default(features), plugins)
	if err != nil {
		return nil, fmt.Errorf("making the default profile to compare with: %w", err)
	}
	lines := config.LinesOf(data)
	c, err := config.Load(data, features)
	if err != nil {
		found := fieldErrors(err, lines)
		if sketch := config.Sketch(data, features); sketch != nil {
			_, err = newEngine(sketch, plugins)
			found = append(found, pluginErrors(err, lines)...)
		}
		return &Review{Errors: inOrder(found)}, nil
	}
	e, err := newEngine(c, plugins)
	if err != nil {
		if found := pluginErrors(err, lines); len(found) > 0 {
			return &Review{Errors: inOrder(found)}, nil
		}
		return &Review{Errors: []Finding{{Text: err.Error()}}}, nil
	}
	written, err := config.Written(data)
	if err != nil {
		return nil, err
	}
	settings, err := settingsOf(c)
	if err != nil {
		return nil, err
	}
	s := subject{written: written, config: c, engine: e, usual: usual, lines: lines}
	return &Review{Warnings: inOrder(s.warnings()), Profiles: profilesOf(e, usual), Settings: settings}, nil
}

// newEngine makes an engine for its profiles, which are the same without extenders. What Orrery refuses of these is a warning:
// kube-scheduler takes it.
func newEngine(c *config.Configuration, plugins framework.Registry) (*engine.Engine, error) {
	alone := *c
	alone.Extenders = nil
	return engine.New(engine.Options{Config: &alone, Plugins: plugins})
}

func fieldErrors(err error, lines config.Lines) []Finding {
	var invalid *config.Error
	if !errors.As(err, &invalid) {
		return []Finding{{Text: err.Error()}}
	}
	var found []Finding
	for _, one := range invalid.List {
		f := Finding{Line: lines.OfError(one), Field: one.Field, Text: one.ErrorBody()}
		if one.Field == "" {
			f.Text = one.Detail
		}
		found = append(found, f)
	}
	return found
}

// pluginErrors places what is wrong with the plugins of profiles: a plugin where it is first listed, or where its args are.
func pluginErrors(err error, lines config.Lines) []Finding {
	var found []Finding
	for _, profile := range framework.ProfileErrors(err) {
		at := profilePath(lines, profile.Profile)
		for _, m := range profile.Mistakes {
			f := Finding{Field: at + ".plugins", Text: m.Err.Error()}
			if path, line := lines.Plugin(at+".plugins", m.Plugin); line > 0 {
				f.Field, f.Line = path, line
			}
			if path, line := lines.Plugin(at+".pluginConfig", m.Plugin); line > 0 && m.Point == "" {
				f.Field, f.Line = path+".args", lines.Of(path+".args")
			}
			f.Line = cmp.Or(f.Line, lines.Of(f.Field))
			found = append(found, f)
		}
	}
	return found
}

// profilePath finds a profile by its scheduler name. Only the first can be without one.
func profilePath(lines config.Lines, schedulerName string) string {
	return fmt.Sprintf("profiles[%d]", max(0, lines.Index("profiles", "schedulerName", schedulerName)))
}

// inOrder sorts findings as they stand in the file; those without a line come first.
func inOrder(found []Finding) []Finding {
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Text, b.Text))
	})
	return slices.Compact(found)
}
