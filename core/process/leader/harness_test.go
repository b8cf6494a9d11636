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

	"orrery/core/process/leader"
	"orrery/core/process/leader/sim"
	"orrery/core/world"
)

// epoch is second 0 of every test.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// second is a time in seconds after epoch.
func second(s float64) time.Time { return epoch.Add(time.Duration(s * float64(time.Second))) }

// harness runs one candidate against an API server that responds at once, and logs its calls and notices.
type harness struct {
	t     *testing.T
	c     *leader.Candidate
	store *sim.Leases
	now   time.Time
	// fault returns the fault of a call.
	fault func(leader.Call) fault
	log   strings.Builder
}

type fault string

const (
	succeeds     fault = ""
	fails        fault = "internal error"
	hangs        fault = "no response"
	responseLost fault = "executed, no response"
)

func newHarness(t *testing.T, s leader.Settings) *harness {
	t.Helper()
	c, err := leader.New(s, epoch)
	if err != nil {
		t.Fatal(err)
	}
	return &harness{t: t, c: c, store: sim.NewLeases(), now: epoch, fault: func(leader.Call) fault { return succeeds }}
}

// run advances the time up to and including a second.
func (s *harness) run(until float64) *harness {
	s.runCalls()
	for {
		wake, ok := s.c.NextWake()
		if !ok || wake.After(second(until)) {
			s.now = second(until)
			return s
		}
		s.now = wake
		s.c.Wake(wake)
		s.runCalls()
	}
}

// at jumps to a second, as if the process had been stopped until then.
func (s *harness) at(now float64) *harness {
	s.now = second(now)
	s.c.Wake(s.now)
	s.runCalls()
	return s
}

func (s *harness) cancel() *harness {
	s.c.Cancel(s.now)
	s.runCalls()
	return s
}

func (s *harness) runCalls() {
	for {
		for _, n := range s.c.Notices() {
			s.write("%v", strings.TrimSpace(n.Kind.String()+" "+n.Text))
		}
		call, ok := s.c.Call()
		if !ok {
			return
		}
		fault := s.fault(call)
		lease, err := s.execute(call, fault)
		line := call.Verb.String()
		if call.Lease != nil {
			line += " " + brief(leader.RecordOf(call.Lease))
		}
		switch {
		case fault != succeeds:
			line += ": " + string(fault)
		case err != nil:
			line += ": " + string(apierrors.ReasonForError(err))
		case call.Verb == leader.Get:
			line += ": " + brief(leader.RecordOf(lease))
		}
		s.write("%s", line)
		if fault == succeeds || fault == fails {
			s.c.HandleResponse(s.now, leader.ResponseOf(call, lease, err))
		}
	}
}

func (s *harness) execute(call leader.Call, f fault) (*coordinationv1.Lease, error) {
	var o world.Object
	var err error
	switch {
	case f == fails:
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

// put writes the Lease as another client.
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

// brief formats a record: holder, transitions, acquire and renew time in seconds, lease duration.
func brief(r leader.Record) string {
	holder := r.Holder
	if holder == "" {
		holder = "none"
	}
	return fmt.Sprintf("%s #%d since %v renewed %v for %ds", holder, r.Transitions,
		r.AcquireTime.Sub(epoch).Seconds(), r.RenewTime.Sub(epoch).Seconds(), r.LeaseSeconds)
}

// wantLog compares the log since the last call with lines; indentation does not matter.
func (s *harness) wantLog(lines string) *harness {
	s.t.Helper()
	var want strings.Builder
	for line := range strings.Lines(lines) {
		if line = strings.TrimSpace(line); line != "" {
			at, what, _ := strings.Cut(line, " ")
			fmt.Fprintf(&want, "%6s  %s\n", at, strings.TrimSpace(what))
		}
	}
	if diff := cmp.Diff(want.String(), s.log.String()); diff != "" {
		s.t.Errorf("log (-want +got):\n%s", diff)
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

// held is a record of a holder.
func held(holder string, renewed float64, transitions int) leader.Record {
	return leader.Record{
		Holder: holder, LeaseSeconds: 15, AcquireTime: epoch, RenewTime: second(renewed), Transitions: transitions,
	}
}
