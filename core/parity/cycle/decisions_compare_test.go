package cycle

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
	"orrery/core/world"
)

func TestScheduler_SameDecisions(t *testing.T) {
	compareCases(t, comparisons.Decisions.Cases, compareDecisions)
}

// play is one case as both live through it.
type decisionCase struct {
	upstream    *upstreamScheduler
	orrery      *orreryScheduler
	nodes       map[string]*v1.Node
	pods        map[types.NamespacedName]*v1.Pod
	terminating []types.NamespacedName // being deleted, and soon gone
	version     int
	seen        difftest.Coverage

	settings *settings
	// parted says why the two went different ways on purpose. Nothing can be compared from there on.
	divergence string
}

// compareDecisions plays a case in virtual time.
func compareDecisions(t *testing.T, c *clusterCase, seen difftest.Coverage) (mismatch string) {
	s, err := read(c, nil)
	if err != nil {
		seen.Count("configurations that both refuse")
		return ""
	}
	synctest.Test(t, func(*testing.T) {
		p := &decisionCase{
			upstream: newUpstreamScheduler(s, c.Refused), orrery: newOrreryScheduler(s, c.Refused), nodes: map[string]*v1.Node{}, pods: map[types.NamespacedName]*v1.Pod{},
			seen: seen, settings: s,
		}
		defer p.upstream.stop()
		mismatch = p.run(c)
	})
	if mismatch == "" {
		seen.Count("plays")
	}
	return mismatch
}

func (p *decisionCase) run(c *clusterCase) string {
	for _, object := range objects(c) {
		if mismatch := p.apply(world.Added, object.DeepCopyObject().(world.Object)); mismatch != "" {
			return mismatch
		}
	}
	if mismatch := p.decideAll(); mismatch != "" {
		return mismatch
	}
	for i := range c.Changes {
		if p.divergence != "" {
			break
		}
		p.pass(time.Duration(c.Changes[i].Wait) * time.Millisecond)
		mismatch := p.change(&c.Changes[i])
		if mismatch == "" {
			mismatch = p.decideAll()
		}
		if mismatch != "" {
			return mismatch
		}
	}
	if p.divergence != "" {
		p.seen.Count("parted: %s", p.divergence)
	}
	return ""
}

// tick keeps the times of any two events apart: in kube-scheduler, pods of one time are in no order.
const tick = time.Millisecond

func (p *decisionCase) pass(d time.Duration) {
	// Time passes only while nobody runs, which a race detector cannot know: a lock tells it.
	p.upstream.sched.SchedulingQueue.PendingPods()
	time.Sleep(d + tick)
	synctest.Wait()
	p.orrery.apply(world.Tick{})
}

// tell brings an object's change to both, and looks where the pods are then.
func (p *decisionCase) apply(op world.Op, object world.Object) string {
	p.pass(0)
	p.version++
	object.SetResourceVersion(strconv.Itoa(p.version))
	switch o := object.(type) {
	case *v1.Node:
		p.nodes[o.Name] = o
		if op == world.Deleted {
			delete(p.nodes, o.Name)
		}
	case *v1.Pod:
		name := types.NamespacedName{Namespace: o.Namespace, Name: o.Name}
		p.pods[name] = o
		if op == world.Deleted {
			delete(p.pods, name)
		}
	}
	p.upstream.informers.Apply(op, object)
	synctest.Wait()
	p.orrery.apply(world.Changed{Op: op, Object: object})
	p.orrery.carryOutEffects()
	return p.compareQueues(fmt.Sprint(op, " ", object.GetName()))
}

// settle has both decide until there is nothing to decide.
func (p *decisionCase) decideAll() string {
	for turns := 0; p.divergence == ""; turns++ {
		if turns == 200 {
			p.divergence = "it goes round in circles"
			return ""
		}
		p.pass(0)
		more, mismatch := p.turn()
		if mismatch != "" {
			return mismatch
		}
		if more {
			continue
		}
		if len(p.terminating) == 0 {
			return ""
		}
		gone := p.terminating[0]
		p.terminating = p.terminating[1:]
		if pod := p.pods[gone]; pod != nil {
			if mismatch := p.apply(world.Deleted, pod.DeepCopy()); mismatch != "" {
				return mismatch
			}
		}
	}
	return ""
}

// turn is one decision of each, and what follows from it.
func (p *decisionCase) turn() (more bool, mismatch string) {
	theirs, ours := p.upstream.step(), p.orrery.step()
	if theirs == nil && ours == nil && len(p.upstream.client.events) == 0 {
		return false, p.compareQueues("nothing to decide")
	}
	if mismatch := p.compare(theirs, ours); mismatch != "" || p.divergence != "" {
		return true, mismatch
	}
	if mismatch := p.carryOut(); mismatch != "" || p.divergence != "" {
		return true, mismatch
	}
	if len(p.nodes) < 20 {
		if err := p.orrery.engine.Check(); err != nil {
			return true, fmt.Sprintf("Orrery contradicts itself: %v", err)
		}
	}
	return true, p.compareQueues("deciding")
}

// compare compares a decision of each.
func (p *decisionCase) compare(theirs, ours *decision) string {
	// In kube-scheduler, goroutines announce what they did in no order.
	slices.Sort(p.upstream.client.events)
	slices.Sort(p.orrery.events)
	notes := cmp.Diff(p.upstream.client.events, p.orrery.events)
	p.upstream.client.events, p.orrery.events = nil, nil
	if theirs == nil || ours == nil {
		if theirs == nil && ours != nil && ours.Node == "" && notes == "" { // kube-scheduler skips it before it begins
			return ""
		}
		return fmt.Sprintf("turns: kube-scheduler decides %+v, Orrery %+v", theirs, ours)
	}
	p.count(theirs)
	if p.divergesOnPreemption(theirs) {
		return ""
	}
	ours.Nominated = p.nominationOf(theirs)
	if theirs.Examined == unknownCount {
		ours.Examined, ours.Feasible = unknownCount, 0
	}
	if diff := cmp.Diff(theirs, ours); diff != "" {
		if p.divergesOnNodeOrder(theirs, ours) {
			return ""
		}
		return "decision: (-kube-scheduler +Orrery):\n" + diff
	}
	if notes != "" {
		return "events: (-kube-scheduler +Orrery):\n" + notes
	}
	return ""
}

func (p *decisionCase) count(d *decision) {
	switch {
	case d.Node != "":
		p.seen.Count("pods placed")
	case d.Nominated != asItIs && d.Nominated != "":
		p.seen.Count("pods that room was made for")
	default:
		p.seen.Count("pods that found no node")
	}
	if d.Start != 0 && len(p.nodes) > 100 {
		p.seen.Count("searches that did not begin at the first of more than 100 nodes")
	}
}

// comparePlaces looks where every waiting pod is.
func (p *decisionCase) compareQueues(after string) string {
	if p.divergence != "" {
		return ""
	}
	for name, pod := range p.pods {
		if pod.Spec.NodeName != "" {
			continue
		}
		theirs, ours := p.upstream.place(pod), p.orrery.place(pod)
		if theirs == ours {
			if theirs != "elsewhere" && p.divergence == "" {
				if mismatch := p.compareRecords(pod); mismatch != "" {
					return "records: after " + after + mismatch
				}
			}
			continue
		}
		if why := p.requeuedOnPurpose(pod, theirs, ours); why != "" {
			p.divergence = why
			return ""
		}
		return fmt.Sprintf("places: after %s, pod %s is %s in kube-scheduler and %s in Orrery", after, name, theirs, ours)
	}
	if mismatch := p.compareNominations(); mismatch != "" {
		return "claims: after " + after + mismatch
	}
	return ""
}
