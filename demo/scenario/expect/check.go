package expect

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"orrery/core/answers/answer"
	"orrery/core/answers/change"
	"orrery/core/answers/diagnose"
	"orrery/core/answers/fix"
	"orrery/core/scheduler/release"
	"orrery/core/world"
)

// Failure is an expectation that does not hold.
type Failure struct {
	// Message says what is otherwise.
	Message string
	// At is the moment, and Pod the first pod that it is about, if it is about one.
	At  time.Time
	Pod *world.PodRef
	// Answer is what explain says of the pod at that moment.
	Answer *answer.Answer
}

// Others are the runs that some expectations compare with.
type Others struct {
	// Recording opens one by its name, As runs the same as another release.
	Recording func(name string) (*Run, error)
	As        func(release.Release) (*Run, error)
}

// Check compares a run with an expectation. The failure is nil if it holds.
func (r *Run) Check(x *Expectation, others Others) (*Failure, error) {
	at := r.End()
	if x.Has("at") {
		at = r.Start().Add(time.Duration(x.At))
	}
	switch x.Kind() {
	case "placed":
		return r.checkPlaced(x, at)
	case "pending":
		return r.checkPending(x, at)
	case "preempts":
		return r.checkPreempts(x)
	case "spread":
		return r.checkSpread(x, at)
	case "not-worse-than":
		other, err := others.Recording(x.NotWorseThan.Recording)
		if err != nil {
			return nil, x.NotWorseThan.Fail("recording", "%v", err)
		}
		return r.checkNotWorse(x, other)
	case "same-as":
		other, err := others.Recording(x.SameAs)
		if err != nil {
			return nil, x.Fail("same-as", "%v", err)
		}
		return r.checkSame(other, x.SameAs), nil
	case "agrees-with":
		other, err := others.As(x.AgreesWith.as)
		if err != nil {
			return nil, err
		}
		return r.checkSame(other, "Kubernetes "+x.AgreesWith.as.String()), nil
	}
	return r.checkFigure(x)
}

func (r *Run) none(x *Expectation, at time.Time) *Failure {
	what := "no pod"
	if x.Pods != "" {
		what += " is called " + strconv.Quote(x.Pods)
	}
	if x.App != "" {
		what += " has the label app=" + x.App
	}
	if what == "no pod" {
		what = "there is no pod"
	}
	for _, p := range r.order {
		if x.matches(p.ref.Namespace, p.ref.Name, p.labels) {
			return &Failure{Message: fmt.Sprintf("of the pods that are meant, none exists or comes when it should hold; %s has its node, or is gone", p.ref), At: at}
		}
	}
	return &Failure{Message: what, At: at}
}

// about is a failure about a pod, with what explain says of it.
func (r *Run) about(p *podRun, at time.Time, fixes bool, format string, args ...any) (*Failure, error) {
	f := &Failure{Message: fmt.Sprintf(format, args...), At: at, Pod: &p.ref}
	d, err := r.ask(p, at, fixes)
	if d != nil {
		f.Answer = &d.Answer
	}
	return f, err
}

// ask explains a pod at a moment; nil if it does not exist then.
func (r *Run) ask(p *podRun, at time.Time, fixes bool) (*diagnose.Diagnosis, error) {
	e, err := r.engineAt(at)
	if err != nil || e.Store().Pod(p.ref.Namespace, p.ref.Name) == nil {
		return nil, err
	}
	q := diagnose.Question{Whole: fixes}
	if fixes {
		q.Fixes = fix.Tries{}
	}
	return diagnose.Ask(e, p.ref, q)
}

func (r *Run) checkPlaced(x *Expectation, at time.Time) (*Failure, error) {
	want := &x.Placed
	pods := r.existing(x, at)
	if want.Has("within") {
		pods = slices.DeleteFunc(r.selected(x), func(p *podRun) bool { return p.came.Add(time.Duration(want.Within)).After(at) })
	}
	if len(pods) == 0 && !(want.Has("count") && want.Count == 0) {
		return r.none(x, at), nil
	}
	count := 0
	var first *podRun
	for _, p := range pods {
		by := at
		if want.Has("within") {
			if by = p.came.Add(time.Duration(want.Within)); !p.gone.IsZero() && p.gone.Before(by) {
				continue // it left before it had to have a node
			}
		}
		if p.placedBy(by) {
			count++
			if failure, err := r.checkOn(want.On, p); failure != nil || err != nil {
				return failure, err
			}
		} else if first == nil {
			first = p
		}
	}
	switch {
	case want.Has("count") && count != want.Count:
		if first != nil && count < want.Count {
			return r.about(first, at, true, "%d of %d pods have a node, want %d; %s has none", count, len(pods), want.Count, first.ref)
		}
		return &Failure{Message: fmt.Sprintf("%d of %d pods have a node, want %d", count, len(pods), want.Count), At: at}, nil
	case want.Has("count") || first == nil:
		return nil, nil
	case want.Has("within"):
		by := first.came.Add(time.Duration(want.Within))
		late := "has none to the end"
		if !first.placed.IsZero() {
			late = "has one after " + first.waited(at).Round(time.Millisecond).String()
		}
		return r.about(first, by, true, "%s has no node within %v of its arrival, as %d of %d have not; it %s", first.ref, time.Duration(want.Within), len(pods)-count, len(pods), late)
	}
	return r.about(first, at, true, "%s has no node, as %d of %d have not", first.ref, len(pods)-count, len(pods))
}

// checkOn compares the node of a pod with labels, whose values may be patterns.
func (r *Run) checkOn(labels map[string]string, p *podRun) (*Failure, error) {
	if len(labels) == 0 {
		return nil, nil
	}
	e, err := r.engineAt(p.placed)
	if err != nil {
		return nil, err
	}
	node := e.Store().Node(p.node)
	for _, name := range sortedKeys(labels) {
		value := ""
		if node != nil {
			value = node.Labels[labelKey(name)]
		}
		if name == "name" {
			value = p.node
		}
		if is, _ := path.Match(labels[name], value); !is {
			return r.about(p, p.placed, false, "%s is on %s, which has %s %q, want %q", p.ref, p.node, name, value, labels[name])
		}
	}
	return nil, nil
}

func (r *Run) checkPending(x *Expectation, at time.Time) (*Failure, error) {
	want := &x.Pending
	pods := r.existing(x, at)
	if len(pods) == 0 && !want.none && !(want.Has("count") && want.Count == 0) {
		return r.none(x, at), nil
	}
	var waiting []*podRun
	for _, p := range pods {
		if !p.placedBy(at) {
			waiting = append(waiting, p)
		} else if !want.none && !want.Has("count") {
			return r.about(p, at, false, "%s is on %s", p.ref, p.node)
		}
	}
	switch {
	case want.none && len(waiting) > 0:
		return r.about(waiting[0], at, true, "%s has no node, as %d of %d have not", waiting[0].ref, len(waiting), len(pods))
	case want.Has("count") && len(waiting) != want.Count:
		message := fmt.Sprintf("%d of %d pods have no node, want %d", len(waiting), len(pods), want.Count)
		if len(waiting) > 0 {
			return r.about(waiting[0], at, true, "%s; %s has none", message, waiting[0].ref)
		}
		return &Failure{Message: message, At: at}, nil
	case want.Reason == "" && want.Fix == "":
		return nil, nil
	}
	for _, p := range waiting {
		d, err := r.ask(p, at, want.Fix != "")
		if err != nil || d == nil {
			return nil, err
		}
		f := &Failure{At: at, Pod: &p.ref, Answer: &d.Answer}
		if codes := codesOf(&d.Answer); want.Reason != "" && !slices.Contains(codes, want.Reason) {
			f.Message = fmt.Sprintf("%s waits for %s, want %s", p.ref, orNothing(codes), want.Reason)
			return f, nil
		}
		if changes := changesOf(&d.Answer); want.Fix != "" && !slices.ContainsFunc(changes, func(c string) bool { return strings.Contains(c, want.Fix) }) {
			f.Message = fmt.Sprintf("what would place %s is %s, want %q", p.ref, orNothing(changes), want.Fix)
			return f, nil
		}
	}
	return nil, nil
}

func orNothing(all []string) string {
	if len(all) == 0 {
		return "nothing that is known"
	}
	return strings.Join(all, ", ")
}

// codesOf are the reason codes of an answer.
func codesOf(a *answer.Answer) []string {
	var codes []string
	for i := range a.Reasons {
		if found, is := a.Reasons[i].Evidence.(diagnose.Found); is {
			for _, evidence := range found {
				codes = append(codes, evidence.Code)
			}
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// changesOf are the changes of the remedies that place the pod.
func changesOf(a *answer.Answer) []string {
	var all []string
	for i := range a.Remedies {
		if a.Remedies[i].Places {
			all = append(all, a.Remedies[i].Change)
		}
	}
	return all
}

func (r *Run) checkPreempts(x *Expectation) (*Failure, error) {
	want := &x.Preempts
	var found []preemption
	for _, p := range r.preemptions {
		if x.matches(p.victim.Namespace, p.victim.Name, p.victim.Labels) && matches(want.By, p.by.Namespace, p.by.Name) {
			found = append(found, p)
		}
	}
	limit := -1
	if want.none {
		limit = 0
	} else if want.Has("most") {
		limit = want.Most
	}
	switch {
	case limit >= 0 && len(found) > limit:
		p := found[limit]
		ref := p.by
		return &Failure{Message: fmt.Sprintf("%d pods are preempted, want %d at most; %s preempts %s/%s", len(found), limit, p.by, p.victim.Namespace, p.victim.Name), At: p.at, Pod: &ref}, nil
	case len(found) < want.Least:
		return &Failure{Message: fmt.Sprintf("%d pods are preempted, want %d at least", len(found), want.Least), At: r.End()}, nil
	}
	return nil, nil
}

func (r *Run) checkSpread(x *Expectation, at time.Time) (*Failure, error) {
	e, err := r.engineAt(at)
	if err != nil {
		return nil, err
	}
	key := labelKey(x.Spread.Key)
	counts := map[string]int{}
	for o := range e.Store().Objects(world.Node) {
		if value, has := o.GetLabels()[key]; has {
			counts[value] = 0
		}
	}
	if len(counts) == 0 {
		return &Failure{Message: fmt.Sprintf("no node has the label %s", key), At: at}, nil
	}
	pods := r.existing(x, at)
	if len(pods) == 0 {
		return r.none(x, at), nil
	}
	for _, p := range pods {
		if node := e.Store().Node(p.node); node != nil && p.placedBy(at) {
			if value, has := node.Labels[key]; has {
				counts[value]++
			}
		}
	}
	values := sortedKeys(counts)
	least, most := values[0], values[0]
	for _, v := range values {
		if counts[v] < counts[least] {
			least = v
		}
		if counts[v] > counts[most] {
			most = v
		}
	}
	if skew := counts[most] - counts[least]; skew > x.Spread.Max {
		return &Failure{Message: fmt.Sprintf("%d pods are in %s %s and %d in %s, which differs by %d, want %d at most", counts[most], x.Spread.Key, most, counts[least], least, skew, x.Spread.Max), At: at}, nil
	}
	return nil, nil
}

// Command is the command that shows a moment on the screen, after the words that open the run.
func Command(open []string, since time.Duration) string {
	words := append(slices.Clone(open), "--at", "+"+max(since, 0).String())
	for i := range words {
		words[i] = change.ShellWord(words[i])
	}
	return strings.Join(words, " ")
}
