package actions

import (
	"context"
	"slices"
	"strings"

	"orrery/core/answers/change"
	"orrery/core/safe/plural"
)

// Several are actions of one kind, carried out one after the other. The first that fails is the last that is tried.
type Several struct{ Actions []Action }

// Together returns one action for all; it is the only one itself.
func Together(all []Action) Action {
	if len(all) == 1 {
		return all[0]
	}
	return Several{all}
}

// PartError is why one of several actions failed.
type PartError struct {
	Part Action
	// Done of All were carried out before it.
	Done, All int
	Err       error
}

func (e *PartError) Error() string {
	return "after " + plural.Count(e.Done, "action") + " of " + plural.Count(e.All, "action") + ", " + e.Part.String() + ": " + e.Err.Error()
}

func (e *PartError) Unwrap() error { return e.Err }

// Verb is that of all.
func (a Several) Verb() string { return a.Actions[0].Verb() + " all" }

func (a Several) String() string { return a.joined(Action.String, "; ") }

// DoneText is the past tense of String.
func (a Several) DoneText() string { return a.joined(Action.DoneText, "; ") }

// Command is the commands of all, one after the other.
func (a Several) Command() string { return a.joined(Action.Command, " && ") }

// UndoText is that of each; what is the same of several is said once.
func (a Several) UndoText() string { return a.joined(Action.UndoText, " ") }

// joined joins a text of all actions; what several have in common comes once.
func (a Several) joined(of func(Action) string, by string) string {
	var parts []string
	for _, each := range a.Actions {
		if text := of(each); text != "" && !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, by)
}

// Notes are those of all, each once.
func (a Several) Notes() []string {
	var notes []string
	for _, each := range a.Actions {
		for _, note := range each.Notes() {
			if !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
	}
	return notes
}

// Changes are those of all.
func (a Several) Changes() []change.Change {
	var all []change.Change
	for _, each := range a.Actions {
		all = append(all, each.Changes()...)
	}
	return all
}

func (a Several) do(ctx context.Context, h *Executor) error {
	for i, each := range a.Actions {
		if err := each.do(ctx, h); err != nil {
			return &PartError{Part: each, Done: i, All: len(a.Actions), Err: err}
		}
		h.report(each.DoneText())
	}
	return nil
}
