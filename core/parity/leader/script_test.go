package leader

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"orrery/core/parity/difftest"
	"orrery/core/process/leader"
)

// script is one history. Its events are elements of lists, so that it can be reduced.
type script struct {
	seed         uint64
	settings     leader.Settings
	slowest      time.Duration // latency of a request or a response without a fault
	replicas     []plan
	faults       []fault
	interference []interference
	length       time.Duration
}

// plan is when a replica starts and ends.
type plan struct {
	number       int
	start, until time.Duration
}

func (p plan) identity() string { return fmt.Sprintf("replica-%d", p.number) }

// fault is a fault of a replica's call, counted from 1.
type fault struct {
	replica, call int
	kind          faultKind
	lasts         time.Duration
}

type faultKind int

const (
	refused   faultKind = iota // the server returns an internal error
	lost                       // the request is lost
	replyLost                  // the response is lost
	garbled                    // the server carries it out, and the client gets an error
	slow                       // the response is delayed
	stopped                    // the process is stopped before the response arrives
	faultKinds
)

func (k faultKind) String() string {
	return [...]string{"refused", "lost", "reply lost", "garbled", "slow", "stopped"}[k]
}

// interference is another client's write to the Lease.
type interference struct {
	at      time.Duration
	kind    interferenceKind
	replica int
}

type interferenceKind int

const (
	touch    interferenceKind = iota // changes an annotation
	steal                            // sets itself as the holder
	free                             // clears the holder
	remove                           // deletes it
	shorten                          // sets a lease duration of one second
	backdate                         // sets an old renew time
	assign                           // sets a replica as the holder
	prefer                           // sets a preferred holder
	interferenceKinds
)

func (k interferenceKind) String() string {
	return [...]string{"touch", "steal", "free", "remove", "shorten", "backdate", "assign", "prefer"}[k]
}

var durations = []struct{ lease, renew, retry time.Duration }{
	{15 * time.Second, 10 * time.Second, 2 * time.Second},
	{15900 * time.Millisecond, 10 * time.Second, 2 * time.Second},
	{60 * time.Second, 40 * time.Second, 7 * time.Second},
	{5 * time.Second, 3 * time.Second, time.Second},
	{2500 * time.Millisecond, 1500 * time.Millisecond, 300 * time.Millisecond},
	{12 * time.Second, 11 * time.Second, 200 * time.Millisecond},
}

func newScript(seed uint64) script {
	r := rand.New(rand.NewPCG(seed, 7))
	d := durations[r.IntN(len(durations))]
	odd := time.Duration(1_000_001 + r.IntN(90_000_000))
	s := script{seed: seed, length: 12 * d.lease, settings: leader.Settings{
		Namespace: "kube-system", Name: "kube-scheduler",
		LeaseDuration: d.lease, RenewDeadline: d.renew + odd, RetryPeriod: d.retry,
		ReleaseOnCancel: r.IntN(2) == 0, Coordinated: r.IntN(5) == 0,
	}}
	if r.IntN(3) > 0 {
		s.settings.CallTimeout = (d.renew+odd)/2 + time.Duration(1_000_003+r.IntN(1_000_000))
	}
	if r.IntN(3) > 0 {
		s.slowest = []time.Duration{50 * time.Millisecond, d.retry}[r.IntN(2)]
	}
	upTo := func(d time.Duration) time.Duration { return time.Duration(r.Int64N(int64(d)) + 1) }
	for i := range 1 + r.IntN(3) {
		p := plan{number: i, start: time.Duration(i)*1001 + upTo(1000), until: s.length + time.Duration(i)*1003}
		if r.IntN(3) == 0 {
			p.start = upTo(s.length / 3)
		}
		if r.IntN(3) == 0 {
			p.until = p.start + upTo(s.length)
		}
		s.replicas = append(s.replicas, p)
	}
	s.addFaults(r, upTo)
	return s
}

// addFaults adds faults, single or consecutive, and interference.
func (s *script) addFaults(r *rand.Rand, upTo func(time.Duration) time.Duration) {
	for range r.IntN(8) {
		f := fault{
			replica: r.IntN(len(s.replicas)), call: 1 + r.IntN(60), kind: faultKind(r.IntN(int(faultKinds))),
			lasts: upTo(s.settings.LeaseDuration * 3 / 2),
		}
		for range 1 + r.IntN(2)*r.IntN(12) {
			s.faults = append(s.faults, f)
			f.call++
		}
	}
	kinds := int(assign)
	if s.settings.Coordinated {
		kinds = int(interferenceKinds)
		s.interference = append(s.interference, interference{at: upTo(s.length / 8), kind: assign, replica: r.IntN(len(s.replicas))})
	}
	for range r.IntN(6) {
		s.interference = append(s.interference, interference{
			at: upTo(s.length), kind: interferenceKind(r.IntN(kinds)), replica: r.IntN(len(s.replicas)),
		})
	}
	slices.SortFunc(s.interference, func(a, b interference) int { return int(a.at - b.at) })
}

func (s script) fault(replica, call int) (fault, bool) {
	for _, f := range s.faults {
		if f.replica == replica && f.call == call {
			return f, true
		}
	}
	return fault{}, false
}

// latency returns the latency of a request or a response. It depends only on the call, so that it is the same in a reduced script.
func (s script) latency(replica, call, way int) time.Duration {
	if s.slowest == 0 {
		return 0
	}
	r := rand.New(rand.NewPCG(s.seed, uint64(replica)<<32|uint64(call)<<1|uint64(way)))
	return time.Duration(r.Int64N(int64(s.slowest)) + 1)
}

func (s script) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d, for %v, latency up to %v\n%+v\n", s.seed, s.length, s.slowest, s.settings)
	for _, p := range s.replicas {
		fmt.Fprintf(&b, "%s from %v to %v\n", p.identity(), p.start, p.until)
	}
	for _, f := range s.faults {
		fmt.Fprintf(&b, "call %d of replica-%d: %v, %v\n", f.call, f.replica, f.kind, f.lasts)
	}
	for _, m := range s.interference {
		fmt.Fprintf(&b, "%v: %v (replica-%d)\n", m.at, m.kind, m.replica)
	}
	return b.String()
}

// reduce removes faults, interference and replicas while the script still fails.
func reduce(s script, differ func(script) string) script {
	for size := -1; size != len(s.faults)+len(s.interference)+len(s.replicas); {
		size = len(s.faults) + len(s.interference) + len(s.replicas)
		s.faults = difftest.Pieces(s.faults, func(l []fault) string { t := s; t.faults = l; return differ(t) })
		s.interference = difftest.Pieces(s.interference, func(l []interference) string { t := s; t.interference = l; return differ(t) })
		s.replicas = difftest.Pieces(s.replicas, func(l []plan) string { t := s; t.replicas = l; return differ(t) })
	}
	return s
}
