package app

import (
	"os"

	"github.com/spf13/cobra"

	"orrery/core/framework"
)

// Option changes what Main makes.
type Option func(framework.Registry) error

// WithPlugin adds a plugin under the name that configurations have for it.
func WithPlugin(name string, factory framework.PluginFactory) Option {
	return func(r framework.Registry) error { return r.Register(name, factory) }
}

// Main runs the command line and answers with the exit code: 0 is fine, 1 means that the answer was no, and 2 that the
// program was used wrongly or given bad input.
func Main(args []string, options ...Option) int {
	plugins := framework.Registry{}
	for _, option := range options {
		if err := option(plugins); err != nil {
			return exitCode(err, os.Stderr)
		}
	}
	c := command(plugins)
	c.SetArgs(args)
	return exitCode(c.Execute(), os.Stderr)
}

func command(plugins framework.Registry) *cobra.Command {
	c := &cobra.Command{
		Use:   "orrery",
		Short: "A Kubernetes scheduler you can watch",
		Long: `Orrery is a Kubernetes scheduler you can watch, stop, wind back and ask.

Everything works on recordings: files that "orrery run" and "orrery trace import" write, or
those that are built in. Answers are for people; with --output json they are for programs.

Exit codes: 0 fine; 1 the answer is no, or: they differ; 2 wrong usage or bad input.`,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	c.SetVersionTemplate("orrery {{.Version}}\n")
	c.AddCommand(
		compareCommand(plugins), consoleCommand(plugins), demoCommand(plugins), explainCommand(plugins), manifestsCommand(plugins), replayCommand(plugins), recordCommand(plugins), runCommand(plugins), traceCommand(),
		versionCommand(), whatIfCommand(plugins),
	)
	return c
}
