package framework

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ProfileError has what is wrong with the plugins that a profile enables. The first mistake is the one that kube-scheduler
// reports.
type ProfileError struct {
	Profile  string
	Mistakes []Mistake
}

// Mistake is why a profile cannot be made.
type Mistake struct {
	Plugin string // empty if it is about no single plugin
	Point  Point  // empty if it is about no single extension point
	Err    error
}

// Error returns a line for each mistake.
func (e *ProfileError) Error() string {
	texts := make([]string, len(e.Mistakes))
	for i, m := range e.Mistakes {
		texts[i] = m.Err.Error()
	}
	return strings.Join(texts, "\n")
}

// Unwrap returns the errors of the mistakes.
func (e *ProfileError) Unwrap() []error {
	all := make([]error, len(e.Mistakes))
	for i, m := range e.Mistakes {
		all[i] = m.Err
	}
	return all
}

// add notes a mistake, unless one about the same plugin is noted: the others follow from it.
func (e *ProfileError) add(found ...Mistake) {
	for _, m := range found {
		noted := func(n Mistake) bool { return n.Plugin == m.Plugin }
		if m.Plugin == "" || !slices.ContainsFunc(e.Mistakes, noted) {
			e.Mistakes = append(e.Mistakes, m)
		}
	}
}

// err is nil if there are no mistakes.
func (e *ProfileError) err() error {
	if len(e.Mistakes) == 0 {
		return nil
	}
	return e
}

// ProfileErrors finds the errors of profiles in the error of [NewProfiles], or in one that wraps it.
func ProfileErrors(err error) []*ProfileError {
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		return nil
	}
	if one, is := joined.(*ProfileError); is {
		return []*ProfileError{one}
	}
	var all []*ProfileError
	for _, part := range joined.Unwrap() {
		all = append(all, ProfileErrors(part)...)
	}
	return all
}

func mistakef(plugin string, point Point, format string, args ...any) Mistake {
	return Mistake{plugin, point, fmt.Errorf(format, args...)}
}
