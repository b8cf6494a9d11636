package fit

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"

	"orrery/core/answers/capacity"
	"orrery/core/answers/whatif"
	"orrery/core/objects/requests"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// Count is how many pods of a workload fit without preempting another.
type Count struct {
	// Pods is the greatest number that fits; AtMost says that more were not tried.
	Pods   int
	AtMost bool
	// Bound is how many would fit by the sums of requests on each node alone.
	Bound int
	// Next is what happens with one more; nil if that was not tried.
	Next *Answer
	// Tried is how many numbers were tried.
	Tried int
}

// HowMany finds how many pods of the only workload of a set fit. The number is tried, and so is one more.
func HowMany(e *engine.Engine, s *Set, o Options) (*Count, error) {
	o.Again = "" // what helps one pod is not asked
	one, err := s.sized(1)
	if err != nil {
		return nil, err
	}
	start, err := begin(e, &Set{Objects: append(one.Objects, manyPods{}.object())}, o)
	if err != nil {
		return nil, err
	}
	c := &counting{start: start, set: s, options: o, results: map[int]bool{}}
	first, err := c.try(1)
	if err != nil {
		return nil, err
	}
	if !goes(first) {
		return c.answer(0, 0)
	}
	bound := boundOf(first.Outcome)
	most := min(bound+1, maxPods)
	guess := 1
	if most > 1 {
		all, err := c.try(most)
		if err != nil {
			return nil, err
		}
		if goes(all) {
			return c.answer(most, bound)
		}
		guess = max(1, atOnce(all))
	}
	// low fits and high does not. The guess is right unless what comes last changes where the first ones go.
	low, high := 1, most
	for next := guess; high-low > 1; {
		next = min(max(next, low+1), high-1)
		tried, err := c.try(next)
		if err != nil {
			return nil, err
		}
		if goes(tried) {
			low = next
			next++
			if c.found(high) || next == high {
				next = (low + high) / 2
			}
		} else {
			high = next
			next = (low + high) / 2
		}
	}
	return c.answer(low, bound)
}

// manyPods stands for the pods of a count in the bound of decisions.
type manyPods struct{}

func (manyPods) object() world.Object {
	n := int32(maxPods)
	return &appsv1.ReplicaSet{Spec: appsv1.ReplicaSetSpec{Replicas: &n}}
}

type counting struct {
	start   *whatif.Start
	set     *Set
	options Options
	results map[int]bool
}

func (c *counting) found(n int) bool { _, is := c.results[n]; return is }

func (c *counting) try(n int) (*Answer, error) {
	set, err := c.set.sized(n)
	if err != nil {
		return nil, err
	}
	a, err := askHarmless(c.start, set, c.options)
	if err == nil {
		c.results[n] = goes(a)
	}
	return a, err
}

// answer tries one more for its reasons.
func (c *counting) answer(n, bound int) (*Count, error) {
	count := &Count{Pods: n, Bound: bound, Tried: len(c.results)}
	if n >= maxPods {
		count.AtMost = true
		return count, nil
	}
	next, err := c.try(n + 1)
	if err != nil {
		return nil, err
	}
	if goes(next) {
		return nil, fmt.Errorf("counting what fits: %d fit as well as %d", n+1, n)
	}
	count.Next = next
	return count, next.explain(c.options)
}

// goes reports whether all pods have nodes, and no pod of another is preempted or left without one.
func goes(a *Answer) bool { return a.Fits && len(a.Outcome.Preempted()) == 0 && a.Harm() == 0 }

// atOnce counts the pods that got their nodes before anything was preempted.
func atOnce(a *Answer) (n int) {
	for i := range a.Outcome.Created {
		for _, pod := range a.Outcome.Created[i].Pods {
			if pod.Node != "" && pod.After == 0 {
				n++
			}
		}
	}
	return n
}

// boundOf is how many pods like the first one there is room for on each node, with the one that is there.
func boundOf(o *whatif.Outcome) int {
	var pod *v1.Pod
	for i := range o.Created {
		for _, p := range o.Created[i].Pods {
			pod = o.Engine().Store().Pod(p.Pod.Namespace, p.Pod.Name)
		}
	}
	if pod == nil {
		return 0
	}
	total, needs := 1, requests.Of(pod, resource.PodResourcesOptions{})
	for node := range capacity.Nodes(o.Engine()) {
		room := int64(math.MaxInt32)
		if n := node.GetAllocatable().GetAllowedPodNumber(); n >= 0 {
			room = int64(n - len(node.GetPods()))
		}
		for name, q := range needs {
			if needed := requests.Amount(name, q); needed > 0 {
				room = min(room, requests.Free(node, name)/needed)
			}
		}
		total = min(maxPods, total+int(max(0, min(room, maxPods))))
	}
	return total
}

// sized returns the set with so many pods of its only workload.
func (s *Set) sized(n int) (*Set, error) {
	makers := s.makers()
	if len(makers) != 1 {
		return nil, fmt.Errorf("counting what fits: it takes one workload, and there are %d", len(makers))
	}
	sized, count := &Set{Notes: s.Notes}, int32(n)
	for _, o := range s.Objects {
		if o != makers[0] {
			sized.Objects = append(sized.Objects, o)
			continue
		}
		switch o := o.DeepCopyObject().(type) {
		case *v1.Pod:
			for i := range n {
				pod := o.DeepCopy()
				if i > 0 {
					pod.Name += "-" + strconv.Itoa(i+1)
				}
				sized.Objects = append(sized.Objects, pod)
			}
		case *appsv1.Deployment:
			o.Spec.Replicas = &count
			sized.Objects = append(sized.Objects, o)
		case *appsv1.ReplicaSet:
			o.Spec.Replicas = &count
			sized.Objects = append(sized.Objects, o)
		case *appsv1.StatefulSet:
			o.Spec.Replicas, o.Spec.PodManagementPolicy = &count, appsv1.ParallelPodManagement
			sized.Objects = append(sized.Objects, o)
		case *batchv1.Job:
			o.Spec.Parallelism, o.Spec.Completions = &count, &count
			sized.Objects = append(sized.Objects, o)
		default:
			return nil, errors.New("counting what fits: a daemon set has one pod for each node, and no number")
		}
	}
	return sized, nil
}
