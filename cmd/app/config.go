package app

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	apiversion "k8s.io/apimachinery/pkg/version"

	"orrery/core/answers/review"
	"orrery/core/safe/files"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	modelled "orrery/core/scheduler/release"
)

func configCommand(plugins framework.Registry) *cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: "Look into a scheduler's configuration file",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(configCheckCommand(plugins))
	return c
}

func configCheckCommand(plugins framework.Registry) *cobra.Command {
	var out output
	var gates []string
	var as string
	c := &cobra.Command{
		Use:   "check FILE...",
		Short: "Say what is wrong with a KubeSchedulerConfiguration, and what it means",
		Long: `Check reads files of kind KubeSchedulerConfiguration as "orrery run --config" does, and says all that is wrong with them,
with line and field. Of a file that is right it shows the plugins of every profile by extension point, and the settings
that are not at their defaults, and it warns of settings without effect or with a surprising one. FILE - is the standard
input.

With --kubernetes it is checked as that release reads it: its fields, arguments, default plugins and feature gates. Without it that is
the release that "orrery run" decides as by default.

In the lists of plugins + marks what the default profile does not have, and - what it has and this profile does not.

The exit code is 2 when kube-scheduler would refuse a file.`,
		Example: `  orrery config check scheduler.yaml
  orrery config check -o json scheduler.yaml | jq '.files[].warnings[].text'`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, files []string) error {
			r, newer, err := releaseToCheck(as)
			if err != nil {
				return fmt.Errorf("--%s: %w", kubernetesFlag, err)
			}
			features, err := config.ParseFeatureFlagOf(r, gates...)
			if err != nil {
				return fmt.Errorf("--feature-gates: %w", err)
			}
			doc := configCheckDocument{envelope: document("ConfigCheck"), Kubernetes: r, Newer: newer}
			for _, file := range files {
				checked, err := checkConfig(c, file, features, plugins)
				if err != nil {
					return err
				}
				doc.Files = append(doc.Files, checked)
			}
			if err := out.print(c, doc, doc.text); err != nil {
				return err
			}
			return doc.refused()
		},
	}
	out.addFlag(c)
	c.Flags().StringVar(&as, kubernetesFlag, "", "check as this `release` of Kubernetes reads it, such as "+modelled.Newest.String())
	c.Flags().StringSliceVar(&gates, "feature-gates", nil, "the feature gates that the scheduler has, as in Gate=true,Other=false")
	return c
}

type configCheckDocument struct {
	envelope
	// Kubernetes is the release that the files are checked for; missing for 1.35. Newer is the one that was asked for, if it is newer than all
	// that is modelled.
	Kubernetes modelled.Release `json:"kubernetes,omitzero"`
	Newer      string           `json:"newer,omitempty"`
	Files      []checkedConfig  `json:"files"`
}

type checkedConfig struct {
	File     string           `json:"file"`
	Valid    bool             `json:"valid"`
	Errors   []configFinding  `json:"errors"`
	Warnings []configFinding  `json:"warnings"`
	Profiles []profileMeaning `json:"profiles"`
	Settings []changedSetting `json:"settings"` // those that are not at their defaults
}

type configFinding struct {
	Line  int    `json:"line,omitempty"`
	Field string `json:"field,omitempty"`
	Text  string `json:"text"`
}

type changedSetting struct {
	Field   string `json:"field"`
	Value   string `json:"value"`
	Default string `json:"default,omitempty"`
}

type profileMeaning struct {
	SchedulerName string         `json:"schedulerName"`
	Points        []pointMeaning `json:"extensionPoints"`
}

type pointMeaning struct {
	Name    string         `json:"name"`
	Plugins []listedPlugin `json:"plugins"` // in the order of their calls
	Removed []string       `json:"removed,omitempty"`
	Moved   bool           `json:"otherOrder,omitempty"`
	Differs bool           `json:"differs"`
}

type listedPlugin struct {
	Name          string `json:"name"`
	Weight        int64  `json:"weight,omitempty"`
	DefaultWeight int64  `json:"defaultWeight,omitempty"`
	Added         bool   `json:"added,omitempty"`
}

func checkConfig(c *cobra.Command, file string, features config.Features, plugins framework.Registry) (checkedConfig, error) {
	data, err := configBytes(c, file)
	if err != nil {
		return checkedConfig{}, fmt.Errorf("reading the configuration: %w", err)
	}
	found, err := review.Of(data, features, plugins)
	if err != nil {
		return checkedConfig{}, fmt.Errorf("checking %s: %w", printable.Text(file), err)
	}
	checked := checkedConfig{
		File: file, Valid: len(found.Errors) == 0, Errors: findingsOf(found.Errors), Warnings: findingsOf(found.Warnings),
		Profiles: []profileMeaning{}, Settings: []changedSetting{},
	}
	for _, p := range found.Profiles {
		checked.Profiles = append(checked.Profiles, meaningOf(p))
	}
	for _, s := range found.Settings {
		checked.Settings = append(checked.Settings, changedSetting(s))
	}
	return checked, nil
}

func configBytes(c *cobra.Command, file string) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(io.LimitReader(c.InOrStdin(), config.MaxBytes+1)) // one more is too many
	}
	return files.Read(file, config.MaxBytes)
}

func findingsOf(found []review.Finding) []configFinding {
	list := []configFinding{}
	for _, f := range found {
		list = append(list, configFinding(f))
	}
	return list
}

func meaningOf(p review.Profile) profileMeaning {
	meaning := profileMeaning{SchedulerName: p.Name}
	for _, point := range p.Points {
		m := pointMeaning{Name: point.Name, Plugins: []listedPlugin{}, Removed: point.Removed, Moved: point.Moved, Differs: point.Differs()}
		for _, plugin := range point.Plugins {
			m.Plugins = append(m.Plugins, listedPlugin{plugin.Name, plugin.Weight, plugin.UsualWeight, plugin.Added})
		}
		meaning.Points = append(meaning.Points, m)
	}
	return meaning
}

// refused is the error of an answer that says what is wrong with a file.
func (d configCheckDocument) refused() error {
	for _, f := range d.Files {
		if !f.Valid {
			return errBadInput
		}
	}
	return nil
}

// releaseToCheck reads --kubernetes. A release that is newer than all that is modelled is checked as the newest.
func releaseToCheck(text string) (r modelled.Release, newer string, err error) {
	if text == "" {
		return modelled.Oldest, "", nil
	}
	if r, err = modelled.Parse(text); err == nil {
		return r, "", nil
	}
	numbers := append(strings.Split(strings.TrimPrefix(text, "v"), "."), "")
	if r, isNewer := modelled.OfServer(apiversion.Info{Major: numbers[0], Minor: numbers[1]}); isNewer {
		return r, printable.Line(text, 40), nil
	}
	return 0, "", err
}

func (d configCheckDocument) text(w io.Writer) {
	switch {
	case d.Newer != "":
		fmt.Fprintf(w, "Kubernetes %s is newer than all that is modelled: this is what %v says of it, and fields, defaults and feature gates may have moved since\n", d.Newer, d.Kubernetes)
	case !d.Kubernetes.IsZero():
		fmt.Fprintf(w, "As Kubernetes %v reads it\n", d.Kubernetes)
	}
	for i := range d.Files {
		if i > 0 {
			fmt.Fprintln(w)
		}
		d.Files[i].text(w)
	}
}

func (f *checkedConfig) text(w io.Writer) {
	name := printable.Line(f.File, 200)
	switch {
	case !f.Valid:
		fmt.Fprintf(w, "%s: refused, for %s\n", name, countText(len(f.Errors), "error"))
	case len(f.Warnings) > 0:
		fmt.Fprintf(w, "%s: fine, with %s\n", name, countText(len(f.Warnings), "warning"))
	default:
		fmt.Fprintf(w, "%s: fine\n", name)
	}
	for _, finding := range append(f.Errors, f.Warnings...) {
		finding.text(w)
	}
	for _, p := range f.Profiles {
		p.text(w)
	}
	if len(f.Settings) == 0 {
		return
	}
	fmt.Fprintln(w, "\nsettings that are not at their defaults")
	table := [][]string{{"FIELD", "VALUE", "DEFAULT"}}
	for _, s := range f.Settings {
		table = append(table, []string{printable.Line(s.Field, 200), printable.Line(s.Value, 200), printable.Line(s.Default, 200)})
	}
	writeTable(w, "  ", table)
}

func (f configFinding) text(w io.Writer) {
	at := "the file"
	switch {
	case f.Line > 0:
		at = fmt.Sprintf("line %d", f.Line)
	case f.Field != "":
		at = "no line"
	}
	text := f.Text
	if f.Field != "" {
		text = f.Field + ": " + text
	}
	const column = 10
	for i, line := range wrapText(text, 110) {
		if i > 0 {
			at = ""
		}
		fmt.Fprintf(w, "  %-*s%s\n", column, at, line)
	}
}

func (p *profileMeaning) text(w io.Writer) {
	fmt.Fprintf(w, "\nprofile %s\n", printable.Line(p.SchedulerName, 200))
	for _, point := range p.Points {
		const column = 12
		at := point.Name
		for _, line := range wrapText(point.words(), 100) {
			fmt.Fprintf(w, "  %-*s%s\n", column, at, line)
			at = ""
		}
	}
}

// words are the plugins of an extension point in the order of their calls, with what differs from the default profile.
func (p *pointMeaning) words() string {
	var words []string
	for _, plugin := range p.Plugins {
		words = append(words, plugin.words())
	}
	for _, name := range p.Removed {
		words = append(words, "-"+name)
	}
	if p.Moved {
		words = append(words, "(in another order than by default)")
	}
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, " ")
}

func (p *listedPlugin) words() string {
	word := p.Name
	if p.Added {
		word = "+" + word
	}
	switch {
	case p.Weight == 0:
		return word
	case p.DefaultWeight != 0 && p.DefaultWeight != p.Weight:
		return fmt.Sprintf("%s×%d(by default ×%d)", word, p.Weight, p.DefaultWeight)
	}
	return fmt.Sprintf("%s×%d", word, p.Weight)
}
