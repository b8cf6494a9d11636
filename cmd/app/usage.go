package app

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"orrery/core/safe/printable"
)

// describeUsage has a command and those below it say which argument is missing or too many, and what a flag takes.
func describeUsage(c *cobra.Command) {
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return describeFlagError(err) })
	describeArguments(c)
}

func describeArguments(c *cobra.Command) {
	for _, sub := range c.Commands() {
		describeArguments(sub)
	}
	if check := c.Args; check != nil {
		c.Args = func(c *cobra.Command, given []string) error {
			err := check(c, given)
			if err == nil {
				return nil
			}
			return describeCount(c, given, err)
		}
	}
}

// describeCount returns the error of a number of arguments that a command refuses, by its usage.
func describeCount(c *cobra.Command, given []string, err error) error {
	required, most := argumentsOf(c.Use)
	switch {
	case len(given) < len(required):
		return fmt.Errorf("give a %s: %s", required[len(given)], c.UseLine())
	case most > 0 && len(given) > most:
		return fmt.Errorf("%q is one argument too many: %s", printable.Line(given[most], 60), c.UseLine())
	}
	return err
}

var (
	optionalInUse = regexp.MustCompile(`\[[^\]]*\]`)
	flagInUse     = regexp.MustCompile(`--\S+ \S+`)
)

// argumentsOf returns the arguments that a command requires by its usage, and how many it takes at most.
func argumentsOf(use string) (required []string, most int) {
	for _, optional := range optionalInUse.FindAllString(use, -1) {
		if !strings.HasPrefix(optional, "[--") {
			most++
		}
	}
	use = flagInUse.ReplaceAllString(optionalInUse.ReplaceAllString(use, ""), "")
	for _, word := range strings.Fields(use)[1:] {
		required = append(required, strings.TrimSuffix(word, "..."))
	}
	return required, most + len(required)
}

// describeFlagError says what a flag takes where the error is one of strconv.
func describeFlagError(err error) error {
	var (
		invalid *pflag.InvalidValueError
		number  *strconv.NumError
	)
	if !errors.As(err, &invalid) || !errors.As(err, &number) {
		return err
	}
	wanted := wantedOf(invalid.GetFlag().Value.Type())
	if wanted == "" {
		return err
	}
	if errors.Is(number, strconv.ErrRange) {
		wanted += ", and this one is out of range"
	}
	return fmt.Errorf("%s it takes %s", strings.TrimSuffix(invalid.Error(), " "+number.Error()), wanted)
}

// wantedOf says what a type of flags takes; empty if that is not known.
func wantedOf(kind string) string {
	switch {
	case strings.HasPrefix(kind, "uint"):
		return "a whole number from 0 on"
	case strings.HasPrefix(kind, "int"):
		return "a whole number"
	case strings.HasPrefix(kind, "float"):
		return "a number"
	case kind == "bool":
		return "true or false"
	}
	return ""
}
