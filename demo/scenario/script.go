package scenario

import (
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/evict/budget"
	"orrery/core/world"
)

// Server is the API server that a scenario runs on.
type Server interface {
	budget.Server
	Create(o world.Object) (world.Object, error)
}

// ScriptRunner runs the steps of a scenario on an API server. It has no clock: its caller gives it the time.
type ScriptRunner struct {
	*Scenario
	server Server
	script []dueMoment // the steps to come
	drains []*rollingDrain
	say    func(text string)
	err    error // of a drain

	created      func(*workload) error                 // is called for workloads that a step has created
	joined       func(g *nodeGroup, node string) error // is called for nodes that a step has added
	extraActions []action                              // actions that need a simulated server
}

// dueMoment is a step at one of its times.
type dueMoment struct {
	at     time.Time
	moment *moment
}

// action runs one field of a step.
type action struct {
	field string
	run   func(*moment) error
}

// NewScriptRunner runs the scenario's steps on a server from a time on. It passes marks and the drains' messages to say.
func (s *Scenario) NewScriptRunner(server Server, begin time.Time, say func(text string)) *ScriptRunner {
	as := *s
	as.Start = begin
	d := &ScriptRunner{
		Scenario: &as, server: server, say: say,
		created: func(*workload) error { return nil }, joined: func(*nodeGroup, string) error { return nil },
	}
	for i := range s.file.Steps {
		m := &s.file.Steps[i]
		for n := range m.times() {
			d.script = append(d.script, dueMoment{begin.Add(m.At.of() + time.Duration(n)*m.Every.of()), m})
		}
	}
	slices.SortStableFunc(d.script, func(a, b dueMoment) int { return a.at.Compare(b.at) })
	return d
}

// Apply passes an input to the drains in progress.
func (d *ScriptRunner) Apply(in world.Input) error {
	for _, c := range d.drains {
		c.apply(in)
	}
	return d.advanceDrains()
}

// Tick runs everything that is due.
func (d *ScriptRunner) Tick(now time.Time) error {
	for _, c := range d.drains {
		c.apply(world.Input{At: now, Event: world.Tick{}})
	}
	if err := d.runDue(now); err != nil {
		return err
	}
	return d.advanceDrains()
}

// runDue runs the steps that are due.
func (d *ScriptRunner) runDue(now time.Time) error {
	for len(d.script) > 0 && !d.script[0].at.After(now) {
		m := d.script[0].moment
		d.script = d.script[1:]
		if m.Mark != "" {
			d.say(m.Mark)
		}
		if err := d.runActions(m); err != nil {
			return err
		}
	}
	return nil
}

// advanceDrains starts and ends drains.
func (d *ScriptRunner) advanceDrains() error {
	for _, c := range d.drains {
		c.advance(d)
	}
	return d.err
}

// NextWake returns when the next step or drain is due.
func (d *ScriptRunner) NextWake() (first time.Time, found bool) {
	if len(d.script) > 0 {
		first, found = d.script[0].at, true
	}
	for _, c := range d.drains {
		if at, ok := c.nextWake(); ok && (!found || at.Before(first)) {
			first, found = at, true
		}
	}
	return first, found
}

// create creates objects and their namespaces.
func (d *ScriptRunner) create(objects ...world.Object) error {
	for _, o := range objects {
		if err := d.ensureNamespace(o.GetNamespace()); err != nil {
			return err
		}
		if _, err := d.server.Create(o); err != nil {
			return fmt.Errorf("the API server refuses it: %w", err)
		}
	}
	return nil
}

func (d *ScriptRunner) ensureNamespace(name string) error {
	if name == "" {
		return nil
	}
	if _, err := d.server.Get(world.Namespace, "", name); err == nil {
		return nil
	}
	ns := &v1.Namespace{}
	ns.Name = name
	_, err := d.server.Create(ns)
	return err
}
