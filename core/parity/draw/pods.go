package draw

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/parity/difftest"
)

// NewPod draws a pod, good or bad.
func NewPod(r *difftest.Source) *v1.Pod { return drawPod(Filler{r, difftest.Pick(r, 0, 60, 20, 5)}) }

func drawPod(r Filler) *v1.Pod {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "o", UID: "u", ResourceVersion: "1"}}
	if r.atEdge() {
		pod.Name = r.text("")
	}
	r.Field(&pod.Labels)
	if r.atEdge() {
		r.Field(&pod.Finalizers)
	}
	s := &pod.Spec
	for i := range difftest.Pick(r.Source, 1, 2, 3) {
		s.Containers = append(s.Containers, r.container(fmt.Sprint("c", i)))
	}
	for i := range difftest.Pick(r.Source, 0, 0, 1, 2) {
		s.InitContainers = append(s.InitContainers, r.container(fmt.Sprint("i", i)))
	}
	if r.atEdge() {
		s.Containers = nil
	}
	r.Some(
		&s.NodeSelector, &s.Affinity, &s.Affinity, &s.Tolerations, &s.Tolerations, &s.TopologySpreadConstraints, &s.TopologySpreadConstraints,
		&s.SchedulingGates, &s.Overhead, &s.PriorityClassName, &s.RuntimeClassName, &s.PreemptionPolicy, &s.NodeName, &s.ActiveDeadlineSeconds,
		&s.HostNetwork, &s.RestartPolicy, &s.Resources, &s.TerminationGracePeriodSeconds, &s.SchedulerName,
	)
	return pod
}

// Some fills some of the fields: more than a few at a time are hardly ever all good.
func (r Filler) Some(fields ...any) {
	for range r.Range(1, 5) {
		r.Field(difftest.Pick(r.Source, fields...))
	}
}

func (r Filler) container(name string) v1.Container {
	c := v1.Container{Name: name, Image: "app", ImagePullPolicy: v1.PullIfNotPresent} // the default depends on the image
	if r.atEdge() {
		c.Name = r.text("")
	}
	if r.atEdge() {
		c.Image = " app"
	}
	if r.OneIn(3) {
		r.Field(&c.Resources)
	}
	if r.OneIn(6) {
		r.Field(&c.Ports)
	}
	if r.OneIn(6) {
		r.Field(&c.RestartPolicy)
	}
	return c
}
