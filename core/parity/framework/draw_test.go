package framework

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/parity/difftest"
)

// codes are the plugins' status codes, Success most often.
var codes = []fwk.Code{
	fwk.Success, fwk.Success, fwk.Success, fwk.Success,
	fwk.Skip, fwk.Unschedulable, fwk.UnschedulableAndUnresolvable, fwk.Pending, fwk.Error,
}

var nodeNames = []string{"n1", "n2", "n3"}

// cast is a set of plugins that record their calls in a log, with a configuration.
type cast struct {
	plugins       []*scripted
	configuration *configv1.Plugins
	log           *callLog
}

func newCast(seed uint64, number int) cast {
	d := drawer{rand.New(rand.NewPCG(seed, uint64(number)))}
	c := cast{log: &callLog{}}
	called := []string{"Sort"}
	for i := range 1 + d.IntN(4) {
		name := string(rune('A' + i))
		c.plugins = append(c.plugins, d.plugin(name, nodeNames, c.log))
		called = append(called, name)
	}
	c.configuration = d.configuration(called)
	return c
}

func (c cast) String() string {
	text := difftest.JSON(c.configuration)
	for _, p := range c.plugins {
		text += fmt.Sprintf("\n%+v", *p)
	}
	return text
}

// drawer draws plugins and configurations.
type drawer struct{ *rand.Rand }

func (d drawer) oneIn(n int) bool { return d.IntN(n) == 0 }

func (d drawer) answer(reason string) answer { return answer{codes[d.IntN(len(codes))], reason} }

// verdict draws an answer where Skip is invalid.
func (d drawer) verdict(reason string) answer {
	a := d.answer(reason)
	if a.code == fwk.Skip {
		a.code = fwk.Error
	}
	return a
}

func (d drawer) plugin(name string, nodes []string, log *callLog) *scripted {
	p := &scripted{
		name: name, log: log,
		preFilter: d.answer("prefilter " + name), postFilter: d.verdict("postfilter " + name), preScore: d.answer("prescore " + name),
		reserve: d.verdict("reserve " + name), permit: d.verdict("permit " + name), preFlight: d.answer("preflight " + name),
		preBind: d.verdict("prebind " + name), bind: d.answer("bind " + name), addPod: d.verdict("addpod " + name),
		scores: map[string]int64{}, filters: map[string]answer{},
	}
	if d.oneIn(6) {
		p.permit, p.wait = answer{fwk.Wait, "wait"}, time.Minute
	}
	if d.oneIn(6) {
		p.score = d.verdict("score " + name)
	}
	if d.oneIn(6) {
		p.normalize = d.verdict("normalize " + name)
	}
	for _, node := range nodes {
		p.scores[node] = int64(d.IntN(101)) - 1 // from one below to one above the valid scores, after normalising
		for pods := range 3 {
			p.filters[fmt.Sprint(node, pods)] = d.verdict("filter " + name + node)
		}
		if d.oneIn(6) {
			p.only = append(p.only, node)
		}
	}
	if d.oneIn(3) {
		p.nominate = &fwk.NominatingInfo{NominatingMode: fwk.NominatingMode(d.IntN(2)), NominatedNodeName: name}
	}
	return p
}

// list names up to most plugins, sometimes one of them twice.
func (d drawer) list(most int, names ...string) (list []configv1.Plugin) {
	for range d.IntN(most + 1) {
		e := configv1.Plugin{Name: names[d.IntN(len(names))]}
		if d.oneIn(2) {
			e.Weight = weight(d.IntN(4))
		}
		known := slices.ContainsFunc(list, func(other configv1.Plugin) bool { return other.Name == e.Name })
		if !known || d.oneIn(8) {
			list = append(list, e)
		}
	}
	return list
}

func (d drawer) configuration(names []string) *configv1.Plugins {
	c := &configv1.Plugins{}
	if d.oneIn(3) {
		c.MultiPoint.Enabled = append([]configv1.Plugin{{Name: "Sort"}}, d.list(5, names...)...)
	} else {
		for _, name := range names {
			c.MultiPoint.Enabled = append(c.MultiPoint.Enabled, configv1.Plugin{Name: name, Weight: weight(d.IntN(3))})
		}
	}
	for _, set := range []*configv1.PluginSet{&c.Filter, &c.Score, &c.PreFilter, &c.Reserve, &c.Bind} {
		if d.oneIn(3) {
			set.Disabled = d.list(2, append(slices.Clone(names), "*")...)
		}
		if !d.oneIn(3) {
			continue
		}
		set.Enabled = d.list(3, names...)
		if d.oneIn(10) {
			set.Enabled = append(set.Enabled, configv1.Plugin{Name: "Missing"})
			continue
		}
		// The sorter does not implement these points: enabling it there is an error.
		set.Enabled = slices.DeleteFunc(set.Enabled, func(e configv1.Plugin) bool { return e.Name == "Sort" && !d.oneIn(10) })
	}
	return c
}

func weight(w int) *int32 {
	as := int32(w)
	return &as
}
