package app

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"orrery/core/config"
	"orrery/core/engine"
	"orrery/core/framework"
	"orrery/demo"
)

func demoCommand(plugins framework.Registry) *cobra.Command {
	var (
		seed uint64
		file string
	)
	c := &cobra.Command{
		Use:   "demo",
		Short: "Watch the scheduler through a busy morning of a simulated cluster",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			options := engine.Options{Seed: seed, Plugins: plugins}
			if file != "" {
				configuration, err := readConfig(file)
				if err != nil {
					return err
				}
				options.Config = configuration
			}
			day, err := demo.MorningRush(seed)
			if err != nil {
				return err
			}
			return demo.Print(c.OutOrStdout(), day, options)
		},
	}
	c.Flags().Uint64Var(&seed, "seed", 1, "what chance is fed with: the same seed shows the same morning")
	c.Flags().StringVar(&file, "config", "", "a KubeSchedulerConfiguration to schedule by")
	return c
}

func readConfig(file string) (*config.Configuration, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	return config.LoadNamed(file, data, config.DefaultFeatures())
}
