package memory_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

func template() v1.PodTemplateSpec {
	pod := mk.Pod("").Label("app", "web").Obj()
	return v1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels}, Spec: pod.Spec}
}

func meta(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: "default", Name: name} }

// eager binds every pod that has no node, at once, to the first node; a daemon to its own.
func eager(s *scene, d time.Duration) {
	until := s.Now().Add(d)
	for {
		in, ok := s.Next(until)
		if !ok {
			return
		}
		changed, ok := in.Event.(world.Changed)
		if !ok {
			continue
		}
		pod, ok := changed.Object.(*v1.Pod)
		if !ok || changed.Op != world.Added || pod.Spec.NodeName != "" {
			continue
		}
		target := "n1"
		if a := pod.Spec.Affinity; a != nil {
			target = a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0].MatchFields[0].Values[0]
		}
		s.do(world.Bind{Pod: world.PodRefOf(pod), Node: target})
	}
}

func (s *scene) census() string {
	var all []string
	for _, o := range s.List(world.Pod) {
		pod := o.(*v1.Pod)
		all = append(all, fmt.Sprintf("%s %s", pod.Name, pod.Status.Phase))
	}
	return strings.Join(all, ", ")
}

func (s *scene) count(phase v1.PodPhase) int { return strings.Count(s.census(), " "+string(phase)) }

func TestReplicaSet_KeepsReplicas(t *testing.T) {
	s := newScene(t, memory.Options{Seed: 1})
	create(s, node("n1"))
	set := create(s, &appsv1.ReplicaSet{ObjectMeta: meta("web"), Spec: appsv1.ReplicaSetSpec{Replicas: ptr(int32(3)), Template: template()}})
	eager(s, time.Second)
	if s.count(v1.PodRunning) != 3 {
		t.Fatalf("there are %s, want three running", s.census())
	}
	first := s.List(world.Pod)[0].(*v1.Pod)
	if owner := metav1.GetControllerOf(first); owner.UID != set.UID || !strings.HasPrefix(first.Name, "web-") {
		t.Errorf("pod %s has the owner %v, want the set", first.Name, owner)
	}
	s.mustDelete(world.Pod, first.Name)
	eager(s, 10*time.Second)
	if s.count(v1.PodRunning) != 3 || s.Pod("default", first.Name) != nil {
		t.Errorf("after a deletion there are %s, want three without %s", s.census(), first.Name)
	}
	current := must[*appsv1.ReplicaSet](t)(s.Get(world.ReplicaSet, "default", "web")).DeepCopy()
	if got := current.Status; got.ReadyReplicas != 3 || got.ObservedGeneration != 1 {
		t.Errorf("the set's status is %+v, want three ready", got)
	}
	current.Spec.Replicas = ptr(int32(1))
	must[*appsv1.ReplicaSet](t)(s.Update(current))
	eager(s, 10*time.Second)
	if s.count(v1.PodRunning) != 1 {
		t.Errorf("scaled down there are %s, want one", s.census())
	}
	s.mustDelete(world.ReplicaSet, "web")
	eager(s, 10*time.Second)
	if s.census() != "" {
		t.Errorf("without the set there are %s, want none", s.census())
	}
}

func TestReplicaSet_ReplacesRejectedPods(t *testing.T) {
	s := newScene(t, memory.Options{})
	create(s, mk.Node("n1").CPU("1").Obj())
	big := template()
	big.Spec.Containers[0].Resources.Requests = mk.Resources("cpu", "2")
	create(s, &appsv1.ReplicaSet{ObjectMeta: meta("web"), Spec: appsv1.ReplicaSetSpec{Replicas: ptr(int32(1)), Template: big}})
	eager(s, 10*time.Second)
	if got := s.count(v1.PodFailed); got < 5 || got > 11 {
		t.Errorf("in ten seconds %d pods failed, want about one a second", got)
	}
}

func TestDeployment_Rollout(t *testing.T) {
	s := newScene(t, memory.Options{Latency: memory.Latency{Controller: memory.Delay{Base: 100 * time.Millisecond}}})
	create(s, node("n1"))
	create(s, &appsv1.Deployment{ObjectMeta: meta("web"), Spec: appsv1.DeploymentSpec{
		Replicas: ptr(int32(4)), Template: template(), Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
	}})
	eager(s, 10*time.Second)
	if s.count(v1.PodRunning) != 4 {
		t.Fatalf("there are %s, want four running", s.census())
	}
	sets := s.List(world.ReplicaSet)
	hash := s.List(world.Pod)[0].GetLabels()[appsv1.DefaultDeploymentUniqueLabelKey]
	if len(sets) != 1 || hash == "" || sets[0].GetName() != "web-"+hash {
		t.Fatalf("the replica sets are %v with hash %q, want one named after it", names(sets), hash)
	}
	d := must[*appsv1.Deployment](t)(s.Get(world.Deployment, "default", "web")).DeepCopy()
	d.Spec.Template.Spec.Containers[0].Image = "app:2"
	must[*appsv1.Deployment](t)(s.Update(d))
	fewest := 4
	for range 100 {
		eager(s, 100*time.Millisecond)
		ready := 0
		for _, o := range s.List(world.Pod) {
			if pod := o.(*v1.Pod); pod.DeletionTimestamp == nil && pod.Status.Phase == v1.PodRunning {
				ready++
			}
		}
		fewest = min(fewest, ready)
	}
	if fewest < 3 {
		t.Errorf("during the rollout there were only %d pods, want at least 3", fewest)
	}
	for _, o := range s.List(world.Pod) {
		if image := o.(*v1.Pod).Spec.Containers[0].Image; image != "app:2" {
			t.Errorf("pod %s runs %s, want app:2", o.GetName(), image)
		}
	}
	if s.count(v1.PodRunning) != 4 {
		t.Errorf("after the rollout there are %s, want four running", s.census())
	}
}

func names(all []world.Object) []string {
	var list []string
	for _, o := range all {
		list = append(list, o.GetName())
	}
	return list
}

func TestStatefulSet_Order(t *testing.T) {
	s := newScene(t, memory.Options{PodBehavior: func(*v1.Pod) memory.PodBehavior { return memory.PodBehavior{Start: time.Second, Stop: time.Second} }})
	create(s, node("n1"))
	create(s, immediateClass("slow", "disks.example.com"))
	set := create(s, &appsv1.StatefulSet{ObjectMeta: meta("db"), Spec: appsv1.StatefulSetSpec{
		Replicas: ptr(int32(3)), Template: template(),
		VolumeClaimTemplates: []v1.PersistentVolumeClaim{*claim("data", "1Gi")},
	}})
	var seen []string
	for range 8 {
		eager(s, 500*time.Millisecond)
		seen = append(seen, s.census())
	}
	want := []string{
		"db-0 Pending", "db-0 Running, db-1 Pending", "db-0 Running, db-1 Pending", "db-0 Running, db-1 Running, db-2 Pending",
		"db-0 Running, db-1 Running, db-2 Pending", "db-0 Running, db-1 Running, db-2 Running",
		"db-0 Running, db-1 Running, db-2 Running", "db-0 Running, db-1 Running, db-2 Running",
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("on the way up (-want +got):\n%s", diff)
	}
	if got := names(s.List(world.PersistentVolumeClaim)); !cmp.Equal(got, []string{"data-db-0", "data-db-1", "data-db-2"}) {
		t.Errorf("the claims are %v, want one for each pod", got)
	}
	down := must[*appsv1.StatefulSet](t)(s.Get(world.StatefulSet, "default", set.Name)).DeepCopy()
	down.Spec.Replicas = ptr(int32(1))
	must[*appsv1.StatefulSet](t)(s.Update(down))
	eager(s, 1500*time.Millisecond)
	if got := s.census(); got != "db-0 Running, db-1 Running" {
		t.Errorf("on the way down there are %s, want the last one gone first", got)
	}
}

func TestJob_Completes(t *testing.T) {
	s := newScene(t, memory.Options{})
	create(s, node("n1"))
	create(s, &batchv1.Job{ObjectMeta: meta("sum"), Spec: batchv1.JobSpec{
		Completions: ptr(int32(3)), Parallelism: ptr(int32(2)), Template: template(),
	}})
	eager(s, 30*time.Second)
	if s.count(v1.PodRunning) != 2 {
		t.Errorf("there are %s, want two running", s.census())
	}
	eager(s, 3*time.Minute)
	job := must[*batchv1.Job](t)(s.Get(world.Job, "default", "sum"))
	if s.count(v1.PodSucceeded) != 3 || job.Status.Succeeded != 3 || job.Status.Conditions[0].Type != batchv1.JobComplete {
		t.Errorf("there are %s and the status %+v, want three succeeded and the job complete", s.census(), job.Status)
	}
}

func TestJob_BackoffLimit(t *testing.T) {
	s := newScene(t, memory.Options{PodBehavior: func(*v1.Pod) memory.PodBehavior { return memory.PodBehavior{Run: time.Second, Fails: true} }})
	create(s, node("n1"))
	create(s, &batchv1.Job{ObjectMeta: meta("sum"), Spec: batchv1.JobSpec{BackoffLimit: ptr(int32(2)), Template: template()}})
	eager(s, 5*time.Second)
	if s.count(v1.PodFailed) != 1 {
		t.Errorf("after five seconds there are %s, want one failed and a pause of ten seconds", s.census())
	}
	eager(s, 10*time.Minute)
	job := must[*batchv1.Job](t)(s.Get(world.Job, "default", "sum"))
	if s.count(v1.PodFailed) != 3 || job.Status.Conditions[0].Type != batchv1.JobFailed {
		t.Errorf("there are %s and the status %+v, want three failures and the job failed", s.census(), job.Status)
	}
}

func TestDaemonSet_PodPerNode(t *testing.T) {
	s := newScene(t, memory.Options{})
	create(s, node("n1"))
	create(s, mk.Node("cordoned").CPU("1").Unschedulable().Obj())
	create(s, mk.Node("dedicated").CPU("1").Taint("team", "blue", v1.TaintEffectNoSchedule).Obj())
	agent := template()
	limit := int64(300)
	agent.Spec.Tolerations = []v1.Toleration{{Key: v1.TaintNodeNotReady, Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute, TolerationSeconds: &limit}}
	create(s, &appsv1.DaemonSet{ObjectMeta: meta("agent"), Spec: appsv1.DaemonSetSpec{Template: agent}})
	eager(s, 10*time.Second)
	places := func() string {
		var all []string
		for _, o := range s.List(world.Node) {
			for _, p := range s.List(world.Pod) {
				if p.(*v1.Pod).Spec.NodeName == o.GetName() && p.(*v1.Pod).Status.Phase == v1.PodRunning {
					all = append(all, o.GetName())
				}
			}
		}
		return strings.Join(all, " ")
	}
	if got := places(); got != "cordoned n1" {
		t.Errorf("daemons run on %q, want n1 and the cordoned node", got)
	}
	create(s, node("n2"))
	eager(s, 10*time.Second)
	s.mustDeleteCluster(world.Node, "n1")
	eager(s, 2*time.Minute)
	if got := places(); got != "cordoned n2" {
		t.Errorf("with a node come and one gone, daemons run on %q, want n2 and the cordoned node", got)
	}
	for _, o := range s.List(world.Pod) {
		if got := o.(*v1.Pod).Spec.Tolerations; len(got) != 6 || got[0].TolerationSeconds != nil {
			t.Errorf("pod %s has the tolerations %v, want the six of a daemon, each once and without a limit", o.GetName(), got)
		}
	}
}

func TestReplicaSet_RetriesRefusedCreate(t *testing.T) {
	s := newScene(t, memory.Options{})
	important := template()
	important.Spec.PriorityClassName = "to-come"
	create(s, &appsv1.ReplicaSet{ObjectMeta: meta("web"), Spec: appsv1.ReplicaSetSpec{Template: important}})
	s.pass(10 * time.Second)
	log := s.Events()
	if len(log) != 1 || log[0].Reason != "FailedCreate" {
		t.Errorf("the announcements are %v, want one FailedCreate", log)
	}
	create(s, class("to-come", 5))
	s.pass(time.Minute)
	if s.count(v1.PodPending) != 1 {
		t.Errorf("with the class there are %q, want a pod", s.census())
	}
}

func TestReplicaSet_ScaleDownOrder(t *testing.T) {
	s := newScene(t, memory.Options{})
	create(s, node("n1"))
	set := &appsv1.ReplicaSet{ObjectMeta: meta("web"), Spec: appsv1.ReplicaSetSpec{Replicas: ptr(int32(2)), Template: template()}}
	create(s, set)
	eager(s, time.Second)
	running := s.census()
	scale := func(n int32) {
		next := must[*appsv1.ReplicaSet](t)(s.Get(world.ReplicaSet, "default", "web")).DeepCopy()
		next.Spec.Replicas = &n
		must[*appsv1.ReplicaSet](t)(s.Update(next))
		s.pass(time.Second)
	}
	scale(3)
	scale(2)
	if got := s.census(); got != running {
		t.Errorf("there are %s, want the two that ran: %s", got, running)
	}
}
