package demo

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// Day is a scenario ready to be played: a cluster whose script is on its agenda, and for how long it is interesting.
type Day struct {
	Cluster *memory.Cluster
	Length  time.Duration
}

// MorningRush is a small shop at nine o'clock: three uneven zones, a web tier that scales out in waves, a batch of
// reports that fills what is left, and a payment service that may push others aside.
func MorningRush(seed uint64) (*Day, error) {
	c := memory.New(memory.Options{
		Start: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), Seed: seed, Latency: memory.TypicalLatency(),
		PodLife: func(pod *v1.Pod) memory.Life {
			life := memory.DefaultLife(pod)
			if pod.Labels["app"] == "report" {
				life.Run = 40 * time.Second
			}
			return life
		},
	})
	day := &Day{Cluster: c, Length: 2 * time.Minute}
	objects := []world.Object{
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "payments"}, Value: 1000},
	}
	for i, zone := range []string{"east", "east", "east", "east", "west", "west", "west", "north", "north"} {
		objects = append(objects, mk.Node(fmt.Sprintf("%s-%d", zone, i)).Zone(zone).CPU("4").Memory("16Gi").Obj())
	}
	for _, o := range objects {
		if _, err := c.Create(o); err != nil {
			return nil, fmt.Errorf("setting the morning rush up: %w", err)
		}
	}
	for wave, replicas := range []int32{6, 9, 9} {
		at(c, time.Duration(5+20*wave)*time.Second, replicaSet(fmt.Sprintf("web-%d", wave), "web", "500m", "", replicas))
	}
	at(c, 15*time.Second, replicaSet("report", "report", "800m", "", 18))
	at(c, 50*time.Second, replicaSet("payment", "payment", "1500m", "payments", 6))
	c.After(80*time.Second, func(c *memory.Cluster) {
		_, _ = c.Create(mk.Node("north-9").Zone("north").CPU("8").Memory("32Gi").Obj())
	})
	return day, nil
}

// at puts the creation of an object on the agenda. Two scripts that want one name are a mistake in the scenario.
func at(c *memory.Cluster, after time.Duration, o world.Object) {
	c.After(after, func(c *memory.Cluster) {
		if _, err := c.Create(o); err != nil {
			panic(fmt.Sprintf("creating %s %s for a scenario: %v", world.KindOf(o), o.GetName(), err))
		}
	})
}

func replicaSet(name, app, cpu, class string, replicas int32) *appsv1.ReplicaSet {
	labels := map[string]string{"app": app, "set": name}
	template := mk.Pod("").CPU(cpu).Memory("256Mi").Obj()
	template.Spec.PriorityClassName = class
	return &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: metav1.NamespaceDefault},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: v1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: template.Spec},
		},
	}
}
