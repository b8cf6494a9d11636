package diagnose_test

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"orrery/core/answers/diagnose"
	"orrery/core/answers/fix"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// question is a pod about which somebody asks, in the cluster of [questionedNodes].
type question struct {
	name string
	ask  func(pod *mk.PodBuilder) []world.Object
	// more is what the asker knows or wants to know besides, gates are feature gates, unread kinds may not be read.
	more   diagnose.Question
	gates  string
	unread []world.Kind
	// untried says that nothing was decided since the pod came.
	untried bool
}

const unled = "no scheduler holds kube-system/kube-scheduler: no pod is scheduled"

// runs makes a pod one that runs on a node since ten minutes before the question.
func runs(p *mk.PodBuilder, on string) *mk.PodBuilder {
	return p.Node(on).Phase(v1.PodRunning).Started(start.Add(-10 * time.Minute))
}

// deleted has a pod's grace period of 30 seconds end so long after the question.
func deleted(p *mk.PodBuilder, ends time.Duration, finalizers ...string) *mk.PodBuilder {
	grace := int64(30)
	p.Deleting(start.Add(ends)).Obj().DeletionGracePeriodSeconds = &grace
	p.Obj().Finalizers = finalizers
	return p
}

func nothing(*mk.PodBuilder) []world.Object { return nil }

// questionsOfLives are about pods that run, end, or wait for something else than a node.
var questionsOfLives = []question{
	{name: "runs on a node that was cordoned since", ask: func(p *mk.PodBuilder) []world.Object { runs(pin(p, "node-6"), "node-6"); return nil }},
	{name: "runs", ask: func(p *mk.PodBuilder) []world.Object { runs(p, "node-3"); return nil }},
	{name: "runs, and somebody asks where it would go today", more: diagnose.Question{Now: true}, ask: func(p *mk.PodBuilder) []world.Object { runs(p, "node-9"); return nil }},
	{name: "runs, was preempted, and a finalizer keeps it", ask: func(p *mk.PodBuilder) []world.Object {
		deleted(runs(p, "node-3"), -20*time.Second, "example.com/hold").Condition(v1.DisruptionTarget, v1.ConditionTrue, v1.PodReasonPreemptionByScheduler)
		return []world.Object{mk.Pod("vip").Priority(1000).CPU("7").NodeSelector(v1.LabelHostname, "node-3").Nominated("node-3").Obj()}
	}},
	{name: "was nominated once, and is bound", ask: func(p *mk.PodBuilder) []world.Object { runs(p.Nominated("node-3"), "node-3"); return nil }},
	{name: "terminates on a node whose kubelet is silent", ask: func(p *mk.PodBuilder) []world.Object {
		deleted(runs(p, "silent"), -time.Minute)
		return []world.Object{mk.Node("silent").CPU("4").Condition(v1.NodeReady, v1.ConditionUnknown).Obj()}
	}},
	{name: "is bound to a node that does not exist", ask: func(p *mk.PodBuilder) []world.Object { p.Node("node-999"); return nil }},
	{name: "was deleted while it waited, and a finalizer keeps it", ask: func(p *mk.PodBuilder) []world.Object {
		deleted(p.CPU("100"), -time.Minute, "example.com/hold")
		return nil
	}},
	{name: "would fit, and no scheduler leads", untried: true, more: diagnose.Question{Unled: unled}, ask: nothing},
	{name: "would fit, and was not tried yet", untried: true, ask: nothing},
	{name: "fits nowhere, and no scheduler leads", more: diagnose.Question{Unled: unled}, ask: func(p *mk.PodBuilder) []world.Object { p.CPU("8"); return nil }},
	{name: "waits for a victim that a finalizer keeps", ask: func(p *mk.PodBuilder) []world.Object {
		p.Priority(1000).CPU("7").Nominated("node-3")
		return []world.Object{deleted(mk.Pod("low").CPU("7").Node("node-3"), -15*time.Second, "example.com/hold").Obj()}
	}},
	{name: "may not preempt", ask: func(p *mk.PodBuilder) []world.Object {
		p.Priority(1000).CPU("14").NeverPreempt()
		return nil
	}},
	{name: "is BestEffort, and all nodes are under memory pressure", ask: func(p *mk.PodBuilder) []world.Object {
		p.NodeSelector("pressed", "true").Obj().Spec.Containers[0].Resources.Requests = nil
		var nodes []world.Object
		for i := range 3 {
			nodes = append(nodes, node(fmt.Sprint("pressed-", i), "8").Label("pressed", "true").Taint(v1.TaintNodeMemoryPressure, "", v1.TaintEffectNoSchedule).Obj())
		}
		return nodes
	}},
	{name: "requests more cpu and more memory than is free", ask: func(p *mk.PodBuilder) []world.Object {
		p.CPU("14").Memory("14Gi")
		var fill []world.Object
		for i := range 12 {
			fill = append(fill, mk.Pod(fmt.Sprint("fill-", i)).Memory("4Gi").Node(fmt.Sprint("node-", i)).Priority(9).Obj())
		}
		return fill
	}},
	{name: "is asked why it is not on one node", more: diagnose.Question{Node: "node-6"}, ask: func(p *mk.PodBuilder) []world.Object { p.CPU("8"); return nil }},
	{name: "is asked why it is not on a node where it could be", more: diagnose.Question{Node: "node-9"}, ask: nothing},
	{name: "has a claim that may not be read", unread: []world.Kind{world.PersistentVolumeClaim}, ask: func(p *mk.PodBuilder) []world.Object { p.PVC("data"); return nil }},
	{name: "has a claim whose provisioner is silent", ask: func(p *mk.PodBuilder) []world.Object {
		p.PVC("data")
		claim := mk.Claim("data").Size("10Gi").Class("ebs").Annotation("volume.kubernetes.io/storage-provisioner", "ebs.csi.example.com").Obj()
		claim.CreationTimestamp.Time = start.Add(-time.Hour)
		return []world.Object{mk.Class("ebs", "ebs.csi.example.com").Obj(), claim}
	}},
	{name: "has a claim of a class without a provisioner", ask: func(p *mk.PodBuilder) []world.Object {
		p.PVC("data")
		return []world.Object{mk.Class("local", "kubernetes.io/no-provisioner").WaitForFirstConsumer().Obj(), mk.Claim("data").Size("10Gi").Class("local").Obj()}
	}},
	{name: "needs more space than its zone has left", ask: func(p *mk.PodBuilder) []world.Object {
		p.PVC("data").NodeSelector(v1.LabelTopologyZone, "zone-1")
		var objects []world.Object
		for i := range 3 {
			objects = append(objects, mk.StorageCapacity(fmt.Sprint("fast-", i), "fast", "50Gi", v1.LabelTopologyZone, fmt.Sprint("zone-", i)))
		}
		capacity := true
		driver := mk.CSIDriver("csi.example.com")
		driver.Spec = storagev1.CSIDriverSpec{StorageCapacity: &capacity}
		return append(objects, driver, mk.Class("fast", "csi.example.com").WaitForFirstConsumer().Obj(), mk.Claim("data").Size("100Gi").Class("fast").Obj())
	}},
	{name: "requests more devices than are free on any node", ask: func(p *mk.PodBuilder) []world.Object {
		p.ResourceClaim("gpus")
		taken := mk.ResourceClaim("taken").Request("r", "gpu", 1).Allocated("node-3", "r", "gpu.example.com", "node-3", "gpu-0").ReservedFor("train").Obj()
		return []world.Object{
			mk.DeviceClass("gpu"), mk.ResourceClaim("gpus").Request("r", "gpu", 2).Obj(), taken,
			mk.Pod("train").ResourceClaim("taken").Node("node-3").Priority(9).Obj(),
			mk.ResourceSlice("slice", "gpu.example.com", "node-3").Node("node-3").Devices("gpu-0", "gpu-1").Obj(),
		}
	}},
	{name: "is of a gang of which too few pods exist", gates: "GenericWorkload=true GangScheduling=true", ask: func(p *mk.PodBuilder) []world.Object {
		p.InGroup("train", "workers")
		return []world.Object{mk.Workload("train", mk.Gang("workers", 3))}
	}},
	{name: "is of a gang that fits without another one", gates: "GenericWorkload=true GangScheduling=true", more: diagnose.Question{Whole: true, Fixes: fix.Tries{}}, ask: func(p *mk.PodBuilder) []world.Object {
		p.InGroup("maps", "pods").CPU("6").NodeSelector("gang", "true")
		objects := []world.Object{mk.Workload("music", mk.Gang("pods", 3)), mk.Workload("maps", mk.Gang("pods", 3))}
		for i := range 4 {
			objects = append(objects, node(fmt.Sprint("gang-", i), "8").Label("gang", "true").Obj())
		}
		for i := range 3 {
			objects = append(objects, mk.Pod(fmt.Sprint("music-", i)).InGroup("music", "pods").CPU("6").NodeSelector("gang", "true").Priority(int32(1-i)).Obj())
		}
		return append(objects, mk.Pod("maps-1").InGroup("maps", "pods").CPU("6").NodeSelector("gang", "true").Obj(), mk.Pod("maps-2").InGroup("maps", "pods").CPU("6").NodeSelector("gang", "true").Obj())
	}},
	{name: "has an image that no kubelet can pull, and runs nowhere yet", ask: func(p *mk.PodBuilder) []world.Object { p.Node("node-3").Phase(v1.PodPending); return nil }},
}
