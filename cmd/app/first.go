package app

import (
	"cmp"

	"github.com/spf13/cobra"

	"orrery/core/safe/printable"
	"orrery/tui"
)

// firstOffers are what orrery alone offers, by the command that is run; none is the help.
var firstOffers = []struct {
	command string
	tui.Offer
}{
	{"demo", tui.Offer{Title: "Watch a recorded morning", Text: "A scheduler at work over three zones. Needs no cluster.", Command: "orrery demo"}},
	{"console", tui.Offer{Title: "Watch your cluster", Command: "orrery console"}},
	{"", tui.Offer{Title: "Read what else there is", Text: "Every command, in a page.", Command: "orrery --help"}},
}

// openFirst is orrery alone: on a terminal it offers what to begin with, elsewhere it says what there is.
func openFirst(c *cobra.Command, _ []string) error {
	var screen screenFlags
	o, err := screen.options()
	if err != nil || o.Terminal.Refusal != "" {
		return c.Help()
	}
	var offers []tui.Offer
	for _, offer := range firstOffers {
		if offer.command == "console" {
			describeCluster(&offer.Offer)
		}
		offers = append(offers, offer.Offer)
	}
	taken, err := tui.Choose(c.Context(), o, c.Short, offers)
	if err != nil || taken < 0 {
		return err
	}
	if firstOffers[taken].command == "" {
		return c.Help()
	}
	chosen, _, err := c.Find([]string{firstOffers[taken].command})
	if err != nil {
		return err
	}
	chosen.SetContext(c.Context())
	return chosen.RunE(chosen, nil)
}

// describeCluster says which cluster the kubeconfig names, or that it names none. It is not asked anything yet.
func describeCluster(o *tui.Offer) {
	raw, err := newKubectlFlags().load().RawConfig()
	switch {
	case err != nil:
		o.Missing = err.Error()
	case len(raw.Clusters) == 0:
		o.Missing = "There is no kubeconfig: name one in KUBECONFIG."
	default:
		o.Text = "Context " + printable.Line(cmp.Or(raw.CurrentContext, "none chosen"), 40) + " of your kubeconfig. Reads, and changes nothing."
	}
}
