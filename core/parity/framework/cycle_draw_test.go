package framework

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// bindingCast is a set of workers with the log of their calls.
type bindingCast struct {
	workers []*worker
	log     *callLog
}

func (c bindingCast) String() string {
	var b strings.Builder
	for _, w := range c.workers {
		fmt.Fprintf(&b, "%+v\nwork %+v, in steps: %v\n", *w.scripted, w.work, w.steps)
	}
	return b.String()
}

func newBindingCast(seed uint64, number int) bindingCast {
	d := drawer{rand.New(rand.NewPCG(seed, uint64(number)))}
	c := bindingCast{log: &callLog{}}
	for i := range 1 + d.IntN(4) {
		c.workers = append(c.workers, d.worker(string(rune('A'+i)), c.log))
	}
	c.failOne()
	return c
}

// failOne lets one of the plugins that work beside each other fail: of several that do at one time, kube-scheduler reports any.
func (c bindingCast) failOne() {
	failing := false
	for _, w := range c.workers {
		if !w.steps {
			continue
		}
		if failing {
			w.preBind = answer{}
			for i := range w.work {
				w.work[i].fails = false
			}
		}
		failing = failing || w.preBind != answer{} || slices.ContainsFunc(w.work, func(one work) bool { return one.fails })
	}
}

// worker draws a plugin that lets the pod be placed, and may fail afterwards.
func (d drawer) worker(name string, log *callLog) *worker {
	p := &scripted{name: name, log: log, preFlight: d.seldom(d.answer("preflight " + name)), bind: d.answer("bind " + name)}
	if d.oneIn(2) {
		p.bind = answer{code: fwk.Skip}
	}
	for _, verdict := range []*answer{&p.reserve, &p.permit, &p.preBind} {
		*verdict = d.seldom(d.verdict("verdict of " + name))
	}
	if d.oneIn(6) {
		// Of several that end at one time, kube-scheduler's timers take any.
		p.permit, p.wait = answer{fwk.Wait, "wait"}, time.Minute+time.Duration(name[0])*time.Second
	}
	w := &worker{scripted: p, steps: !d.oneIn(3)}
	for range d.IntN(4) {
		w.work = append(w.work, work{write: d.oneIn(2), fails: d.oneIn(6)})
	}
	return w
}

// seldom keeps one answer in ten.
func (d drawer) seldom(a answer) answer {
	if d.oneIn(10) {
		return a
	}
	return answer{}
}

// configuration enables the plugins at every extension point.
func (c bindingCast) configuration() *configv1.Plugins {
	plugins := &configv1.Plugins{}
	plugins.MultiPoint.Enabled = []configv1.Plugin{{Name: "Sort"}}
	for _, w := range c.workers {
		plugins.MultiPoint.Enabled = append(plugins.MultiPoint.Enabled, configv1.Plugin{Name: w.name, Weight: weight(1)})
	}
	return plugins
}
