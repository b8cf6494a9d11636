package app

import (
	"github.com/spf13/cobra"

	"orrery/core/framework"
)

// explainFlags are the flags of explain.
type explainFlags struct {
	out     output
	whom    target
	node    string
	verbose bool
}

func explainCommand(plugins framework.Registry) *cobra.Command {
	f := explainFlags{out: output{names: true}}
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
		ValidArgsFunction: completer{&f.whom, plugins}.pods,
		RunE: func(c *cobra.Command, args []string) error {
			s, err := f.whom.openAt(c, plugins)
			if err != nil {
				return err
			}
			owner, ofOwner := "", len(args) == 0
			if !ofOwner {
				owner, ofOwner = ownerArgument(args[0])
			}
			if ofOwner {
				return f.ofOwner(c, s, owner)
			}
			return f.ofPod(c, s, args[0])
		},
	}
	f.whom.flag(c, true)
	c.Flags().StringVar(&f.node, "node", "", "say what every plugin says of this node")
	_ = c.RegisterFlagCompletionFunc("node", completer{&f.whom, plugins}.nodes)
	c.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "add the messages of the scheduler and its plugins in full, as events have them")
	f.out.addFlag(c)
	return c
}

// ofOwner explains all pending pods, or those of an owner.
func (f *explainFlags) ofOwner(c *cobra.Command, s *openedAt, owner string) error {
	p := newProgress(c, "explaining the pending pods")
	doc, err := explainPending(s, f.whom.flags.overrides.Context.Namespace, owner)
	p.done()
	if err != nil {
		return err
	}
	if err := f.out.print(c, doc, doc.text); err != nil {
		return err
	}
	return answer(doc.Pods == 0)
}

// ofPod explains a pod, and with --node only that node counts.
func (f *explainFlags) ofPod(c *cobra.Command, s *openedAt, pod string) error {
	p := newProgress(c, "explaining "+pod)
	doc, err := explainAt(s, f.whom.qualify(pod), f.node)
	p.done()
	if err != nil {
		return err
	}
	doc.verbose = f.verbose
	if err := f.out.print(c, doc, doc.text); err != nil {
		return err
	}
	if doc.NodeVerdict != nil {
		return answer(doc.NodeVerdict.Feasible)
	}
	return answer(doc.Verdict == "placed")
}
