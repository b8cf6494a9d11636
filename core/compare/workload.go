package compare

import (
	"errors"
	"io"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/world"
)

// podKey tells pods apart over the whole trace.
type podKey = types.UID

// workload is what a trace says that no scheduler decided.
type workload struct {
	header   trace.Header
	profiles map[string]bool // of the recorded scheduler
	inputs   []world.Input
	typical  *tally
	// start is the first arrival and end the last input; pods is how many came for the recorded scheduler to place.
	start, end time.Time
	pods       int
	damage     *trace.Damage

	fill bool               // nobody leaves
	seen map[podKey]*v1.Pod // as they were last seen
}

// readWorkload takes a trace apart.
func readWorkload(from io.Reader, fill bool) (*workload, error) {
	r, err := trace.NewReader(from)
	if err != nil {
		return nil, err
	}
	recorded, err := play.OptionsOf(r.Header())
	if err != nil {
		return nil, err
	}
	w := &workload{header: r.Header(), profiles: map[string]bool{}, typical: newTally(), fill: fill, seen: map[podKey]*v1.Pod{}}
	for _, p := range recorded.Config.Profiles {
		w.profiles[p.SchedulerName] = true
	}
	for record, err := range r.All() {
		if err != nil {
			errors.As(err, &w.damage)
			break
		}
		if in, ok := record.Body.(trace.Input); ok {
			w.take(record.At, in.Event)
		}
	}
	if w.start.IsZero() {
		w.start = w.header.Start
	}
	w.seen = nil
	return w, nil
}

// take keeps of an input what no scheduler decided.
func (w *workload) take(at time.Time, event world.Event) {
	switch event := event.(type) {
	case world.Changed:
		pod, ok := event.Object.(*v1.Pod)
		switch {
		case !ok:
			w.add(at, event)
		case event.Op == world.Deleted || ended(pod):
			w.takeGone(at, pod)
		default:
			w.takePod(at, pod)
		}
	case world.Listed:
		if event.Kind != world.Pod {
			w.add(at, event)
			return
		}
		w.takeList(at, event)
	}
}

// takeList takes a list of all pods for what it says of each, and of those that are not in it.
func (w *workload) takeList(at time.Time, list world.Listed) {
	there := map[podKey]bool{}
	for _, o := range list.Objects {
		there[o.GetUID()] = true
	}
	for _, pod := range sortedPods(w.seen) {
		if !there[pod.UID] {
			w.takeGone(at, pod)
		}
	}
	for _, o := range list.Objects {
		pod, ok := o.(*v1.Pod)
		switch {
		case !ok:
		case ended(pod):
			w.takeGone(at, pod)
		default:
			w.takePod(at, pod)
		}
	}
}

// takePod takes a pod that has come or changed. That a pod of the recorded scheduler has its node is an outcome, unless it
// had it from the first.
func (w *workload) takePod(at time.Time, pod *v1.Pod) {
	kept := *pod
	kept.ResourceVersion, kept.DeletionTimestamp, kept.DeletionGracePeriodSeconds = "", nil, nil
	kept.Status.NominatedNodeName = ""
	was := w.seen[pod.UID]
	if was == nil {
		if kept.Spec.NodeName == "" && w.profiles[kept.Spec.SchedulerName] {
			w.arrived(at, &kept)
		}
		w.seen[pod.UID] = &kept
		w.add(at, world.Changed{Op: world.Added, Object: &kept})
		return
	}
	if was.Spec.NodeName == "" && w.profiles[kept.Spec.SchedulerName] {
		kept.Spec.NodeName = ""
	}
	kept.Status = was.Status
	if equality.Semantic.DeepEqual(was.Spec, kept.Spec) && equality.Semantic.DeepEqual(was.Labels, kept.Labels) {
		return
	}
	w.seen[pod.UID] = &kept
	w.add(at, world.Changed{Op: world.Modified, Object: &kept})
}

func (w *workload) arrived(at time.Time, pod *v1.Pod) {
	if w.pods == 0 {
		w.start = at
	}
	w.pods++
	w.typical.count(pod)
}

func (w *workload) takeGone(at time.Time, pod *v1.Pod) {
	if was := w.seen[pod.UID]; was != nil {
		delete(w.seen, pod.UID)
		if !w.fill {
			w.add(at, world.Changed{Op: world.Deleted, Object: was})
		}
	}
}

// add keeps an input. Time never runs backwards.
func (w *workload) add(at time.Time, event world.Event) {
	if at.Before(w.end) {
		at = w.end
	}
	w.end = at
	w.inputs = append(w.inputs, world.Input{At: at, Event: event})
}

func ended(pod *v1.Pod) bool {
	return pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
}
