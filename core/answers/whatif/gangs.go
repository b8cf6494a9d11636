package whatif

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/objects/workloads"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/gangs"
	"orrery/core/world"
)

// deleteGang deletes the pods of a gang, and first their owners, which would make them again.
func (r *run) deleteGang(name string) error {
	all := r.engine.Gangs().Keys()
	at := slices.IndexFunc(all, func(key gangs.Key) bool { return key.FullName() == name })
	if at < 0 {
		return fmt.Errorf("there is no gang %q with pods", printable.Line(name, 200))
	}
	for _, m := range r.engine.Gangs().Group(all[at]).Members() {
		if ref := controllerOf(m.Pod); ref != nil {
			r.recreations.ended[m.Pod.UID] = true
			if o, err := r.cluster.Get(world.Kind(ref.Kind), m.Pod.Namespace, ref.Name); err == nil && o.GetUID() == ref.UID {
				if err := r.cluster.Delete(world.Kind(ref.Kind), o.GetNamespace(), o.GetName(), metav1.DeleteOptions{}); err != nil {
					return err
				}
			}
		}
		r.slots.deleted[m.Pod.UID] = true
		if r.cluster.Pod(m.Pod.Namespace, m.Pod.Name) == nil {
			continue
		}
		if err := r.cluster.Delete(world.Pod, m.Pod.Namespace, m.Pod.Name, metav1.DeleteOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// setMinCount deletes the workload of a group and creates it again with another number: its groups cannot be changed.
func (r *run) setMinCount(name string, n int) error {
	namespace, rest, _ := strings.Cut(name, "/")
	workload, group, _ := strings.Cut(rest, "/")
	o, err := r.cluster.Get(world.Workload, namespace, workload)
	if err != nil {
		return fmt.Errorf("there is no workload %q in namespace %q", printable.Line(workload, 80), printable.Line(namespace, 80))
	}
	again := o.(*workloads.Workload).DeepCopy()
	policy := gangs.PolicyOf(again, group)
	if policy == nil || policy.Gang == nil {
		return fmt.Errorf("workload %q has no gang %q", printable.Line(workload, 80), printable.Line(group, 80))
	}
	policy.Gang.MinCount = int32(n)
	again.UID, again.ResourceVersion, again.CreationTimestamp = "", "", metav1.Time{}
	if err := r.cluster.Delete(world.Workload, namespace, workload, metav1.DeleteOptions{}); err != nil {
		return err
	}
	_, err = r.cluster.Create(again)
	return err
}
