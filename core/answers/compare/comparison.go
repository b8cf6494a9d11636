package compare

import (
	"errors"
	"fmt"
	"io"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/price"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/queue"
	"orrery/core/trace"
)

// Configuration is a scheduler configuration with a name.
type Configuration struct {
	Name   string
	Config *config.Configuration
	// RequeueRule is the rule by which failed pods are requeued.
	RequeueRule queue.RequeueRule
}

// Options configure a comparison. The zero value is valid.
type Options struct {
	// Plugins are third-party plugins.
	Plugins framework.Registry
	// Samples is the number of moments at which nodes are sampled; zero means 200.
	Samples int
	// Fill leaves out the deletions of pods, so that the cluster fills up. The samples are then evenly spaced over the
	// arrivals and not over time.
	Fill bool
	// Prices are those of nodes, if they are known.
	Prices *price.Prices
	// Upgrades are pairs of configurations of which it is found out what makes the difference.
	Upgrades []Pair
	// CauseDecisions bounds the decisions that are made to find that out; zero means 400,000.
	CauseDecisions int
	// Progress, if not nil, is called from time to time, by several goroutines, with the number of inputs played to a configuration, under
	// the seed of this number.
	Progress func(configuration string, seed, done, total int)
}

const samplesDefault = 200

func (o Options) withDefaults() Options {
	if o.Samples <= 0 {
		o.Samples = samplesDefault
	}
	if o.Progress == nil {
		o.Progress = func(string, int, int, int) {}
	}
	return o
}

// Comparison compares several configurations on the same workload.
type Comparison struct {
	// Start is the first arrival and End the last input.
	Start, End time.Time
	// Pods is the number of arrivals, Nodes the largest number of nodes at a sample.
	Pods, Nodes int
	// Decision is how long each decision takes.
	Decision time.Duration
	// Typical are the request vectors for measuring fragmentation.
	Typical []Typical
	// Seeds is the number of seeds under which each configuration was simulated. The results are those of the first,
	// which is the trace's own.
	Seeds int
	// Results are in the order of the configurations; the first is the baseline.
	Results []Result
	// Upgrades are those of the options.
	Upgrades []Upgrade
	// Damage is where the trace could not be read any further; nil for a whole one.
	Damage *trace.Damage
}

// Typical is a frequent request vector.
type Typical struct {
	Requests v1.ResourceList
	// Share of all pods, from 0 to 1.
	Share float64
}

// Result is the outcome of one configuration.
type Result struct {
	Name string
	// Pending is how long pods waited for their first node; NeverPlaced counts those that never had one.
	Pending     Pending
	NeverPlaced int
	// Placements counts bindings, Decisions scheduling attempts, Preemptions the attempts that preempted, and Victims
	// the preempted pods.
	Placements, Decisions, Preemptions, Victims int
	// OtherNode counts pods whose first node differs from the one of the first configuration.
	OtherNode int
	// Resources are those that typical pods request: cpu and memory first, then by name.
	Resources []Resource
	// Fragmentation is the mean over resources and samples, FragmentationSeries over the resources at each sample.
	Fragmentation       float64
	FragmentationSeries []float64
	// Spread and Deviation are means over the samples.
	Spread, Deviation float64
	// PendingSeries is the number of pending pods at each sample.
	PendingSeries []int
	// Price is nil without prices.
	Price *Price
	// BySeed are the figures under each seed.
	BySeed []Figures
}

// Pending has the mean and quantiles of the waits of pods for their first node.
type Pending struct {
	// Pods is the number of placed pods.
	Pods                     int
	Mean, P50, P90, P99, Max time.Duration
}

// Resource is the utilization of a resource: shares of the nodes' allocatable, from 0 to 1.
type Resource struct {
	Name v1.ResourceName
	// Mean and Peak are over the samples, Series has each.
	Mean, Peak float64
	Series     []float64
	// Fragmentation is the mean over the samples.
	Fragmentation float64
}

// Traces compares configurations on the workload of a trace. A damaged trace is read up to the damage.
func Traces(from io.Reader, configurations []Configuration, o Options) (*Comparison, error) {
	if len(configurations) == 0 {
		return nil, errors.New("comparing configurations: none is given")
	}
	w, err := readWorkload(from, o.Fill)
	if err != nil {
		return nil, fmt.Errorf("comparing configurations: %w", err)
	}
	return compareOn(w, configurations, o)
}

// compareOn compares configurations on a workload.
func compareOn(w *workload, configurations []Configuration, o Options) (*Comparison, error) {
	o = o.withDefaults()
	c := &Comparison{Start: w.start, End: w.end, Pods: w.pods, Decision: w.decision, Typical: w.typical.list(), Damage: w.damage}
	if err := c.simulateAll(w, configurations, o); err != nil {
		return nil, err
	}
	for _, pair := range o.Upgrades {
		u, err := explainUpgrade(w, configurations[pair.From], configurations[pair.To], o)
		if err != nil {
			return nil, fmt.Errorf("comparing configurations: what makes the difference between %q and %q: %w",
				configurations[pair.From].Name, configurations[pair.To].Name, err)
		}
		u.Pair = pair
		c.Upgrades = append(c.Upgrades, *u)
	}
	return c, nil
}
