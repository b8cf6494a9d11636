package app

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/clientcmd"

	"orrery/core/answers/consolidate"
	"orrery/core/safe/plural"
	"orrery/core/scheduler/framework"
)

// consolidateFlags are the flags of consolidate.
type consolidateFlags struct {
	out      output
	whom     target
	options  consolidate.Options
	keep     string
	until    float64
	duration time.Duration
	prices   pricesFlags
	room     []string
}

func consolidateCommand(plugins framework.Registry) *cobra.Command {
	var f consolidateFlags
	c := &cobra.Command{
		Use:   "consolidate",
		Short: "Say which nodes can be emptied, in which order, and what keeps the others",
		Long: `Consolidate looks for nodes whose pods all find places on the others. It drains them in a copy of the cluster, the emptiest
first, with the scheduler's own rules and the disruption budgets, each on what the one before left; and says in which waves,
where each pod lands, and what keeps the other nodes: a budget, a volume, a pod that no controller would make again, affinity
and spread, an annotation of Karpenter or of the Cluster Autoscaler that forbids it. Nothing is changed in the cluster or the trace.

With --room nodes are emptied that the pods of a file could go to, and no more than it takes for all of them to fit: a whole node, or
one with eight devices together. The emptied nodes are uncordoned then.

The search takes the emptiest node first and never goes back: it need not find the most. How many could be emptied at most by the
sums of requests is said beside it. The plan is printed as commands of kubectl, and as a document with -o json.

` + targetHelp + `
With --trace the question is about a moment of it; without --at that is its end.
` + traceHelp + `

` + momentHelp + `

The exit code is 1 when no node can be emptied, or fewer than --free, or when --room finds none, and when the trace is damaged.`,
		Example: `  orrery consolidate
  orrery consolidate --trace monday.orrery --at 09:14 --free 3
  orrery consolidate --room train.yaml
  orrery consolidate --until 0.8 --keep team=infra --max-moves 100
  orrery consolidate --prices prices.txt -o json | jq .after.price.total`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c, plugins) },
	}
	f.whom.flag(c, false)
	c.Flags().IntVar(&f.options.Free, "free", 0, "how many nodes are enough (default: as many as can be found)")
	c.Flags().Float64Var(&f.until, "until", 0, "the share of cpu or memory, from 0 to 1, that is requested of the nodes that stay when it is enough")
	c.Flags().StringArrayVar(&f.room, "room", nil, "a `FILE` with pods, or with what creates them, that room is to be made for; may be given several times")
	c.Flags().StringVar(&f.keep, "keep", "", "a label `selector` of nodes that are left alone")
	c.Flags().IntVar(&f.options.MaxMoves, "max-moves", 0, "how many pods may be moved at most (default: any number)")
	c.Flags().DurationVar(&f.duration, "for", time.Minute, "how long to search")
	_ = c.RegisterFlagCompletionFunc(clientcmd.FlagNamespace, cobra.NoFileCompletions)
	f.prices.addFlags(c)
	f.out.addFlag(c)
	return c
}

func (f *consolidateFlags) run(c *cobra.Command, plugins framework.Registry) error {
	o, err := f.check()
	if err != nil {
		return err
	}
	prices, err := f.prices.read()
	if err != nil {
		return err
	}
	if o.Room, err = f.roomFor(c); err != nil {
		return err
	}
	s, e, err := f.whom.openEngine(c, plugins)
	if err != nil {
		return err
	}
	p := newProgress(c, "looking for nodes to empty")
	defer p.done()
	o.Progress = func(looked, of, freed int) {
		p.update(func() string {
			return fmt.Sprintf("looked at %d of %s, %d to empty", looked, plural.Count(of, "node"), freed)
		})
	}
	over := time.Now().Add(f.duration)
	o.Stop = func() bool { return time.Now().After(over) }
	plan, err := consolidate.Find(e, o)
	if err != nil {
		return err
	}
	p.done()
	doc := newConsolidation(c, s, plan, e, prices)
	if err := f.out.print(c, doc, doc.text); err != nil {
		return err
	}
	freed := len(plan.Freed())
	if plan.RoomFor > 0 {
		return exitFor(plan.HasRoom && doc.Damage == nil)
	}
	return exitFor(freed > 0 && freed >= o.Free && doc.Damage == nil)
}

// roomFor reads the pods that room is made for.
func (f *consolidateFlags) roomFor(c *cobra.Command) ([]*v1.Pod, error) {
	if len(f.room) == 0 {
		return nil, nil
	}
	files := fitFlags{files: f.room, whom: f.whom}
	set, err := files.read(c)
	if err != nil {
		return nil, err
	}
	return set.Pods()
}

func (f *consolidateFlags) check() (consolidate.Options, error) {
	o := f.options
	switch {
	case o.Free < 0 || o.MaxMoves < 0:
		return o, errors.New("--free and --max-moves are numbers from 1 on")
	case f.until < 0 || f.until > 1:
		return o, fmt.Errorf("--until %v: it is a share from 0 to 1, as 0.8", f.until)
	case f.duration <= 0:
		return o, fmt.Errorf("--for %v: it takes a time, as 30s", f.duration)
	}
	o.Until = f.until
	if f.keep != "" {
		selector, err := labels.Parse(f.keep)
		if err != nil {
			return o, fmt.Errorf("--keep: %w", err)
		}
		o.Keep = selector
	}
	return o, nil
}
