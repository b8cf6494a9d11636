package scenario

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/world"
)

// act does what a moment of the story asks for: workloads first, then nodes, then trouble.
func (s *stage) act(m *moment) error {
	for _, one := range []struct {
		field string
		do    func(*moment) error
	}{
		{"create", s.createWorkloads},
		{"scale", s.scale},
		{"roll", s.roll},
		{"delete", s.deleteWorkloads},
		{"evict", s.evict},
		{"ungate", s.ungate},
		{"add", s.add},
		{"remove", s.remove},
		{"cordon", func(m *moment) error { return s.cordon(m.Cordon, true) }},
		{"uncordon", func(m *moment) error { return s.cordon(m.Uncordon, false) }},
		{"taint", func(m *moment) error { return s.retaint(m.Taint, true) }},
		{"untaint", func(m *moment) error { return s.retaint(m.Untaint, false) }},
		{"drain", s.drain},
		{"lose", func(m *moment) error { return s.eachNode(m.Lose, s.cluster.LoseNode) }},
		{"recover", func(m *moment) error { return s.eachNode(m.Recover, s.cluster.RecoverNode) }},
		{"use", s.use},
		{"api", s.troubleServer},
		{"kill", s.troubleSchedulers},
	} {
		if err := one.do(m); err != nil {
			return m.Fail(one.field, "%v, %v after the beginning", err, s.cluster.Now().Sub(s.Start))
		}
	}
	return nil
}

func (s *stage) createWorkloads(m *moment) error {
	for _, name := range m.Create {
		w := s.file.workload(name)
		if err := s.create(w.objects()...); err != nil {
			return err
		}
		if err := s.useOf(w); err != nil {
			return err
		}
	}
	return nil
}

func (s *stage) scale(m *moment) error {
	for _, name := range sortedKeys(m.Scale) {
		w := s.file.workload(name)
		err := s.edit(w.kind, w.Namespace, name, func(o world.Object) {
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

func changed(replicas *int32, by change) *int32 {
	n := int32(by.of(int(*replicas)))
	return &n
}

// roll replaces the pods of deployments one by one, as kubectl rollout restart does.
func (s *stage) roll(m *moment) error {
	for _, name := range m.Roll {
		err := s.edit(world.Deployment, s.file.workload(name).Namespace, name, func(o world.Object) {
			t := &o.(*appsv1.Deployment).Spec.Template
			if t.Annotations == nil {
				t.Annotations = map[string]string{}
			}
			t.Annotations["kubectl.kubernetes.io/restartedAt"] = s.cluster.Now().Format(time.RFC3339)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// edit changes an object.
func (s *stage) edit(kind world.Kind, namespace, name string, change func(world.Object)) error {
	o, err := s.cluster.Get(kind, namespace, name)
	if err != nil {
		return err
	}
	next := o.DeepCopyObject().(world.Object)
	change(next)
	_, err = s.cluster.Update(next)
	return err
}

func (s *stage) deleteWorkloads(m *moment) error {
	for _, name := range m.Delete {
		for _, o := range s.file.workload(name).objects() {
			err := s.cluster.Delete(world.KindOf(o), o.GetNamespace(), o.GetName(), metav1.DeleteOptions{})
			if err != nil && !apierrors.IsNotFound(err) {
				return err
			}
		}
	}
	return nil
}

// podsOf are the pods of a workload for which something holds, by name.
func (s *stage) podsOf(name string, which func(*v1.Pod) bool) []*v1.Pod {
	w := s.file.workload(name)
	var all []*v1.Pod
	for _, o := range s.cluster.List(world.Pod) {
		pod := o.(*v1.Pod)
		if pod.Namespace == w.Namespace && pod.Labels[appLabel] == name && pod.DeletionTimestamp == nil && which(pod) {
			all = append(all, pod)
		}
	}
	return all
}

// evict asks for pods to leave. What a budget refuses stays.
func (s *stage) evict(m *moment) error {
	for _, name := range sortedKeys(m.Evict) {
		running := s.podsOf(name, func(pod *v1.Pod) bool { return pod.Spec.NodeName != "" })
		for _, pod := range running[:min(m.Evict[name], len(running))] {
			err := s.cluster.Evict(&policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name}})
			if err != nil && !apierrors.IsTooManyRequests(err) {
				return err
			}
		}
	}
	return nil
}

// ungate takes all gates off so many of a workload's pods.
func (s *stage) ungate(m *moment) error {
	for _, name := range sortedKeys(m.Ungate) {
		gated := s.podsOf(name, func(pod *v1.Pod) bool { return len(pod.Spec.SchedulingGates) > 0 })
		for _, pod := range gated[:min(m.Ungate[name], len(gated))] {
			next := pod.DeepCopy()
			next.Spec.SchedulingGates = nil
			if _, err := s.cluster.Update(next); err != nil {
				return err
			}
		}
	}
	return nil
}
