package scenario

import (
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/evict/budget"
	"orrery/core/world"
)

// Server is the API server that a story happens on: what a drain needs of it, and a way to make things.
type Server interface {
	budget.Server
	Create(o world.Object) (world.Object, error)
}

// Director has done on an API server what a story asks for, moment by moment. It has no clock: whoever has it says what
// time it is.
type Director struct {
	*Scenario
	server Server
	script []entry // what is still to come
	drains []*convoy
	say    func(text string)
	err    error // of a drain

	created func(*workload) error // is told of workloads that a moment has created
	further []deed                // what else a moment may ask for where the server is simulated
}

// entry is a moment of the story at one of its times.
type entry struct {
	at     time.Time
	moment *moment
}

// deed does what a field of a moment asks for.
type deed struct {
	field string
	do    func(*moment) error
}

// Direct has the story happen on a server from a time on. What the story says, and what there is to say of a drain, goes
// to say.
func (s *Scenario) Direct(server Server, begin time.Time, say func(text string)) *Director {
	as := *s
	as.Start = begin
	d := &Director{Scenario: &as, server: server, say: say, created: func(*workload) error { return nil }}
	for i := range s.file.Story {
		m := &s.file.Story[i]
		for n := range m.times() {
			d.script = append(d.script, entry{begin.Add(m.At.of() + time.Duration(n)*m.Every.of()), m})
		}
	}
	slices.SortStableFunc(d.script, func(a, b entry) int { return a.at.Compare(b.at) })
	return d
}

// Hear tells drains under way of what happened.
func (d *Director) Hear(in world.Input) error {
	for _, c := range d.drains {
		c.hear(in)
	}
	return d.settle()
}

// Pass does whatever is due.
func (d *Director) Pass(now time.Time) error {
	for _, c := range d.drains {
		c.hear(world.Input{At: now, Event: world.Passed{}})
	}
	if err := d.perform(now); err != nil {
		return err
	}
	return d.settle()
}

// perform does what moments ask for whose time has come.
func (d *Director) perform(now time.Time) error {
	for len(d.script) > 0 && !d.script[0].at.After(now) {
		m := d.script[0].moment
		d.script = d.script[1:]
		if m.Say != "" {
			d.say(m.Say)
		}
		if err := d.act(m); err != nil {
			return err
		}
	}
	return nil
}

// settle has drains begin and end.
func (d *Director) settle() error {
	for _, c := range d.drains {
		c.settle(d)
	}
	return d.err
}

// NextWake is when something is due.
func (d *Director) NextWake() (first time.Time, any bool) {
	if len(d.script) > 0 {
		first, any = d.script[0].at, true
	}
	for _, c := range d.drains {
		if at, ok := c.nextWake(); ok && (!any || at.Before(first)) {
			first, any = at, true
		}
	}
	return first, any
}

// create creates objects at the beginning, or when the story says so.
func (d *Director) create(objects ...world.Object) error {
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

func (d *Director) ensureNamespace(name string) error {
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
