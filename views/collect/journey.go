package collect

import (
	"slices"
	"strconv"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/diagnose"
	"orrery/core/engine"
	"orrery/core/printable"
	"orrery/core/queue"
	"orrery/views"
)

// journey returns a pod's transitions through the queue with their events, and its attempts.
func (c *Collector) journey(e *engine.Engine, look Query) *views.Journey {
	pod := e.Store().Pod(look.Pod.Namespace, look.Pod.Name)
	j := &views.Journey{Pod: podName(look.Pod), State: podStateAt(e.PodState(look.Pod.Namespace, look.Pod.Name))}
	uid := look.Pod.UID
	if pod != nil {
		uid = pod.UID
		j.Created, j.Facts = pod.CreationTimestamp.Time, podFacts(pod)
	}
	if p, ok := e.Queue().Get(look.Pod.Namespace, look.Pod.Name); ok {
		j.RequeuesOn = requeueEvents(e.Queue(), p, 64)
	}
	way := e.PodTransitions(uid)
	tried := attemptsOf(e, uid, len(way))
	first, end := look.list().Window(len(way))
	j.Steps = views.List[views.JourneyStep]{First: first, Total: len(way)}
	for i := range way {
		t := &way[i]
		var d *engine.Decision // that the step ends, if it ends one
		if t.From == queue.InFlight {
			d = tried[t.Attempts]
		}
		if d != nil {
			j.AttemptTime += d.Duration
		}
		stayed := stayedBefore(way, i)
		if t.From != queue.Gone && t.From != queue.InFlight {
			j.QueuedFor += stayed
		}
		if i >= first && i < end {
			step := journeyStep(e, t, d)
			step.PreviousStateTime = stayed
			j.Steps.Rows = append(j.Steps.Rows, step)
		}
	}
	if len(way) > 0 {
		last := &way[len(way)-1]
		j.Attempts = last.Attempts
		if last.To != queue.Gone && last.To != queue.InFlight {
			j.QueuedFor += e.Now().Sub(last.At)
		}
	}
	return j
}

func stayedBefore(way []queue.Transition, i int) time.Duration {
	if i > 0 {
		return way[i].At.Sub(way[i-1].At)
	}
	return 0
}

// attemptsOf are the decisions about a pod that the log still has, by the number of the attempt.
func attemptsOf(e *engine.Engine, uid types.UID, moves int) map[int]*engine.Decision {
	found := map[int]*engine.Decision{}
	for d := range e.Decisions() {
		if d.Pod.UID == uid {
			if found[d.Attempt] == nil {
				found[d.Attempt] = d
			}
			if len(found) >= moves {
				break
			}
		}
	}
	return found
}

func journeyStep(e *engine.Engine, t *queue.Transition, d *engine.Decision) views.JourneyStep {
	step := views.JourneyStep{
		At: t.At, From: stateOf(t.From), To: destination(e, t), Event: printable.Text(t.Event), Plugin: printable.Text(t.Plugin),
		Note: printable.Text(t.Note), Attempt: t.Attempts,
	}
	if len(t.NewRejectors) > 0 && step.Plugin == "" {
		step.Plugin = printable.Text(strings.Join(t.NewRejectors, ", "))
	}
	if t.From == queue.Gone {
		step.From = views.Created
	}
	if d != nil {
		step.AttemptDuration, step.Examined, step.Feasible = d.Duration, d.Examined, d.Feasible
		if step.Note == "" {
			step.Note = outcomeText(d)
		}
	}
	return step
}

// outcomeText is the outcome of an attempt.
func outcomeText(d *engine.Decision) string {
	if d.Verdict == engine.Placed {
		return "placed on " + printable.Text(d.Node)
	}
	text := printable.Text(diagnose.MainClause(d.Message))
	if d.Nominated != "" {
		text += "; nominated to " + printable.Text(d.Nominated)
	}
	return text
}

var podStates = map[engine.PodState]views.PodState{
	engine.StateActive: views.Active, engine.StateBackoff: views.Backoff, engine.StateUnschedulable: views.Unschedulable,
	engine.StateGated: views.Gated, engine.StateWaiting: views.InFlight, engine.StateBinding: views.InFlight,
	engine.StateBound: views.Bound, engine.StateGone: views.Deleted,
}

// podStateAt returns a pod's state; an unknown pod is deleted.
func podStateAt(p engine.PodState) views.PodState {
	if state, ok := podStates[p]; ok {
		return state
	}
	return views.Deleted
}

func podFacts(pod *v1.Pod) []views.Fact {
	facts := []views.Fact{{Name: "profile", Value: printable.Text(pod.Spec.SchedulerName)}}
	add := func(name, value string) {
		if value != "" {
			facts = append(facts, views.Fact{Name: name, Value: printable.Text(value)})
		}
	}
	if pod.Spec.Priority != nil {
		add("priority", strings.TrimSpace(strconv.Itoa(int(*pod.Spec.Priority))+" "+pod.Spec.PriorityClassName))
	}
	add("asks for", requestsText(pod))
	for _, owner := range pod.OwnerReferences {
		if owner.Controller != nil && *owner.Controller {
			add("owner", owner.Kind+" "+owner.Name)
		}
	}
	for _, gate := range pod.Spec.SchedulingGates {
		add("gate", gate.Name)
	}
	add("node", pod.Spec.NodeName)
	add("nominated to", pod.Status.NominatedNodeName)
	return facts
}

// requestsText returns a pod's requests in words.
func requestsText(pod *v1.Pod) string {
	list := *requestsOf(pod)
	names := make([]string, 0, len(list))
	for name := range list {
		names = append(names, string(name))
	}
	slices.Sort(names)
	for i, name := range names {
		quantity := list[v1.ResourceName(name)]
		names[i] = quantity.String() + " " + name
	}
	return strings.Join(names, ", ")
}
