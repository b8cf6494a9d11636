package app

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"orrery/core/safe/files"
	"orrery/core/safe/panics"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/framework"
)

// Option changes the command line that Main builds.
type Option func(framework.Registry) error

// WithPlugin adds a plugin under its name in configurations.
func WithPlugin(name string, factory framework.PluginFactory) Option {
	return func(r framework.Registry) error { return r.Register(name, factory) }
}

// Main runs the command line and returns the exit code: 0 for success, 1 for a negative result, 2 for wrong usage or
// bad input, 70 after a panic. Everything that is printed or logged passes a [printable.Writer].
func Main(args []string, options ...Option) int { return mainTo(os.Stdout, args, options) }

// mainTo is Main with another standard output.
func mainTo(stdout io.Writer, args []string, options []Option) int {
	defer files.RemoveUnfinished()
	logTo(printable.NewWriter(os.Stderr))
	words, args := called(os.Args[0], args)
	return execute(words, args, stdout, os.Stderr, options)
}

// execute is Main without the logs, which are the process's.
func execute(words string, args []string, to, errorsTo io.Writer, options []Option) int {
	stdout, stderr := printable.NewWriter(to), printable.NewWriter(errorsTo)
	defer func() {
		_, _ = stdout.Flush(), stderr.Flush()
	}()
	var err error
	if panicked := panics.Call("this command", func() { err = run(words, args, stdout, stderr, options) }); panicked != nil {
		err = panicked
	}
	if lost := stdout.Err(); err == nil && lost != nil { // help and lists are written without a look at the error
		err = fmt.Errorf("writing the answer: %w", lost)
	}
	return exitCode(err, stderr)
}

func run(words string, args []string, stdout, stderr io.Writer, options []Option) error {
	plugins := framework.Registry{}
	for _, option := range options {
		if err := option(plugins); err != nil {
			return err
		}
	}
	c := command(plugins)
	c.SetOut(stdout)
	c.SetErr(stderr)
	c.SetArgs(args)
	c.DisableSuggestions = slices.ContainsFunc(args, func(word string) bool { return len(word) > maxMistyped })
	refuseUnknownShells(c)
	nameCommand(c, words)
	return c.Execute()
}

// maxMistyped is how long a word may be to be compared with all names of commands, which takes memory by its length.
//
//orrery:limit text; a mistyped command, in bytes; no command like it is named
const maxMistyped = 200

func command(plugins framework.Registry) *cobra.Command {
	c := &cobra.Command{
		Use:   "orrery",
		Short: "A Kubernetes scheduler you can watch",
		Long: `Orrery schedules the pods of a Kubernetes cluster, and can be watched, stopped, wound back and asked while it does.

console, observe and run work on a cluster, and attach on a scheduler that runs. demo, replay, compare and trace work on recordings: files that "orrery record",
"orrery run" and "orrery trace import" write, or those that are built in ("orrery trace list"). explain, whatif and fit ask either.
Answers are for people; with --output json they are for programs. Without a command it offers
on a terminal what to begin with, and prints this text elsewhere.

Exit codes: 0 fine; 1 the answer is no, or: they differ; 2 wrong usage or bad input.`,
		Example: `  orrery demo                # a recorded morning, on the screen
  orrery explain shop/web-0  # why is that pod pending?`,
		RunE:          openFirst,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	c.SetVersionTemplate("orrery {{.Version}}\n")
	c.AddCommand(
		attachCommand(plugins), capacityCommand(plugins), compareCommand(plugins), configCommand(plugins), consolidateCommand(plugins), consoleCommand(plugins),
		demoCommand(plugins), explainCommand(plugins), fitCommand(plugins), journeyCommand(plugins), manifestsCommand(plugins), mcpCommand(plugins), observeCommand(plugins),
		replayCommand(plugins), recordCommand(plugins), reportCommand(plugins), runCommand(plugins), schemaCommand(), settingsCommand(), testCommand(plugins), traceCommand(plugins),
		versionCommand(), whatIfCommand(plugins),
	)
	setHelp(c)
	describeUsage(c)
	c.InitDefaultHelpCmd()
	if help, _, err := c.Find([]string{"help"}); err == nil {
		// By itself it answers an unknown topic with usage on the standard output and exit code 0.
		help.Args = func(_ *cobra.Command, topic []string) error {
			_, _, err := c.Find(topic)
			return err
		}
	}
	return c
}

// refuseUnknownShells makes an unknown shell an error. By itself completion answers it with help and exit code 0. The command writes to
// the output that was set when it was made.
func refuseUnknownShells(c *cobra.Command) {
	c.InitDefaultCompletionCmd()
	if completion, _, err := c.Find([]string{"completion"}); err == nil {
		completion.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	}
}
