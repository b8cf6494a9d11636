package collect

import (
	"slices"
	"strconv"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/answers/answer"
	"orrery/core/answers/diagnose"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/podvolumes"
	"orrery/core/scheduler/queue"
	"orrery/core/world"
	"orrery/views"
)

// journey returns a pod's transitions through the queue with their events, the newest first, and its attempts.
func (c *Collector) journey(e *engine.Engine, query Query) *views.Journey {
	pod := e.Store().Pod(query.Pod.Namespace, query.Pod.Name)
	j := &views.Journey{Pod: podName(query.Pod), State: c.podState(e, query.Pod.Namespace, query.Pod.Name)}
	uid := query.Pod.UID
	if pod != nil {
		uid = pod.UID
		j.Created, j.Facts = pod.CreationTimestamp.Time, append(podFacts(pod), c.bindingFacts(e, pod, &query)...)
		j.Storage, j.Devices = c.chain.of(e, pod), c.devices.deviceLinks(pod)
	}
	if p, ok := e.Queue().Get(query.Pod.Namespace, query.Pod.Name); ok {
		j.RequeuesOn = requeueEvents(e.Queue(), p, maxRequeueEvents)
	}
	transitions := e.PodTransitions(uid)
	attempts := attemptsOf(e, uid, len(transitions))
	first, end := query.list().Window(len(transitions))
	j.Steps = views.List[views.JourneyStep]{First: first, Total: len(transitions)}
	for row := range transitions {
		i := len(transitions) - 1 - row
		t := &transitions[i]
		var d *engine.Decision // of the attempt that the step ends
		if t.From == queue.InFlight {
			d = attempts[t.Attempts]
		}
		if d != nil {
			j.AttemptTime += d.Duration
		}
		since := timeInState(transitions, i)
		if t.From != queue.Gone && t.From != queue.InFlight {
			j.QueuedFor += since
		}
		if row >= first && row < end {
			step := journeyStep(e, t, d)
			step.PreviousStateTime = since
			j.Steps.Rows = append(j.Steps.Rows, step)
		}
	}
	if len(transitions) > 0 {
		last := &transitions[len(transitions)-1]
		j.Attempts = last.Attempts
		if last.To != queue.Gone && last.To != queue.InFlight {
			j.QueuedFor += e.Now().Sub(last.At)
		}
	}
	return j
}

// chainCache keeps the chain of a pod's storage, which looks at all nodes and VolumeAttachments: for a second of the engine's
// time if those are many.
type chainCache struct {
	pod   *v1.Pod
	at    time.Time
	links []answer.Link
}

// manyObjects is how many nodes and attachments make a chain costly.
const manyObjects = 1000

func (m *chainCache) of(e *engine.Engine, pod *v1.Pod) []answer.Link {
	if !podvolumes.UsesClaims(pod) {
		return nil
	}
	many := e.Store().Len(world.Node)+e.Store().Len(world.VolumeAttachment) > manyObjects
	if age := e.Now().Sub(m.at); m.pod != pod || age < 0 || age >= time.Second || age > 0 && !many {
		*m = chainCache{pod, e.Now(), chainLinks(diagnose.Chain(e, pod).Links(""))}
	}
	return m.links
}

func timeInState(transitions []queue.Transition, i int) time.Duration {
	if i > 0 {
		return transitions[i].At.Sub(transitions[i-1].At)
	}
	return 0
}

// attemptsOf returns a pod's decisions that the log still has, by attempt.
func attemptsOf(e *engine.Engine, uid types.UID, most int) map[int]*engine.Decision {
	found := map[int]*engine.Decision{}
	for d := range e.Decisions() {
		if d.Pod.UID == uid {
			if found[d.Attempt] == nil {
				found[d.Attempt] = d
			}
			if len(found) >= most {
				break
			}
		}
	}
	return found
}

func journeyStep(e *engine.Engine, t *queue.Transition, d *engine.Decision) views.JourneyStep {
	step := views.JourneyStep{
		At: t.At, From: origin(t), To: destination(e, t), Event: printable.Text(t.Event), Plugin: printable.Text(t.Plugin),
		Note: printable.Text(t.Note), Attempt: t.Attempts,
	}
	if len(t.NewRejectors) > 0 && step.Plugin == "" {
		step.Plugin = printable.Text(strings.Join(t.NewRejectors, ", "))
	}
	if d != nil {
		step.AttemptDuration, step.Examined, step.Feasible = d.Duration, d.Examined, d.Feasible
		if step.Note == "" {
			step.Note = outcomeText(d)
		}
	}
	return step
}

// unknownText names the extenders that were not asked.
func unknownText(d *engine.Decision) string {
	if len(d.Unknown) == 0 {
		return ""
	}
	return "extenders not asked: " + printable.Text(strings.Join(d.Unknown, ", "))
}

// outcomeText is the outcome of an attempt.
func outcomeText(d *engine.Decision) string {
	text := printable.Text(framework.MainOf(d.Message).String())
	switch {
	case d.Verdict == engine.Placed:
		text = "placed on " + printable.Text(d.Node)
	case d.Nominated != "":
		text += "; nominated to " + printable.Text(d.Nominated)
	}
	if unknown := unknownText(d); unknown != "" {
		text += "; " + unknown
	}
	return text
}

var podStates = map[engine.PodState]views.PodState{
	engine.StateActive: views.Active, engine.StateBackoff: views.Backoff, engine.StateUnschedulable: views.Unschedulable,
	engine.StateGated: views.Gated, engine.StateScheduling: views.InFlight, engine.StateWaiting: views.InFlight, engine.StateBinding: views.InFlight,
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
	add("requests", requestsText(pod))
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

// bindingFacts are what the binding of a placed pod waits for.
func (c *Collector) bindingFacts(e *engine.Engine, pod *v1.Pod, query *Query) []views.Fact {
	all := e.Bindings()
	i := slices.IndexFunc(all, func(b engine.BindingInFlight) bool { return b.Pod.UID == pod.UID })
	if i < 0 {
		return nil
	}
	place := printable.Text(all[i].Node)
	if c.placedState(len(all[i].Waiting) > 0) == views.Decided {
		place += " (ours; not bound)"
	}
	facts := []views.Fact{{Name: "placed on", Value: place}}
	if len(all[i].Objects) > 0 {
		facts = append(facts, views.Fact{Name: "waits for", Value: printable.Text(diagnose.Awaited(e, pod, all[i].Objects))},
			views.Fact{Name: "gives up at", Value: query.clock(all[i].Deadline)})
	}
	return facts
}

// requestsText formats a pod's requests.
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
