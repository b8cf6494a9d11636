package leader

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/utils/ptr"

	"orrery/core/process/leader"
)

// server stores one Lease with a resourceVersion, and rounds its times to microseconds as the wire format does.
type server struct {
	mutex   sync.Mutex
	version int
	lease   *coordinationv1.Lease
}

var resource = schema.GroupResource{Group: "coordination.k8s.io", Resource: "leases"}

func (s *server) do(verb leader.Verb, lease *coordinationv1.Lease) (*coordinationv1.Lease, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	const name = "kube-scheduler"
	switch {
	case s.lease == nil && verb != leader.Create:
		return &coordinationv1.Lease{}, apierrors.NewNotFound(resource, name)
	case s.lease != nil && verb == leader.Create:
		return &coordinationv1.Lease{}, apierrors.NewAlreadyExists(resource, name)
	case verb == leader.Update && lease.ResourceVersion != s.lease.ResourceVersion:
		return &coordinationv1.Lease{}, apierrors.NewConflict(resource, name, errors.New("the object has been modified"))
	case verb != leader.Get:
		s.put(lease.DeepCopy())
	}
	return s.lease.DeepCopy(), nil
}

func (s *server) put(lease *coordinationv1.Lease) {
	for _, t := range []*metav1.MicroTime{lease.Spec.AcquireTime, lease.Spec.RenewTime} {
		if t != nil {
			t.Time = t.Truncate(time.Microsecond)
		}
	}
	s.version++
	lease.ResourceVersion = strconv.Itoa(s.version)
	s.lease = lease
}

func (s *server) interfere(m interference) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "kube-scheduler"}}
	if s.lease != nil {
		lease = s.lease.DeepCopy()
	} else if m.kind != assign {
		return
	}
	now := metav1.NewMicroTime(time.Now())
	name := func(holder string) {
		lease.Spec = coordinationv1.LeaseSpec{
			HolderIdentity: &holder, LeaseDurationSeconds: ptr.To[int32](7), AcquireTime: &now, RenewTime: &now,
			LeaseTransitions: ptr.To(ptr.Deref(lease.Spec.LeaseTransitions, 0) + 1),
		}
	}
	switch m.kind {
	case touch:
		lease.Annotations = map[string]string{"touched": m.at.String()}
	case steal:
		name("stranger")
	case free:
		lease.Spec.HolderIdentity = nil
	case remove:
		s.lease = nil
		return
	case shorten:
		lease.Spec.LeaseDurationSeconds = ptr.To[int32](1)
	case backdate:
		lease.Spec.RenewTime = ptr.To(metav1.NewMicroTime(now.Add(-time.Hour)))
	case assign:
		name(plan{number: m.replica}.identity())
		lease.Spec.Strategy = ptr.To(coordinationv1.OldestEmulationVersion)
	case prefer:
		lease.Spec.PreferredHolder = ptr.To(plan{number: m.replica}.identity())
		lease.Spec.Strategy = ptr.To(coordinationv1.OldestEmulationVersion)
	}
	s.put(lease)
}

// client is a replica's client, which records the calls.
type client struct {
	coordinationv1client.LeaseInterface
	elector *elector
}

func (c client) Leases(string) coordinationv1client.LeaseInterface { return c }

func (c client) Get(ctx context.Context, _ string, _ metav1.GetOptions) (*coordinationv1.Lease, error) {
	return c.call(ctx, leader.Get, nil)
}

func (c client) Create(ctx context.Context, l *coordinationv1.Lease, _ metav1.CreateOptions) (*coordinationv1.Lease, error) {
	return c.call(ctx, leader.Create, l.DeepCopy())
}

func (c client) Update(ctx context.Context, l *coordinationv1.Lease, _ metav1.UpdateOptions) (*coordinationv1.Lease, error) {
	if l.Name == "" {
		return &coordinationv1.Lease{}, errors.New("resource name may not be empty")
	}
	return c.call(ctx, leader.Update, l.DeepCopy())
}

// exchange is a call and its response.
type exchange struct {
	verb  leader.Verb
	lease *coordinationv1.Lease
	sent  time.Time
	// ended is when the call returned; answered is false if it timed out.
	ended    time.Time
	answered bool
	result   *coordinationv1.Lease
	err      error
	// stopped, if not zero, is when the process was stopped, until ended.
	stopped time.Time
}

func (c client) call(ctx context.Context, verb leader.Verb, lease *coordinationv1.Lease) (*coordinationv1.Lease, error) {
	if ctx.Err() != nil {
		return &coordinationv1.Lease{}, ctx.Err()
	}
	e := c.elector
	x := &exchange{verb: verb, lease: lease, sent: time.Now()}
	e.calls = append(e.calls, x)
	if limit := e.script.settings.CallTimeout; limit > 0 {
		limited, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		ctx = limited
	}
	c.carry(ctx, x)
	x.ended = time.Now()
	if !x.answered {
		return &coordinationv1.Lease{}, ctx.Err()
	}
	if x.err != nil {
		return &coordinationv1.Lease{}, x.err
	}
	return x.result.DeepCopy(), nil
}

// carry takes a call to the server and back, with its fault.
func (c client) carry(ctx context.Context, x *exchange) {
	e := c.elector
	number := len(e.calls)
	f, faulty := e.script.fault(e.plan.number, number)
	is := func(k faultKind) bool { return faulty && f.kind == k }
	if is(lost) || !wait(ctx, e.script.latency(e.plan.number, number, 0)) {
		<-ctx.Done()
		return
	}
	if is(refused) {
		x.err = apierrors.NewInternalError(errors.New("on request"))
	} else {
		x.result, x.err = e.server.do(x.verb, x.lease)
	}
	if is(garbled) {
		x.result, x.err = nil, errors.New("connection reset by peer")
	}
	back := e.script.latency(e.plan.number, number, 1)
	if is(slow) {
		back += f.lasts
	}
	if is(replyLost) || !wait(ctx, back) {
		<-ctx.Done()
		return
	}
	if is(stopped) {
		x.stopped = time.Now()
		e.stop(f.lasts)
	}
	x.answered = ctx.Err() == nil
}

// wait sleeps for d. It returns false if the context ended first.
func wait(ctx context.Context, d time.Duration) bool {
	if d == 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
