package gangscheduling

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	schedulingv1alpha1 "k8s.io/api/scheduling/v1alpha1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

func TestMain(m *testing.M) {
	difftest.PrepareSynctest()
	m.Run()
}

var seen = difftest.Coverage{}

// Shows GANG-03, GANG-04, GANG-06, GANG-08 and GANG-09.
func TestGangScheduling_SameAnswers(t *testing.T) {
	n := difftest.CheckInSynctest(t, comparisons.Gangs.Cases, func(source *difftest.Source) { newScript(source).run(60) })
	seen.Require(t, n, "waits", "allows others", "passes", "workload gone", "no such group", "too few", "a new deadline", "hint Queue", "hint QueueSkip")
}

// script is a random course of events on both sides.
type script struct {
	*difftest.Source
	upstream, orrery side
	pods             map[string]*v1.Pod
	workloads        map[string]*schedulingv1alpha1.Workload
	waiting          sets.Set[string] // pods that wait in Permit or have passed it; a side forgets those that it has allowed
	made             int
}

func newScript(r *difftest.Source) *script {
	s := &script{Source: r, pods: map[string]*v1.Pod{}, workloads: map[string]*schedulingv1alpha1.Workload{}, waiting: sets.New[string]()}
	s.upstream, s.orrery = newUpstream(s), newOrrery(s)
	return s
}

func (s *script) run(steps int) {
	for range steps {
		did := s.step()
		s.same(did, func(one side) any { return one.groups(s.references()) })
		time.Sleep(time.Duration(s.IntN(100))*time.Second + time.Nanosecond)
	}
}

// same compares what both sides say.
func (s *script) same(what string, ask func(side) any) any {
	want, got := ask(s.upstream), ask(s.orrery)
	if diff := cmp.Diff(want, got); diff != "" {
		s.Fatalf("%s (-kube-scheduler +Orrery):\n%s", what, diff)
	}
	return got
}

func (s *script) step() string {
	switch s.IntN(10) {
	case 0:
		return s.toggleWorkload()
	case 1, 2, 3:
		return s.addPod()
	}
	if len(s.pods) == 0 {
		return "nothing"
	}
	pod := s.pods[difftest.Pick(s.Source, slices.Sorted(maps.Keys(s.pods))...)]
	switch {
	case s.OneIn(6):
		return s.hintFor(pod)
	case pod.Spec.NodeName != "":
		s.changePod(world.Deleted, pod)
		return "deleting " + pod.Name
	case s.waiting.Has(pod.Name) && s.Bool():
		return s.bind(pod)
	case s.waiting.Has(pod.Name):
		s.waiting.Delete(pod.Name)
		for _, one := range []side{s.upstream, s.orrery} {
			one.unreserve(pod)
		}
		return "unreserving " + pod.Name
	case s.OneIn(5):
		s.changePod(world.Deleted, pod)
		return "deleting " + pod.Name
	}
	return s.attempt(pod)
}

func (s *script) toggleWorkload() string {
	name := difftest.Pick(s.Source, "v", "w")
	if held := s.workloads[name]; held != nil {
		delete(s.workloads, name)
		s.changeWorkload(world.Deleted, held)
		return "deleting workload " + name
	}
	s.workloads[name] = mk.Workload(name, mk.Gang("gang", int32(s.Range(1, 4))), mk.BasicGroup("basic"))
	s.changeWorkload(world.Added, s.workloads[name])
	return "adding workload " + name
}

func (s *script) changeWorkload(op world.Op, w *schedulingv1alpha1.Workload) {
	for _, one := range []side{s.upstream, s.orrery} {
		one.workload(op, w)
	}
}

func (s *script) changePod(op world.Op, pod *v1.Pod) {
	before := s.pods[pod.Name]
	if s.pods[pod.Name] = pod; op == world.Deleted {
		delete(s.pods, pod.Name)
	}
	for _, one := range []side{s.upstream, s.orrery} {
		one.pod(op, before, pod)
	}
}

func (s *script) addPod() string {
	s.made++
	pod := mk.Pod(fmt.Sprintf("p%d", s.made)).Obj()
	if ref := difftest.Pick(s.Source, append(s.references(), nil)...); ref != nil {
		pod.Spec.WorkloadRef = ref
	}
	if s.OneIn(6) {
		pod.Spec.NodeName = "n"
	}
	s.changePod(world.Added, pod)
	return "adding " + pod.Name
}

// references are those that pods have.
func (*script) references() []*v1.WorkloadReference {
	return []*v1.WorkloadReference{
		{Name: "v", PodGroup: "gang"},
		{Name: "w", PodGroup: "gang"},
		{Name: "w", PodGroup: "gang", PodGroupReplicaKey: "1"},
		{Name: "w", PodGroup: "basic"},
		{Name: "w", PodGroup: "none"},
	}
}

func (s *script) bind(pod *v1.Pod) string {
	s.waiting.Delete(pod.Name)
	bound := pod.DeepCopy()
	bound.Spec.NodeName = "n"
	s.changePod(world.Modified, bound)
	return "binding " + pod.Name
}

// attempt takes a pod from PreEnqueue to Permit.
func (s *script) attempt(pod *v1.Pod) string {
	did := "attempt at " + pod.Name
	if said := s.same(did+", PreEnqueue", func(one side) any { return one.preEnqueue(pod) }); said != "" {
		s.count(said.(string))
		return did
	}
	for _, one := range []side{s.upstream, s.orrery} {
		one.reserve(pod)
	}
	if s.waiting.Insert(pod.Name); s.OneIn(6) && len(s.workloads) > 0 { // it goes in between
		s.toggleWorkload()
	}
	answer := s.same(did+", Permit", func(one side) any { return one.permit(pod) }).(permitted)
	s.count(answer.Status)
	switch {
	case answer.Status == "Wait: waiting for minCount pods from a gang to be waiting on permit":
		seen.Count("waits")
		if answer.Timeout == 5*time.Minute {
			seen.Count("a new deadline")
		}
	case answer.Status == "":
		seen.Count("passes")
	default:
		s.waiting.Delete(pod.Name)
		for _, one := range []side{s.upstream, s.orrery} {
			one.unreserve(pod)
		}
	}
	if len(answer.Allowed) > 1 {
		seen.Count("allows others")
	}
	return did
}

// count notes which answer was given.
func (*script) count(status string) {
	for text, situation := range map[string]string{
		`UnschedulableAndUnresolvable: pod group "none" doesn't exist for a workload "w"`:                   "no such group",
		"UnschedulableAndUnresolvable: waiting for minCount pods from a gang to appear in scheduling queue": "too few",
		`Error: failed to get workload default/w: workload.scheduling.k8s.io "w" not found`:                 "workload gone",
	} {
		if status == text {
			seen.Count("%s", situation)
		}
	}
}

// hintFor asks for the hints of a pod.
func (s *script) hintFor(pod *v1.Pod) string {
	other := s.pods[difftest.Pick(s.Source, slices.Sorted(maps.Keys(s.pods))...)]
	answer := s.same("hints for "+pod.Name, func(one side) any {
		hints := []string{one.hint(fwk.Pod, pod, other)}
		for _, name := range slices.Sorted(maps.Keys(s.workloads)) {
			hints = append(hints, one.hint(fwk.Workload, pod, s.workloads[name]))
		}
		return hints
	})
	for _, hint := range answer.([]string) {
		seen.Count("hint %s", hint)
	}
	return "nothing"
}

// permitted is what Permit did.
type permitted struct {
	Status             string
	Timeout            time.Duration
	Activated, Allowed []string
}

// side is one of the two.
type side interface {
	workload(world.Op, *schedulingv1alpha1.Workload)
	pod(op world.Op, before, after *v1.Pod)
	preEnqueue(*v1.Pod) string
	reserve(*v1.Pod)
	unreserve(*v1.Pod)
	permit(*v1.Pod) permitted
	hint(fwk.EventResource, *v1.Pod, any) string
	groups([]*v1.WorkloadReference) []string
}
