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
	"orrery/core/parity/oracle/extenderserver"
	"orrery/core/world"
)

func TestScheduler_SameDecisions(t *testing.T) {
	compareCases(t, comparisons.Decisions.Cases, compareDecisions)
}

// decisionCase runs one case on both schedulers.
type decisionCase struct {
	upstream    kubeScheduler
	here        *upstreamScheduler // the same if it is in this process
	client      *recordingClient   // its own
	orrery      *orreryScheduler
	nodes       map[string]*v1.Node
	pods        map[types.NamespacedName]*v1.Pod
	storage     map[objectKey]world.Object
	terminating []types.NamespacedName // to be removed later
	version     int
	seen        difftest.Coverage

	unprovisioned map[string]bool // claims whose next provisioning fails
	unbound       map[string]bool // claims that no controller binds

	settings  *settings
	extenders []extenderserver.Rules
	hosting   hosting
	abroad    *abroad
	// divergence is the intended difference on which the two diverged. From there on nothing can be compared.
	divergence string
	// log has kube-scheduler's decisions, events and writes of pods.
	log []string
}

func compareDecisions(t *testing.T, c *clusterCase, seen difftest.Coverage) (mismatch string) {
	return compareHosting(t, c, ownPlugins, seen)
}

// compareHosting runs a case in virtual time, with the kube-scheduler in this process.
func compareHosting(t *testing.T, c *clusterCase, h hosting, seen difftest.Coverage) (mismatch string) {
	_, mismatch = compareHere(t, c, h, seen)
	return mismatch
}

// compareHere returns kube-scheduler's log, too.
func compareHere(t *testing.T, c *clusterCase, h hosting, seen difftest.Coverage) (log []string, mismatch string) {
	s, mismatch := read(c, nil)
	if s == nil {
		seen.Count("configurations not run")
		return nil, mismatch
	}
	s.host(h)
	synctest.Test(t, func(*testing.T) {
		p := s.newCase(c, seen)
		p.hosting = h
		p.here = p.newUpstreamScheduler(c)
		p.upstream, p.client = p.here, p.here.client
		mismatch = p.runBoth(c)
		log = p.log
	})
	return log, mismatch
}

// newCase returns a case on which no scheduler runs yet.
func (s *settings) newCase(c *clusterCase, seen difftest.Coverage) *decisionCase {
	return &decisionCase{
		nodes: map[string]*v1.Node{}, pods: map[types.NamespacedName]*v1.Pod{}, storage: map[objectKey]world.Object{},
		unprovisioned: set(c.Unprovisioned), unbound: set(c.Unbound), seen: seen, settings: s, extenders: c.Extenders, abroad: newAbroad(),
	}
}

// runBoth runs a case on a kube-scheduler that has been started, and on Orrery.
func (p *decisionCase) runBoth(c *clusterCase) string {
	defer p.upstream.stop()
	p.orrery = p.newOrreryScheduler(c)
	defer p.orrery.stop()
	mismatch := p.run(c)
	if mismatch == "" {
		p.seen.Count("cases run")
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
		p.seen.Count("diverged: %s", p.divergence)
	}
	return ""
}

// tick separates the times of any two events: kube-scheduler does not order pods of equal times.
const tick = time.Millisecond

func (p *decisionCase) pass(d time.Duration) {
	p.upstream.elapse(d + tick)
	p.orrery.apply(world.Tick{})
}

// apply applies an object's change on both sides, and compares the queues.
func (p *decisionCase) apply(op world.Op, object world.Object) string {
	p.pass(0)
	p.deliver(op, object)
	if mismatch := p.compareQueues(fmt.Sprint(op, " ", object.GetName())); mismatch != "" || p.divergence != "" {
		return mismatch
	}
	if pod, is := object.(*v1.Pod); is && op == world.Deleted {
		return p.releaseClaims(pod)
	}
	return ""
}

// deliver has both read an object's change.
func (p *decisionCase) deliver(op world.Op, object world.Object) {
	p.remember(op, object)
	p.show(op, object)
}

// show has both read an object as it is.
func (p *decisionCase) show(op world.Op, object world.Object) {
	p.applyUpstream(world.Changed{Op: op, Object: object})
	synctest.Wait()
	p.orrery.apply(world.Changed{Op: op, Object: object})
	p.orrery.carryOutEffects()
}

// applyUpstream applies a change to kube-scheduler, and first to what a plugin of Orrery knows there.
func (p *decisionCase) applyUpstream(c world.Changed) {
	p.abroad.apply(c)
	p.upstream.apply(c)
}

// remember gives an object's next state its version.
func (p *decisionCase) remember(op world.Op, object world.Object) {
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
	default:
		p.storage[keyOf(o)] = o
		if op == world.Deleted {
			delete(p.storage, keyOf(o))
		}
	}
}

// decideAll lets both decide until no pod can be popped.
func (p *decisionCase) decideAll() string {
	for turns := 0; p.divergence == ""; turns++ {
		if turns == 200 {
			p.divergence = "more than 200 decisions in a row"
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
		next := p.terminating[0]
		p.terminating = p.terminating[1:]
		if pod := p.pods[next]; pod != nil {
			if mismatch := p.apply(world.Deleted, pod.DeepCopy()); mismatch != "" {
				return mismatch
			}
		}
	}
	return ""
}

// turn compares one decision of each, and carries it out.
func (p *decisionCase) turn() (more bool, mismatch string) {
	if p.severalVolumesNameAClaim() {
		p.divergence = "several volumes name a claim, of which kube-scheduler takes any"
		return true, ""
	}
	decided := time.Now()
	theirs, ours := p.upstream.step(), p.orrery.step()
	if theirs == nil && ours == nil && len(p.client.events) == 0 {
		return false, p.compareQueues("the last decision")
	}
	if mismatch := p.compare(theirs, ours); mismatch != "" || p.divergence != "" {
		return true, mismatch
	}
	if mismatch := p.carryOut(); mismatch != "" || p.divergence != "" {
		return true, mismatch
	}
	if mismatch := p.compareAssumed("deciding"); mismatch != "" {
		return true, mismatch
	}
	if mismatch := p.bindVolumes(decided); mismatch != "" || p.divergence != "" {
		return true, mismatch
	}
	if len(p.nodes) < 20 {
		if err := p.orrery.engine.Check(); err != nil {
			return true, fmt.Sprintf("Orrery is inconsistent: %v", err)
		}
	}
	return true, p.compareQueues("deciding")
}

// compare compares one decision of each.
func (p *decisionCase) compare(theirs, ours *decision) string {
	notes := p.compareEvents()
	if theirs == nil || ours == nil {
		if theirs == nil && ours != nil && ours.Node == "" && notes == "" { // kube-scheduler skips the pod before its cycle begins
			return ""
		}
		return fmt.Sprintf("turns: kube-scheduler decided %+v, Orrery %+v", theirs, ours)
	}
	p.count(theirs)
	p.log = append(p.log, fmt.Sprintf("decision: %+v", *theirs))
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
	return notes
}

// compareEvents compares the events since the last comparison. kube-scheduler's goroutines emit them in any order.
func (p *decisionCase) compareEvents() string {
	slices.Sort(p.client.events)
	slices.Sort(p.orrery.events)
	cutAlike(p.client.events, p.orrery.events)
	notes := cmp.Diff(p.client.events, p.orrery.events)
	p.log = append(p.log, p.client.events...)
	p.client.events, p.orrery.events = nil, nil
	if notes != "" {
		return "events: (-kube-scheduler +Orrery):\n" + notes
	}
	return ""
}

func (p *decisionCase) count(d *decision) {
	switch {
	case d.Node != "":
		p.seen.Count("pods bound")
	case d.Nominated != unchanged && d.Nominated != "":
		p.seen.Count("pods with preemption")
	default:
		p.seen.Count("unschedulable pods")
	}
	if d.Start != 0 && len(p.nodes) > 100 {
		p.seen.Count("searches of more than 100 nodes with a start index above 0")
	}
}

// compareQueues compares which queue every pending pod is in.
func (p *decisionCase) compareQueues(after string) string {
	if p.divergence != "" {
		return ""
	}
	for name, pod := range p.pods {
		if pod.Spec.NodeName != "" {
			continue
		}
		theirs, ours := p.upstream.queueOf(pod), p.orrery.queueOf(pod)
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
		return fmt.Sprintf("queues: after %s, pod %s is in %s in kube-scheduler and in %s in Orrery", after, name, theirs, ours)
	}
	if mismatch := p.compareNominations(); mismatch != "" {
		return "nominations: after " + after + mismatch
	}
	if mismatch := p.compareTaken(after); mismatch != "" {
		return mismatch
	}
	return p.compareAssumed(after)
}
