package scenario

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/world"
	"orrery/core/world/memory"
)

// runActions runs the actions of a step: workloads first, then nodes, then faults.
func (d *ScriptRunner) runActions(m *moment) error {
	actions := []action{
		{"create", d.createWorkloads},
		{"scale", d.scale},
		{"restart", d.roll},
		{"delete", d.deleteWorkloads},
		{"evict", d.evict},
		{"ungate", d.ungate},
		{"add", d.add},
		{"remove", d.remove},
		{"cordon", func(m *moment) error { return d.cordon(m.Cordon, true) }},
		{"uncordon", func(m *moment) error { return d.cordon(m.Uncordon, false) }},
		{"taint", func(m *moment) error { return d.changeTaints(m.Taint, true) }},
		{"untaint", func(m *moment) error { return d.changeTaints(m.Untaint, false) }},
		{"patch", d.patch},
		{"drain", d.drain},
		{"storage", d.deleteClaims},
	}
	refused := false
	for _, one := range append(actions, d.extraActions...) {
		err := one.run(m)
		if m.Refused && (apierrors.IsInvalid(err) || apierrors.IsForbidden(err)) {
			d.say(err.Error())
			refused = true
			continue
		}
		if err != nil {
			return m.Fail(one.field, "%v, %v after the beginning", err, d.server.Now().Sub(d.Start))
		}
	}
	if m.Refused && !refused {
		return m.Fail("refused", "the API server refuses nothing of it, %v after the beginning", d.server.Now().Sub(d.Start))
	}
	return nil
}

func (d *ScriptRunner) createWorkloads(m *moment) error {
	for _, name := range m.Create {
		w := d.file.workload(name)
		if err := d.create(w.objects()...); err != nil {
			return err
		}
		if err := d.created(w); err != nil {
			return err
		}
	}
	return nil
}

func (d *ScriptRunner) scale(m *moment) error {
	for _, name := range sortedKeys(m.Scale) {
		w := d.file.workload(name)
		err := d.edit(w.kind, w.Namespace, name, func(o world.Object) {
			switch o := o.(type) {
			case *appsv1.Deployment:
				o.Spec.Replicas = changed(o.Spec.Replicas, m.Scale[name])
			case *appsv1.StatefulSet:
				o.Spec.Replicas = changed(o.Spec.Replicas, m.Scale[name])
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func changed(replicas *int32, by replicaChange) *int32 {
	n := int32(by.of(int(*replicas)))
	return &n
}

// roll recreates the pods of deployments one by one, as kubectl rollout restart does.
func (d *ScriptRunner) roll(m *moment) error {
	for _, name := range m.Restart {
		err := d.edit(world.Deployment, d.file.workload(name).Namespace, name, func(o world.Object) {
			t := &o.(*appsv1.Deployment).Spec.Template
			if t.Annotations == nil {
				t.Annotations = map[string]string{}
			}
			t.Annotations["kubectl.kubernetes.io/restartedAt"] = d.server.Now().Format(time.RFC3339)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// editTries bounds the tries of an edit after conflicts.
const editTries = 8

// edit changes an object.
func (d *ScriptRunner) edit(kind world.Kind, namespace, name string, change func(world.Object)) (err error) {
	for range editTries {
		var o world.Object
		if o, err = d.server.Get(kind, namespace, name); err != nil {
			return err
		}
		next := o.DeepCopyObject().(world.Object)
		change(next)
		if _, err = d.server.Update(next); !apierrors.IsConflict(err) {
			return err
		}
	}
	return err
}

func (d *ScriptRunner) deleteWorkloads(m *moment) error {
	for _, name := range m.Delete {
		for _, o := range d.file.workload(name).objects() {
			err := d.server.Delete(memory.KindOf(o), o.GetNamespace(), o.GetName(), metav1.DeleteOptions{})
			if err != nil && !apierrors.IsNotFound(err) {
				return err
			}
		}
	}
	return nil
}

// podsOf returns the pods of a workload that match, by name.
func (d *ScriptRunner) podsOf(name string, which func(*v1.Pod) bool) []*v1.Pod {
	w := d.file.workload(name)
	var all []*v1.Pod
	for _, o := range d.server.List(world.Pod) {
		pod := o.(*v1.Pod)
		if pod.Namespace == w.Namespace && pod.Labels[appLabel] == name && pod.DeletionTimestamp == nil && which(pod) {
			all = append(all, pod)
		}
	}
	return all
}

// evict evicts pods through the Eviction API. Pods that a budget blocks stay.
func (d *ScriptRunner) evict(m *moment) error {
	for _, name := range sortedKeys(m.Evict) {
		running := d.podsOf(name, func(pod *v1.Pod) bool { return pod.Spec.NodeName != "" })
		for _, pod := range running[:min(m.Evict[name], len(running))] {
			err := d.server.Evict(&policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name}})
			if err != nil && !apierrors.IsTooManyRequests(err) {
				return err
			}
		}
	}
	return nil
}

// ungate removes all scheduling gates from a number of a workload's pods.
func (d *ScriptRunner) ungate(m *moment) error {
	for _, name := range sortedKeys(m.Ungate) {
		gated := d.podsOf(name, func(pod *v1.Pod) bool { return len(pod.Spec.SchedulingGates) > 0 })
		for _, pod := range gated[:min(m.Ungate[name], len(gated))] {
			next := pod.DeepCopy()
			next.Spec.SchedulingGates = nil
			if _, err := d.server.Update(next); err != nil {
				return err
			}
		}
	}
	return nil
}
