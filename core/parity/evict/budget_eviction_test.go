package evict

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
	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
)

// shelf is a store of one pod and a client for its budgets, and notes what is written.
type podStorage struct {
	rest.StandardStorage

	pod     *api.Pod
	budgets []*policyv1.PodDisruptionBudget
	races   bool
	said    []string
}

func (s *podStorage) PodDisruptionBudgets(string) policyclient.PodDisruptionBudgetInterface {
	return budgetClient{s: s}
}

// budgetsOf is the shelf as a client for budgets.
type budgetClient struct {
	policyclient.PodDisruptionBudgetInterface
	s *podStorage
}

func (b budgetClient) List(context.Context, metav1.ListOptions) (*policyv1.PodDisruptionBudgetList, error) {
	list := &policyv1.PodDisruptionBudgetList{}
	for _, pdb := range b.s.budgets {
		list.Items = append(list.Items, *pdb.DeepCopy())
	}
	return list, nil
}

func (b budgetClient) Get(context.Context, string, metav1.GetOptions) (*policyv1.PodDisruptionBudget, error) {
	return nil, fmt.Errorf("nothing here conflicts")
}

func (b budgetClient) UpdateStatus(_ context.Context, pdb *policyv1.PodDisruptionBudget, _ metav1.UpdateOptions) (*policyv1.PodDisruptionBudget, error) {
	b.s.said = append(b.s.said, budgetText(pdb))
	return pdb, nil
}

// charged is what a budget says after an eviction. The time of it is upstream's clock, and left out.
func budgetText(pdb *policyv1.PodDisruptionBudget) string {
	text := fmt.Sprintf("charges %s: %d allowed, disrupted %v", pdb.Name, pdb.Status.DisruptionsAllowed, slices.Sorted(maps.Keys(pdb.Status.DisruptedPods)))
	for _, c := range pdb.Status.Conditions {
		text += fmt.Sprintf(" %s=%s %s %q %d", c.Type, c.Status, c.Reason, c.Message, c.ObservedGeneration)
	}
	return text
}

func (s *podStorage) Get(_ context.Context, name string, _ *metav1.GetOptions) (runtime.Object, error) {
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

func (s *podStorage) Update(
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

func (s *podStorage) Delete(_ context.Context, name string, _ rest.ValidateObjectFunc, o *metav1.DeleteOptions) (runtime.Object, bool, error) {
	if p := o.Preconditions; p != nil {
		if p.UID != nil && *p.UID != "" && *p.UID != s.pod.UID || p.ResourceVersion != nil && *p.ResourceVersion != "" && *p.ResourceVersion != s.pod.ResourceVersion {
			return nil, false, apierrors.NewConflict(v1.Resource("pods"), name, fmt.Errorf("a precondition"))
		}
	}
	s.said = append(s.said, deletionText(o.GracePeriodSeconds, o.DryRun))
	return nil, true, nil
}

func deletionText(grace *int64, dryRun []string) string {
	text := fmt.Sprintf("deletes, dry run %v", dryRun)
	if grace != nil {
		text += fmt.Sprintf(", in %ds", *grace)
	}
	return text
}

// theirs is what the API server answers and writes.
func (a *evictionCase) theirs(t *testing.T) []string {
	s := &podStorage{races: a.Races, budgets: a.Budgets}
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
	return append(s.said, answerText(status))
}

func answerText(s *metav1.Status) string {
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
func (a *evictionCase) ours() (said []string) {
	pod := a.Pod
	ask := func() budget.Response {
		return budget.Evaluate(budget.Request{Name: a.Name, DryRun: a.DryRun, Eviction: a.Eviction, Pod: pod, Budgets: inNamespace(a.Budgets), Now: budgetTime})
	}
	v := ask()
	if a.Races && pod != nil && v.Refusal == nil {
		if changed, again := a.race(v, pod); again {
			pod = changed
			v = ask()
		} else if raced := v.ConflictRefusal(); raced != nil {
			return []string{answerText(&raced.ErrStatus)}
		} else if own := v.Delete.Preconditions; own != nil && own.ResourceVersion != nil && *own.ResourceVersion != "" {
			v.Refusal = apierrors.NewConflict(v1.Resource("pods"), pod.Name, fmt.Errorf("the pod has changed"))
		}
	}
	if v.UpdatedBudget != nil {
		said = append(said, budgetText(v.UpdatedBudget))
	}
	if v.Refusal != nil {
		status := v.Refusal.ErrStatus
		return append(said, answerText(&status))
	}
	if v.AddCondition {
		c := budget.DisruptionCondition(budgetTime)
		said = append(said, fmt.Sprintf("marks %s=%s %s %q", c.Type, c.Status, c.Reason, c.Message))
	}
	return append(said, deletionText(v.Delete.GracePeriodSeconds, v.Delete.DryRun), "allowed")
}

// race tells whether a pod that has changed meanwhile is looked at again: one that asks no budget is, unless the client
// gave the version.
func (a *evictionCase) race(v budget.Response, pod *v1.Pod) (*v1.Pod, bool) {
	changed := pod.DeepCopy()
	changed.ResourceVersion += "0"
	return changed, v.Pinned && v.Budget == nil
}

func inNamespace(all []*policyv1.PodDisruptionBudget) []*policyv1.PodDisruptionBudget {
	return slices.DeleteFunc(slices.Clone(all), func(pdb *policyv1.PodDisruptionBudget) bool { return pdb.Namespace != "x" })
}

// difference compares the two, conflicts by their code alone: their words are those of whoever finds them first.
func (a *evictionCase) difference(t *testing.T) string {
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

func TestEviction_SameAnswers(t *testing.T) {
	podstorage.EvictionsRetry.Duration = time.Nanosecond
	answers := difftest.Coverage{}
	count := difftest.Cases[*evictionCase]{
		Draw: func(seed uint64, number int) *evictionCase { return drawEviction(seed + uint64(number)) },
		Differ: func(a *evictionCase) string {
			said := a.ours()
			answers[strings.Fields(said[len(said)-1])[0]]++
			return a.difference(t)
		},
		Reduce: func(a *evictionCase, differ func(*evictionCase) string) *evictionCase {
			return difftest.Smallest(a, simplerEvictions, differ)
		},
		Print: difftest.JSON[*evictionCase],
	}.Check(t, comparisons.Evictions.Cases)
	answers.Require(t, count, "allowed", "400", "403", "404", "409", "422", "429", "500")
}

// simpler are appeals without one of the budgets, the options or what is out of the ordinary.
func simplerEvictions(a *evictionCase) (all []*evictionCase) {
	without := func(change func(*evictionCase)) {
		s := *a
		change(&s)
		all = append(all, &s)
	}
	for i := range a.Budgets {
		without(func(s *evictionCase) { s.Budgets = slices.Delete(slices.Clone(a.Budgets), i, i+1) })
	}
	if a.Eviction.DeleteOptions != nil {
		without(func(s *evictionCase) { s.Eviction = &policyv1.Eviction{ObjectMeta: a.Eviction.ObjectMeta} })
	}
	if a.DryRun != nil {
		without(func(s *evictionCase) { s.DryRun = nil })
	}
	if a.Races {
		without(func(s *evictionCase) { s.Races = false })
	}
	return all
}
