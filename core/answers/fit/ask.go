package fit

import (
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/change"
	"orrery/core/answers/diagnose"
	"orrery/core/answers/fix"
	"orrery/core/answers/whatif"
	"orrery/core/safe/plural"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// Options say what is asked beside the objects.
type Options struct {
	// Before are changes that are made before the objects are created, After such as are made when these are at rest.
	Before, After []change.Change
	// Quotas are those of the cluster, which no scheduler reads.
	Quotas []*v1.ResourceQuota
	// Again is how a command that asks the same begins; remedies are added to it. If it is empty, none are looked for.
	Again string
}

// Answer says whether objects fit.
type Answer struct {
	// Fits says that every pod has a node, however ties fall. ByTies says that with other ties between equally good nodes it is otherwise.
	Fits, ByTies bool
	// Outcome is what happens, by the ties of a what-if.
	Outcome *whatif.Outcome
	// First is the first pod that has no node, and Why the answer of explain about it; nil if there is none.
	First *world.PodRef
	Why   *diagnose.Diagnosis
}

// seeds are how many ways in which ties fall are tried.
const seeds = 3

// Ask asks whether the objects fit. The engine is only read.
func Ask(e *engine.Engine, s *Set, o Options) (*Answer, error) {
	start, err := begin(e, s, o)
	if err != nil {
		return nil, err
	}
	return ask(start, s, o)
}

func begin(e *engine.Engine, s *Set, o Options) (*whatif.Start, error) {
	pods := 0
	for _, object := range s.Objects {
		pods += podsOf(object)
	}
	beside := make([]world.Object, len(o.Quotas))
	for i, q := range o.Quotas {
		beside[i] = q
	}
	start, err := whatif.Begin(e, whatif.Options{MaxDecisions: maxPods + 4*pods, Beside: beside})
	if err != nil {
		return nil, fmt.Errorf("asking whether it fits: %w", err)
	}
	return start, nil
}

func ask(start *whatif.Start, s *Set, o Options) (*Answer, error) {
	a, err := askBySeed(start, s, o, 0)
	if err != nil {
		return nil, err
	}
	for seed := uint64(1); seed < ties(start, s) && !a.ByTies; seed++ {
		other, err := askBySeed(start, s, o, seed)
		if err != nil {
			return nil, err
		}
		a.ByTies = other.Fits != a.Fits
	}
	a.Fits = a.Fits && !a.ByTies
	return a, a.explain(o)
}

// askHarmless asks whether the objects fit without harm to other pods, however ties fall. The answer is one that tells of harm if there is one.
func askHarmless(start *whatif.Start, s *Set, o Options) (*Answer, error) {
	a, err := askBySeed(start, s, o, 0)
	if err != nil || !goes(a) {
		return a, err
	}
	for seed := uint64(1); seed < ties(start, s); seed++ {
		other, err := askBySeed(start, s, o, seed)
		if err != nil {
			return nil, err
		}
		if !goes(other) {
			other.Fits, other.ByTies = false, true
			return other, nil
		}
	}
	return a, nil
}

// ties is in how many ways in which ties fall something is tried.
func ties(start *whatif.Start, s *Set) uint64 {
	if start.Pods() > fix.ManyPods || len(s.refused) > 0 {
		return 1
	}
	return seeds
}

func (o *Options) question(s *Set, seed uint64) whatif.Question {
	return whatif.Question{Before: o.Before, Create: s.created(), After: o.After, Seed: seed}
}

func askBySeed(start *whatif.Start, s *Set, o Options, seed uint64) (*Answer, error) {
	out, err := start.Ask(o.question(s, seed))
	if err != nil {
		return nil, fmt.Errorf("asking whether it fits: %w", err)
	}
	for _, object := range s.Objects {
		if why := s.refused[object]; why != "" {
			out.Created = append(out.Created, whatif.Creation{Object: object, Refused: why, Wanted: podsOf(object)})
		}
	}
	return &Answer{Fits: fits(out), Outcome: out}, nil
}

// fits reports whether all pods of the objects have nodes.
func fits(o *whatif.Outcome) bool {
	return !o.Truncated && !slices.ContainsFunc(o.Created, func(c whatif.Creation) bool { return !complete(&c) })
}

func complete(c *whatif.Creation) bool {
	return c.Refused == "" && c.Placed() >= c.Wanted && c.Placed() == len(c.Pods)
}

// explain asks for the first pod that has no node, what keeps it from one, and what would help.
func (a *Answer) explain(o Options) error {
	for i := range a.Outcome.Created {
		for _, pod := range a.Outcome.Created[i].Pods {
			if pod.Node != "" || pod.Pod == (world.PodRef{}) {
				continue
			}
			q := diagnose.Question{Whole: true}
			if o.Again != "" {
				q.Fixes = fix.Tries{}
			}
			d, err := diagnose.Ask(a.Outcome.Engine(), pod.Pod, q)
			if err != nil {
				return fmt.Errorf("explaining why pod %q has no node: %w", printable.Line(pod.Pod.Name, 100), err)
			}
			if o.Again == "" {
				d.Answer.Remedies = nil
			}
			for i := range d.Answer.Remedies {
				r := &d.Answer.Remedies[i]
				r.Command = o.Again + " --do " + change.ShellWord(r.Change)
			}
			a.First, a.Why = &pod.Pod, d
			return nil
		}
	}
	return nil
}

// Wanted and Placed count the pods of all objects.
func (a *Answer) Wanted() (n int) {
	for i := range a.Outcome.Created {
		n += max(a.Outcome.Created[i].Wanted, len(a.Outcome.Created[i].Pods))
	}
	return n
}

// Placed counts the pods with a node.
func (a *Answer) Placed() (n int) {
	for i := range a.Outcome.Created {
		n += a.Outcome.Created[i].Placed()
	}
	return n
}

// After is how long it takes until the last pod has its node, in a cluster that takes no time for anything but to end preempted pods.
func (a *Answer) After() (after time.Duration) {
	for i := range a.Outcome.Created {
		for _, pod := range a.Outcome.Created[i].Pods {
			after = max(after, pod.After)
		}
	}
	return after
}

// Nodes counts the nodes that the pods are on.
func (a *Answer) Nodes() int {
	on := map[string]bool{}
	for i := range a.Outcome.Created {
		for _, pod := range a.Outcome.Created[i].Pods {
			if pod.Node != "" {
				on[pod.Node] = true
			}
		}
	}
	return len(on)
}

// Harm counts the pods of others that lose their nodes, or do not get one that they would have.
func (a *Answer) Harm() (n int) {
	for _, p := range a.Outcome.Result.Pods {
		if p.Kind.Bad() {
			n++
		}
	}
	return n
}

// Verdict says the answer in one line.
func (a *Answer) Verdict() string {
	wanted, placed := a.Wanted(), a.Placed()
	var text string
	switch refused := a.refused(); {
	case a.Outcome.Truncated:
		return fmt.Sprintf("unknown: %d of %s placed when the simulation was cut off", placed, plural.Count(wanted, "pod"))
	case a.ByTies:
		return fmt.Sprintf("fits or not by how ties between equally good nodes fall: %d of %s placed", placed, plural.Count(wanted, "pod"))
	case a.Fits && wanted == 0:
		text = "fits: no pod is created"
	case a.Fits:
		text = fmt.Sprintf("fits: %s on %s", plural.Count(wanted, "pod"), plural.Count(a.Nodes(), "node"))
	case refused != "" && (placed == wanted || a.Why == nil):
		text = "does not fit: refused: " + refused
	default:
		text = fmt.Sprintf("does not fit: %d of %s without a node", wanted-placed, plural.Count(wanted, "pod"))
		if a.Why != nil && a.Why.Answer.Summary != "" {
			text += ": " + a.Why.Answer.Summary
		}
	}
	if victims := len(a.Outcome.Preempted()); victims > 0 {
		text += fmt.Sprintf("; preempts %s", plural.Count(victims, "pod"))
	}
	for _, b := range a.Outcome.Budgets {
		if b.Violated() {
			text += fmt.Sprintf(", beyond budget %s/%s", b.Namespace, b.Name)
		}
	}
	if harm := a.Harm(); harm > 0 {
		text += fmt.Sprintf("; %s of others left without a node", plural.Count(harm, "pod"))
	}
	return text
}

// refused is the first reason why the API server refuses something.
func (a *Answer) refused() string {
	for i := range a.Outcome.Created {
		if c := &a.Outcome.Created[i]; c.Refused != "" {
			return c.Refused
		}
	}
	return ""
}
