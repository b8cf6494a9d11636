package kueue

import (
	"cmp"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	podresource "k8s.io/component-helpers/resource"

	"orrery/core/answers/answer"
	"orrery/core/objects/requests"
	"orrery/core/objects/saturating"
)

// shortages are the resources of which a workload requests more than it could have now, by name.
func (o *Objects) shortages(w *workload, queue *clusterQueue) []answer.QuotaShortage {
	var all []answer.QuotaShortage
	requested := w.requested()
	for _, name := range slices.Sorted(maps.Keys(requested)) {
		if s, covered := o.shortage(queue, name, requested[name]); covered && s.Short > 0 {
			all = append(all, s)
		}
	}
	return all
}

// requested is what all pods of the workload request.
func (w *workload) requested() map[v1.ResourceName]int64 {
	sum := map[v1.ResourceName]int64{}
	for i := range w.Spec.PodSets {
		set := &w.Spec.PodSets[i]
		for name, q := range podresource.PodRequests(&v1.Pod{Spec: set.Template.Spec}, podresource.PodResourcesOptions{}) {
			sum[name] = saturating.Add(sum[name], saturating.Mul(requests.Amount(name, q), int64(max(set.Count, 0))))
		}
	}
	return sum
}

// shortage returns how much a queue is short of a resource, in the flavor that is short of the least. A resource that no flavor covers has
// no quota to be short of.
func (o *Objects) shortage(queue *clusterQueue, name v1.ResourceName, requested int64) (least answer.QuotaShortage, covered bool) {
	for _, group := range queue.Spec.ResourceGroups {
		for _, flavor := range group.Flavors {
			for i := range flavor.Resources {
				if flavor.Resources[i].Name != name {
					continue
				}
				s := answer.QuotaShortage{Resource: string(name), Flavor: flavor.Name, Requested: requested, Quota: requests.Amount(name, flavor.Resources[i].NominalQuota)}
				s.Free = o.free(queue, flavor.Name, &flavor.Resources[i])
				s.Short = max(saturating.Sub(requested, s.Free), 0)
				if !covered || cmp.Compare(s.Short, least.Short) < 0 {
					least, covered = s, true
				}
			}
		}
	}
	return least, covered
}

// free is how much of a flavor's resource a queue could have now: of its own quota and, in a cohort, of what the others leave, up to its
// borrowing limit.
func (o *Objects) free(queue *clusterQueue, flavor string, quota *flavorQuota) int64 {
	nominal, used := requests.Amount(quota.Name, quota.NominalQuota), queue.reserved(flavor, quota.Name)
	cohort := queue.cohort()
	if cohort == "" {
		return max(saturating.Sub(nominal, used), 0)
	}
	free := int64(0)
	for _, name := range slices.Sorted(maps.Keys(o.clusterQueues)) {
		member := o.clusterQueues[name]
		if member.cohort() == cohort {
			free = saturating.Add(free, saturating.Sub(member.nominal(flavor, quota.Name), member.reserved(flavor, quota.Name)))
		}
	}
	if quota.BorrowingLimit != nil {
		most := saturating.Add(nominal, requests.Amount(quota.Name, *quota.BorrowingLimit))
		free = min(free, saturating.Sub(most, used))
	}
	return max(free, 0)
}

func (q *clusterQueue) cohort() string { return cmp.Or(q.Spec.CohortName, q.Spec.Cohort) }

// nominal is the queue's own quota of a flavor's resource.
func (q *clusterQueue) nominal(flavor string, name v1.ResourceName) (sum int64) {
	for _, group := range q.Spec.ResourceGroups {
		for _, f := range group.Flavors {
			for i := range f.Resources {
				if f.Name == flavor && f.Resources[i].Name == name {
					sum = saturating.Add(sum, requests.Amount(name, f.Resources[i].NominalQuota))
				}
			}
		}
	}
	return sum
}

// reserved is how much of a flavor's resource the queue's workloads have, with what is borrowed.
func (q *clusterQueue) reserved(flavor string, name v1.ResourceName) (sum int64) {
	for _, f := range q.Status.FlavorsReservation {
		for i := range f.Resources {
			if f.Name == flavor && f.Resources[i].Name == name {
				sum = saturating.Add(sum, requests.Amount(name, f.Resources[i].Total))
			}
		}
	}
	return sum
}
