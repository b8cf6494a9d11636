package app

import (
	"strings"

	"github.com/spf13/cobra"

	"orrery/core/scheduler/framework"
)

// HelpPage is what a command's --help prints.
type HelpPage struct {
	// Words are the command's, as in "orrery trace cut".
	Words string
	// Short is what it does, in a line.
	Short string
	Text  string
}

// HelpPages returns the pages of all commands that a help text lists, each before those below it. They are the texts that the program
// prints, so that docs/commands says nothing else. The shells of completion have none: what cobra says of them is about shells.
func HelpPages() ([]HelpPage, error) {
	c := command(framework.Registry{})
	refuseUnknownShells(c)
	return helpPages(c)
}

func helpPages(c *cobra.Command) ([]HelpPage, error) {
	var text strings.Builder
	c.SetOut(&text)
	if err := c.Help(); err != nil {
		return nil, err
	}
	pages := []HelpPage{{Words: c.CommandPath(), Short: c.Short, Text: text.String()}}
	if c.Name() == "completion" {
		return pages, nil
	}
	for _, sub := range c.Commands() {
		if !sub.IsAvailableCommand() || sub.Name() == "help" {
			continue
		}
		below, err := helpPages(sub)
		if err != nil {
			return nil, err
		}
		pages = append(pages, below...)
	}
	return pages, nil
}

// Manifests returns what "orrery manifests" prints with some flags, for what is made from it.
func Manifests(flags ...string) (string, error) {
	var text strings.Builder
	c := manifestsCommand(framework.Registry{})
	c.SetOut(&text)
	c.SetArgs(flags)
	c.SilenceUsage, c.SilenceErrors = true, true
	err := c.Execute()
	return text.String(), err
}
