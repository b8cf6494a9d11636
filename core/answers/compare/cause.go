package compare

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"orrery/core/answers/cause"
)

// Cause is what makes the difference for pods of an upgrade.
type Cause struct {
	Factors []cause.Factor
	// Pods counts the pods of the upgrade that it explains; Changes those that end otherwise when it alone is turned off, which are more
	// if other causes move them, too.
	Pods, Changes int
}

// maxCauseDecisions bounds the decisions of all simulations that look for causes of one upgrade.
//
//orrery:limit answers; decisions of all simulations that find out what an upgrade's difference is made of; the rest is not tried, which is said
const maxCauseDecisions = 400_000

// explainer finds what of an upgrade makes the difference. It plays the workload to the newer configuration with factors turned off.
type explainer struct {
	workload *workload
	options  Options
	from, to Configuration
	was, is  endings
	upgrade  *Upgrade
}

// explainUpgrade compares two configurations pod by pod.
func explainUpgrade(w *workload, from, to Configuration, o Options) (*Upgrade, error) {
	x := &explainer{workload: w, options: o, from: from, to: to, upgrade: &Upgrade{
		Was: from.Config.Features.Release(), Is: to.Config.Features.Release(), Arrivals: w.pods,
	}}
	var err error
	if x.was, err = x.play(from); err != nil {
		return nil, err
	}
	if x.is, err = x.play(to); err != nil {
		return nil, err
	}
	pods, uids := x.is.changesFrom(x.was)
	x.upgrade.Pods = pods
	all := factors(from, to)
	x.upgrade.Factors = len(all)
	if len(pods) == 0 {
		return x.upgrade, nil
	}
	search := cause.Search[endings]{Try: x.try}
	search.Among(x.possible(all))
	of, counts := search.Attribute(len(uids), func(without endings, pod int) bool {
		kind, differs := without[uids[pod]].changeFrom(x.was[uids[pod]].PodOutcome)
		return !differs || kind > pods[pod].Kind // one that is left pending has a node again, if on another node
	})
	for i, c := range of {
		pods[i].Cause = c
	}
	for i, f := range search.Found {
		x.upgrade.Causes = append(x.upgrade.Causes, Cause{f.Factors, counts[i], f.Changes})
	}
	x.upgrade.Harmless, x.upgrade.NotTried = search.Harmless, append(x.upgrade.NotTried, search.NotTried...)
	return x.upgrade, nil
}

// factors returns what differs between two configurations.
func factors(from, to Configuration) []cause.Factor {
	all := cause.Factors(to.Config.Features, from.Config.Features)
	if !sameConfigured(from, to) {
		all = slices.Insert(all, 0, cause.Factor{Configuration: true})
	}
	return all
}

// sameConfigured reports whether two configurations are the same but for what their releases make of them.
func sameConfigured(from, to Configuration) bool {
	as, err := from.Config.In(to.Config.Features)
	return err == nil && from.RequeueRule == to.RequeueRule && reflect.DeepEqual(as.Profiles, to.Config.Profiles) &&
		reflect.DeepEqual(as.Extenders, to.Config.Extenders) && as.PercentageOfNodesToScore == to.Config.PercentageOfNodesToScore &&
		as.PodInitialBackoffSeconds == to.Config.PodInitialBackoffSeconds && as.PodMaxBackoffSeconds == to.Config.PodMaxBackoffSeconds
}

// possible returns the factors that the newer configuration can be had without.
func (x *explainer) possible(all []cause.Factor) []cause.Factor {
	return slices.DeleteFunc(slices.Clone(all), func(f cause.Factor) bool {
		_, why := x.without([]cause.Factor{f})
		if why != "" {
			x.upgrade.NotTried = append(x.upgrade.NotTried, cause.NotTried{Factor: f, Why: why})
		}
		return why != ""
	})
}

// without returns the newer configuration without some factors, or why it cannot be had.
func (x *explainer) without(off []cause.Factor) (c Configuration, why string) {
	c = x.to
	features, why := cause.Without(c.Config.Features, x.from.Config.Features, off)
	if why != "" {
		return c, why
	}
	if slices.ContainsFunc(off, func(f cause.Factor) bool { return f.Configuration }) {
		c.Config, c.RequeueRule = x.from.Config, x.from.RequeueRule
	}
	in, err := c.Config.In(features)
	if err != nil {
		return c, "what is configured is not valid without it: " + err.Error()
	}
	c.Config, c.Name = in, "without "+off[0].String()
	if len(off) > 1 {
		c.Name += fmt.Sprintf(" and %d more", len(off)-1)
	}
	return c, ""
}

// play plays the workload to a configuration.
func (x *explainer) play(c Configuration) (endings, error) {
	s, err := simulate(x.workload, c, draws{settled: true}, x.options)
	if err != nil {
		return nil, err
	}
	x.upgrade.Simulations++
	x.upgrade.Decisions += s.counts.decisions
	return s.endings(), nil
}

// try plays the workload without some factors, unless that goes beyond the bound.
func (x *explainer) try(off []cause.Factor) (without endings, changes int, why string) {
	if bound := cmp.Or(x.options.CauseDecisions, maxCauseDecisions); x.upgrade.Decisions+x.upgrade.Decisions/max(1, x.upgrade.Simulations) > bound {
		return nil, 0, "the simulations before took too many decisions"
	}
	c, why := x.without(off)
	if why != "" {
		return nil, 0, why
	}
	without, err := x.play(c)
	if err != nil {
		return nil, 0, err.Error()
	}
	return without, x.is.changed(without), ""
}
