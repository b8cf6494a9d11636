package views_test

import (
	"fmt"
	"slices"
	"time"

	"orrery/core/answers/answer"
	"orrery/views"
)

func sampleExplain() *views.Explanation {
	const taint = "dedicated=ml:NoSchedule on 61 nodes: ip-10-0-4-69.internal, ip-10-0-4-70.internal and 59 more"
	e := &views.Explanation{
		State: views.Unschedulable, Verdict: views.VerdictUnschedulable, At: ago(1200 * time.Millisecond),
		Plugins: []string{"NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity", "NodePorts", "NodeResourcesFit", "VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone", "PodTopologySpread", "InterPodAffinity"},
	}
	e.Status, e.Evaluated, e.Counts = &answer.Status{State: "unschedulable"}, &answer.Evaluated{}, &answer.NodeCounts{Total: 240, Examined: 240}
	e.Title, e.Headline = "ml/trainer-2-b91c4", "Pending: all 36 nodes with pool=ml are 1946Mi short of memory at best (requests 4Gi, at most 2150Mi free, on ip-10-0-3-85.internal)"
	e.Then = []string{"pending for 14m3s; what would help first: tolerate the taint dedicated=ml:NoSchedule"}
	e.Reasons = []answer.Reason{
		{Plugin: "TaintToleration", Message: "node(s) had untolerated taint(s)", Nodes: 203, Beside: []string{taint}},
		{Plugin: "NodeResourcesFit", Message: noMemory, Nodes: 36, Beside: []string{
			"nearest is ip-10-0-3-85.internal: 2150Mi of 64Gi free, 1946Mi short", "largest requests there: ml/trainer-0-9a3f1 12Gi (priority 500), shop/search-5c9b8f4d77-2gnfr 2Gi",
		}},
		{Plugin: "NodeUnschedulable", Message: "node(s) were unschedulable", Nodes: 1},
	}
	e.Charts = []answer.Chart{sampleRoomChart(), sampleSpreadChart()}
	e.Section("Preemption", answer.Lines([]string{"no lower-priority pods (its priority is 500) on ip-10-0-3-85.internal, ip-10-0-3-86.internal and 34 more", "preemption would not help on 204 nodes"})...)
	e.Section("What would help", answer.Lines([]string{"would fit with 1946Mi more memory free on one node, or with as much less requested", "would fit on 61 nodes with a toleration of dedicated=ml:NoSchedule"})...)
	e.Named("state", "in unschedulablePods since 2026-01-01T11:59:41Z (12m), 3 attempts")
	e.Named("requeued when", "a Node is added or changes its allocatable resources, labels or taints; when a Pod is deleted")
	e.Named("retry by", "2026-01-01T12:04:41Z (in 4m41s)")
	e.Remedies = []answer.Remedy{
		{Text: "tolerate the taint dedicated=ml:NoSchedule", Change: "tolerate ml/trainer-0 dedicated=ml:NoSchedule", Node: "ip-10-0-4-69.internal"},
		{Text: "lower its requests to memory=2150Mi", Change: "requests ml/trainer-0 memory=2150Mi", Node: "ip-10-0-3-85.internal"},
		{Text: "add one more node like ip-10-0-3-85.internal", Change: "add 1 node like ip-10-0-3-85.internal", Node: "ip-10-0-3-85.internal-new"},
	}
	e.Matrix.Total = 240
	for i := range 60 {
		row := views.MatrixRow{Node: fmt.Sprintf("ip-10-0-%d-%d.internal", i/8, 17+i*13%230), Visited: true}
		for p := range e.Plugins {
			mark := views.Passes
			switch {
			case p == 2 && i%6 != 0, p == 5 && i%6 == 0:
				mark = views.Rejects
			case p > 5 && i%6 != 0:
				mark = views.NotRun
			}
			row.Marks = append(row.Marks, mark)
		}
		e.Matrix.Rows = append(e.Matrix.Rows, row)
	}
	return e
}

func sampleRoomChart() answer.Chart {
	c := answer.Chart{Title: "memory free on the nearest nodes", Legend: "│ requested 4Gi", ShortLegend: "│ 4Gi", Mark: 4096, Allowed: 4096, To: 4608}
	for i, free := range []int64{2150, 1930, 1024, 512, 0} {
		c.Bars = append(c.Bars, answer.Bar{
			Name: fmt.Sprintf("ip-10-0-3-%d.internal", 85+i), Amount: free, Value: fmt.Sprintf("%dMi, %dMi short", free, 4096-free),
		})
	}
	c.Bars[2].Extra, c.Bars[2].Value = 2048, "1Gi, 3Gi short, 2Gi held"
	return c
}

func sampleSpreadChart() answer.Chart {
	c := answer.Chart{
		Title: "pods by topology.kubernetes.io/zone", Legend: "│ at most 11: the least, 9, + maxSkew 2", ShortLegend: "│ at most 11", Mark: 11, Allowed: 9, To: 15, More: 2,
	}
	for i, pods := range []int64{9, 11, 13} {
		c.Bars = append(c.Bars, answer.Bar{
			Name: "eu-west-1" + string(rune('a'+i)), Amount: pods, Extra: 1, Value: fmt.Sprintf("%d, %d with it", pods, pods+1), OK: pods+1 <= 11,
		})
	}
	return c
}

func samplePlaced() *views.Explanation {
	e := sampleExplain()
	e.State, e.Verdict = views.Bound, views.VerdictScheduled
	e.Status, e.Counts = &answer.Status{State: "bound", Node: "ip-10-0-3-85.internal"}, &answer.NodeCounts{Total: 240, Examined: 240, Feasible: 24}
	e.Words = answer.Words{
		Title: "shop/cart-6b7d54b7c9-5kx2v", Headline: "runs on ip-10-0-3-85.internal since 2026-01-01T12:03:01Z",
		Then: []string{"11 points ahead of ip-10-0-1-56.internal, most by NodeResourcesBalancedAllocation"},
	}
	e.Section("Storage", sampleChain()...)
	e.Named("state", "bound since 2026-01-01T12:03:01Z (40s), 1 attempt")
	e.Named("decided", "2026-01-01T12:03:01Z (40s ago), decision 412")
	e.Reasons, e.Remedies = nil, nil
	e.Winner, e.RunnerUp = &answer.ScoredNode{Node: "ip-10-0-3-85.internal", Score: 412}, &answer.ScoredNode{Node: "ip-10-0-1-56.internal", Score: 401}
	e.Scores = []answer.ScorePair{
		{Plugin: "NodeResourcesBalancedAllocation", Winner: 92, RunnerUp: 74},
		{Plugin: "NodeResourcesFit", Winner: 61, RunnerUp: 64},
		{Plugin: "PodTopologySpread", Winner: 100, RunnerUp: 104},
		{Plugin: "TaintToleration", Winner: 159, RunnerUp: 159},
	}
	return e
}

// sampleDeviceless is a pod whose claim finds too few devices.
func sampleDeviceless() *views.Explanation {
	const nearest = "nearest: node gpu-4: 3 of its 4 devices of class gpu are free, 4 needed; gpu-4/gpu-3 is held by shop/train-2 (priority 0, lower than its own 100)"
	e := &views.Explanation{State: views.Unschedulable, Verdict: views.VerdictUnschedulable, At: ago(2 * time.Second)}
	e.Status, e.Counts = &answer.Status{State: "unschedulable"}, &answer.NodeCounts{Total: 240, Examined: 240}
	e.Title = "shop/train-7"
	e.Headline = "Pending: claim train-7, request gpu (4 devices of class gpu): too few on 240 of 240 nodes, 3 at most on a node, 200 without any that matches; " + nearest
	e.Reasons = []answer.Reason{{Plugin: "DynamicResources", Message: "cannot allocate all claims", Nodes: 240, Beside: []string{
		"157 devices are taken by shop/train-2 (priority 0, lower than its own 100), shop/train-1 (priority 100) and 155 more",
	}}}
	e.Section("Devices", []answer.Link{
		{Says: "claim train-7 gets devices when its pod has a node"},
		{Depth: 1, Says: "request gpu: 4 devices of class gpu; too few on 240 nodes", Bad: true},
		{Says: "claim notes does not exist in namespace shop; there is note", Bad: true},
		{Says: "nodes: devices allow 0 of 240"},
	}...)
	return e
}

func sampleChain() []answer.Link {
	return []answer.Link{
		{Says: "claim data-cart-0 (100Gi, ReadWriteOnce, of class fast) is bound to pvc-1129a36f, which is in eu-west-1b"},
		{Depth: 1, Says: "class fast makes volumes with provisioner ebs.csi.aws.com"},
		{Depth: 1, Says: "volume pvc-1129a36f is in eu-west-1b, reaches 80 of 240 nodes, is attached to ip-10-0-3-85.internal by ebs.csi.aws.com"},
		{Says: "claim logs (1Gi, ReadWriteOnce, of class gone) is not bound: class gone does not exist; it waits for the class", Bad: true},
	}
}

func sampleJourney() *views.Journey {
	j := &views.Journey{Pod: "shop/checkout-7d9f6c5b8-x2kqp", State: views.Active, Created: ago(9 * time.Second), Attempts: 2}
	j.Facts = []views.Fact{{Name: "priority", Value: "1,000 (shop-critical)"}, {Name: "requests", Value: "500m cpu, 1.0Gi memory"}, {Name: "owner", Value: "ReplicaSet checkout-7d9f6c5b8"}, {Name: "profile", Value: "default-scheduler"}}
	j.Steps.Rows = []views.JourneyStep{
		{At: ago(9 * time.Second), From: views.Created, To: views.Active, Event: "UnscheduledPodAdd"},
		{At: ago(8990 * time.Millisecond), From: views.Active, To: views.InFlight, Event: "Pop", PreviousStateTime: 10 * time.Millisecond, Attempt: 1},
		{At: ago(8989 * time.Millisecond), From: views.InFlight, To: views.Unschedulable, Event: "ScheduleAttemptFailure", Plugin: "NodeResourcesFit", Note: "0/240 nodes are available: 240 Insufficient memory.", PreviousStateTime: 84 * time.Microsecond, Attempt: 1},
		{At: ago(5 * time.Second), From: views.Unschedulable, To: views.Backoff, Event: "AssignedPodDelete", Plugin: "NodeResourcesFit", PreviousStateTime: 3989 * time.Millisecond},
		{At: ago(700 * time.Millisecond), From: views.Backoff, To: views.Active, Event: "BackoffComplete", PreviousStateTime: 4300 * time.Millisecond},
	}
	j.Storage = sampleChain()
	j.Devices = []answer.Link{
		{Says: "claim checkout-7d9f6c5b8-x2kqp-gpu (1 shared-a100) is pending: 19 cannot allocate all claims", Bad: true},
		{Says: "claim fabric (2 nic) is reserved"},
		{Depth: 1, Says: "request devices: nic-0, nic-7 (bandwidth 10G of 40G) of pool fabric, driver nic.example.com"},
	}
	j.RequeuesOn, j.QueuedFor, j.AttemptTime = []string{"NodeAdd", "NodeUpdateNodeAllocatable", "AssignedPodDelete"}, 8999*time.Millisecond, 84*time.Microsecond
	j.Steps.Rows[2].AttemptDuration, j.Steps.Rows[2].Examined = 84*time.Microsecond, 240
	slices.Reverse(j.Steps.Rows)
	j.Steps.Total = len(j.Steps.Rows)
	return j
}

func sampleNode() *views.NodeDetail {
	n := &views.NodeDetail{Owners: []views.NodeOwner{
		{Name: "ml/trainer", Pods: 2, CPU: "8", Memory: "2.0Gi", Share: 0.5},
		{Name: "shop/cart", Pods: 14, CPU: "3.7", Memory: "1.7Gi", Share: 0.23},
		{Name: "monitoring/node-agent", Pods: 1, CPU: "100m", Memory: "128Mi", Share: 0.006},
	}, Row: sampleNodeRow(2), Facts: []views.Fact{{Name: "taints", Value: "node.kubernetes.io/unschedulable:NoSchedule"}, {Name: "kubelet", Value: "v1.35.2"}, {Name: "instance", Value: "m5.4xlarge"}, {Name: "ports", Value: "9100/TCP, 10250/TCP"}, {Name: "claims", Value: "ml/scratch-2, shop/cart-data (3)"}}}
	for i, name := range []string{"registry.example.com/ml/trainer:2026.1", "registry.example.com/shop/cart:7d9f6c5b8", "registry.k8s.io/pause:3.10"} {
		n.Images = append(n.Images, views.NodeImage{Name: name, Size: []string{"4.2Gi", "180Mi", "310Ki"}[i], Nodes: 3 + i*100})
	}
	n.Resources = []views.Resource{{Name: "cpu", Amount: n.Row.CPU}, {Name: "memory", Amount: n.Row.Memory}, {Name: "ephemeral-storage", Amount: views.Amount{Fraction: 0.31, Used: "31Gi", Most: "100Gi"}}, {Name: "pods", Amount: n.Row.Pods}}
	for i := range 17 {
		n.Pods.Rows = append(n.Pods.Rows, views.NodePod{Name: fmt.Sprintf("shop/cart-6b7d54b7c9-%05x", 0x3a1f0+i*4421), State: views.Bound, Priority: 1000, CPU: "500m", Memory: "1.0Gi"})
	}
	n.Pods.Rows[1].Claims, n.Pods.Rows[2].Affine = 2, true
	n.Pods.Rows[3].State, n.Pods.Rows[16].State = views.Terminating, views.Nominated
	n.Pods.Total = len(n.Pods.Rows)
	return n
}
