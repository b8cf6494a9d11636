package app

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"orrery/core/framework"
)

// What a program answers with.
const (
	exitFine  = 0
	exitUsage = 2 // it was used wrongly, or given bad input
)

// Option changes what Main makes.
type Option func(framework.Registry) error

// WithPlugin adds a plugin under the name that configurations have for it.
func WithPlugin(name string, factory framework.PluginFactory) Option {
	return func(r framework.Registry) error { return r.Register(name, factory) }
}

// Main runs the command line and answers with the exit code.
func Main(args []string, options ...Option) int {
	plugins := framework.Registry{}
	for _, option := range options {
		if err := option(plugins); err != nil {
			return failed(err)
		}
	}
	c := command(plugins)
	c.SetArgs(args)
	if err := c.Execute(); err != nil {
		return failed(err)
	}
	return exitFine
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, "orrery:", err)
	return exitUsage
}

func command(plugins framework.Registry) *cobra.Command {
	c := &cobra.Command{
		Use:           "orrery",
		Short:         "A Kubernetes scheduler you can watch",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	c.AddCommand(demoCommand(plugins))
	return c
}
