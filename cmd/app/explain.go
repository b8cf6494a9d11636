package app

import (
	"github.com/spf13/cobra"

	"orrery/core/framework"
)

func explainCommand(plugins framework.Registry) *cobra.Command {
	var (
		out  = output{names: true}
		whom target
		node string
		full bool
	)
	c := &cobra.Command{
		Use:   "explain [POD | KIND/OWNER]",
		Short: "Say why a pod is pending, or why it is where it is, and what would help",
		Long: `Explain asks the scheduler about a pod: the very code that decides answers. Of a pod that waits it says what would be decided if its turn came now; of one that was
placed, what was weighed when it was.

POD is a name, or NAMESPACE/NAME. Without one, all pending pods are explained, by owner and cause, the
largest group first; with an owner, as in deploy/web, its pending pods. ` + targetHelp + `

With --trace the scheduler is asked at a moment of it; without --at that is its end.
` + traceHelp + `
` + momentHelp + `

The exit code is 1 when the pod is not placed, or, with --node, not on that node; and when pods are pending.`,
		Example: `  orrery explain payment-7d4x9 -n shop
  orrery explain                        # why is anything pending?
  orrery explain deploy/payment -n shop
  orrery explain huge --trace incident.orrery --at 09:12 -v
  orrery explain shop/web-0 --trace incident.orrery --at 09:12:30 --node n7
  orrery explain shop/web-0 --trace incident.orrery -o json | jq -r .summary`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completer{&whom, plugins}.pods,
		RunE: func(c *cobra.Command, args []string) error {
			s, err := whom.openAt(c, plugins)
			if err != nil {
				return err
			}
			owner, ofOwner := "", len(args) == 0
			if !ofOwner {
				owner, ofOwner = ownerArgument(args[0])
			}
			if ofOwner {
				doc, err := explainPending(s, whom.flags.overrides.Context.Namespace, owner)
				if err != nil {
					return err
				}
				if err := out.print(c, doc, doc.text); err != nil {
					return err
				}
				return answer(doc.Pods == 0)
			}
			doc, err := explainAt(s, whom.qualify(args[0]), node)
			if err != nil {
				return err
			}
			doc.verbose = full
			if err := out.print(c, doc, doc.text); err != nil {
				return err
			}
			if doc.NodeVerdict != nil {
				return answer(doc.NodeVerdict.Feasible)
			}
			return answer(doc.Verdict == "placed")
		},
	}
	whom.flag(c, true)
	c.Flags().StringVar(&node, "node", "", "say what every plugin says of this node")
	_ = c.RegisterFlagCompletionFunc("node", completer{&whom, plugins}.nodes)
	c.Flags().BoolVarP(&full, "verbose", "v", false, "add the messages of the scheduler and its plugins in full, as events have them")
	out.addFlag(c)
	return c
}
