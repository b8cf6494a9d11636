package collect

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"

	"orrery/core/engine"
	"orrery/core/printable"
	"orrery/core/queue"
	"orrery/core/requests"
	"orrery/core/world"
	"orrery/views"
)

// newestMoves sorts moves, the newest first, without those told twice.
func newestMoves(all []queue.Transition) []views.Move {
	slices.SortFunc(all, func(a, b queue.Transition) int { return cmp.Compare(b.Seq, a.Seq) })
	all = slices.CompactFunc(all, func(a, b queue.Transition) bool { return a.Seq == b.Seq })
	list := make([]views.Move, min(len(all), trail))
	for i := range list {
		t := &all[i]
		list[i] = views.Move{
			At: t.At, Pod: podName(world.Ref{Namespace: t.Namespace, Name: t.Name}), From: stateOf(t.From), To: stateOf(t.To),
			Event: printable.Text(t.Event), Plugin: printable.Text(t.Plugin),
		}
	}
	return list
}

// journey is a pod's whole way through the queue.
func (c *Collector) journey(e *engine.Engine, look Look) *views.Journey {
	pod := e.Store().Pod(look.Pod.Namespace, look.Pod.Name)
	j := &views.Journey{Pod: podName(look.Pod), State: place(e.Where(look.Pod.Namespace, look.Pod.Name))}
	uid := look.Pod.UID
	if pod != nil {
		uid = pod.UID
		j.Created, j.Facts = pod.CreationTimestamp.Time, podFacts(pod)
	}
	way := e.Journey(uid)
	first, end := look.window(len(way))
	j.Steps = views.List[views.JourneyStep]{First: first, Total: len(way)}
	for i := first; i < end; i++ {
		t := &way[i]
		step := views.JourneyStep{
			At: t.At, From: stateOf(t.From), To: stateOf(t.To), Event: printable.Text(t.Event), Plugin: printable.Text(t.Plugin),
			Note: printable.Text(t.Note), Attempt: t.Attempts,
		}
		if len(t.Blamed) > 0 && step.Plugin == "" {
			step.Plugin = printable.Text(strings.Join(t.Blamed, ", "))
		}
		if i > 0 {
			step.Stayed = t.At.Sub(way[i-1].At)
		}
		if t.From == queue.Gone {
			step.From = views.Unseen
		}
		j.Steps.Rows = append(j.Steps.Rows, step)
	}
	if len(way) > 0 {
		j.Attempts = way[len(way)-1].Attempts
	}
	return j
}

var places = map[engine.Place]views.PodState{
	engine.PlaceActive: views.Active, engine.PlaceBackoff: views.Backoff, engine.PlaceUnschedulable: views.Unschedulable,
	engine.PlaceGated: views.Gated, engine.PlaceWaiting: views.InFlight, engine.PlaceBinding: views.InFlight,
	engine.PlaceBound: views.Bound, engine.PlaceGone: views.Gone,
}

func place(p engine.Place) views.PodState { return places[p] }

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
	add("asks for", asked(pod))
	for _, owner := range pod.OwnerReferences {
		if owner.Controller != nil && *owner.Controller {
			add("owner", owner.Kind+" "+owner.Name)
		}
	}
	add("node", pod.Spec.NodeName)
	add("nominated to", pod.Status.NominatedNodeName)
	return facts
}

// asked is what a pod asks for, in words.
func asked(pod *v1.Pod) string {
	list := requests.Of(pod, resource.PodResourcesOptions{})
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
