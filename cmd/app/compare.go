package app

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orrery/core/answers/compare"
	"orrery/core/answers/price"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/queue"
	modelled "orrery/core/scheduler/release"
	"orrery/core/trace"
	"orrery/core/trace/play"
)

func compareCommand(plugins framework.Registry) *cobra.Command {
	var (
		out   output
		files []string
		fill  bool
		rule  queue.RequeueRule
		gates []string
		as    []string

		prices pricesFlags
	)
	c := &cobra.Command{
		Use:   "compare [--config FILE...] [--kubernetes RELEASE...] TRACE",
		Short: "Schedule the same arrivals under several configurations, and compare",
		Long: `Compare takes from a trace what came, what went and what nodes did, and nothing of what was decided. It
lets a scheduler of each configuration place it, and puts side by side how long pods waited, how nodes were
used and how much of what is free is fragmented.

A configuration is a file with a KubeSchedulerConfiguration, or the word "default". One alone is compared
with the configuration that the trace was recorded with.

The verdict at the end says which configuration left fewer pods waiting and at what cost. Each is simulated under
three seeds, which choose otherwise among equally good nodes: what another seed alone gives is named apart.
` + traceHelp + `

With --fill deletions are ignored: then the same arrivals fill the cluster, which tells more about a trace whose
pods are gone sooner than others come.

All decide under the feature gates that the trace was recorded with. --feature-gates sets others, under the
configurations given, and not in "as recorded".

With --kubernetes the scheduler is that of a release, and what differs is what an upgrade changes. Given more than once, every
configuration is compared under each; without --config that is the configuration of the trace. It is said, too, which pods land elsewhere,
wait longer, are preempted or stay pending, of which owners, and which rules and feature gates make the difference: they are turned off in turn.

With --requeue-rule moveRequestCycle failed pods are requeued the legacy way (pre-QueueingHint: any event retries
all pods), under the configurations given, and not in "as recorded".

"As recorded" is the configuration of the trace, and is simulated anew like the others: it differs from the decisions
that the trace has where timing does.

With --prices or --price-label it is said what the nodes in use cost: those with a pod that is no daemon set's.

The exit code is 1 when with --kubernetes a pod is preempted or left pending that is not under the first release, and when the trace is
damaged: what was read of it is compared.`,
		Example: `  orrery compare --config spread.yaml --config pack.yaml morning-rush
  orrery compare --config pack.yaml --fill openb.orrery
  orrery compare --kubernetes 1.35 --kubernetes 1.37 morning-rush
  orrery compare --config a.yaml monday.orrery -o json | jq .verdict`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeTrace,
		RunE: func(c *cobra.Command, args []string) error {
			rec, err := openTrace(c, args[0])
			if err != nil {
				return err
			}
			defer rec.Close()
			header, from, err := headerOf(rec)
			if err != nil {
				return fmt.Errorf("reading %s: %w", rec.name, err)
			}
			configurations, given, err := configurationsOf(c, files, gates, as, header)
			if err != nil {
				return err
			}
			if c.Flags().Changed(requeueRuleFlag) {
				setRequeueRule(configurations[len(configurations)-given:], rule)
			}
			priceList, err := prices.read()
			if err != nil {
				return err
			}
			p := newProgress(c, "scheduling "+rec.name)
			defer p.done()
			comparison, err := compare.Traces(p.reading(from, rec.size), configurations, compare.Options{
				Plugins: plugins, Fill: fill, Prices: priceList, Upgrades: upgradesIn(configurations, given, len(as)),
				Progress: func(name string, seed, done, total int) {
					p.update(func() string { return fmt.Sprintf("%s, seed %d, %d%%", name, seed, 100*done/max(1, total)) })
				},
			})
			if err != nil {
				return fmt.Errorf("%s: %w", rec.name, err)
			}
			p.done()
			doc := newComparison(rec.name, fill, comparison, configurations)
			if err := out.print(c, doc, doc.text); err != nil {
				return err
			}
			return exitFor(doc.Damage.harmless() && !slices.ContainsFunc(doc.Upgrades, func(u upgradeDocument) bool { return u.Worse }))
		},
	}
	c.Flags().StringArrayVar(&files, "config", nil, "a KubeSchedulerConfiguration `FILE`, or default; give it once for each")
	addRequeueRule(c.Flags(), &rule, "under each --config, "+requeueRuleUsage+"; by default that of the trace")
	c.Flags().StringSliceVar(&gates, "feature-gates", nil, "feature `gates` under each --config, as in A=true,B=false; all others are those of the trace")
	c.Flags().BoolVar(&fill, "fill", false, "ignore deletions of pods, so that the cluster fills up")
	c.Flags().StringArrayVar(&as, kubernetesFlag, nil, "decide as this `release` of Kubernetes, such as "+modelled.Newest.String()+"; give it once for each")
	c.MarkFlagsOneRequired("config", kubernetesFlag)
	prices.addFlags(c)
	out.addFlag(c)
	return c
}

// setRequeueRule sets the requeue rule of configurations and adds it to their names.
func setRequeueRule(configurations []compare.Configuration, rule queue.RequeueRule) {
	for i := range configurations {
		c := &configurations[i]
		c.RequeueRule = rule
		c.Name += ", " + rule.String()
	}
}

// configurationsOf reads the configurations to compare, under the trace's feature gates with the given ones set, and each under every
// release. It compares a single one with the trace's configuration, which then comes first; given is the number of the others.
func configurationsOf(c *cobra.Command, files, gates, as []string, recorded trace.Header) (all []compare.Configuration, given int, err error) {
	options, err := play.OptionsOf(recorded)
	if err != nil {
		return nil, 0, err
	}
	releases, err := releasesOf(as, options.Config.Features.Release())
	if err != nil {
		return nil, 0, err
	}
	for _, r := range releases {
		features := featuresIn(c, options.Config.Features, r, " of the trace")
		if features, err = config.ParseFeatureFlagOf(r, append(features.Changed(), gates...)...); err != nil {
			return nil, 0, fmt.Errorf("--feature-gates: %w", err)
		}
		under := ""
		if len(as) > 0 {
			under = "Kubernetes " + r.String()
		}
		if len(files) == 0 {
			configuration, err := options.Config.In(features)
			if err != nil {
				return nil, 0, err
			}
			all = append(all, compare.Configuration{Name: under, Config: configuration, RequeueRule: options.RequeueRule})
		}
		for _, file := range files {
			one, err := configurationOf(file, under, features, all)
			if err != nil {
				return nil, 0, err
			}
			one.RequeueRule = options.RequeueRule
			all = append(all, one)
		}
	}
	given = len(all)
	if given == 1 {
		all = slices.Insert(all, 0, compare.Configuration{Name: "as recorded", Config: options.Config, RequeueRule: options.RequeueRule})
	}
	return all, given, nil
}

// upgradesIn pairs each configuration under a release with the same one under the first release; what alone is given under one, with the
// trace's. The configurations are in the order of the releases.
func upgradesIn(configurations []compare.Configuration, given, releases int) []compare.Pair {
	if releases == 0 {
		return nil
	}
	per := max(1, given/releases)
	if given == 1 {
		per = 1 // "as recorded" comes first
	}
	var pairs []compare.Pair
	for to := per; to < len(configurations); to++ {
		pairs = append(pairs, compare.Pair{From: to % per, To: to})
	}
	return pairs
}

// releasesOf reads --kubernetes; without it there is the recorded release.
func releasesOf(as []string, recorded modelled.Release) ([]modelled.Release, error) {
	if len(as) == 0 {
		return []modelled.Release{recorded}, nil
	}
	var all []modelled.Release
	for _, text := range as {
		r, err := modelled.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("--%s: %w", kubernetesFlag, err)
		}
		if slices.Contains(all, r) {
			return nil, fmt.Errorf("--%s: %v is given twice", kubernetesFlag, r)
		}
		all = append(all, r)
	}
	return all, nil
}

// configurationOf reads the configuration of a file, under a release if one is named. Its name is none of the others'.
func configurationOf(file, under string, features config.Features, others []compare.Configuration) (one compare.Configuration, err error) {
	one = compare.Configuration{Name: "default", Config: config.Default(features)}
	if file != "default" {
		if one.Config, err = readConfig(file, features); err != nil {
			return one, err
		}
		one.Name = printable.Line(filepath.Base(file), 40)
	}
	if under != "" {
		under = ", " + under
	}
	if slices.ContainsFunc(others, func(c compare.Configuration) bool { return c.Name == one.Name+under }) {
		one.Name = printable.Line(file, 60)
	}
	one.Name += under
	return one, nil
}

// comparisonDocument is the result of compare. Shares are from 0 to 1, series are evenly spaced from the start to the
// end.
type comparisonDocument struct {
	envelope
	Trace string `json:"trace"`
	// Fill says that deletions were left out, and that series are over the arrivals.
	Fill bool `json:"fill"`
	// Decision is how long each decision takes.
	Decision float64           `json:"decisionSeconds"`
	Start    moment            `json:"start"`
	End      moment            `json:"end"`
	Pods     int               `json:"pods"`
	Nodes    int               `json:"nodes"`
	Typical  []typicalDocument `json:"typicalPods"`
	Results  []resultDocument  `json:"results"`
	Verdict  verdictDocument   `json:"verdict"`
	// Upgrades are what each release changes for pods, against the first one, with --kubernetes.
	Upgrades []upgradeDocument `json:"upgrades"`
	Damage   *damageDocument   `json:"damage,omitempty"`

	length, decision time.Duration
}

type typicalDocument struct {
	Requests map[string]string `json:"requests"`
	Share    float64           `json:"share"`
}

func newComparison(name string, fill bool, c *compare.Comparison, configurations []compare.Configuration) *comparisonDocument {
	doc := &comparisonDocument{
		envelope: document("Comparison"), Trace: name, Fill: fill, Start: momentOf(c.Start), End: momentOf(c.End),
		Pods: c.Pods, Nodes: c.Nodes, Decision: c.Decision.Seconds(), Typical: []typicalDocument{}, Results: []resultDocument{},
		Upgrades: []upgradeDocument{}, Damage: damageOf(c.Damage),
		length: c.End.Sub(c.Start), decision: c.Decision,
	}
	for _, t := range c.Typical {
		doc.Typical = append(doc.Typical, typicalDocument{amounts(t.Requests), rounded(t.Share)})
	}
	for i := range c.Results {
		doc.Results = append(doc.Results, resultOf(&c.Results[i], configurations[i].Config.Features))
	}
	doc.Verdict = verdictOf(c)
	for i := range c.Upgrades {
		u := &c.Upgrades[i]
		doc.Upgrades = append(doc.Upgrades, upgradeOf(u, configurations[u.From], configurations[u.To]))
	}
	return doc
}

// gates returns the feature gates that are not at their defaults, in one line.
func (r *resultDocument) gates() string {
	return printable.Line(strings.Join(r.FeatureGates, ","), 200)
}

// rounded rounds a share to a millionth.
func rounded(x float64) float64 { return math.Round(1e6*x) / 1e6 }

func allRounded(all []float64) []float64 {
	list := make([]float64, len(all))
	for i, x := range all {
		list[i] = rounded(x)
	}
	return list
}

// text writes a table with a column for each configuration, and the series as sparklines.
func (d *comparisonDocument) text(w io.Writer) {
	d.Damage.headline(w, d.Trace)
	over := "over " + durationText(d.length)
	if d.Fill {
		over = "filling up"
	}
	fmt.Fprintf(w, "%s: %s on %s, %s, under %s\n", d.Trace, countText(d.Pods, "pod"), countText(d.Nodes, "node"), over, countText(len(d.Results), "configuration"))
	if gates, same := d.commonGates(); same && gates != "" {
		fmt.Fprintf(w, "  all under the feature gates %s\n", gates)
	}
	fmt.Fprintf(w, "  each decision takes %s\n\n", durationText(d.decision))
	writeTable(w, "  ", d.table())
	fmt.Fprintf(w, "\nFrom start to end\n")
	writeTable(w, "  ", d.curves())
	d.Verdict.text(w)
	for i := range d.Upgrades {
		u := &d.Upgrades[i]
		fmt.Fprintf(w, "\nWhat %s changes for pods, against %s\n", strconv.Quote(u.To), strconv.Quote(u.From))
		u.text(w)
	}
	d.Damage.text(w)
}

func (d *comparisonDocument) table() [][]string {
	table := [][]string{{""}}
	for i := range d.Results {
		table[0] = append(table[0], d.Results[i].Configuration)
	}
	line := func(name string, value func(r *resultDocument) string) {
		row := []string{name}
		for i := range d.Results {
			row = append(row, value(&d.Results[i]))
		}
		table = append(table, row)
	}
	if _, same := d.commonGates(); !same {
		line("feature gates", func(r *resultDocument) string { return cmp.Or(r.gates(), "default") })
	}
	line("pods placed", func(r *resultDocument) string { return strconv.Itoa(r.Placed) })
	line("never placed", func(r *resultDocument) string { return strconv.Itoa(r.NeverPlaced) })
	line("on other nodes", func(r *resultDocument) string { return strconv.Itoa(r.OnOtherNode) })
	line("pending, mean", func(r *resultDocument) string { return durationText(r.pending.Mean) })
	line("pending, p50", func(r *resultDocument) string { return durationText(r.pending.P50) })
	line("pending, p90", func(r *resultDocument) string { return durationText(r.pending.P90) })
	line("pending, p99", func(r *resultDocument) string { return durationText(r.pending.P99) })
	line("pending, max", func(r *resultDocument) string { return durationText(r.pending.Max) })
	line("decisions", func(r *resultDocument) string { return strconv.Itoa(r.Decisions) })
	line("preemptions", func(r *resultDocument) string { return strconv.Itoa(r.Preemptions) })
	line("pods preempted", func(r *resultDocument) string { return strconv.Itoa(r.Victims) })
	for k := range d.resources() {
		name := d.Results[0].Resources[k].Name
		line(name+" requested", func(r *resultDocument) string {
			return percentOf(r.Resources[k].Mean) + ", max " + percentOf(r.Resources[k].Peak)
		})
		line(name+" fragmented", func(r *resultDocument) string { return percentOf(r.Resources[k].Fragmentation) })
	}
	line("fragmentation", func(r *resultDocument) string { return percentOf(r.Fragmentation) })
	line("utilization spread (max-min)", func(r *resultDocument) string { return percentOf(r.Spread) })
	line("utilization deviation", func(r *resultDocument) string { return percentOf(r.Deviation) })
	if d.Results[0].Price != nil {
		line("price of used nodes", func(r *resultDocument) string {
			return price.Sum{Total: r.Price.Mean}.String() + ", max " + price.Sum{Total: r.Price.Peak, Unknown: r.Price.Unknown}.String()
		})
	}
	return table
}

// commonGates returns the feature gates that are not at their defaults, and whether they are the same in all results.
func (d *comparisonDocument) commonGates() (gates string, same bool) {
	gates = d.Results[0].gates()
	return gates, !slices.ContainsFunc(d.Results, func(r resultDocument) bool { return r.gates() != gates })
}

// resources returns the resources, which are the same in all results.
func (d *comparisonDocument) resources() []resourceDocument {
	if len(d.Results) == 0 {
		return nil
	}
	return d.Results[0].Resources
}

func percentOf(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) + "%" }

// curves returns the series, one line for each configuration, on the same scale.
func (d *comparisonDocument) curves() [][]string {
	var table [][]string
	curve := func(name string, series func(r *resultDocument) []float64, say func(float64) string) {
		most := 0.0
		for i := range d.Results {
			for _, x := range series(&d.Results[i]) {
				most = max(most, x)
			}
		}
		for i := range d.Results {
			table = append(table, []string{name, d.Results[i].Configuration, sparkline(series(&d.Results[i]), most), "of " + say(most)})
			name = ""
		}
	}
	for k, u := range d.resources() {
		curve(u.Name+" requested", func(r *resultDocument) []float64 { return r.Resources[k].Over }, percentOf)
	}
	curve("fragmentation", func(r *resultDocument) []float64 { return r.Fragments }, percentOf)
	curve("pending pods", func(r *resultDocument) []float64 {
		list := make([]float64, len(r.Waiting))
		for i, n := range r.Waiting {
			list[i] = float64(n)
		}
		return list
	}, func(x float64) string { return countText(int64(x), "pod") })
	return table
}

// sparkWidth is the number of characters of a sparkline.
const sparkWidth = 40

// sparkline draws a series in one line; each character shows the highest value of its part.
func sparkline(series []float64, most float64) string {
	blocks := []rune("▁▂▃▄▅▆▇█")
	var line strings.Builder
	for i := range sparkWidth {
		part := series[i*len(series)/sparkWidth : max(i*len(series)/sparkWidth, (i+1)*len(series)/sparkWidth)]
		if len(part) == 0 {
			continue
		}
		level := 0
		if most > 0 {
			level = int(math.Round(slices.Max(part) / most * float64(len(blocks)-1)))
		}
		line.WriteRune(blocks[level])
	}
	return line.String()
}
