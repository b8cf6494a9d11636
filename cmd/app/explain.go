package app

import (
	"github.com/spf13/cobra"
	"k8s.io/client-go/tools/clientcmd"

	"orrery/core/scheduler/framework"
)

// explainFlags are the flags of explain.
type explainFlags struct {
	out     output
	whom    target
	node    string
	now     bool
	verbose bool
	again   bool
	all     bool
}

func explainCommand(plugins framework.Registry) *cobra.Command {
	f := explainFlags{out: output{names: true}}
	c := &cobra.Command{
		Use:   "explain [POD | KIND/NAME]",
		Short: "Say why a pod is pending, or why it is where it is, and what would help",
		Long: `Explain asks the scheduler about a pod: the very code that decides answers. Of a pod that waits it says what keeps it from its node; of one that was placed, where it
is, since when, and what was weighed then, if that is recorded. --now asks where such a pod would go if it had no node.

POD is a name, or NAMESPACE/NAME; a kind and a name can be two words, as kubectl has them. Without one, all pending pods are explained, by owner and cause, the
largest group first; with an owner, as in deploy/web, its pending pods. Of a workload it explains the gangs, whose pods are bound
together, or the one of a group, as in workload/train/workers: why each is pending, and what would let it be scheduled. Of a podgroup or a compositepodgroup
of Kubernetes 1.37 it says who is missing and why, and whether the pods fit into one domain of its topology, or which domain lacks least. Of a node it says what keeps
the pods that wait from it, and of a claim, as in pvc/data, what it waits for and which pods that keeps waiting. ` + targetHelp + `

With --trace the scheduler is asked at a moment of it; without --at that is its end.
` + traceHelp + `
` + momentHelp + `

With --attach the scheduler that runs is asked, by its own state: where the pod stands in which queue, and when its turn is expected.

An answer fits a page of 25 lines; -v has all of it.

The exit code is 0 for a pod that has its node, or has ended. It is 1 for one without a node that would get none, that its gates, its gang,
its claims or victims that terminate hold, that is being deleted, or that no scheduler looks at, as none leads; with --node, when that node is not
feasible; without a pod, when pods are pending; and when the trace is damaged.`,
		Example: `  orrery explain payment-7d4x9 -n shop
  orrery explain                        # why is anything pending?
  orrery explain deploy payment -n shop
  orrery explain workload/maps --trace gang-deadlock --at +6m15s
  orrery explain payment-7d4x9 -n shop --watch
  orrery explain payment-7d4x9 -n shop --attach  # 14th of 312
  orrery explain huge --trace incident.orrery --at 09:12 -v
  orrery explain shop/web-0 --trace incident.orrery --at 09:12:30 --node n7
  orrery explain shop/web-0 --trace incident.orrery -o json | jq -r .summary`,
		Args:              oneOrKindAndName,
		ValidArgsFunction: completer{&f.whom, plugins}.explained,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 2 {
				args = []string{args[0] + "/" + args[1]}
			}
			if f.all { // as with kubectl it outweighs -n
				f.whom.flags.overrides.Context.Namespace = ""
			}
			if f.again {
				return f.watch(c, plugins, args)
			}
			doc, err := f.ask(c, plugins, args)
			if err != nil {
				return err
			}
			if err := doc.print(c, &f.out); err != nil {
				return err
			}
			return exitFor(doc.Yes && doc.Damage == nil)
		},
	}
	f.whom.flag(c, true)
	c.Flags().StringVar(&f.node, "node", "", "say why the pod is not on this node, with what every plugin says of it")
	c.Flags().BoolVar(&f.now, "now", false, "of a pod that has its node: say where it would go if it had none")
	_ = c.RegisterFlagCompletionFunc("node", completer{&f.whom, plugins}.nodes)
	_ = c.RegisterFlagCompletionFunc(clientcmd.FlagNamespace, completer{&f.whom, plugins}.namespaces)
	c.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "all of it: what a page has no room for, and the messages of the scheduler and its plugins in full, as events have them")
	c.Flags().BoolVarP(&f.again, "watch", "w", false, "of a cluster: answer again when the answer is another, until nothing waits")
	c.Flags().BoolVarP(&f.all, "all-namespaces", "A", false, "of all namespaces, which is so without -n, too")
	f.out.addFlag(c)
	return c
}

// oneOrKindAndName accepts one argument at most, or a kind and a name.
func oneOrKindAndName(c *cobra.Command, args []string) error {
	if len(args) == 2 {
		if _, _, ok := cutKind(args[0] + "/" + args[1]); ok {
			return nil
		}
	}
	return cobra.MaximumNArgs(1)(c, args)
}

// ask answers about a pod, or without one about all pending pods or those of an owner.
func (f *explainFlags) ask(c *cobra.Command, plugins framework.Registry, args []string) (*answerDocument, error) {
	s, err := f.whom.openAt(c, plugins)
	if err != nil {
		return nil, err
	}
	warn(c, refusals(s.Engine().Refusals())...)
	if lease, elects := f.whom.leaseOf(c, s.configuration); elects {
		if err := s.readLeader(c, lease); err != nil {
			return nil, err
		}
	}
	p := newProgress(c, "explaining")
	defer p.done()
	doc, err := f.explained(s, args)
	if err != nil {
		return nil, err
	}
	joinKueue(c, s, doc)
	doc.verbose = f.verbose
	return doc, nil
}
