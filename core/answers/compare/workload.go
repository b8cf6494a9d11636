package compare

import (
	"errors"
	"io"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/world"
)

// podKey identifies a pod within a trace.
type podKey = types.UID

// workload has the inputs of a trace that its scheduler did not decide.
type workload struct {
	header   trace.Header
	profiles map[string]bool // of the recorded scheduler
	inputs   []world.Input
	typical  *requestCounts
	// start is the first arrival and end the last input; pods counts the arrivals for the recorded scheduler.
	start, end time.Time
	pods       int
	// decision is how long each decision takes.
	decision time.Duration
	damage   *trace.Damage

	volumes volumeDecisions
	devices deviceDecisions

	fill bool               // leave out deletions
	seen map[podKey]*v1.Pod // the latest version of each pod
	time decisionTime
}

// readWorkload reads the workload of a trace.
func readWorkload(from io.Reader, fill bool) (*workload, error) {
	r, err := trace.NewReader(from)
	if err != nil {
		return nil, err
	}
	recorded, err := play.OptionsOf(r.Header())
	if err != nil {
		return nil, err
	}
	w := newWorkload(r.Header(), recorded.Config, fill)
	for record, err := range r.All() {
		if err != nil {
			errors.As(err, &w.damage)
			break
		}
		if err := w.addRecord(recorded, record); err != nil {
			return nil, err
		}
	}
	w.finish()
	return w, nil
}

func newWorkload(header trace.Header, recorded *config.Configuration, fill bool) *workload {
	w := &workload{
		header: header, profiles: map[string]bool{}, typical: newRequestCounts(), fill: fill, volumes: newVolumeDecisions(), devices: newDeviceDecisions(),
		seen: map[podKey]*v1.Pod{}, time: decisionTime{waiting: map[podKey]time.Time{}},
	}
	for _, p := range recorded.Profiles {
		w.profiles[p.SchedulerName] = true
	}
	return w
}

// addRecord adds what a record has that the scheduler did not decide.
func (w *workload) addRecord(recorded engine.Options, record trace.Record) error {
	switch body := record.Body.(type) {
	case trace.State:
		return w.addState(recorded, record)
	case trace.Input:
		w.addEvent(record.At, body.Event)
	case trace.Decision:
		w.time.decided(body.Pod, record.At)
	}
	return nil
}

// finish computes what needs all records.
func (w *workload) finish() {
	if w.start.IsZero() {
		w.start = w.header.Start
	}
	w.decision = w.time.median()
	w.seen, w.time = nil, decisionTime{}
}

// addState adds the objects with which a trace begins. Of later states they are known.
func (w *workload) addState(recorded engine.Options, r trace.Record) error {
	if len(w.inputs) > 0 {
		return nil
	}
	e, err := play.Restore(recorded, r)
	if err != nil {
		return err
	}
	w.addCluster(r.At, e)
	return nil
}

// addCluster adds the objects of an engine: those that pods are decided by come before the pods, and pods with a node before those that
// are to get one.
func (w *workload) addCluster(at time.Time, e *engine.Engine) {
	var pods []world.Object
	for _, list := range trace.Lists(e.Store()) {
		if list.Kind != world.Pod {
			w.addEvent(at, list)
			continue
		}
		pods = list.Objects
	}
	pending := func(o world.Object) int {
		if pod, ok := o.(*v1.Pod); ok && pod.Spec.NodeName == "" {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(pods, func(a, b world.Object) int { return pending(a) - pending(b) })
	w.addEvent(at, world.Listed{Kind: world.Pod, Objects: pods})
}

// addEvent adds the parts of an input that the scheduler did not decide.
func (w *workload) addEvent(at time.Time, event world.Event) {
	switch event := event.(type) {
	case world.Changed:
		pod, ok := event.Object.(*v1.Pod)
		switch {
		case !ok && (w.volumes.made(event) || w.devices.made(event)):
		case !ok && w.fill && event.Op == world.Deleted && goesWithPod(event.Object):
		case !ok:
			w.addInput(at, event)
		case event.Op == world.Deleted || isTerminal(pod):
			w.addDeletion(at, pod)
		default:
			w.addPod(at, pod)
		}
	case world.Listed:
		switch {
		case event.Kind == world.Pod:
			w.addPodList(at, event)
		case !w.volumes.learn(event) && !w.devices.learn(event):
			w.addInput(at, event)
		}
	}
}

// addPodList adds the pods of a list, and deletes those that are missing in it.
func (w *workload) addPodList(at time.Time, list world.Listed) {
	there := map[podKey]bool{}
	for _, o := range list.Objects {
		there[o.GetUID()] = true
	}
	for _, pod := range sortedPods(w.seen) {
		if !there[pod.UID] {
			w.addDeletion(at, pod)
		}
	}
	for _, o := range list.Objects {
		pod, ok := o.(*v1.Pod)
		switch {
		case !ok:
		case isTerminal(pod):
			w.addDeletion(at, pod)
		default:
			w.addPod(at, pod)
		}
	}
}

// addPod adds a new or changed pod. It removes the node of a pod of the recorded scheduler, unless the pod arrived with
// it. Of a status it keeps how the pod arrived, and the claims that were made for it.
func (w *workload) addPod(at time.Time, pod *v1.Pod) {
	kept := *pod
	kept.ResourceVersion, kept.DeletionTimestamp, kept.DeletionGracePeriodSeconds = "", nil, nil
	kept.Status.NominatedNodeName = ""
	was := w.seen[pod.UID]
	if was == nil {
		if kept.Spec.NodeName == "" && w.profiles[kept.Spec.SchedulerName] {
			w.arrived(at, &kept)
		}
		w.seen[pod.UID] = &kept
		w.addInput(at, world.Changed{Op: world.Added, Object: &kept})
		return
	}
	if was.Spec.NodeName == "" && w.profiles[kept.Spec.SchedulerName] {
		kept.Spec.NodeName = ""
	}
	claims := kept.Status.ResourceClaimStatuses
	kept.Status = was.Status
	kept.Status.ResourceClaimStatuses = claims
	if equality.Semantic.DeepEqual(was.Spec, kept.Spec) && equality.Semantic.DeepEqual(was.Labels, kept.Labels) &&
		equality.Semantic.DeepEqual(was.Status.ResourceClaimStatuses, claims) {
		return
	}
	w.seen[pod.UID] = &kept
	w.addInput(at, world.Changed{Op: world.Modified, Object: &kept})
}

func (w *workload) arrived(at time.Time, pod *v1.Pod) {
	if w.pods == 0 {
		w.start = at
	}
	w.pods++
	w.typical.add(pod)
	w.time.arrived(pod.UID, at)
}

func (w *workload) addDeletion(at time.Time, pod *v1.Pod) {
	if was := w.seen[pod.UID]; was != nil {
		delete(w.seen, pod.UID)
		if !w.fill {
			w.addInput(at, world.Changed{Op: world.Deleted, Object: was})
		}
	}
}

// addInput adds an input, no earlier than the last.
func (w *workload) addInput(at time.Time, event world.Event) {
	if at.Before(w.end) {
		at = w.end
	}
	w.end = at
	w.inputs = append(w.inputs, world.Input{At: at, Event: event})
}

// goesWithPod reports whether an object is a claim of a pod, which is deleted with it.
func goesWithPod(o world.Object) bool {
	owner := metav1.GetControllerOfNoCopy(o)
	return owner != nil && owner.Kind == "Pod"
}

func isTerminal(pod *v1.Pod) bool {
	return pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
}
