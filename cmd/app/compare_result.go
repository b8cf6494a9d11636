package app

import (
	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/compare"
	"orrery/core/scheduler/config"
)

type resultDocument struct {
	Configuration string             `json:"configuration"`
	Kubernetes    string             `json:"kubernetes"`   // the release that it decides as
	FeatureGates  []string           `json:"featureGates"` // those that are not at their defaults
	Placed        int                `json:"placed"`
	NeverPlaced   int                `json:"neverPlaced"`
	Pending       pendingDocument    `json:"pendingSeconds"`
	Placements    int                `json:"placements"`
	Decisions     int                `json:"decisions"`
	Preemptions   int                `json:"preemptions"`
	Victims       int                `json:"victims"`
	OnOtherNode   int                `json:"onOtherNode"`
	Resources     []resourceDocument `json:"resources"`
	Fragmentation float64            `json:"fragmentation"`
	Fragments     []float64          `json:"fragmentationOverTime"`
	Spread        float64            `json:"utilizationSpread"`
	Deviation     float64            `json:"utilizationDeviation"`
	Waiting       []int              `json:"pendingOverTime"`
	// Price is what the nodes cost that have a pod that is no daemon set's; left out without prices.
	Price *usedPriceDocument `json:"priceOfUsedNodes,omitempty"`

	pending compare.Pending
}

type pendingDocument struct {
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P90  float64 `json:"p90"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
}

type resourceDocument struct {
	Name          string    `json:"name"`
	Mean          float64   `json:"mean"`
	Peak          float64   `json:"max"`
	Fragmentation float64   `json:"fragmentation"`
	Over          []float64 `json:"overTime"`
}

type usedPriceDocument struct {
	// Mean is over the samples.
	Mean float64 `json:"mean"`
	// Peak is the most at a sample.
	Peak float64 `json:"max"`
	// Unknown is the most of them without a price.
	Unknown int `json:"unknown"`
}

func amounts(list v1.ResourceList) map[string]string {
	all := make(map[string]string, len(list))
	for name, q := range list {
		all[string(name)] = q.String()
	}
	return all
}

func resultOf(r *compare.Result, features config.Features) resultDocument {
	p := r.Pending
	doc := resultDocument{
		Configuration: r.Name, Kubernetes: features.Release().String(), FeatureGates: append([]string{}, features.Changed()...), Placed: p.Pods, NeverPlaced: r.NeverPlaced,
		Pending:    pendingDocument{p.Mean.Seconds(), p.P50.Seconds(), p.P90.Seconds(), p.P99.Seconds(), p.Max.Seconds()},
		Placements: r.Placements, Decisions: r.Decisions, Preemptions: r.Preemptions, Victims: r.Victims, OnOtherNode: r.OtherNode,
		Resources: []resourceDocument{}, Fragmentation: rounded(r.Fragmentation), Fragments: allRounded(r.FragmentationSeries),
		Spread: rounded(r.Spread), Deviation: rounded(r.Deviation), Waiting: r.PendingSeries, pending: p,
	}
	if r.Price != nil {
		doc.Price = &usedPriceDocument{rounded(r.Price.Mean), rounded(r.Price.Peak), r.Price.Unknown}
	}
	for _, u := range r.Resources {
		doc.Resources = append(doc.Resources, resourceDocument{string(u.Name), rounded(u.Mean), rounded(u.Peak), rounded(u.Fragmentation), allRounded(u.Series)})
	}
	return doc
}
