package leader_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/leader"
	"orrery/core/leader/sim"
	"orrery/core/world"
)

// epoch is second 0 of every story.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// second is a moment of a story.
func second(s float64) time.Time { return epoch.Add(time.Duration(s * float64(time.Second))) }

// harness has one candidate act before an API server that answers at once, and writes down what happens.
type harness struct {
	t     *testing.T
	c     *leader.Candidate
	store *sim.Leases
	now   time.Time
	// fate is what becomes of a call: "" for an answer.
	fate func(leader.Call) fate
	log  strings.Builder
}

type fate string

const (
	answered  fate = ""
	refused   fate = "internal error"
	hangs     fate = "no answer"
	replyLost fate = "carried out, no answer"
)

func newHarness(t *testing.T, s leader.Settings) *harness {
	t.Helper()
	c, err := leader.New(s, epoch)
	if err != nil {
		t.Fatal(err)
	}
	return &harness{t: t, c: c, store: sim.NewLeases(), now: epoch, fate: func(leader.Call) fate { return answered }}
}

// run lets time pass up to and including a second.
func (s *harness) run(until float64) *harness {
	s.settle()
	for {
		wake, ok := s.c.NextWake()
		if !ok || wake.After(second(until)) {
			s.now = second(until)
			return s
		}
		s.now = wake
		s.c.Wake(wake)
		s.settle()
	}
}

// at jumps to a second, as if the process had been stopped until then.
func (s *harness) at(now float64) *harness {
	s.now = second(now)
	s.c.Wake(s.now)
	s.settle()
	return s
}

func (s *harness) cancel() *harness {
	s.c.Cancel(s.now)
	s.settle()
	return s
}

func (s *harness) settle() {
	for {
		for _, n := range s.c.Notices() {
			s.write("%v", strings.TrimSpace(n.Kind.String()+" "+n.Text))
		}
		call, ok := s.c.Call()
		if !ok {
			return
		}
		fate := s.fate(call)
		lease, err := s.carryOut(call, fate)
		line := call.Verb.String()
		if call.Lease != nil {
			line += " " + brief(leader.RecordOf(call.Lease))
		}
		switch {
		case fate != answered:
			line += ": " + string(fate)
		case err != nil:
			line += ": " + string(apierrors.ReasonForError(err))
		case call.Verb == leader.Get:
			line += ": " + brief(leader.RecordOf(lease))
		}
		s.write("%s", line)
		if fate == answered || fate == refused {
			s.c.HandleResponse(s.now, leader.ResponseOf(call, lease, err))
		}
	}
}

func (s *harness) carryOut(call leader.Call, f fate) (*coordinationv1.Lease, error) {
	var o world.Object
	var err error
	switch {
	case f == refused:
		err = apierrors.NewInternalError(fmt.Errorf("on request"))
	case f == hangs:
		return nil, nil
	case call.Verb == leader.Get:
		o, err = s.store.Get(world.Lease, call.Namespace, call.Name)
	case call.Verb == leader.Create:
		o, err = s.store.Create(call.Lease)
	default:
		o, err = s.store.Update(call.Lease)
	}
	if err != nil {
		return nil, err
	}
	return o.(*coordinationv1.Lease), nil
}

// put writes the Lease on another's behalf.
func (s *harness) put(r leader.Record) *harness {
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "kube-scheduler"}, Spec: r.Spec()}
	if _, err := s.store.Update(lease); err != nil {
		if _, err := s.store.Create(lease); err != nil {
			s.t.Fatal(err)
		}
	}
	return s
}

func (s *harness) record() leader.Record {
	o, err := s.store.Get(world.Lease, "kube-system", "kube-scheduler")
	if err != nil {
		s.t.Fatal(err)
	}
	return leader.RecordOf(o.(*coordinationv1.Lease))
}

func (s *harness) write(format string, args ...any) {
	fmt.Fprintf(&s.log, "%6.3f  %s\n", s.now.Sub(epoch).Seconds(), fmt.Sprintf(format, args...))
}

// brief is a record on one line: the holder, the transitions, the seconds of acquiring and renewing, how long it is
// good for.
func brief(r leader.Record) string {
	holder := r.Holder
	if holder == "" {
		holder = "nobody"
	}
	return fmt.Sprintf("%s #%d since %v renewed %v for %ds", holder, r.Transitions,
		r.AcquireTime.Sub(epoch).Seconds(), r.RenewTime.Sub(epoch).Seconds(), r.LeaseSeconds)
}

// tells compares what happened since the last call with a story; its indentation does not matter.
func (s *harness) tells(story string) *harness {
	s.t.Helper()
	var want strings.Builder
	for line := range strings.Lines(story) {
		if line = strings.TrimSpace(line); line != "" {
			at, what, _ := strings.Cut(line, " ")
			fmt.Fprintf(&want, "%6s  %s\n", at, strings.TrimSpace(what))
		}
	}
	if diff := cmp.Diff(want.String(), s.log.String()); diff != "" {
		s.t.Errorf("story (-want +got):\n%s", diff)
	}
	s.log.Reset()
	return s
}

func settings(change ...func(*leader.Settings)) leader.Settings {
	s := leader.Defaults("a")
	s.ReleaseOnCancel = false
	for _, f := range change {
		f(&s)
	}
	return s
}

func strict(s *leader.Settings)   { s.Strict = true }
func releases(s *leader.Settings) { s.ReleaseOnCancel = true }

// held is another's record.
func held(holder string, renewed float64, transitions int) leader.Record {
	return leader.Record{
		Holder: holder, LeaseSeconds: 15, AcquireTime: epoch, RenewTime: second(renewed), Transitions: transitions,
	}
}
