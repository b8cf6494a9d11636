package app

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"orrery/core/safe/printable"
	"orrery/tui"
)

func settingsCommand() *cobra.Command {
	var example bool
	c := &cobra.Command{
		Use:   "settings [FILE]",
		Short: "Check and print the settings of the screen",
		Long: `Settings says where the settings of the screen are, checks them, and prints what they set. They are one YAML file:
$XDG_CONFIG_HOME/orrery/settings.yaml, or ~/.config/orrery/settings.yaml; FILE is another one, to be checked.

They set the colours, the pane that is open at first, own keys, aliases and commands that run programs, how lists are
sorted and which columns they have; and whether what is chosen on the screen is remembered, and whether the bell rings. Flags come before them. Unknown fields are errors.

The exit code is 2 if something in the file is wrong.`,
		Example: `  orrery settings
  orrery settings --example > settings.yaml && orrery settings settings.yaml`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if example {
				_, err := io.WriteString(c.OutOrStdout(), tui.SettingsExample())
				return err
			}
			file := tui.SettingsFile(os.Getenv)
			if len(args) > 0 {
				file = args[0]
				if _, err := os.Stat(file); err != nil {
					return fmt.Errorf("reading the settings: %w", err)
				}
			}
			set, err := tui.ReadSettings(file)
			if err != nil {
				return err
			}
			_, err = io.WriteString(c.OutOrStdout(), settingsText(file, set))
			return err
		},
	}
	c.Flags().BoolVar(&example, "example", false, "print a file with all settings as comments")
	return c
}

// settingsText is what a file sets, as YAML, with where it is as a comment.
func settingsText(file string, s *tui.Settings) string {
	var b strings.Builder
	switch _, err := os.Stat(file); {
	case file == "":
		b.WriteString("# neither XDG_CONFIG_HOME nor HOME is set: there is no file of settings\n")
	case err != nil:
		fmt.Fprintf(&b, "# %s: there is no such file; \"orrery settings --example\" prints one\n", printable.Line(file, 300))
	default:
		fmt.Fprintf(&b, "# %s\n", printable.Line(file, 300))
	}
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, value)
		}
	}
	line("theme", printable.Line(s.Theme, 200))
	line("view", s.View)
	if s.Preview != nil {
		line("preview", fmt.Sprint(*s.Preview))
	}
	if s.Notify != nil {
		line("notify", fmt.Sprint(*s.Notify))
	}
	if s.Mouse {
		line("mouse", "true")
	}
	if s.Remember {
		line("remember", "true")
	}
	settingsMap(&b, "keys", s.Keys, func(keys tui.KeyList) string { return "[" + strings.Join(quotedAll(keys), ", ") + "]" })
	settingsMap(&b, "aliases", s.Aliases, func(command string) string { return fmt.Sprintf("%q", command) })
	settingsMap(&b, "commands", s.Commands, ownCommandText)
	settingsMap(&b, "panes", s.Panes, func(p *tui.PaneSettings) string {
		var parts []string
		if p.Sort != "" {
			parts = append(parts, "sort: "+p.Sort)
		}
		if p.Reverse {
			parts = append(parts, "reverse: true")
		}
		if len(p.Columns) > 0 {
			parts = append(parts, "columns: ["+strings.Join(p.Columns, ", ")+"]")
		}
		return "{" + strings.Join(parts, ", ") + "}"
	})
	return b.String()
}

// ownCommandText is an own command, as YAML.
func ownCommandText(c *tui.OwnCommand) string {
	parts := []string{"run: [" + strings.Join(quotedAll(c.Run), ", ") + "]"}
	if c.Shell != "" {
		parts[0] = fmt.Sprintf("shell: %q", c.Shell)
	}
	if c.Key != "" {
		parts = append(parts, fmt.Sprintf("key: %q", c.Key))
	}
	if c.About != "" {
		parts = append(parts, fmt.Sprintf("about: %q", c.About))
	}
	if c.Wait != nil {
		parts = append(parts, fmt.Sprintf("wait: %t", *c.Wait))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// settingsMap writes a map of settings, sorted.
func settingsMap[M ~map[string]V, V any](b *strings.Builder, name string, of M, text func(V) string) {
	if len(of) == 0 {
		return
	}
	fmt.Fprintf(b, "%s:\n", name)
	for _, key := range slices.Sorted(maps.Keys(of)) {
		fmt.Fprintf(b, "  %s: %s\n", printable.Line(key, 60), text(of[key]))
	}
}

func quotedAll(words []string) []string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = fmt.Sprintf("%q", w)
	}
	return quoted
}
