package sim

import (
	"fmt"
	"math/rand/v2"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"orrery/core/process/leader"
	"orrery/core/world"
)

// Options configure a simulation.
type Options struct {
	// Start is the virtual start time; 2026-01-01 UTC if zero.
	Start time.Time
	// Seed decides every latency and fault.
	Seed uint64
	// Store holds the Lease; if nil the simulation makes its own.
	Store  Store
	Faults Faults
	// RestartAfter is how long a process takes to restart.
	RestartAfter time.Duration
	// PausedLead counts paused processes among those that believe that they lead.
	PausedLead bool
	// OnNotice, if set, receives the candidates' notices.
	OnNotice func(r *Replica, n leader.Notice)
	// OnChange, if set, receives every change of the Lease in the simulation's own store, a watch latency later.
	OnChange func(world.Input)
}

// Simulation is an election in virtual time.
type Simulation struct {
	options        Options
	start          time.Time
	now            int64
	events         eventQueue
	rng            *rand.Rand
	store          Store
	replicas       []*Replica
	lastWatchEvent int64 // when the last pending watch event arrives

	overlaps []Overlap
	overlap  bool
	steps    uint64
}

// Overlap is a span in which two or more replicas believed that they lead.
type Overlap struct {
	From, Until time.Time
	// Leaders are the identities of those that believed so at its start.
	Leaders []string
}

// New returns an election without replicas.
func New(o Options) *Simulation {
	if o.Start.IsZero() {
		o.Start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	s := &Simulation{options: o, start: o.Start, store: o.Store, rng: rand.New(rand.NewPCG(o.Seed, 1)), events: newEventQueue()}
	if s.store == nil {
		leases := NewLeases()
		leases.OnChange = s.publish
		s.store = leases
	}
	return s
}

// Add adds a replica that starts now. Its clock is off by offset and runs at rate times the true rate.
func (s *Simulation) Add(settings leader.Settings, offset time.Duration, rate float64) (*Replica, error) {
	if err := settings.Validate(); err != nil {
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
	s.scheduleFaults(r)
	r.start()
	s.updateOverlaps()
	return r, nil
}

// Replicas returns the added replicas in order.
func (s *Simulation) Replicas() []*Replica { return s.replicas }

// Store returns the store of the Lease.
func (s *Simulation) Store() Store { return s.store }

// Now is the virtual time.
func (s *Simulation) Now() time.Time { return s.at(s.now) }

// Steps counts the events so far.
func (s *Simulation) Steps() uint64 { return s.steps }

// Next is the time of the next event.
func (s *Simulation) Next() (time.Time, bool) {
	if len(s.events.Items) == 0 {
		return time.Time{}, false
	}
	return s.at(s.events.Items[0].at), true
}

// At schedules a step of a script.
func (s *Simulation) At(t time.Time, f func()) {
	s.events.push(max(s.now, s.since(t)), scriptEvent).run = f
}

func (s *Simulation) after(d time.Duration, f func()) {
	s.events.push(s.now+int64(d), scriptEvent).run = f
}

// Run handles all events up to a time, inclusive.
func (s *Simulation) Run(until time.Time) {
	end := s.since(until)
	for len(s.events.Items) > 0 && s.events.Items[0].at <= end {
		e := s.events.Pop()
		s.now = e.at
		s.handle(e)
		s.events.recycle(e)
		s.updateOverlaps()
		s.steps++
	}
	s.now = max(s.now, end)
}

func (s *Simulation) handle(e *event) {
	if e.kind == scriptEvent {
		e.run()
		return
	}
	r := e.replica
	if e.kind == requestEvent {
		s.handleRequest(r, e.incarnation, e.call)
		return
	}
	if e.incarnation != r.incarnation {
		return
	}
	if e.kind == wakeEvent {
		r.wake(e.at)
		return
	}
	switch {
	case s.now < r.partitionedTo:
	case r.paused:
		r.heldResponses = append(r.heldResponses, e.response)
	default:
		r.candidate.HandleResponse(r.Now(), e.response)
		r.runToRest()
	}
}

// send delivers a call after a latency. A partition drops it, and its response.
func (s *Simulation) send(r *Replica, call leader.Call) {
	if s.now < r.partitionedTo {
		return
	}
	e := s.events.push(s.now+s.latency(), requestEvent)
	e.replica, e.incarnation, e.call = r, r.incarnation, call
}

// handleRequest serves a call at the API server.
func (s *Simulation) handleRequest(r *Replica, incarnation uint64, call leader.Call) {
	lease, err := s.execute(call)
	if s.happens(s.options.Faults.LoseResponse) || s.now < r.partitionedTo {
		return
	}
	e := s.events.push(s.now+s.latency(), responseEvent)
	e.replica, e.incarnation, e.response = r, incarnation, leader.ResponseOf(call, lease, err)
}

func (s *Simulation) execute(call leader.Call) (*coordinationv1.Lease, error) {
	if s.happens(s.options.Faults.FailCalls) {
		return nil, apierrors.NewInternalError(fmt.Errorf("the API server failed at random"))
	}
	var o world.Object
	var err error
	switch call.Verb {
	case leader.Get:
		o, err = s.store.Get(world.Lease, call.Namespace, call.Name)
	case leader.Create:
		o, err = s.store.Create(call.Lease)
	case leader.Update:
		if s.happens(s.options.Faults.Conflict) {
			s.touch(call.Namespace, call.Name)
		}
		o, err = s.store.Update(call.Lease)
	}
	if err != nil {
		return nil, err
	}
	return o.(*coordinationv1.Lease), nil
}

// touch is a write by a client that is not a candidate.
func (s *Simulation) touch(namespace, name string) {
	if o, err := s.store.Get(world.Lease, namespace, name); err == nil {
		lease := o.(*coordinationv1.Lease).DeepCopy()
		lease.Annotations = map[string]string{"touched": s.Now().Format(time.RFC3339Nano)}
		_, _ = s.store.Update(lease) // a refused write changes nothing
	}
}

func (s *Simulation) publish(c world.Changed) {
	if s.options.OnChange == nil {
		return
	}
	s.lastWatchEvent = max(s.lastWatchEvent, s.now+s.latency())
	at := s.at(s.lastWatchEvent)
	s.At(at, func() { s.options.OnChange(world.Input{At: at, Event: c}) })
}

func (s *Simulation) notify(r *Replica, n leader.Notice) {
	if s.options.OnNotice != nil {
		s.options.OnNotice(r, n)
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
	return r.Leading() && (!r.paused || s.options.PausedLead)
}

// Overlaps returns the spans in which two or more replicas believed that they lead. The last one may not be over.
func (s *Simulation) Overlaps() []Overlap { return s.overlaps }

func (s *Simulation) updateOverlaps() {
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
