package app

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/clientcmd"

	"orrery/core/answers/change"
	"orrery/core/answers/fit"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/framework"
)

// fitFlags are the flags of fit.
type fitFlags struct {
	out   output
	whom  target
	files []string
	do    []string
	count bool
	nodes string
	like  string
	pool  string

	pools  poolsFlags
	prices pricesFlags
}

const filenameFlag = "filename"

func fitCommand(plugins framework.Registry) *cobra.Command {
	var f fitFlags
	c := &cobra.Command{
		Use:   "fit -f FILE...",
		Short: "Say whether objects would fit, before they are created",
		Long: `Fit creates the objects of files in a copy of a cluster, and lets the scheduler, the controllers, the
kubelets and the disruption budgets carry on until nothing more happens. It says whether every pod gets a node, and
which, whom they preempt, and what budgets and quotas it costs; or why the first pod gets none, and what would help.
Nothing is created in the cluster or the trace that is asked, and no right to create anything is needed.

A FILE is YAML or JSON as "kubectl apply" takes it, a folder of such files, or - for the standard input, as from
"helm template". Of its kinds those are created that decide where pods go; others are named and skipped. A CronJob
stands for its next run. A Deployment that exists is rolled out.

On a cluster whose API server may be asked to create them with dryRun=All, objects are admitted by it, with its defaults,
webhooks and quotas. Elsewhere they get the defaults of Kubernetes. The answer says which.

With --count it says how many pods of the one workload fit, without preempting others, and what the next one lacks. With
--nodes, --like or --pool it says how few new nodes of a shape the objects need. Both numbers are tried, and so are their neighbours.
A shape is ` + shapeHelp + `.

With --autoscale the nodes are added that an autoscaler would make of the node pools, and what happens with them is the answer. Of
the first pod that has no node it is said which pool could take it, and else the first requirement that contradicts.
` + poolsHelp + `

` + targetHelp + `
With --trace the question is about a moment of it; without --at that is its end.
` + traceHelp + `

` + momentHelp + `

The exit code is 0 if all fits, 1 if it does not or if that hangs on how ties between equally good nodes fall, and 2 if the
input is bad.`,
		Example: `  orrery fit -f job.yaml
  helm template shop ./chart | orrery fit -f - -n shop
  orrery fit -f web.yaml --count --trace monday.orrery --at 09:14
  orrery fit -f train.yaml --nodes cpu=16,memory=64Gi,zone=a
  orrery fit -f train.yaml --like node-7 -o json | jq .nodes.nodes
  orrery fit -f train.yaml --autoscale --pools pools.txt --prices prices.txt
  orrery fit -f job.yaml --context east,west  # which cluster takes it?`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c, plugins) },
	}
	f.whom.flag(c, true)
	_ = c.RegisterFlagCompletionFunc(clientcmd.FlagNamespace, completer{&f.whom, plugins}.namespaces)
	c.Flags().StringArrayVarP(&f.files, filenameFlag, "f", nil, "a `FILE` with objects, a folder of files, or - for the standard input; may be given several times")
	c.Flags().StringArrayVar(&f.do, "do", nil, "a `change` that is made once the objects are created, as whatif takes it; may be given several times")
	c.Flags().BoolVar(&f.count, "count", false, "say how many pods of the workload fit")
	c.Flags().StringVar(&f.nodes, "nodes", "", "say how few nodes of this `shape` the objects need, as in cpu=16,memory=64Gi,zone=a")
	c.Flags().StringVar(&f.like, "like", "", "say how few nodes like this `NODE` the objects need")
	_ = c.RegisterFlagCompletionFunc("like", completer{&f.whom, plugins}.nodes)
	c.Flags().StringVar(&f.pool, "pool", "", "say how few nodes of the node pool of this `name` the objects need, as NAME or, of several sizes, NAME/TYPE")
	f.pools.addFlags(c)
	f.prices.addFlags(c)
	f.out.addFlag(c)
	return c
}

const shapeHelp = `NAME=VALUE with commas between them: resources, as cpu, memory, pods and nvidia.com/gpu; labels, of which zone, region, type,
arch and os are short for the well-known ones; and taint=KEY=VALUE:EFFECT`

func (f *fitFlags) run(c *cobra.Command, plugins framework.Registry) error {
	after, err := f.check()
	if err != nil {
		return err
	}
	contexts := slices.DeleteFunc(strings.Split(f.whom.flags.overrides.CurrentContext, ","), func(name string) bool { return name == "" })
	if len(contexts) > 1 {
		return f.runEach(c, plugins, contexts, after)
	}
	set, err := f.read(c)
	if err != nil {
		return err
	}
	doc, err := f.answer(c, plugins, set, after)
	if err != nil {
		return err
	}
	if err := f.out.print(c, doc, doc.text); err != nil {
		return err
	}
	return exitFor(doc.Fits && doc.Damage == nil)
}

// check checks the flags, and reads the changes among them.
func (f *fitFlags) check() ([]change.Change, error) {
	modes := 0
	for _, given := range []bool{f.count, f.nodes != "", f.like != "", f.pool != "", f.pools.autoscale} {
		if given {
			modes++
		}
	}
	switch {
	case len(f.files) == 0:
		return nil, errors.New(`say what is to fit, as in "orrery fit -f job.yaml"`)
	case modes > 1:
		return nil, errors.New("--count, --nodes, --like, --pool and --autoscale are different questions: give one of them")
	case f.nodes != "":
		if _, err := change.ParseShape(f.nodes, 1); err != nil {
			return nil, fmt.Errorf("--nodes: %w", err)
		}
	}
	if len(f.do) == 0 {
		return nil, nil
	}
	return changesOf(nil, f.do)
}

// answer asks about one source.
func (f *fitFlags) answer(c *cobra.Command, plugins framework.Registry, set *fit.Set, after []change.Change) (*fitDocument, error) {
	s, e, err := f.whom.openEngine(c, plugins)
	if err != nil {
		return nil, err
	}
	doc := newFit(c, s, f)
	o := fit.Options{After: after, Again: doc.Command}
	if s.cluster != nil {
		set = f.admitted(c, s.cluster, set, doc)
		o.Quotas = readQuotas(c, s.cluster, set, doc)
	} else {
		doc.Notes = append(doc.Notes, "quotas of the cluster are not recorded, and not checked: give them with -f")
	}
	doc.Notes = append(doc.Notes, set.Notes...)
	prices, err := f.prices.read()
	if err != nil {
		return nil, err
	}
	pools, notes, err := f.pools.read(c, s, e)
	if err != nil {
		return nil, err
	}
	doc.Notes = append(doc.Notes, notes...)
	p := newProgress(c, "asking whether it fits")
	defer p.done()
	p.update(func() string { return "letting a copy of the cluster come to rest" })
	q := fitQuestion{f: f, doc: doc, engine: e, set: set, options: o, pools: pools, prices: prices}
	return doc, q.ask(s)
}

// readQuotas reads the quotas of the namespaces of a set.
func readQuotas(c *cobra.Command, from *cluster, set *fit.Set, doc *fitDocument) []*v1.ResourceQuota {
	var quotas []*v1.ResourceQuota
	for _, namespace := range set.Namespaces() {
		list, err := listQuotas(c.Context(), from, namespace)
		if err != nil {
			doc.Notes = append(doc.Notes, fmt.Sprintf("the quotas of namespace %s cannot be read, and are not checked: %s", printable.Line(namespace, 100), printable.Line(err.Error(), 200)))
			continue
		}
		for i := range list {
			quotas = append(quotas, &list[i])
		}
	}
	return quotas
}
