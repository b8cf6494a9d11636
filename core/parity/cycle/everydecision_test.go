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

	"orrery/core/parity/cases"
	"orrery/core/world"
)

func TestEveryDecision(t *testing.T) {
	everyCase(t, 500, compareDecisions)
}

// play is one case as both live through it.
type play struct {
	them    *them
	us      *us
	nodes   map[string]*v1.Node
	pods    map[types.NamespacedName]*v1.Pod
	leaving []types.NamespacedName // being deleted, and soon gone
	version int
	seen    tally

	settings *settings
	// parted says why the two went different ways on purpose. Nothing can be compared from there on.
	parted string
}

// compareDecisions plays a case in virtual time.
func compareDecisions(t *testing.T, c *cases.Case, seen tally) (mismatch string) {
	s, err := read(c, nil)
	if err != nil {
		seen.count("configurations that both refuse")
		return ""
	}
	synctest.Test(t, func(*testing.T) {
		p := &play{
			them: newThem(s, c.Refused), us: newUs(s, c.Refused), nodes: map[string]*v1.Node{}, pods: map[types.NamespacedName]*v1.Pod{},
			seen: seen, settings: s,
		}
		defer p.them.stop()
		mismatch = p.run(c)
	})
	if mismatch == "" {
		seen.count("plays")
	}
	return mismatch
}

func (p *play) run(c *cases.Case) string {
	for _, object := range objects(c) {
		if mismatch := p.tell(world.Added, object.DeepCopyObject().(world.Object)); mismatch != "" {
			return mismatch
		}
	}
	if mismatch := p.settle(); mismatch != "" {
		return mismatch
	}
	for i := range c.Changes {
		if p.parted != "" {
			break
		}
		p.pass(time.Duration(c.Changes[i].Wait) * time.Millisecond)
		mismatch := p.change(&c.Changes[i])
		if mismatch == "" {
			mismatch = p.settle()
		}
		if mismatch != "" {
			return mismatch
		}
	}
	if p.parted != "" {
		p.seen.count("parted: %s", p.parted)
	}
	return ""
}

// tick keeps the times of any two events apart: in kube-scheduler, pods of one time are in no order.
const tick = time.Millisecond

func (p *play) pass(d time.Duration) {
	// Time passes only while nobody runs, which a race detector cannot know: a lock tells it.
	p.them.sched.SchedulingQueue.PendingPods()
	time.Sleep(d + tick)
	synctest.Wait()
	p.us.apply(world.Passed{})
}

// tell brings an object's change to both, and looks where the pods are then.
func (p *play) tell(op world.Op, object world.Object) string {
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
	p.them.feed.Tell(op, object)
	synctest.Wait()
	p.us.apply(world.Changed{Op: op, Object: object})
	p.us.settle()
	return p.comparePlaces(fmt.Sprint(op, " ", object.GetName()))
}

// settle has both decide until there is nothing to decide.
func (p *play) settle() string {
	for turns := 0; p.parted == ""; turns++ {
		if turns == 200 {
			p.parted = "it goes round in circles"
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
		if len(p.leaving) == 0 {
			return ""
		}
		gone := p.leaving[0]
		p.leaving = p.leaving[1:]
		if pod := p.pods[gone]; pod != nil {
			if mismatch := p.tell(world.Deleted, pod.DeepCopy()); mismatch != "" {
				return mismatch
			}
		}
	}
	return ""
}

// turn is one decision of each, and what follows from it.
func (p *play) turn() (more bool, mismatch string) {
	theirs, ours := p.them.step(), p.us.step()
	if theirs == nil && ours == nil && len(p.them.clerk.notes) == 0 {
		return false, p.comparePlaces("nothing to decide")
	}
	if mismatch := p.compare(theirs, ours); mismatch != "" || p.parted != "" {
		return true, mismatch
	}
	if mismatch := p.carryOut(); mismatch != "" || p.parted != "" {
		return true, mismatch
	}
	if len(p.nodes) < 20 {
		if err := p.us.e.Check(); err != nil {
			return true, fmt.Sprintf("Orrery contradicts itself: %v", err)
		}
	}
	return true, p.comparePlaces("deciding")
}

// compare compares a decision of each.
func (p *play) compare(theirs, ours *decision) string {
	// In kube-scheduler, goroutines announce what they did in no order.
	slices.Sort(p.them.clerk.notes)
	slices.Sort(p.us.notes)
	notes := cmp.Diff(p.them.clerk.notes, p.us.notes)
	p.them.clerk.notes, p.us.notes = nil, nil
	if theirs == nil || ours == nil {
		if theirs == nil && ours != nil && ours.Node == "" && notes == "" { // kube-scheduler skips it before it begins
			return ""
		}
		return fmt.Sprintf("turns: kube-scheduler decides %+v, Orrery %+v", theirs, ours)
	}
	p.count(theirs)
	if p.partOverRoom(theirs) {
		return ""
	}
	ours.Nominated = p.nominationOf(theirs)
	if theirs.Examined == untold {
		ours.Examined, ours.Feasible = untold, 0
	}
	if diff := cmp.Diff(theirs, ours); diff != "" {
		if p.partOverOrder(theirs, ours) {
			return ""
		}
		return "decision: (-kube-scheduler +Orrery):\n" + diff
	}
	if notes != "" {
		return "events: (-kube-scheduler +Orrery):\n" + notes
	}
	return ""
}

func (p *play) count(d *decision) {
	switch {
	case d.Node != "":
		p.seen.count("pods placed")
	case d.Nominated != asItIs && d.Nominated != "":
		p.seen.count("pods that room was made for")
	default:
		p.seen.count("pods that found no node")
	}
	if d.Start != 0 && len(p.nodes) > 100 {
		p.seen.count("searches that did not begin at the first of more than 100 nodes")
	}
}

// comparePlaces looks where every waiting pod is.
func (p *play) comparePlaces(after string) string {
	if p.parted != "" {
		return ""
	}
	for name, pod := range p.pods {
		if pod.Spec.NodeName != "" {
			continue
		}
		theirs, ours := p.them.place(pod), p.us.place(pod)
		if theirs == ours {
			if theirs != "elsewhere" && p.parted == "" {
				if mismatch := p.compareRecords(pod); mismatch != "" {
					return "records: after " + after + mismatch
				}
			}
			continue
		}
		if why := p.wokenOnPurpose(pod, theirs, ours); why != "" {
			p.parted = why
			return ""
		}
		return fmt.Sprintf("places: after %s, pod %s is %s in kube-scheduler and %s in Orrery", after, name, theirs, ours)
	}
	if mismatch := p.compareClaims(); mismatch != "" {
		return "claims: after " + after + mismatch
	}
	return ""
}
