package compare

import (
	"errors"
	"fmt"
	"io"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/config"
	"orrery/core/framework"
	"orrery/core/trace"
)

// Configuration is one way to schedule, and what it is called.
type Configuration struct {
	Name   string
	Config *config.Configuration
}

// Options say how to compare. The zero value will do.
type Options struct {
	// Plugins are third-party plugins.
	Plugins framework.Registry
	// Samples is how many moments the nodes are looked at; zero is 200.
	Samples int
	// Fill leaves out that pods leave, so that the cluster fills up with everything that ever came. Moments are then
	// evenly spaced over the arrivals and not over time.
	Fill bool
	// Progress, if not nil, is called now and then with how many inputs of a configuration's simulation were played.
	Progress func(configuration string, done, total int)
}

const samplesDefault = 200

// Comparison is what several configurations make of the same arrivals.
type Comparison struct {
	// Start is the first arrival and End the last input.
	Start, End time.Time
	// Pods is how many came, Nodes the most there were at a sample.
	Pods, Nodes int
	// Typical are the request vectors that fragmentation is measured by.
	Typical []Typical
	// Results are in the order of the configurations; the first is what others are compared with.
	Results []Result
	// Damage is where the trace could not be read any further; nil for a whole one.
	Damage *trace.Damage
}

// Typical is what many pods ask for.
type Typical struct {
	Requests v1.ResourceList
	// Share of all pods, from 0 to 1.
	Share float64
}

// Result is what one configuration makes of the arrivals.
type Result struct {
	Name string
	// Pending is how long pods waited for their first node; NeverPlaced found none before they left or all was over.
	Pending     Pending
	NeverPlaced int
	// Placements counts every time a pod was given a node, Decisions every attempt. Preemptions made room for a pod, and
	// Victims left for them.
	Placements, Decisions, Preemptions, Victims int
	// Elsewhere is how many pods were first placed on another node than by the first configuration.
	Elsewhere int
	// Resources are those that typical pods ask for: cpu and memory first, then by name.
	Resources []Resource
	// Fragmentation is the mean over the resources and the samples, FragmentationOver over the resources at each.
	Fragmentation     float64
	FragmentationOver []float64
	// Spread and Deviation are means over the samples.
	Spread, Deviation float64
	// Waiting is how many pods had no node at each sample.
	Waiting []int
}

// Pending are the quantiles of how long pods waited for their first node.
type Pending struct {
	// Pods is how many were placed.
	Pods                     int
	Mean, P50, P90, P99, Max time.Duration
}

// Resource is how one resource was used: shares of what all nodes have, from 0 to 1.
type Resource struct {
	Name v1.ResourceName
	// Mean and Peak are over the samples, Over is at each.
	Mean, Peak float64
	Over       []float64
	// Fragmentation is the mean over the samples.
	Fragmentation float64
}

// Traces compares configurations by the arrivals of a trace. A trace that is damaged counts up to there.
func Traces(from io.Reader, configurations []Configuration, o Options) (*Comparison, error) {
	if len(configurations) == 0 {
		return nil, errors.New("comparing configurations: none is given")
	}
	if o.Samples <= 0 {
		o.Samples = samplesDefault
	}
	w, err := readWorkload(from, o.Fill)
	if err != nil {
		return nil, fmt.Errorf("comparing configurations: %w", err)
	}
	c := &Comparison{Start: w.start, End: w.end, Pods: w.pods, Typical: w.typical.list(), Damage: w.damage}
	var first map[podKey]string
	for i, configuration := range configurations {
		s, err := simulate(w, configuration, o)
		if err != nil {
			return nil, fmt.Errorf("comparing configurations: %q: %w", configuration.Name, err)
		}
		result := s.result(configuration.Name)
		places := s.places()
		if i == 0 {
			first = places
		}
		for pod, node := range places {
			if was, placed := first[pod]; placed && was != node {
				result.Elsewhere++
			}
		}
		c.Results = append(c.Results, result)
		c.Nodes = max(c.Nodes, s.samples.nodes)
	}
	return c, nil
}
