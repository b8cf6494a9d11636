package sim

import (
	"fmt"
	"math/rand/v2"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"orrery/core/leader"
	"orrery/core/world"
)

// Options say what an election is like.
type Options struct {
	// Start is the virtual time of the beginning; 2026-01-01 UTC if zero.
	Start time.Time
	// Seed decides every latency and fault.
	Seed uint64
	// Store holds the Lease; a store of its own if nil.
	Store   Store
	Weather Weather
	// RestartAfter is how long a process takes to come back.
	RestartAfter time.Duration
	// StoppedBelieve counts stopped processes among those that believe that they lead.
	StoppedBelieve bool
	// Noticed, if set, is told what the candidates give notice of.
	Noticed func(r *Replica, n leader.Notice)
	// Observe, if set, is told of every change of the Lease in the simulation's own store, a watch latency later.
	Observe func(world.Input)
}

// Simulation is an election in virtual time.
type Simulation struct {
	options  Options
	start    time.Time
	now      int64
	agenda   agenda
	chance   *rand.Rand
	store    Store
	replicas []*Replica
	watch    int64 // when the last change on its way to the observer gets there

	overlaps []Overlap
	overlap  bool
	steps    uint64
}

// Overlap is a span of time in which two replicas or more believed that they lead.
type Overlap struct {
	From, Until time.Time
	// Leaders are the identities of those that believed so at its beginning.
	Leaders []string
}

// New is an election without replicas.
func New(o Options) *Simulation {
	if o.Start.IsZero() {
		o.Start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	s := &Simulation{options: o, start: o.Start, store: o.Store, chance: rand.New(rand.NewPCG(o.Seed, 1))}
	if s.store == nil {
		leases := NewLeases()
		leases.Changed = s.publish
		s.store = leases
	}
	return s
}

// Add adds a replica that starts now. Its clock is wrong by offset and goes at rate times the true rate.
func (s *Simulation) Add(settings leader.Settings, offset time.Duration, rate float64) (*Replica, error) {
	if err := settings.Check(); err != nil {
		return nil, fmt.Errorf("adding the replica %q: %w", settings.Identity, err)
	}
	if rate <= 0 {
		return nil, fmt.Errorf("adding the replica %q: its clock must go forward, not at a rate of %v", settings.Identity, rate)
	}
	r := &Replica{
		sim: s, settings: settings,
		clock: clock{rate: partsPerMillion(rate), from: s.now, local: s.now + int64(offset)},
	}
	s.replicas = append(s.replicas, r)
	s.visit(r)
	r.begin()
	s.judge()
	return r, nil
}

// Replicas are those added, in that order.
func (s *Simulation) Replicas() []*Replica { return s.replicas }

// Store is where the Lease is.
func (s *Simulation) Store() Store { return s.store }

// Now is the virtual time.
func (s *Simulation) Now() time.Time { return s.at(s.now) }

// Steps counts what has happened.
func (s *Simulation) Steps() uint64 { return s.steps }

// Next is when something happens next.
func (s *Simulation) Next() (time.Time, bool) {
	if len(s.agenda.events) == 0 {
		return time.Time{}, false
	}
	return s.at(s.agenda.events[0].at), true
}

// At puts an act of a script on the agenda.
func (s *Simulation) At(t time.Time, act func()) {
	s.agenda.put(max(s.now, s.since(t)), acts).act = act
}

func (s *Simulation) after(d time.Duration, act func()) { s.agenda.put(s.now+int64(d), acts).act = act }

// Run lets everything happen up to a time, that instant included.
func (s *Simulation) Run(until time.Time) {
	end := s.since(until)
	for len(s.agenda.events) > 0 && s.agenda.events[0].at <= end {
		e := s.agenda.take()
		s.now = e.at
		s.happen(e)
		s.agenda.done(e)
		s.judge()
		s.steps++
	}
	s.now = max(s.now, end)
}

func (s *Simulation) happen(e *event) {
	if e.kind == acts {
		e.act()
		return
	}
	r := e.replica
	if e.kind == arrives {
		s.serve(r, e.life, e.call)
		return
	}
	if e.life != r.life {
		return
	}
	if e.kind == wakes {
		r.woken(e.at)
		return
	}
	switch {
	case s.now < r.cutOffTo:
	case r.stopped:
		r.held = append(r.held, e.answer)
	default:
		r.candidate.Answer(r.Now(), e.answer)
		r.settle()
	}
}

// send puts a call on its way. Into a cut line it vanishes, and so does its answer.
func (s *Simulation) send(r *Replica, call leader.Call) {
	if s.now < r.cutOffTo {
		return
	}
	e := s.agenda.put(s.now+s.latency(), arrives)
	e.replica, e.life, e.call = r, r.life, call
}

// serve is a call's arrival at the API server.
func (s *Simulation) serve(r *Replica, life uint64, call leader.Call) {
	lease, err := s.carryOut(call)
	if s.hits(s.options.Weather.LoseReply) || s.now < r.cutOffTo {
		return
	}
	e := s.agenda.put(s.now+s.latency(), answers)
	e.replica, e.life, e.answer = r, life, leader.Answered(call, lease, err)
}

func (s *Simulation) carryOut(call leader.Call) (*coordinationv1.Lease, error) {
	if s.hits(s.options.Weather.Refuse) {
		return nil, apierrors.NewInternalError(fmt.Errorf("the API server failed by chance"))
	}
	var o world.Object
	var err error
	switch call.Verb {
	case leader.Get:
		o, err = s.store.Get(world.Lease, call.Namespace, call.Name)
	case leader.Create:
		o, err = s.store.Create(call.Lease)
	case leader.Update:
		if s.hits(s.options.Weather.Outrun) {
			s.touch(call.Namespace, call.Name)
		}
		o, err = s.store.Update(call.Lease)
	}
	if err != nil {
		return nil, err
	}
	return o.(*coordinationv1.Lease), nil
}

// touch is a write by somebody who has no part in the election.
func (s *Simulation) touch(namespace, name string) {
	if o, err := s.store.Get(world.Lease, namespace, name); err == nil {
		lease := o.(*coordinationv1.Lease).DeepCopy()
		lease.Annotations = map[string]string{"touched": s.Now().Format(time.RFC3339Nano)}
		_, _ = s.store.Update(lease) // a store that refuses it has not been written to, which is as good
	}
}

func (s *Simulation) publish(c world.Changed) {
	if s.options.Observe == nil {
		return
	}
	s.watch = max(s.watch, s.now+s.latency())
	at := s.at(s.watch)
	s.At(at, func() { s.options.Observe(world.Input{At: at, Event: c}) })
}

func (s *Simulation) noticed(r *Replica, n leader.Notice) {
	if s.options.Noticed != nil {
		s.options.Noticed(r, n)
	}
}

// Leaders are the replicas that believe that they lead.
func (s *Simulation) Leaders() []*Replica {
	var leaders []*Replica
	for _, r := range s.replicas {
		if s.believes(r) {
			leaders = append(leaders, r)
		}
	}
	return leaders
}

func (s *Simulation) believes(r *Replica) bool {
	return r.Leading() && (!r.stopped || s.options.StoppedBelieve)
}

// Overlaps are the spans of time in which two replicas or more believed that they lead. The last one may not be over.
func (s *Simulation) Overlaps() []Overlap { return s.overlaps }

func (s *Simulation) judge() {
	n := 0
	for _, r := range s.replicas {
		if s.believes(r) {
			n++
		}
	}
	switch {
	case n > 1 && !s.overlap:
		var who []string
		for _, r := range s.Leaders() {
			who = append(who, r.candidate.Settings().Identity)
		}
		s.overlaps = append(s.overlaps, Overlap{From: s.Now(), Until: s.Now(), Leaders: who})
	case n > 1 || s.overlap:
		s.overlaps[len(s.overlaps)-1].Until = s.Now()
	}
	s.overlap = n > 1
}
