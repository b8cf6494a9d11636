package budget

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	"k8s.io/apiserver/pkg/registry/rest"
	policyclient "k8s.io/client-go/kubernetes/typed/policy/v1"
	api "k8s.io/kubernetes/pkg/apis/core"
	corev1conversion "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/apis/policy"
	podstorage "k8s.io/kubernetes/pkg/registry/core/pod/storage"

	"orrery/core/evict/budget"
	"orrery/core/parity/agree"
)

// shelf is a store of one pod and a client for its budgets, and notes what is written.
type shelf struct {
	rest.StandardStorage

	pod     *api.Pod
	budgets []*policyv1.PodDisruptionBudget
	races   bool
	said    []string
}

func (s *shelf) PodDisruptionBudgets(string) policyclient.PodDisruptionBudgetInterface {
	return budgetsOf{s: s}
}

// budgetsOf is the shelf as a client for budgets.
type budgetsOf struct {
	policyclient.PodDisruptionBudgetInterface
	s *shelf
}

func (b budgetsOf) List(context.Context, metav1.ListOptions) (*policyv1.PodDisruptionBudgetList, error) {
	list := &policyv1.PodDisruptionBudgetList{}
	for _, pdb := range b.s.budgets {
		list.Items = append(list.Items, *pdb.DeepCopy())
	}
	return list, nil
}

func (b budgetsOf) Get(context.Context, string, metav1.GetOptions) (*policyv1.PodDisruptionBudget, error) {
	return nil, fmt.Errorf("nothing here conflicts")
}

func (b budgetsOf) UpdateStatus(_ context.Context, pdb *policyv1.PodDisruptionBudget, _ metav1.UpdateOptions) (*policyv1.PodDisruptionBudget, error) {
	b.s.said = append(b.s.said, charged(pdb))
	return pdb, nil
}

// charged is what a budget says after an eviction. The time of it is upstream's clock, and left out.
func charged(pdb *policyv1.PodDisruptionBudget) string {
	text := fmt.Sprintf("charges %s: %d allowed, disrupted %v", pdb.Name, pdb.Status.DisruptionsAllowed, slices.Sorted(maps.Keys(pdb.Status.DisruptedPods)))
	for _, c := range pdb.Status.Conditions {
		text += fmt.Sprintf(" %s=%s %s %q %d", c.Type, c.Status, c.Reason, c.Message, c.ObservedGeneration)
	}
	return text
}

func (s *shelf) Get(_ context.Context, name string, _ *metav1.GetOptions) (runtime.Object, error) {
	if s.pod == nil || s.pod.Name != name {
		return nil, apierrors.NewNotFound(v1.Resource("pods"), name)
	}
	seen := s.pod.DeepCopy()
	if s.races {
		s.races = false
		s.pod.ResourceVersion += "0"
	}
	return seen, nil
}

func (s *shelf) Update(
	ctx context.Context, _ string, info rest.UpdatedObjectInfo, _ rest.ValidateObjectFunc, _ rest.ValidateObjectUpdateFunc, _ bool, _ *metav1.UpdateOptions,
) (runtime.Object, bool, error) {
	updated, err := info.UpdatedObject(ctx, s.pod)
	if err != nil {
		return nil, false, err
	}
	marked := updated.(*api.Pod)
	c := marked.Status.Conditions[len(marked.Status.Conditions)-1]
	s.said = append(s.said, fmt.Sprintf("marks %s=%s %s %q", c.Type, c.Status, c.Reason, c.Message))
	marked.ResourceVersion += "1"
	s.pod = marked
	return marked, false, nil
}

func (s *shelf) Delete(_ context.Context, name string, _ rest.ValidateObjectFunc, o *metav1.DeleteOptions) (runtime.Object, bool, error) {
	if p := o.Preconditions; p != nil {
		if p.UID != nil && *p.UID != "" && *p.UID != s.pod.UID || p.ResourceVersion != nil && *p.ResourceVersion != "" && *p.ResourceVersion != s.pod.ResourceVersion {
			return nil, false, apierrors.NewConflict(v1.Resource("pods"), name, fmt.Errorf("a precondition"))
		}
	}
	s.said = append(s.said, deletes(o.GracePeriodSeconds, o.DryRun))
	return nil, true, nil
}

func deletes(grace *int64, dryRun []string) string {
	text := fmt.Sprintf("deletes, dry run %v", dryRun)
	if grace != nil {
		text += fmt.Sprintf(", in %ds", *grace)
	}
	return text
}

// theirs is what the API server answers and writes.
func (a *appeal) theirs(t *testing.T) []string {
	s := &shelf{races: a.Races, budgets: a.Budgets}
	if a.Pod != nil {
		s.pod = &api.Pod{}
		if err := corev1conversion.Convert_v1_Pod_To_core_Pod(a.Pod.DeepCopy(), s.pod, nil); err != nil {
			t.Fatal(err)
		}
	}
	storage := newEvictionStorage(s, s)
	internal := &policy.Eviction{ObjectMeta: a.Eviction.ObjectMeta, DeleteOptions: a.Eviction.DeleteOptions.DeepCopy()}
	result, err := storage.Create(context.Background(), a.Name, internal, nil, &metav1.CreateOptions{DryRun: a.DryRun})
	status, _ := result.(*metav1.Status)
	if err != nil {
		status = responsewriters.ErrorToAPIStatus(err)
	}
	return append(s.said, answer(status))
}

func answer(s *metav1.Status) string {
	if s.Status == metav1.StatusSuccess {
		return "allowed"
	}
	text := fmt.Sprintf("%d %s %s", s.Code, s.Reason, s.Message)
	if s.Details != nil {
		text += fmt.Sprintf(" again in %d", s.Details.RetryAfterSeconds)
		for _, c := range s.Details.Causes {
			text += fmt.Sprintf(" [%s %s]", c.Type, c.Message)
		}
	}
	return text
}

// ours is what is answered and written here.
func (a *appeal) ours() (said []string) {
	pod := a.Pod
	ask := func() budget.Verdict {
		return budget.Judge(budget.Request{Name: a.Name, DryRun: a.DryRun, Eviction: a.Eviction, Pod: pod, Budgets: inNamespace(a.Budgets), Now: now})
	}
	v := ask()
	if a.Races && pod != nil && v.Refusal == nil {
		if changed, again := a.race(v, pod); again {
			pod = changed
			v = ask()
		} else if raced := v.Raced(); raced != nil {
			return []string{answer(&raced.ErrStatus)}
		} else if own := v.Delete.Preconditions; own != nil && own.ResourceVersion != nil && *own.ResourceVersion != "" {
			v.Refusal = apierrors.NewConflict(v1.Resource("pods"), pod.Name, fmt.Errorf("the pod has changed"))
		}
	}
	if v.Write != nil {
		said = append(said, charged(v.Write))
	}
	if v.Refusal != nil {
		status := v.Refusal.ErrStatus
		return append(said, answer(&status))
	}
	if v.Mark {
		c := budget.Mark(now)
		said = append(said, fmt.Sprintf("marks %s=%s %s %q", c.Type, c.Status, c.Reason, c.Message))
	}
	return append(said, deletes(v.Delete.GracePeriodSeconds, v.Delete.DryRun), "allowed")
}

// race tells whether a pod that has changed meanwhile is looked at again: one that asks no budget is, unless the client
// gave the version.
func (a *appeal) race(v budget.Verdict, pod *v1.Pod) (*v1.Pod, bool) {
	changed := pod.DeepCopy()
	changed.ResourceVersion += "0"
	return changed, v.Pinned && v.Counted == nil
}

func inNamespace(all []*policyv1.PodDisruptionBudget) []*policyv1.PodDisruptionBudget {
	return slices.DeleteFunc(slices.Clone(all), func(pdb *policyv1.PodDisruptionBudget) bool { return pdb.Namespace != "x" })
}

// difference compares the two, conflicts by their code alone: their words are those of whoever finds them first.
func (a *appeal) difference(t *testing.T) string {
	theirs, ours := a.theirs(t), a.ours()
	for _, said := range []*[]string{&theirs, &ours} {
		for i := range *said {
			if strings.HasPrefix((*said)[i], "409 ") {
				(*said)[i] = "409"
			}
		}
	}
	if slices.Equal(theirs, ours) {
		return ""
	}
	return fmt.Sprintf("theirs\n  %s\nours\n  %s", strings.Join(theirs, "\n  "), strings.Join(ours, "\n  "))
}

// Differences are what differs on purpose, and why no case shows it.
var Differences = []string{
	"a 409 of the API server's store has the store's words: 409s are compared by their code",
	"the time of an allowed eviction is that of the request; upstream reads a clock: it is not compared",
	"an allowed eviction is overdue after two minutes, not a moment later: no case has one that is exactly two minutes old",
	"a controller of an unknown kind counts as gone, upstream says that it cannot map the kind: cases map all kinds they have",
}

func TestTheTwoAnswerEvictionsAlike(t *testing.T) {
	for _, d := range Differences {
		t.Log("by design: " + d)
	}
	podstorage.EvictionsRetry.Duration = time.Nanosecond
	answers := map[string]int{}
	count := agree.Comparison[*appeal]{
		Draw: func(seed uint64, number int) *appeal { return genAppeal(seed + uint64(number)) },
		Differ: func(a *appeal) string {
			said := a.ours()
			answers[strings.Fields(said[len(said)-1])[0]]++
			return a.difference(t)
		},
		CutDown: func(a *appeal, differ func(*appeal) string) *appeal { return agree.Least(a, simpler, differ) },
		Print:   agree.JSON[*appeal],
	}.Check(t, 20000)
	agree.Reached(t, count, answers, "allowed", "400", "403", "404", "409", "422", "429", "500")
}

// simpler are appeals without one of the budgets, the options or what is out of the ordinary.
func simpler(a *appeal) (all []*appeal) {
	without := func(change func(*appeal)) {
		s := *a
		change(&s)
		all = append(all, &s)
	}
	for i := range a.Budgets {
		without(func(s *appeal) { s.Budgets = slices.Delete(slices.Clone(a.Budgets), i, i+1) })
	}
	if a.Eviction.DeleteOptions != nil {
		without(func(s *appeal) { s.Eviction = &policyv1.Eviction{ObjectMeta: a.Eviction.ObjectMeta} })
	}
	if a.DryRun != nil {
		without(func(s *appeal) { s.DryRun = nil })
	}
	if a.Races {
		without(func(s *appeal) { s.Races = false })
	}
	return all
}
