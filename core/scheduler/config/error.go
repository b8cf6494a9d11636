package config

import (
	"fmt"
	"strings"

	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"orrery/core/safe/printable"
)

// Error holds all problems of a configuration. One with an empty Field is about the document as a whole.
type Error struct {
	File string // where it was read from; may be empty
	List field.ErrorList
}

// Bounds of an error's text: a problem may quote any part of the file.
const (
	//orrery:limit files; mistakes of a configuration that are listed; the others are counted
	maxErrorLines = 100
	//orrery:limit text; a line of a configuration's errors, in characters; cut off
	maxErrorLine = 1000 // characters
)

// Error returns one problem on its line, several on a line each under a heading.
func (e *Error) Error() string {
	head := "kube-scheduler configuration"
	if e.File != "" {
		head += fmt.Sprintf(" %q", e.File)
	}
	if len(e.List) == 1 {
		return head + ": " + line(e.List[0])
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s has %d errors:", head, len(e.List))
	for i, one := range e.List {
		if i == maxErrorLines {
			fmt.Fprintf(&text, "\n  and %d more", len(e.List)-i)
			break
		}
		text.WriteString("\n  " + line(one))
	}
	return text.String()
}

// Unwrap returns the single errors, for errors.As.
func (e *Error) Unwrap() []error {
	all := make([]error, len(e.List))
	for i, one := range e.List {
		all[i] = one
	}
	return all
}

// newError returns nil if there is no problem. It drops repeated problems.
func newError(file string, errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	e := &Error{File: file}
	seen := map[string]bool{}
	for _, one := range errs {
		if text := one.Error(); !seen[text] {
			seen[text] = true
			e.List = append(e.List, one)
		}
	}
	return e
}

// documentError is an error about no single field.
func documentError(format string, args ...any) *field.Error {
	return &field.Error{Type: field.ErrorTypeInvalid, BadValue: field.OmitValueType{}, Detail: fmt.Sprintf(format, args...)}
}

// asFieldErrors returns the field errors of a validation function's result.
func asFieldErrors(path *field.Path, err error) field.ErrorList {
	if err == nil {
		return nil
	}
	var list field.ErrorList
	flat := []error{err}
	if aggregate, ok := err.(utilerrors.Aggregate); ok {
		flat = utilerrors.Flatten(aggregate).Errors()
	}
	for _, one := range flat {
		if fieldError, ok := one.(*field.Error); ok {
			list = append(list, fieldError)
		} else {
			list = append(list, field.Invalid(path, field.OmitValueType{}, one.Error()))
		}
	}
	return list
}

func line(one *field.Error) string {
	if one.Field == "" {
		return printable.Line(one.Detail, maxErrorLine)
	}
	return printable.Line(one.Error(), maxErrorLine)
}
