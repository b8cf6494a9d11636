package diagnose

import (
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/answers/answer"
	"orrery/core/answers/change"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// Question is what is asked about a pod, and what the asker knows.
type Question struct {
	// Node asks about this one node; empty for all.
	Node string
	// Now asks of a pod that has its node what would be decided if it had none.
	Now bool
	// Past is where the decision that placed a pod can be had; nil if nothing was recorded.
	Past Past
	// Whole asks for what takes long, too: moves of other pods, and the pod's gang.
	Whole bool
	// Fixes tries remedies as their commands are run; nil leaves them as they were found. Again is how a what-if of the same source begins,
	// for those commands.
	Fixes Fixes
	Again string
	// Unled says that no scheduler leads; empty if one does, and where that is not known.
	Unled string
	// Rate is how fast a running scheduler decides, whose state the engine has; nil of others. Estimated says that the engine has only
	// listed the objects of a cluster whose scheduler it did not ask.
	Rate      *Rate
	Estimated bool
}

// Fixes tries what may help in a what-if, with all other pods: package fix, which stands above this one.
type Fixes interface {
	// OfPod returns what helps a pod, and OfGang what lets a gang go, with the commands that begin as given.
	OfPod(e *engine.Engine, d *Diagnosis, again string) ([]answer.Remedy, error)
	OfGang(e *engine.Engine, g *Gang, again string) []ToldRemedy
	// Confirm leaves groups of pending pods only the fixes that help, of which each command is for so many pods at most.
	Confirm(e *engine.Engine, groups []*Group, together int)
	// Capacity returns how many nodes like an existing one place how many pods of the groups.
	Capacity(e *engine.Engine, groups []*Group) (like string, nodes, places int, err error)
}

// Past is an engine's past.
type Past interface {
	// BeforePlacement returns the engine as it was just before a pod was placed, and when that was; nil if that is not recorded.
	BeforePlacement(pod types.UID) (*engine.Engine, time.Time, error)
}

// Ask answers a question about a pod: what is so, and then why, or what would be. The engine is only read.
func Ask(e *engine.Engine, ref world.PodRef, q Question) (*Diagnosis, error) {
	pod := e.Store().Pod(ref.Namespace, ref.Name)
	if pod == nil {
		_, err := e.Explain(ref.Namespace, ref.Name)
		return nil, err
	}
	life := LifecycleOf(e, pod)
	d, err := decisionOf(e, pod, &life, &q)
	if err != nil {
		return nil, err
	}
	d.Lifecycle = life
	d.Pod = &answer.Ref{Namespace: pod.Namespace, Name: pod.Name, UID: string(pod.UID)}
	d.Answer.Status = statusOf(e, pod, &life, &q)
	if d.Evaluated == nil {
		d.Evaluated = &answer.Evaluated{At: e.Now()}
	}
	if life.Phase == PhasePending && !life.Leaves() && len(pod.Spec.SchedulingGates) == 0 && e.Profile(pod.Spec.SchedulerName) != nil {
		d.unled = q.Unled
	}
	d.question, d.decided, d.created, d.now = q, d.Summary, pod.CreationTimestamp.Time, e.Now()
	d.Answer.Remedies = []answer.Remedy{}
	for _, r := range d.Remedies {
		d.add(r.Node, r.Text, r.Change)
	}
	if q.Node != "" {
		d.setNode(e, pod, q.Node)
	}
	if q.Whole {
		if err := d.complete(e, pod); err != nil {
			return nil, err
		}
	}
	d.write()
	return d, nil
}

// decisionOf is the decision that a question is about: the one that placed a pod that has its node, if that is known, and the one that
// would be made about others.
func decisionOf(e *engine.Engine, pod *v1.Pod, life *Lifecycle, q *Question) (*Diagnosis, error) {
	ref := world.PodRefOf(pod)
	settled := life.Node != "" && !bindingWaits(e, pod)
	if settled && q.Past != nil && !q.Now {
		switch then, at, err := q.Past.BeforePlacement(pod.UID); {
		case err != nil:
			return nil, err
		case then != nil:
			d, err := Pod(then, ref)
			if err == nil {
				d.asDecided(at, then.LastDecision()+1)
			}
			return d, err
		}
	}
	if q.Node != "" {
		q.Now = true // what was said of single nodes is not known
	}
	if settled && !q.Now {
		if logged := placedDecision(e, pod); logged != nil {
			d := &Diagnosis{Explanation: &engine.Explanation{Decision: *logged}}
			d.Counts = &answer.NodeCounts{Total: logged.Nodes, Examined: logged.Examined, Feasible: logged.Feasible}
			d.Finding = d.placedSummary()
			d.asDecided(logged.At, logged.Seq)
			return d, nil
		}
		d := undecided(e, pod, engine.Skipped)
		d.setUnread(e, pod)
		d.Finding = d.unevaluated
		return d, nil
	}
	d, err := Pod(e, ref)
	if err == nil && settled {
		d.Remedies, d.Queue = nil, nil
	}
	return d, err
}

// asDecided makes the answer that of a decision of the past.
func (d *Diagnosis) asDecided(at time.Time, seq uint64) {
	d.Evaluated = &answer.Evaluated{At: at.UTC(), AsDecided: true}
	d.Remedies, d.Queue, d.Waiting = nil, nil, "" // what it waited for then
	d.Decision.Seq = seq
}

// undecided is an answer without a decision.
func undecided(e *engine.Engine, pod *v1.Pod, verdict engine.Verdict) *Diagnosis {
	return &Diagnosis{Explanation: &engine.Explanation{
		Decision: engine.Decision{Pod: world.PodRefOf(pod), Verdict: verdict, Nodes: e.Store().Len(world.Node)}, State: e.PodState(pod.Namespace, pod.Name),
	}, Lifecycle: LifecycleOf(e, pod)}
}

// bindingWaits reports whether a pod is placed and its binding waits on Permit, or for its claims: that is the answer then, not the
// decision.
func bindingWaits(e *engine.Engine, pod *v1.Pod) bool {
	return slices.ContainsFunc(e.Bindings(), func(b engine.BindingInFlight) bool { return b.Pod.UID == pod.UID && len(b.Objects)+len(b.Waiting) > 0 })
}

// placedDecision is the latest decision in the log that placed a pod; nil if there is none.
func placedDecision(e *engine.Engine, pod *v1.Pod) *engine.Decision {
	for d := range e.Decisions() {
		if d.Pod.UID == pod.UID && d.Verdict == engine.Placed {
			return d
		}
	}
	return nil
}

// Complete adds what takes long: moves of other pods that would place the pod, and its gang.
func (d *Diagnosis) Complete(e *engine.Engine) error {
	if err := d.complete(e, e.Store().Pod(d.Pod.Namespace, d.Pod.Name)); err != nil {
		return err
	}
	d.write()
	return nil
}

func (d *Diagnosis) complete(e *engine.Engine, pod *v1.Pod) (err error) {
	if !d.Evaluated.AsDecided {
		if err := d.combine(e); err != nil {
			return err
		}
	}
	if d.Gang, err = GangOfPod(e, pod); d.Gang != nil {
		d.Answer.Gang = d.question.tell(e, d.Gang)
	}
	return err
}

// combine adds the remedies of several changes, or has all of them tried.
func (d *Diagnosis) combine(e *engine.Engine) (err error) {
	if fixes := d.question.Fixes; fixes != nil {
		d.Answer.Remedies, err = fixes.OfPod(e, d, d.question.Again)
		return err
	}
	all, err := Combinations(e, d)
	for _, c := range all {
		d.add(c.Node, c.Text, c.Changes...)
	}
	return err
}

func (d *Diagnosis) add(node, text string, changes ...change.Change) {
	d.Answer.Remedies = append(d.Answer.Remedies, answer.Remedy{Change: change.Words(changes), Node: node, Text: text})
}

// ToldGang is a gang with what is said of it.
type ToldGang struct {
	*Gang
	Summary  string       `json:"summary"`
	Remedies []ToldRemedy `json:"remedies"`
}

// ToldRemedy is changes that let a gang go, tried on a copy.
type ToldRemedy struct {
	Change string `json:"change"`
	Text   string `json:"text"`
	// Effect is the verdict on all that follows, and Command evaluates it.
	Effect  string `json:"effect"`
	Command string `json:"command"`
}

// tell puts a gang into an answer. Whether it goes by itself is known once its fixes were tried.
func (q *Question) tell(e *engine.Engine, g *Gang) *ToldGang {
	told := &ToldGang{Gang: g, Remedies: []ToldRemedy{}}
	if q.Fixes != nil {
		told.Remedies = append(told.Remedies, q.Fixes.OfGang(e, g, q.Again)...)
	}
	told.Summary = g.Summary()
	return told
}

// Links implements answer.Chain.
func (g *ToldGang) Links(string) []Link { return g.Gang.Links() }
