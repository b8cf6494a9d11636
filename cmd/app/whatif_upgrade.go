package app

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"orrery/core/answers/change"
	"orrery/core/answers/compare"
	"orrery/core/answers/whatif"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	modelled "orrery/core/scheduler/release"
	"orrery/core/trace/play"
)

// stretchLength is how much of a recording is scheduled again to say what an upgrade would have changed.
const stretchLength = time.Hour

// nextHour schedules what came in the hour after the moment of a recording, as the release does that it is upgraded to and as the one before. It is nil
// if the changes are no upgrade alone, and if there is nothing after that moment, as in a cluster.
func nextHour(c *cobra.Command, s *openedAt, changes []change.Change, plugins framework.Registry) (*upgradeDocument, error) {
	rest := s.Records()[s.At().Record-s.Start().Record:]
	if len(changes) != 1 || changes[0].Verb != change.Upgrade || s.source != nil || len(rest) == 0 {
		return nil, nil
	}
	as, err := modelled.Parse(changes[0].Name)
	if err != nil {
		return nil, err
	}
	options, err := play.OptionsOf(s.Header())
	if err != nil {
		return nil, err
	}
	now := s.Engine().Features()
	upgraded, _ := now.In(as)
	var pair []compare.Configuration
	for _, features := range []config.Features{now, upgraded} {
		configuration, err := options.Config.In(features)
		if err != nil {
			return nil, err
		}
		pair = append(pair, compare.Configuration{Name: "Kubernetes " + features.Release().String(), Config: configuration, RequeueRule: options.RequeueRule})
	}
	e, err := engineAt(s)
	if err != nil {
		return nil, err
	}
	p := newProgress(c, "scheduling the next hour")
	defer p.done()
	stretch := compare.Stretch{Header: s.Header(), At: s.at, Engine: e, Records: rest, Length: stretchLength}
	upgrade, err := stretch.Upgrade(pair[0], pair[1], compare.Options{
		Plugins: plugins,
		Progress: func(name string, _, done, total int) {
			p.update(func() string { return fmt.Sprintf("%s, %d%%", name, 100*done/max(1, total)) })
		},
	})
	if err != nil {
		return nil, err
	}
	doc := upgradeOf(upgrade, pair[0], pair[1])
	return &doc, nil
}

// addCauses adds what makes the difference of an upgrade.
func (d *whatIfDocument) addCauses(s *openedAt, r *whatif.Result) {
	for _, c := range r.Causes {
		// An upgrade has causes only if it is the one change, and its release was read.
		as, _ := modelled.Parse(r.Changes[0].Name)
		was := s.Engine().Features()
		is, _ := was.In(as)
		one := causeDocument{Differences: []factorDocument{}, Pods: c.Pods, called: c.String()}
		for _, f := range c.Factors {
			one.Differences = append(one.Differences, factorOf(f, is, was))
		}
		d.Causes = append(d.Causes, one)
	}
	for _, n := range r.NotTried {
		d.NotTried = append(d.NotTried, notTriedDocument{n.Factor.String(), n.Why})
	}
}
