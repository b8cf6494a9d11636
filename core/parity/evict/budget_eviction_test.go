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

// podStorage is a store of one pod and a client for its budgets. It records writes.
type podStorage struct {
	rest.StandardStorage

	pod     *api.Pod
	budgets []*policyv1.PodDisruptionBudget
	races   bool
	log     []string
}

func (s *podStorage) PodDisruptionBudgets(string) policyclient.PodDisruptionBudgetInterface {
	return budgetClient{s: s}
}

// budgetClient is the client for budgets.
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
	return nil, fmt.Errorf("unexpected call: no write here conflicts")
}

func (b budgetClient) UpdateStatus(_ context.Context, pdb *policyv1.PodDisruptionBudget, _ metav1.UpdateOptions) (*policyv1.PodDisruptionBudget, error) {
	b.s.log = append(b.s.log, budgetText(pdb))
	return pdb, nil
}

// budgetText formats a budget's status after an eviction, without times, which are from upstream's clock.
func budgetText(pdb *policyv1.PodDisruptionBudget) string {
	text := fmt.Sprintf("updates budget %s: %d allowed, disrupted %v", pdb.Name, pdb.Status.DisruptionsAllowed, slices.Sorted(maps.Keys(pdb.Status.DisruptedPods)))
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
	s.log = append(s.log, fmt.Sprintf("sets condition %s=%s %s %q", c.Type, c.Status, c.Reason, c.Message))
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
	s.log = append(s.log, deletionText(o.GracePeriodSeconds, o.DryRun))
	return nil, true, nil
}

func deletionText(grace *int64, dryRun []string) string {
	text := fmt.Sprintf("deletes, dry run %v", dryRun)
	if grace != nil {
		text += fmt.Sprintf(", grace period %ds", *grace)
	}
	return text
}

// theirs returns the API server's writes and response.
func (c *evictionCase) theirs(t *testing.T) []string {
	s := &podStorage{races: c.Races, budgets: c.Budgets}
	if c.Pod != nil {
		s.pod = &api.Pod{}
		if err := corev1conversion.Convert_v1_Pod_To_core_Pod(c.Pod.DeepCopy(), s.pod, nil); err != nil {
			t.Fatal(err)
		}
	}
	storage := newEvictionStorage(s, s)
	internal := &policy.Eviction{ObjectMeta: c.Eviction.ObjectMeta, DeleteOptions: c.Eviction.DeleteOptions.DeepCopy()}
	result, err := storage.Create(context.Background(), c.Name, internal, nil, &metav1.CreateOptions{DryRun: c.DryRun})
	status, _ := result.(*metav1.Status)
	if err != nil {
		status = responsewriters.ErrorToAPIStatus(err)
	}
	return append(s.log, answerText(status))
}

func answerText(s *metav1.Status) string {
	if s.Status == metav1.StatusSuccess {
		return "allowed"
	}
	text := fmt.Sprintf("%d %s %s", s.Code, s.Reason, s.Message)
	if s.Details != nil {
		text += fmt.Sprintf(" retry after %d", s.Details.RetryAfterSeconds)
		for _, c := range s.Details.Causes {
			text += fmt.Sprintf(" [%s %s]", c.Type, c.Message)
		}
	}
	return text
}

// ours returns the writes and response here.
func (c *evictionCase) ours() (log []string) {
	pod := c.Pod
	evaluate := func() budget.Response {
		return budget.Evaluate(budget.Request{Name: c.Name, DryRun: c.DryRun, Eviction: c.Eviction, Pod: pod, Budgets: inNamespace(c.Budgets), Now: budgetTime})
	}
	v := evaluate()
	if c.Races && pod != nil && v.Refusal == nil {
		if changed, again := c.race(v, pod); again {
			pod = changed
			v = evaluate()
		} else if raced := v.ConflictRefusal(); raced != nil {
			return []string{answerText(&raced.ErrStatus)}
		} else if own := v.Delete.Preconditions; own != nil && own.ResourceVersion != nil && *own.ResourceVersion != "" {
			v.Refusal = apierrors.NewConflict(v1.Resource("pods"), pod.Name, fmt.Errorf("the pod has changed"))
		}
	}
	if v.UpdatedBudget != nil {
		log = append(log, budgetText(v.UpdatedBudget))
	}
	if v.Refusal != nil {
		status := v.Refusal.ErrStatus
		return append(log, answerText(&status))
	}
	if v.AddCondition {
		c := budget.DisruptionCondition(budgetTime)
		log = append(log, fmt.Sprintf("sets condition %s=%s %s %q", c.Type, c.Status, c.Reason, c.Message))
	}
	return append(log, deletionText(v.Delete.GracePeriodSeconds, v.Delete.DryRun), "allowed")
}

// race returns the changed pod, and whether it is evaluated again: that is so if no budget applies and the client gave no
// resourceVersion.
func (c *evictionCase) race(v budget.Response, pod *v1.Pod) (*v1.Pod, bool) {
	changed := pod.DeepCopy()
	changed.ResourceVersion += "0"
	return changed, v.Pinned && v.Budget == nil
}

func inNamespace(all []*policyv1.PodDisruptionBudget) []*policyv1.PodDisruptionBudget {
	return slices.DeleteFunc(slices.Clone(all), func(pdb *policyv1.PodDisruptionBudget) bool { return pdb.Namespace != "x" })
}

// difference compares the two, conflicts only by their code: their messages depend on which check fails first.
func (c *evictionCase) difference(t *testing.T) string {
	theirs, ours := c.theirs(t), c.ours()
	for _, log := range []*[]string{&theirs, &ours} {
		for i := range *log {
			if strings.HasPrefix((*log)[i], "409 ") {
				(*log)[i] = "409"
			}
		}
	}
	if slices.Equal(theirs, ours) {
		return ""
	}
	return fmt.Sprintf("theirs\n  %s\nours\n  %s", strings.Join(theirs, "\n  "), strings.Join(ours, "\n  "))
}

// Shows API-03 and C-24.
func TestEviction_SameAnswers(t *testing.T) {
	podstorage.EvictionsRetry.Duration = time.Nanosecond
	answers := difftest.Coverage{}
	count := difftest.Cases[*evictionCase]{
		Draw: func(seed uint64, number int) *evictionCase { return drawEviction(seed + uint64(number)) },
		Differ: func(c *evictionCase) string {
			log := c.ours()
			answers[strings.Fields(log[len(log)-1])[0]]++
			return c.difference(t)
		},
		Reduce: func(c *evictionCase, differ func(*evictionCase) string) *evictionCase {
			return difftest.Smallest(c, simplerEvictions, differ)
		},
		Print: difftest.JSON[*evictionCase],
	}.Check(t, comparisons.Evictions.Cases)
	answers.Require(t, count, "allowed", "400", "403", "404", "409", "422", "429", "500")
}

// simplerEvictions returns the case without one of the budgets, one of the options or one special setting.
func simplerEvictions(c *evictionCase) (all []*evictionCase) {
	without := func(change func(*evictionCase)) {
		s := *c
		change(&s)
		all = append(all, &s)
	}
	for i := range c.Budgets {
		without(func(s *evictionCase) { s.Budgets = slices.Delete(slices.Clone(c.Budgets), i, i+1) })
	}
	if c.Eviction.DeleteOptions != nil {
		without(func(s *evictionCase) { s.Eviction = &policyv1.Eviction{ObjectMeta: c.Eviction.ObjectMeta} })
	}
	if c.DryRun != nil {
		without(func(s *evictionCase) { s.DryRun = nil })
	}
	if c.Races {
		without(func(s *evictionCase) { s.Races = false })
	}
	return all
}
