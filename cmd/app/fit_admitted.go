package app

import (
	"github.com/spf13/cobra"

	"orrery/core/answers/fit"
	"orrery/core/world/live"
)

// admitted returns the set as the API server admits it, where it may be asked.
func (f *fitFlags) admitted(c *cobra.Command, from *cluster, set *fit.Set, doc *fitDocument) *fit.Set {
	admitted, all := set.Admitted(live.NewDryRun(c.Context(), from.client))
	if all {
		doc.AdmittedBy = byServer
	}
	return admitted
}
