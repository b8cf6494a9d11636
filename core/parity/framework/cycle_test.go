package framework

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
	"orrery/core/scheduler/framework"
	"orrery/core/world"
)

// A pod is placed on the only node, and every plugin does at Reserve, Permit, PreBind and Bind what was drawn for it. Some
// work at PreBind: they write, or wait for an object. In kube-scheduler they block; in Orrery they take steps, or block too.
func TestBindingCycle_SameCalls(t *testing.T) {
	reached := difftest.Coverage{}
	n := difftest.Cases[bindingCast]{
		Draw: newBindingCast,
		Differ: func(c bindingCast) (difference string) {
			synctest.Test(t, func(*testing.T) {
				theirs, ours := c.inUpstream(), c.inOrrery()
				reached.Count("%s", ours.end)
				for _, call := range ours.calls {
					reached.Count("%s", strings.Fields(call)[1])
				}
				if ours.end == skipped && theirs.end == "" { // which kube-scheduler does not report
					ours.events, ours.end = nil, ""
				}
				theirs.calls, ours.calls = besideEachOther(theirs.calls), besideEachOther(ours.calls)
				if diff := cmp.Diff(theirs, ours, cmp.AllowUnexported(cycleRecord{})); diff != "" {
					difference = "(-kube-scheduler +Orrery)\n" + diff
				}
			})
			return difference
		},
	}.Check(t, comparisons.BindingCycles.Cases)
	reached.Require(t, n, cycleEnds...)
}

// besideEachOther orders what several plugins do at PreBind at one time by plugin: beside each other they do it in any order. When one fails,
// the others may or may not have done what they do at that time: it is left out.
func besideEachOther(calls []string) (ordered []string) {
	words := func(call string) (at, point, plugin string) {
		parts := strings.Fields(call)
		return parts[0], parts[1], parts[len(parts)-1]
	}
	for from := 0; from < len(calls); {
		at, point, _ := words(calls[from])
		to := from
		for ; to < len(calls); to++ {
			if now, is, _ := words(calls[to]); now != at || is != "work" && is != "PreBind" {
				break
			}
		}
		if point != "work" && point != "PreBind" {
			to = from + 1
		}
		if to < len(calls) && strings.Contains(calls[to], " Unreserve ") {
			from = to
			continue
		}
		slices.SortStableFunc(calls[from:to], func(a, b string) int {
			_, _, first := words(a)
			_, _, second := words(b)
			return strings.Compare(first, second)
		})
		ordered = append(ordered, calls[from:to]...)
		from = to
	}
	return ordered
}

// work is one thing that a plugin does at PreBind: a write, which may fail, or a wait for an object, which may not change.
type work struct{ write, fails bool }

// worker is a scripted plugin with work at PreBind.
type worker struct {
	*scripted
	work  []work
	steps bool // in Orrery
}

// The errors of work.
var errWrite, errWait = errors.New("the write failed"), errors.New("the wait was too long")

const (
	changeAfter = 5 * time.Second
	waitAtMost  = 12 * time.Second
)

// PreBindPreFlight lets a plugin that works in steps work beside others.
func (w *worker) PreBindPreFlight(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) (*fwk.PreBindPreFlightResult, *fwk.Status) {
	_, status := w.scripted.PreBindPreFlight(ctx, state, pod, node)
	return &fwk.PreBindPreFlightResult{AllowParallel: w.steps}, status
}

// PreBind does the work, and blocks.
func (w *worker) PreBind(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	for i, one := range w.work {
		w.record(fmt.Sprint("work ", i))
		switch {
		case one.write && one.fails:
			return fwk.AsStatus(errWrite)
		case one.write:
		case one.fails:
			if err := sleep(ctx, waitAtMost); err != nil {
				return fwk.AsStatus(err)
			}
			return fwk.AsStatus(errWait)
		default:
			if err := sleep(ctx, changeAfter); err != nil {
				return fwk.AsStatus(err)
			}
		}
	}
	return w.scripted.PreBind(ctx, state, pod, node)
}

// sleep is cut short where another plugin fails.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stepper is a worker that takes steps.
type stepper struct{ *worker }

// position is how far a stepper is, and since when.
type position struct {
	at    int
	since time.Time
}

func (p *position) Clone() fwk.StateData { return p }

// PreBindStep does the same work as PreBind.
func (s stepper) PreBindStep(state fwk.CycleState, pod *v1.Pod, node string, now time.Time, outcome *world.Outcome) framework.PreBindStep {
	key := fwk.StateKey("work of " + s.name)
	p := position{at: -1}
	if held, err := state.Read(key); err == nil {
		p = *held.(*position)
	}
	switch {
	case outcome != nil && !outcome.OK():
		return framework.PreBindStep{Status: fwk.AsStatus(errors.New(outcome.Message))}
	case outcome == nil && p.at >= 0 && !now.Before(p.since.Add(waitAtMost)):
		return framework.PreBindStep{Status: fwk.AsStatus(errWait)}
	case outcome == nil && p.at >= 0 && (s.work[p.at].fails || now.Before(p.since.Add(changeAfter))): // another one's object has changed
		return s.wait(p)
	}
	p.at, p.since = p.at+1, now
	state.Write(key, &p)
	if p.at == len(s.work) {
		return framework.PreBindStep{Status: s.scripted.PreBind(context.Background(), state, pod, node)}
	}
	s.record(fmt.Sprint("work ", p.at))
	if s.work[p.at].write {
		return framework.PreBindStep{Action: world.SelectNode{Pod: world.PodRefOf(pod), Node: node, Claim: world.ObjectRef{Name: outcomeOf(s.work[p.at])}}}
	}
	if !s.work[p.at].fails {
		s.log.changes = append(s.log.changes, now.Add(changeAfter))
	}
	return s.wait(p)
}

func (s stepper) wait(p position) framework.PreBindStep {
	awaited := framework.ObjectKey{Kind: world.PersistentVolume, Name: outcomeOf(s.work[p.at])}
	return framework.PreBindStep{Wait: &framework.ObjectWait{Objects: []framework.ObjectKey{awaited}, Until: p.since.Add(waitAtMost)}}
}

// outcomeOf names the object of some work, from which its outcome follows.
func outcomeOf(w work) string {
	if w.fails {
		return "fails"
	}
	return "succeeds"
}
