package app

import (
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// The names under which kubectl calls a plugin: by its words, and for what a shell may complete.
const (
	kubectlPlugin     = "kubectl-orrery"
	kubectlCompletion = "kubectl_complete-orrery"
)

// called returns what a person types for a program of that name, and its arguments.
func called(program string, args []string) (words string, all []string) {
	switch strings.TrimSuffix(filepath.Base(program), ".exe") {
	case kubectlPlugin:
		return "kubectl orrery", args
	case kubectlCompletion:
		return "kubectl orrery", append([]string{cobra.ShellCompRequestCmd}, args...)
	}
	return "orrery", args
}

// nameCommand has a command's help, errors and answers say what a person types for it.
func nameCommand(c *cobra.Command, words string) {
	c.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: words}
}

// ownCommands are commands of Orrery in a text: with a subcommand after the name.
var ownCommands = regexp.MustCompile(`\borrery (\w)`)

// asTyped has the commands in a text of help begin with what a person types.
func asTyped(c *cobra.Command, text string) string {
	return ownCommands.ReplaceAllString(text, c.Root().DisplayName()+" $1")
}

// whatIfWords is how a what-if begins on the command line, with the flags that name its source.
func whatIfWords(c *cobra.Command, flags string) string {
	return c.Root().DisplayName() + " whatif " + flags
}
