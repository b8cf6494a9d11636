package leader

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	_ "unsafe" // for jitterRand

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	_ "k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"orrery/core/process/leader"
)

// jitterRand is the source of client-go's jitter.
//
//go:linkname jitterRand k8s.io/apimachinery/pkg/util/wait.jitterRand
var jitterRand func() float64

// jitters holds the generator of each elector, by the goroutine that runs it.
var jitters sync.Map

func init() {
	jitterRand = func() float64 {
		r, ok := jitters.Load(goroutine())
		if !ok {
			panic("jitter was drawn by a goroutine without an elector")
		}
		return r.(*rand.Rand).Float64()
	}
}

// goroutine returns the number of the running goroutine, from the first line of its stack trace.
func goroutine() string {
	var buffer [64]byte
	return strings.Fields(string(buffer[:runtime.Stack(buffer[:], false)]))[1]
}

// elector is one of client-go's electors, with its calls and notices.
type elector struct {
	script *script
	plan   plan
	server *server
	start  time.Time
	cancel context.CancelFunc
	ended  time.Time // when it was cancelled

	calls []*exchange

	mutex     sync.Mutex
	notices   []leader.Notice
	isStopped bool
	toCancel  bool
}

func (e *elector) settings() leader.Settings {
	s := e.script.settings
	s.Identity, s.Seed = e.plan.identity(), e.script.seed+uint64(e.plan.number)
	return s
}

func (e *elector) notify(kind leader.NoticeKind, text string) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.notices = append(e.notices, leader.Notice{At: time.Now(), Kind: kind, Text: text})
}

// Eventf records events for the LeaseLock.
func (e *elector) Eventf(_ k8sruntime.Object, eventType, reason, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	if eventType != "Normal" || reason != "LeaderElection" {
		message = fmt.Sprintf("%s %s %s", eventType, reason, message)
	}
	e.notify(leader.LeaseEvent, message)
}

// stop stops the process for d. A signal to end it is delivered when it continues.
func (e *elector) stop(d time.Duration) {
	e.mutex.Lock()
	e.isStopped = true
	e.mutex.Unlock()
	time.Sleep(d)
	e.mutex.Lock()
	e.isStopped = false
	cancel := e.toCancel
	e.mutex.Unlock()
	if cancel {
		e.end()
	}
}

// end cancels the elector, now or when its process continues.
func (e *elector) end() {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	switch {
	case e.isStopped:
		e.toCancel = true
	case e.ended.IsZero():
		e.ended = time.Now()
		e.cancel()
	}
}

func (e *elector) run(ctx context.Context) {
	time.Sleep(e.plan.start)
	e.start = time.Now()
	s := e.settings()
	id := goroutine()
	jitters.Store(id, rand.New(rand.NewPCG(s.Seed, 0)))
	defer jitters.Delete(id)
	theirs, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: s.Namespace, Name: s.Name},
			Client:     client{elector: e},
			LockConfig: resourcelock.ResourceLockConfig{Identity: s.Identity, EventRecorder: e},
		},
		LeaseDuration: s.LeaseDuration, RenewDeadline: s.RenewDeadline, RetryPeriod: s.RetryPeriod,
		ReleaseOnCancel: s.ReleaseOnCancel, Coordinated: s.Coordinated, Name: s.Name,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) {
				e.notify(leader.StartedLeading, "")
				<-ctx.Done()
				e.notify(leader.StoppedLeading, "")
			},
			OnStoppedLeading: func() { e.notify(leader.CandidacyEnded, "") },
			OnNewLeader:      func(identity string) { e.notify(leader.NewLeader, identity) },
		},
	})
	if err != nil {
		panic(err)
	}
	theirs.Run(ctx)
}

// play runs client-go's electors through a script.
func play(t *testing.T, s *script) (electors []*elector) {
	synctest.Test(t, func(*testing.T) {
		store := &server{}
		var all sync.WaitGroup
		for _, p := range s.replicas {
			ctx, cancel := context.WithCancel(context.Background())
			e := &elector{script: s, plan: p, server: store, cancel: cancel}
			electors = append(electors, e)
			all.Go(func() { e.run(ctx) })
			all.Go(func() {
				time.Sleep(p.until)
				e.end()
			})
		}
		all.Go(func() {
			start := time.Now()
			for _, m := range s.interference {
				time.Sleep(m.at - time.Since(start))
				store.interfere(m)
			}
		})
		all.Wait()
	})
	return electors
}
